/**
 * Bad networks: a server in a process of its own, real participants, and between them a proxy that delays, loses, doubles, cuts off,
 * falls silent and is slow. Whatever it does, rounds close in time, training ends, and nothing is lost or counted twice.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { Stream } from '../../../src/base/random.ts';
import { BadNetwork, type ObservedRow, roundTimes, type Setting } from '../../helpers/bad-network.ts';
import type { Faults } from '../../helpers/faulty-proxy.ts';
import { until } from '../../helpers/server.ts';
import { tableOf } from '../../helpers/tables.ts';
import { useBuilt } from '../client/helpers.ts';

useBuilt();

const SEED = Number(process.env.KINDRED_TEST_SEED ?? 20261115);
/** What a round may close later than it should. */
const LATE_MS = 250;
const EVERYBODY = 4;
/** A modem of old. */
const SLOW: Faults = { bytesPerSecond: 3000 };
/** So that dead connections are found within a second, on both sides. */
const QUICK_PINGS = {
  limits: { silentMs: 900 },
  timing: () => ({ pingMs: 150, silenceMs: 600 }),
};
/** Hundreds of rounds, so that there is time for trouble. */
const LONG = { passes: 2, c1: 10, stop: { gap: 1e-3, rounds: 2000 } };

interface Case extends Partial<Omit<Setting, 'faults'>> {
  /** T_wait; undefined: until all have answered. */
  readonly waitMs?: number | undefined;
  readonly maxWaitMs?: number;
  /** Of all but the first, who is connected to the server itself, or of some of them. */
  readonly faults: Setting['faults'][string] | Setting['faults'];
  readonly features?: number;
  /** Why training should end. */
  readonly reason?: string;
  /** What happens before it ends. */
  readonly meanwhile?: (network: BadNetwork) => Promise<void>;
}

interface Seen {
  readonly network: BadNetwork;
  /** Rounds that not everybody has answered. */
  readonly missed: number;
  readonly rows: readonly ObservedRow[];
}

