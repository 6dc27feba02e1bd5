import { describe, expect, test } from 'vitest';
import type { LiveParticipant } from '../../../src/node/server/live.ts';
import { isOwnMachine, joinCommand, joinLink } from '../../../src/web/dashboard/data/invitation.ts';
import { lanesOf, spanOf } from '../../../src/web/dashboard/data/lanes.ts';
import { type Filter, listed } from '../../../src/web/dashboard/data/participant-list.ts';
import {
  compareHash,
  federationHash,
  parseRoute,
  reportHash,
} from '../../../src/web/dashboard/data/route.ts';
import { Traffic } from '../../../src/web/dashboard/data/traffic.ts';
import { parseLink } from '../../../src/web/join/link.ts';

function participant(id: string, changes: Partial<LiveParticipant> = {}): LiveParticipant {
  return {
    ...{ id, status: 'waiting', connected: true, rows: 10, lastSeenMs: 0, agent: null, responseMs: null },
    ...{
      benchmarkMs: null,
      answeredRounds: 0,
      askedRounds: 0,
      lastAcceptedRound: 0,
      metric: null,
      fault: null,
    },
    ...changes,
  } as LiveParticipant;
}

describe('addresses', () => {
  test('of all views are read back', () => {
    const name = 'a/b%c ü';
    expect(parseRoute('')).toEqual({ view: 'federations' });
    expect(parseRoute('#/')).toEqual({ view: 'federations' });
    expect(parseRoute(federationHash(name))).toEqual({ view: 'federation', name });
    expect(parseRoute(reportHash())).toEqual({ view: 'reports', name: undefined });
    expect(parseRoute(reportHash(name))).toEqual({ view: 'reports', name });
    expect(parseRoute('#/audit')).toEqual({ view: 'audit' });
    const chosen = [
      { name: 'wards', run: 2 },
      { name: 'x', run: 'last' as const },
    ];
    expect(parseRoute(compareHash(chosen))).toEqual({ view: 'compare', chosen });
  });

  test.each(['#/nonsense', '#/federations', '#/federations/a/b', '#/audit/x', '#/federations/%zz'])(
    '%s is no view',
    (hash) => expect(parseRoute(hash)).toEqual({ view: 'unknown' }),
  );
});

describe('an invitation', () => {
  const given = { origin: 'https://k.example:7070', federation: 'wards', token: 'to_ken-1', isSecure: true };

  test('as a link is what the page for participants reads', () => {
    const link = new URL(joinLink({ ...given, participant: 'Ada & "Ben"' }));
    expect([link.origin, link.pathname]).toEqual([given.origin, '/join/wards']);
    expect(parseLink(link.hash)).toEqual({ invitation: 'to_ken-1', name: 'Ada & "Ben"' });
  });

  test('as a command keeps names that a shell would take apart in one piece', () => {
    const command = joinCommand({ ...given, participant: "it's; rm -rf $HOME" });
    expect(command).toContain(`--name 'it'\\''s; rm -rf $HOME'`);
    expect(command).toMatch(
      /^KINDRED_INVITATION=to_ken-1 kindred join https:\/\/k.example:7070\/wards .* --secure$/,
    );
  });

  test.each([
    ['http://127.0.0.1:7070', true],
    ['http://localhost:7070', true],
    ['http://[::1]:7070', true],
    ['http://192.168.1.5:7070', false],
    ['nonsense', false],
  ])('%s: of this machine only: %s', (origin, isOwn) => expect(isOwnMachine(origin)).toBe(isOwn));
});

describe('the open round', () => {
  const people = [
    participant('late', { status: 'late' }),
    participant('slow', { status: 'answered', responseMs: 90 }),
    participant('solving', { status: 'solving', responseMs: 500 }),
    participant('fast', { status: 'answered', responseMs: 10 }),
    participant('away', { status: 'away', responseMs: 70 }),
  ];

  test('has the answered in the order of their times, then who solves, then who is late', () => {
    const { lanes, counts, longestMs } = lanesOf(people, true);
    expect(lanes.map(({ id }) => id)).toEqual(['fast', 'slow', 'solving', 'late']);
    expect(counts).toEqual({ answered: 2, solving: 1, late: 1, away: 1, waiting: 0 });
    expect(longestMs).toBe(500);
  });

  test('at rest shows the last times', () => {
    const { lanes } = lanesOf(people, false);
    expect(lanes.map(({ id, endMs }) => [id, endMs])).toEqual([
      ['fast', 10],
      ['away', 70],
      ['slow', 90],
      ['solving', 500],
    ]);
  });

  test('is shown up to its deadline, unless that is far away', () => {
    expect(spanOf(100, 1000, 200)).toBe(1000);
    expect(spanOf(1200, 1000, 200)).toBe(1200);
    expect(spanOf(100, 60_000, 200)).toBeCloseTo(230);
    expect(spanOf(400, null, 200)).toBeCloseTo(460);
  });
});

describe('the list of participants', () => {
  const people = [
    participant('p10', { rows: 5, fault: 'OUT_OF_MEMORY' }),
    participant('p2', { rows: null, status: 'late' }),
    participant('P1', { rows: 7, connected: false, status: 'away' }),
  ];
  const ids = (filter: Filter, text: string, key: string, direction: 'ascending' | 'descending') =>
    listed(people, { filter, text, sort: { key, direction } }).map(({ id }) => id);

  test('has names in natural order, and what is not known last either way', () => {
    expect(ids('all', '', 'id', 'ascending')).toEqual(['P1', 'p2', 'p10']);
    expect(ids('all', '', 'id', 'descending')).toEqual(['p10', 'p2', 'P1']);
    expect(ids('all', '', 'rows', 'ascending')).toEqual(['p10', 'P1', 'p2']);
    expect(ids('all', '', 'rows', 'descending')).toEqual(['P1', 'p10', 'p2']);
  });

  test('is filtered by state and by name', () => {
    expect(ids('connected', '', 'id', 'ascending')).toEqual(['p2', 'p10']);
    expect(ids('late', '', 'id', 'ascending')).toEqual(['p2']);
    expect(ids('faults', '', 'id', 'ascending')).toEqual(['p10']);
    expect(ids('all', ' P1', 'id', 'ascending')).toEqual(['P1', 'p10']);
  });
});

describe('traffic', () => {
  test('is the rate of the last seconds, none after a silence, and starts over with the server', () => {
    const traffic = new Traffic();
    expect(traffic.bytesPerSecond(0)).toBe(0);
    for (let s = 0; s <= 60; s++) traffic.note({ inBytes: 100 * s, outBytes: 200 * s }, 1000 * s);
    expect(traffic.bytesPerSecond(60_000)).toBe(300);
    expect(traffic.bytesPerSecond(90_000)).toBe(0);
    traffic.note({ inBytes: 0, outBytes: 0 }, 61_000);
    expect(traffic.bytesPerSecond(61_000)).toBe(0);
  });
});
