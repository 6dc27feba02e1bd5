/** Federations spread over roots: each namespace has a root of its own, and the same gateways and owners serve them all. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { makeHarLike } from '../../src/data/generate-har.ts';
import { SpreadDoor } from '../../src/node/gateway/spread-door.ts';
import { ApiError } from '../../src/node/server/api-error.ts';
import type { Door } from '../../src/node/server/door.ts';
import { ask } from '../helpers/http.ts';
import { natsForTest, natsProgram } from '../helpers/nats.ts';
import { KindredProcess } from '../helpers/nats-processes.ts';
import { joinAll } from '../helpers/tree-participants.ts';

const table = makeHarLike({ participants: 4, rowsPerParticipant: 20, features: 6, seed: 3 });

/** A root with these federations. */
function rootWith(...names: string[]) {
  const asked: string[] = [];
  const has = new Set(names);
  const announcement = async (name: string) => {
    asked.push(name);
    if (has.has('silent')) throw new ApiError('NO_ROOT', 'no coordinator answers');
    if (!has.has(name)) throw new ApiError('NO_SUCH_FEDERATION', `federation "${name}": no such federation`);
    return { federation: { name, id: names.join() } };
  };
  return { asked, has, door: { announcement, challenge: announcement } as unknown as Door };
}

describe('the door to several roots', () => {
  test('finds who has a federation, and asks only that one from then on', async () => {
    const [a, b] = [rootWith('wards'), rootWith('homes')];
    const door = new SpreadDoor([a.door, b.door]);
    expect((await door.announcement('homes')).federation.id).toBe('homes');
    const before = a.asked.length;
    await door.challenge('homes');
    expect(a.asked.length).toBe(before);
    await expect(door.challenge('nowhere')).rejects.toMatchObject({ code: 'NO_SUCH_FEDERATION' });
  });

  test('one that has moved to another root is found there', async () => {
    const [a, b] = [rootWith('wards', 'homes'), rootWith()];
    const door = new SpreadDoor([a.door, b.door]);
    await door.challenge('homes');
    a.has.delete('homes');
    b.has.add('homes');
    expect((await door.challenge('homes')).federation.id).toBe('');
  });

  test('a silent root keeps nobody from the federations of the others, and may have what they have not', async () => {
    const door = new SpreadDoor([rootWith('silent').door, rootWith('homes').door]);
    expect((await door.challenge('homes')).federation.id).toBe('homes');
    await expect(door.challenge('wards')).rejects.toMatchObject({ code: 'NO_ROOT' });
  });
});

describe.skipIf(!natsProgram)('two roots', () => {
  test('train their federations through the same gateway and owner', { timeout: 120_000 }, async () => {
    const folder = mkdtempSync(join(tmpdir(), 'kindred-spread-'));
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
    const { url } = await natsForTest();
    const start = (...args: string[]) => KindredProcess.start(folder, ...args, '--nats', url);
    const root = (name: string) =>
      start(
        'serve',
        ...['--namespace', name, '--federation', name, '--shards', '2', '--min-participants', '4'],
      );
    const [wards, homes, gateway] = await Promise.all([
      root('wards'),
      root('homes'),
      start('gateway', '--aggregate', '--namespace', 'wards,homes'),
    ]);
    const participants = ['wards', 'homes'].map((name) => joinAll(`${gateway.url}/${name}`, table));
    const results = await Promise.all(participants.flat().map(({ participation }) => participation.done));
    expect(results.map(({ reason, participants }) => [reason, participants])).toEqual(
      Array(8).fill(['gap', 4]),
    );
    for (const [server, name] of [
      [wards, 'wards'],
      [homes, 'homes'],
    ] as const) {
      const { json } = await ask(`${server.url}/v1/federations`);
      expect(json.federations.map((federation: { name: string }) => federation.name)).toEqual([name]);
    }
    const metrics = await (await fetch(`${gateway.url}/metrics`)).text();
    for (const name of ['wards', 'homes'])
      expect(metrics).toContain(`kindred_shards_owned{federation="${name}"} 2`);
  });
});