/** Training to its end, in time, and with nothing lost. */
async function expectSound(one: Case): Promise<Seen> {
  const folder = mkdtempSync(join(tmpdir(), 'kindred-network-'));
  const network = await BadNetwork.start({ ...one, ...settingOf(one), folder });
  try {
    const { waitMs, maxWaitMs = 2000, reason = 'gap', meanwhile } = one;
    await meanwhile?.(network);
    const results = await network.finished();
    expect(results.map((result) => result.reason)).toEqual(Array(EVERYBODY).fill(reason));
    const rows = await network.rows();
    const missed = await expectInTime(network, rows, waitMs, maxWaitMs);
    const { participants, conservation, ok } = await network.verified();
    expect(ok, JSON.stringify({ participants, conservation })).toBe(true);
    expect(participants).toHaveLength(EVERYBODY);
    return { network, missed, rows };
  } finally {
    await network.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

function settingOf({ waitMs, maxWaitMs = 2000, faults, features = 8, options }: Case) {
  const table = tableOf({
    participants: EVERYBODY,
    rows: 30,
    d: features,
    target: (x, k) => (x[0] + 0.3 * k * x[1] + 0.5 * x[2] > 0 ? 1 : -1),
  });
  return {
    table,
    faults: 'p1' in faults ? faults : { p1: faults, p2: faults, p3: faults },
    seed: SEED,
    options: {
      waiting: waitMs === undefined ? { kind: 'all' } : { kind: 'fixed', ms: waitMs },
      maxWaitMs,
      retryMs: 100,
      passes: 5,
      stop: { gap: 1e-4, rounds: 2000 },
      ...options,
    },
  };
}

/** What a busy machine takes from the server's process is not the server's: its own clock beside it says how much that was. */
async function expectInTime(
  network: BadNetwork,
  rows: readonly ObservedRow[],
  waitMs: number | undefined,
  maxWaitMs: number,
): Promise<number> {
  const { missed, earliestMs, latestMs, longestMs } = roundTimes(rows, network.participants, waitMs ?? 0);
  const { stalledMs } = await network.server.observed();
  const late = LATE_MS + stalledMs;
  const stalls = `the machine had no time for up to ${stalledMs.toFixed(1)} ms`;
  if (waitMs !== undefined) {
    const latest = `of ${missed} rounds with somebody missing the latest closed ${latestMs.toFixed(1)} ms after T_wait`;
    expect(latestMs, `${latest}; ${stalls}`).toBeLessThanOrEqual(late);
    expect(earliestMs, 'nobody who is there is cut short').toBeGreaterThan(-1);
  }
  const longest = `the longest round was open for ${longestMs.toFixed(1)} ms`;
  expect(longestMs, `${longest}; ${stalls}`).toBeLessThanOrEqual(maxWaitMs + late);
  return missed;
}

function lostBecause(network: BadNetwork, why: RegExp): number {
  return network.events.filter((event) => event.type === 'lost' && why.test(event.why)).length;
}

// Two or three at a time: most of the time they wait.
describe('messages that come late or not at all', () => {
  test.concurrent('delay and jitter, T_wait fixed: some answers are late, no round is', async () => {
    const { missed } = await expectSound({ waitMs: 200, faults: { delayMs: 10, jitterMs: 120 } });
    expect(missed).toBeGreaterThan(0);
  });

  test.concurrent.each([{ waiting: { kind: 'share', share: 0.9 } }, { waiting: { kind: 'fixed', ms: 400 } }])(
    '100 ms each way: the way is counted, and nearly everybody answers in time: $waiting',
    async (options) => {
      const far = { delayMs: 100 };
      const { rows, missed } = await expectSound({ faults: { p0: far, p1: far, p2: far, p3: far }, options });
      const { length } = rows;
      expect(missed, `rounds without somebody, of ${length}`).toBeLessThanOrEqual(0.2 * length);
    },
  );

  test.concurrent.each([150, undefined])('one message in five is lost, T_wait %s', async (waitMs) => {
    const { network } = await expectSound({ waitMs, faults: { drop: 0.2 } });
    expect(network.deeds.dropped).toBeGreaterThan(5);
  });
});

describe('messages that come twice', () => {
  test.concurrent.each([250, undefined])('three messages in ten come twice, T_wait %s', async (waitMs) => {
    const { network } = await expectSound({ waitMs, faults: { duplicate: 0.3 } });
    expect(network.deeds.doubled).toBeGreaterThan(5);
  });
});

describe('connections that break', () => {
  test.concurrent('half-open: both sides find out, and rounds go on meanwhile', async () => {
    const { missed } = await expectSound({
      ...QUICK_PINGS,
      waitMs: 250,
      faults: { silentAfterMs: 600 },
      // Two notice by themselves; of the third it is the server that notices.
      timing: (id) => ({ pingMs: 150, silenceMs: id === 'p3' ? 2500 : 600 }),
      options: LONG,
      meanwhile: async (network) => {
        await until(() => lostBecause(network, /does not respond/) >= 3, 'participants notice');
        await until(async () => {
          const { text } = await network.server.operate('/metrics');
          return /kindred_turned_away_total\{reason="SILENT"\} [1-9]/.test(text);
        }, 'the server notices');
        network.heal();
      },
    });
    expect(missed).toBeGreaterThan(0);
  });

  test.concurrent('half-open, all are waited for: but not those who are not there', async () => {
    await expectSound({
      ...QUICK_PINGS,
      faults: { silentAfterMs: 600 },
      options: LONG,
      meanwhile: async (network) => {
        await until(() => lostBecause(network, /does not respond/) >= 6, 'participants notice');
        network.heal();
      },
    });
  });

  test.concurrent('reset again and again', async () => {
    await expectSound({
      waitMs: 250,
      faults: (_: number, random: Stream) => ({ resetAfterMs: 100 + 300 * random.uniform() }),
      // No round waits for those who are gone: there are many in a second.
      options: { ...LONG, stop: { gap: 1e-5, rounds: 2000 } },
      meanwhile: async (network) => {
        await until(() => lostBecause(network, /./) >= 15, 'resets');
        network.heal();
      },
    });
  });
});

describe('3 kB/s for two of them', () => {
  test.concurrent('what is still on its way is not sent again and again: retryMs a tenth of what it takes', async () => {
    const rounds = 8;
    const frames = { server: 0, client: 0 };
    await expectSound({
      maxWaitMs: 10_000,
      features: 120,
      faults: { p1: SLOW },
      options: { retryMs: 70, stop: { gap: 0, rounds } },
      reason: 'rounds',
      meanwhile: async ({ proxies }) => {
        proxies.get('p1')!.onPiece = (_, from, { bytes, isFrame }) => {
          if (isFrame && bytes.length > 900) frames[from]++;
        };
      },
    });
    // Moments, welcome, rounds, answers and the model at the end are large.
    expect(Math.max(frames.server, frames.client), JSON.stringify(frames)).toBeLessThanOrEqual(
      3 * (rounds + 2),
    );
  });

  // Messages of half a kilobyte each way.
  const line = { maxWaitMs: 4000, features: 60, faults: { p1: SLOW, p2: SLOW } };

  test.concurrent('all are waited for: slow, but to the end', async () => {
    await expectSound({ ...line, options: { retryMs: 1000, stop: { gap: 1e-2, rounds: 2000 } } });
  });

  test.concurrent('T_wait shorter than they need: rounds go on without them', async () => {
    const options = { retryMs: 1000, stop: { gap: 0, rounds: 20 } };
    const { missed } = await expectSound({ ...line, waitMs: 300, options, reason: 'rounds' });
    expect(missed).toBeGreaterThan(8);
  });
});

/** Everything at once, drawn anew for every connection. */
function anything(_: number, random: Stream): Faults {
  const lifetimeMs = 1000 + 2000 * random.uniform();
  const end = random.below(3);
  return {
    delayMs: 5,
    jitterMs: 40,
    drop: 0.1,
    duplicate: 0.3,
    ...(end === 0 && { silentAfterMs: lifetimeMs }),
    ...(end === 1 && { resetAfterMs: lifetimeMs }),
  };
}

describe('all of them mixed', () => {
  test.concurrent.each([400, undefined])('T_wait %s', async (waitMs) => {
    const slow = (number: number, random: Stream) => ({ ...anything(number, random), ...SLOW });
    const { network } = await expectSound({
      ...QUICK_PINGS,
      waitMs,
      faults: { p1: anything, p2: anything, p3: slow },
      // What is said again too soon would fill the slow line.
      options: { retryMs: 400, stop: { gap: 1e-3, rounds: 2000 } },
    });
    const { dropped, doubled } = network.deeds;
    expect(Math.min(dropped, doubled)).toBeGreaterThan(0);
  });
});
