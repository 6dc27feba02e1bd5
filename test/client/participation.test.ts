/** The participant's core on ports that know no runtime: memory, a solver in this thread, a store that answers with promises. */
import { describe, expect, test } from 'vitest';
import type { JoinEvent } from '../../src/client/participation-options.ts';
import type { StateStore } from '../../src/client/ports.ts';
import { rowsOfParticipant } from '../../src/data/participants.ts';
import { predict } from '../../src/methods/predict.ts';
import { decodeFrom } from '../../src/protocol/codec.ts';
import { join, newDevice, serve } from '../helpers/memory-federation.ts';
import { slowStore } from '../helpers/memory-server.ts';
import { manyClasses, smallHar } from '../helpers/tables.ts';
import { optionsLike } from '../helpers/test-server.ts';

const table = smallHar(3, 2, 40);
const dataOf = (id: string) => ({ table: rowsOfParticipant(table, id)! });

describe('a participant without a runtime', () => {
  test('takes part until training rests, with ports that answer with promises', async () => {
    const { server, state, close } = serve(optionsLike({ gap: 1e-3 }, { minParticipants: 2 }));
    const events: JoinEvent[] = [];
    const [one, two] = ['1', '2'].map((participant) =>
      join(server, newDevice(), {
        participant,
        data: dataOf(participant),
        testFraction: 0.25,
        onEvent: (event) => events.push(event),
      }),
    );
    const results = await Promise.all([one.done, two.done]);
    close();
    for (const { reason, test: tested, state: place } of results) {
      expect([reason, place]).toEqual(['gap', 'memory']);
      expect(tested!.rows).toBeGreaterThan(5);
      expect(tested!.errorRate).toBeLessThan(0.5);
    }
    expect(state.certificate.relativeGap).toBeLessThanOrEqual(1e-3);
    expect(one.model()!.w).toEqual(two.model()!.w);
    expect(new Set(events.map(({ type }) => type))).toEqual(
      new Set(['phase', 'connected', 'solved', 'finished']),
    );
  });

  test('many classes: it tests and predicts with all heads, from its state alone', async () => {
    const many = manyClasses(5, { participants: 2, rows: 60 });
    const { server, state, close } = serve(optionsLike({ gap: 1e-3 }, { minParticipants: 2 }));
    const parts = many.participants.map((participant) =>
      join(server, newDevice(), {
        participant,
        data: { table: rowsOfParticipant(many, participant)! },
        testFraction: 0.25,
      }),
    );
    const results = await Promise.all(parts.map(({ done }) => done));
    close();
    expect(state.certificate.heads).toHaveLength(3);
    for (const [k, { test: tested, classes }] of results.entries()) {
      expect(classes).toEqual({ labels: ['class 1', 'class 2', 'class 3'], positive: undefined });
      expect(tested!.errorRate).toBeLessThan(0.4);
      const model = parts[k].model()!;
      const own = rowsOfParticipant(many, many.participants[k])!;
      const hits = predict(model, own).filter(({ prediction }, i) => prediction === own.targets![i]);
      expect(hits.length / own.n).toBeGreaterThan(0.7);
    }
  });

  test('goes on from its state after it was closed, whenever that was', async () => {
    const { server, close } = serve(optionsLike({ gap: 0, rounds: 30 }));
    const device = newDevice();
    const options = { participant: '1', data: dataOf('1') };
    let base = 0;
    for (let i = 0; i < 8; i++) {
      let wake = () => {};
      const reached = new Promise<void>((resolve) => {
        wake = resolve;
      });
      const part = join(server, device, {
        ...options,
        onEvent: (event) => event.type === 'phase' && event.round >= base + 2 && wake(),
      });
      await (i % 2 === 0 ? reached : Promise.resolve());
      await part.close();
      const result = await part.done;
      expect(result.base).toBeGreaterThanOrEqual(base);
      base = result.base;
    }
    expect(base).toBeGreaterThan(2);
    expect((await join(server, device, options).done).reason).toBe('rounds');
    close();
  });

  test('[FAULT-1] a store that fails ends it, and nothing but a code is sent after that', async () => {
    const { server, state, close } = serve(optionsLike({ gap: 0, rounds: 1000 }));
    let saves = 0;
    const failing = (store: StateStore): StateStore => {
      const slow = slowStore(store);
      return {
        ...slow,
        get file() {
          return slow.file;
        },
        save: async (changes) => {
          if (++saves === 12) throw new Error('out of space');
          await slow.save(changes);
        },
      };
    };
    const device = newDevice();
    const sent: number[] = [];
    const receive = server.onFrame;
    server.onFrame = (from, frame) => {
      const message = decodeFrom('participant', frame);
      if (message.kind === 'answer') sent.push(message.round);
      receive(from, frame);
    };
    const part = join(server, device, { participant: '1', data: dataOf('1') }, failing);
    await expect(part.done).rejects.toThrow('out of space');
    close();
    const { stored } = device.memory.open({} as never, new Uint8Array(0)).file;
    expect(Math.max(...sent)).toBeLessThanOrEqual(stored.pending?.message.round ?? stored.base);
    expect(server.connected).toBe(0);
    // On its way when the participant ended.
    await expect.poll(() => [...state.faults]).toEqual([['STORAGE_FAILED', 1]]);
  });
});
