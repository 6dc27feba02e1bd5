/** A whole federation on a store in JetStream, as operators run it: the NATS server crashes in the middle of it. */
import { describe, expect, test } from 'vitest';
import { Bucket } from '../../src/nats/bucket.ts';
import { connectNats } from '../../src/nats/connection.ts';
import { JetStreamStore } from '../../src/nats/jetstream-store.ts';
import { csvOf, run, runJson, Sandbox, smallHar } from '../cli/helpers.ts';
import { type NatsServer, natsForTest, natsProgram } from '../helpers/nats.ts';
import { serve } from '../helpers/serve.ts';
import { until } from '../helpers/server.ts';

const sandbox = new Sandbox();
const ids = ['1', '2', '3'];

interface VerifyDocument {
  readonly ok: boolean;
}

/** Rounds that are closed, as anybody can read it while the server runs. */
async function closedRounds(server: NatsServer): Promise<number> {
  const connection = await connectNats({ servers: [server.url], name: 'test' });
  try {
    const bucket = await Bucket.open(connection, 'wards');
    if (!bucket) return 0;
    const store = await JetStreamStore.open({ connection, bucket, name: 'wards' }, 'read');
    return (await store.history('default', 0, 10_000)).length;
  } finally {
    await connection.close();
  }
}

describe.skipIf(!natsProgram)('a federation on JetStream', () => {
  const stateOf = (name: string, id: string) => sandbox.path(`${name}-${id}`);
  const data = sandbox.write('rows.csv', csvOf(smallHar(4)));
  const join3 = (url: string, name: string) =>
    ids.map((id) => run(['join', url, '--data', data, '--task', id, '--state', stateOf(name, id)]));

  test('trains to its end and is conserved, though the NATS server crashes', async () => {
    const nats = await natsForTest();
    const store = `${nats.url}/wards`;
    const token = ['--operator-token-file', sandbox.path('token')];
    const options = ['--store', store, '--min-participants', '3', '--gap', '1e-7', ...token];
    const served = await serve(options);
    expect(served.store).toBe(store);
    const second = await run(['serve', '--port', '0', ...options]);
    expect(second).toMatchObject({ code: 2, stderr: expect.stringContaining('in use by another server') });
    const joined = join3(served.url, 'crash');
    for (let round = 1; round <= 2; round++) {
      await until(async () => (await closedRounds(nats)) >= round, `round ${round}`);
      await nats.kill();
      await nats.run();
    }
    for (const { code, stderr } of await Promise.all(joined)) expect(code, stderr).toBe(0);
    const { code, stderr } = await served.outcome;
    expect(code, stderr).toBe(0);
    const result = await runJson<VerifyDocument>('verify', store, ...ids.map((id) => stateOf('crash', id)));
    expect(result).toMatchObject({ ok: true });
    const audit = await run(['audit-log', 'verify', store]);
    expect(audit).toMatchObject({ code: 0, stdout: expect.stringContaining('none changed, none missing') });
  }, 180_000);
});
