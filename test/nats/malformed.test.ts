/** Messages between nodes that make no sense, and answers that cannot be sent: nobody ends because of them, and the next ones are taken. */
import { describe, expect, test } from 'vitest';
import { type AdmissionAnswer, fromJson, toJson } from '../../src/nats/admission.ts';
import { encodeDown } from '../../src/nats/envelope.ts';
import { AdmissionDesk } from '../../src/node/root/admission-desk.ts';
import { ask } from '../helpers/http.ts';
import { metric } from '../helpers/metrics.ts';
import { natsForTest, natsProgram } from '../helpers/nats.ts';
import { busTo, startGateway, startOwner, startRoot, subjects } from '../helpers/nats-tree.ts';
import { PATIENT, until } from '../helpers/server.ts';
import { connected } from '../helpers/ws-participant.ts';

const ANSWER_MS = 5000;

describe.skipIf(!natsProgram)('an answer of the root that cannot be sent', () => {
  test('is dropped where the connection is closed meanwhile', async () => {
    const { url } = await natsForTest();
    const [served, asking] = [await busTo(url, 'root'), await busTo(url, 'gateway')];
    const outcome = new Promise<boolean>((resolve) => {
      served.bus.serve('question', ({ data, answer }) => {
        void served.connection.close().then(() => resolve(answer(data)));
      });
    });
    await served.bus.flush();
    asking.bus.publish('question', toJson({}));
    expect(await outcome).toBe(false);
    expect(served.bus.counts.dropped).toBe(1);
  });

  test('is a short refusal where it is larger than NATS takes', async () => {
    const { url } = await natsForTest('max_payload: 4096');
    const [{ bus }, gateway] = [await busTo(url, 'root'), await busTo(url, 'gateway')];
    const failures: Error[] = [];
    const ports = {
      ...{ bus, subjects, onFailure: (error: Error) => failures.push(error) },
      door: { announcement: async (federation: string) => ({ federation, text: 'x'.repeat(5000) }) },
    };
    const desk = new AdmissionDesk(ports as unknown as ConstructorParameters<typeof AdmissionDesk>[0]);
    desk.start();
    await bus.flush();
    const step = toJson({ step: 'announcement', federation: 'default' });
    const bytes = await gateway.bus.request(subjects.admission, step, ANSWER_MS);
    const why = expect.stringMatching(/^the answer of the root could not be sent: \d+ bytes, of 4096/);
    expect(fromJson<AdmissionAnswer>(bytes)).toEqual({ error: { code: 'NO_ROOT', message: why } });
    expect(failures.map(({ message }) => message)).toEqual([why]);
    desk.stop();
  });
});

describe.skipIf(!natsProgram)('messages that make no sense', () => {
  test('orders are counted and not carried out, and a valid one after them is', async () => {
    const { url } = await natsForTest();
    const root = await startRoot(url, PATIENT, undefined, { shards: 1 });
    const owner = await startOwner(url);
    await until(() => [...owner.shards()].length === 1, 'an owned shard');
    const { id } = root.federation('default').record;
    const { bus } = await busTo(url, 'stranger');
    const answered: string[] = [];
    bus.subscribe(subjects.ordered(id), (bytes) => {
      answered.push(fromJson<{ id: string }>(bytes)?.id ?? '');
    });
    const wrong = [
      ...[null, 7, {}, { id: 'a' }, { id: 'b', order: null }, { id: 'c', order: 'forget' }],
      ...[{ id: 'd', order: {} }, { id: 'e', order: { forget: 7 } }, { order: { forget: 'ada' } }],
      { id: 'f', order: { disconnect: 'ada' } },
    ];
    await bus.flush();
    for (const order of wrong) bus.publish(subjects.order(id, 0), toJson(order));
    bus.publish(subjects.order(id, 0), toJson({ id: 'valid', order: { forget: 'nobody' } }));
    await until(() => answered.includes('valid'), 'an answer');
    expect(answered).toEqual(['valid']);
  });

  test('a gateway closes no connection with a code that WebSocket does not have', async () => {
    const { url } = await natsForTest();
    const root = await startRoot(url, PATIENT);
    const gateway = await startGateway(url);
    await startOwner(url);
    const link = await connected(gateway.url, { participant: 'ada' });
    const { id } = root.federation('default').record;
    const { bus } = await busTo(url, 'stranger');
    const [number] = [...(gateway.lobbies[0] as unknown as { guests: Map<number, unknown> }).guests.keys()];
    const close = (code: number, reason: string) =>
      bus.publish(
        subjects.down(id, gateway.name),
        encodeDown({ type: 'close', connections: [number], code, reason }),
      );
    for (const code of [0, 7, 1005, 1006, 65_535]) close(code, 'no such code');
    await until(
      async () => metric((await ask(`${gateway.url}/metrics`)).text, 'kindred_nats_bad_total') === 5,
      'counted messages',
    );
    expect(gateway.lobbies[0].size).toBe(1);
    close(4001, 'ä'.repeat(120));
    expect(await link.closed).toBe(4001);
  });
});
