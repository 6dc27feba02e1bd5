/** What must never be in a log, however much is logged. */
import { expect, test } from 'vitest';
import { newLog, prettyLine } from '../../../src/cli/serve/log.ts';
import { ask, post } from '../../helpers/http.ts';
import { operate, ServerTest } from '../../helpers/server.ts';
import { openSession, sessionRequest, WsParticipant } from '../../helpers/ws-participant.ts';

const servers = new ServerTest();
const HOME = '/v1/federations/default';

function logTo(lines: string[], format: 'json' | 'pretty') {
  const stderr = { isTerminal: false, write: (text: string) => void lines.push(text) };
  return newLog({ stderr } as never, 'trace', format);
}

test.each(['json', 'pretty'] as const)('a whole session leaves no secret in the log (%s)', async (format) => {
  const lines: string[] = [];
  const server = await servers.start({ enrolment: 'invitation', log: logTo(lines, format) });
  const body = { participant: 'ada' };
  const { json } = await operate(server, `${HOME}/invitations`, { body });
  const invitation = json.invitations[0].token;
  const request = await sessionRequest(server.url, { participant: 'ada', invitation });
  const ticket = (await post(`${server.url}${HOME}/session`, undefined, request)).json.ticket;
  const link = await WsParticipant.open(server.url, 'default', ticket);
  // And everything that goes wrong: a wrong token, a used ticket, a store that fails in the middle of a request.
  await ask(`${server.url}/v1/federations`, { token: 'another-token', body: { name: 'a' } });
  await WsParticipant.open(server.url, 'default', ticket).catch(() => {});
  await post(`${server.url}${HOME}/session`, undefined, request);
  const broken = server.store.enrolment;
  server.store.enrolment = () => {
    throw new Error('out of order');
  };
  const failed = await openSession(server.url, { participant: 'ada', invitation });
  expect([failed.status, failed.json.error.code]).toEqual([500, 'INTERNAL']);
  expect(failed.text).not.toContain('out of order');
  await operate(server, `${HOME}/participants/ada/revoke`, { method: 'POST' });
  server.store.enrolment = broken;
  link.close();
  await server.close();

  const log = lines.join('');
  expect(log).toContain('listening');
  expect(log).toContain('out of order');
  const secrets = { token: server.operatorToken, other: 'another-token', invitation, ticket };
  const { signature, challenge } = request as Record<string, string>;
  for (const [name, secret] of Object.entries({ ...secrets, signature, challenge }))
    expect(log.includes(secret), name).toBe(false);
});

test('what somebody may log one day is taken out', () => {
  const lines: string[] = [];
  const log = logTo(lines, 'json');
  log.info({ req: { headers: { authorization: 'Bearer abc-secret' } } }, 'a request');
  log.info({ token: 'abc-secret', body: { invitation: 'abc-secret', signature: 'abc-secret' } }, 'a body');
  expect(lines.join('')).not.toContain('abc-secret');
});

test('a line for people', () => {
  const line = JSON.stringify({
    level: 30,
    time: 0,
    msg: 'round closed',
    federation: 'default',
    round: 3,
    outcome: 'aggregated',
  });
  expect(prettyLine(line)).toMatch(
    /^\d\d:\d\d:\d\d info {2}default: round closed, round 3, outcome aggregated\n$/,
  );
  const error = JSON.stringify({ level: 50, time: 0, msg: 'request failed', err: { message: 'why' } });
  expect(prettyLine(error)).toMatch(/error request failed: why\n$/);
});
