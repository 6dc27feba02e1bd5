/** The whole on NATS with the permissions of deploy/nats: root, aggregator and gateway as processes, each with the user of its role. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, describe, expect, test } from 'vitest';
import { writeCsv } from '../../src/data/write-csv.ts';
import { run } from '../cli/helpers.ts';
import { freePort, natsProgram } from '../helpers/nats.ts';
import { smallHar } from '../helpers/tables.ts';
import { launcher, temporaryFolder, useBuilt } from '../node/client/helpers.ts';
import { NatsCluster, passwordOf } from './nats-cluster.ts';

useBuilt();
const folder = temporaryFolder();
const children: ChildProcess[] = [];
let cluster: NatsCluster | undefined;
afterAll(async () => {
  const running = children.filter((child) => child.exitCode === null && child.signalCode === null);
  const ended = running.map((child) => once(child, 'exit'));
  for (const child of running) child.kill('SIGKILL');
  await Promise.all(ended);
  await cluster?.stop();
  rmSync(folder, { recursive: true, force: true });
});

/** Commands on NATS come together. */
const hasGateway = (await run(['gateway', '--help'])).stdout.startsWith('Usage: kindred gateway ');
if (!hasGateway) process.stderr.write('\nskipped: the system on NATS, which this version does not have\n');

function start(user: string, ...argv: string[]) {
  const env = {
    PATH: process.env.PATH,
    KINDRED_NATS_USER: user,
    KINDRED_NATS_PASSWORD: passwordOf(user),
    KINDRED_OPERATOR_TOKEN: 'a-token-for-tests',
  };
  const child = spawn(process.execPath, [launcher, ...argv], { env, cwd: folder });
  children.push(child);
  const said = { text: '' };
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (chunk) => {
      said.text += chunk;
    });
  return { child, said };
}

describe.skipIf(!natsProgram || !hasGateway)('deploy/nats', () => {
  test('is enough for a federation from the first join to the end of training, and nobody asks for more', async () => {
    cluster = await NatsCluster.start();
    const nats = cluster.servers.join(',');
    const store = `nats://${cluster.servers.map((url) => new URL(url).host).join(',')}/kindred?replicas=3`;
    const [rootPort, gatewayPort, ownerPort] = [await freePort(), await freePort(), await freePort()];
    const at = (port: number) => ['--port', String(port), '--nats', nats, '--log-format', 'json'];
    const federation = ['--shards', '2', '--min-participants', '3'];
    const parts = [
      start('root', 'serve', ...at(rootPort), '--store', store, ...federation),
      start('aggregate', 'aggregate', ...at(ownerPort)),
      start('gateway', 'gateway', ...at(gatewayPort)),
    ];
    for (const port of [rootPort, ownerPort, gatewayPort]) await ready(port, parts);

    const table = smallHar(3, 3, 40);
    const data = join(folder, 'rows.csv');
    writeFileSync(data, [...writeCsv(table)].join(''));
    const url = `http://127.0.0.1:${gatewayPort}`;
    const joined = table.participants.map((id) =>
      start('nobody', 'join', url, '--data', data, '--task', id, '--state', join(folder, `state-${id}`)),
    );
    const codes = await Promise.all(joined.map(async ({ child }) => (await once(child, 'exit'))[0]));
    expect(codes, [...joined, ...parts].map(({ said }) => said.text).join('\n')).toEqual([0, 0, 0]);

    // On SIGTERM each part ends by itself, in less time than a container engine gives it.
    for (const { child } of parts.reverse()) {
      const ended = once(child, 'exit');
      child.kill('SIGTERM');
      expect((await ended)[0]).toBe(0);
    }
    expect(cluster.log.match(/.*violation.*/gi) ?? []).toEqual([]);
  }, 180_000);
});

/** The test's own time-out ends it. */
async function ready(port: number, parts: readonly { child: ChildProcess; said: { text: string } }[]) {
  for (;;) {
    for (const { child, said } of parts) expect(child.exitCode, said.text).toBeNull();
    const status = await fetch(`http://127.0.0.1:${port}/readyz`).then(
      ({ status }) => status,
      () => 0,
    );
    if (status === 200) return;
    await pause(100);
  }
}
