/** The effect loop of a coordinator on a store that takes its time, or fails: what is sent is durable, and nothing is lost. */
import { beforeEach, describe, expect, test } from 'vitest';
import { stream } from '../../src/base/random.ts';
import type { CoordinatorInput } from '../../src/coordinator/effects.ts';
import { DEFAULT_OPTIONS } from '../../src/coordinator/options.ts';
import { FederationHost } from '../../src/host/federation-host.ts';
import { MemoryStore } from '../../src/host/memory-store.ts';
import type { HistoryRow, HostPorts } from '../../src/host/ports.ts';
import { noblePrimitives } from '../../src/privacy/secure/keys.ts';
import type { Join } from '../../src/protocol/messages.ts';
import { EventQueue } from '../../src/sim/events.ts';
import { answer } from '../helpers/coordinator-bench.ts';
import { USUAL_CLASSES } from '../helpers/moments.ts';

const NAME = 'default';
const RECORD = {
  name: NAME,
  id: 'x',
  createdMs: 0,
  options: { ...DEFAULT_OPTIONS, minParticipants: 2, retryMs: 1e6, maxWaitMs: 1e6 },
};

/** A store whose saves end when the test says so. */
class SlowStore extends MemoryStore {
  readonly saves: { readonly rows: readonly HistoryRow[]; end(): void; fail(): void }[] = [];

  override saveRun(...given: Parameters<MemoryStore['saveRun']>): Promise<void> {
    return new Promise((resolve, reject) => {
      this.saves.push({
        rows: given[2],
        end: () => {
          super.saveRun(...given);
          resolve();
        },
        fail: () => reject(new Error('disk full')),
      });
    });
  }
}

/** A host whose ports the test holds. */
class Rig {
  readonly store = new SlowStore();
  readonly queue = new EventQueue();
  readonly sent: string[] = [];
  readonly inputs: CoordinatorInput[] = [];
  readonly failures: (Error | undefined)[] = [];
  readonly host: FederationHost;

  constructor() {
    const { queue } = this;
    const ports: HostPorts = {
      store: this.store,
      transport: { send: (to, _, kind) => void this.sent.push(`${kind} to ${to}`) },
      clock: {
        now: () => queue.now,
        wallClock: () => 1e12 + queue.now,
        at: (atMs, run) => queue.at(atMs, run),
      },
      primitives: noblePrimitives,
      noiseOf: (round) => stream(1, 'noise', round),
      recorder: { started: () => {}, step: (input) => void this.inputs.push(input) },
      onStoreFailure: (error) => void this.failures.push(error),
    };
    this.host = new FederationHost(RECORD, undefined, ports);
    this.host.start();
  }

  join(id: string): void {
    const unknown = { session: 1, base: 0, pending: 0, edition: 0 };
    const join: Join = { kind: 'join', id, rows: 3, features: 1, benchmarkMs: 10, ...unknown };
    this.host.receive(id, join);
  }

  moments(id: string): void {
    const rows = { count: 3, mean: Float64Array.of(0), m2: Float64Array.of(1) };
    this.host.receive(id, { kind: 'moments', ...rows, ...USUAL_CLASSES });
  }

  /** Ends the oldest save, and lets the host go on. */
  async saved(): Promise<void> {
    this.store.saves.shift()!.end();
    await settled();
  }

  async failed(): Promise<void> {
    this.store.saves.shift()!.fail();
    await settled();
  }

  async allSaved(): Promise<void> {
    await settled();
    while (this.store.saves.length > 0) await this.saved();
  }

  /** Up to the first answers of the first round. */
  async trained(): Promise<void> {
    for (const id of ['a', 'b']) this.join(id);
    await this.allSaved();
    for (const id of ['a', 'b']) this.moments(id);
    await this.allSaved();
    expect(this.host.state).toMatchObject({ phase: 'open', round: 1 });
    this.sent.length = 0;
  }

  async passMs(ms: number): Promise<void> {
    const until = this.queue.now + ms;
    this.queue.at(until, () => {});
    while (this.queue.now < until && this.queue.next(until)) await settled();
  }
}

/** Everything that promises have to do. */
const settled = () => new Promise((resolve) => setImmediate(resolve));

let rig: Rig;
beforeEach(() => {
  rig = new Rig();
});

describe('a store that takes its time', () => {
  test('nothing is sent before what led to it is durable, and inputs wait for their turn', async () => {
    rig.join('a');
    rig.join('b');
    await settled();
    expect([rig.sent, rig.store.saves.length]).toEqual([[], 1]);
    expect(rig.host.state.members.size).toBe(1);
    await rig.saved();
    expect(rig.sent).toEqual(['welcome to a']);
    expect([rig.host.state.members.size, rig.store.saves.length]).toEqual([2, 1]);
    await rig.saved();
    expect(rig.sent).toEqual(['welcome to a', 'welcome to b']);
  });

  test('joins that have waited are saved together, and welcomed when that is durable', async () => {
    const names = Array.from({ length: 50 }, (_, k) => `p${k}`);
    rig.join('a');
    for (const id of names) rig.join(id);
    await settled();
    expect([rig.sent, rig.host.state.members.size]).toEqual([[], 1]);
    await rig.saved();
    expect([rig.sent, rig.host.state.members.size]).toEqual([['welcome to a'], 51]);
    await rig.saved();
    expect(rig.sent).toEqual(['a', ...names].map((id) => `welcome to ${id}`));
    expect(rig.store.saves).toEqual([]);
    const saved = rig.store.loadRun(NAME)!.members.map(({ id }) => id);
    expect(saved).toEqual(['a', ...names].toSorted());
  });

  test('an order among them is answered, and the rest is taken after it', async () => {
    rig.join('a');
    const paused = rig.host.order('pause');
    for (const id of ['b', 'c']) rig.join(id);
    await rig.allSaved();
    expect(await paused).toBeUndefined();
    expect([rig.host.state.paused, rig.host.state.members.size]).toEqual([true, 3]);
  });

  test('a row is saved with the change that it belongs to', async () => {
    await rig.trained();
    for (const id of ['a', 'b']) rig.host.receive(id, answer(1, 0));
    await rig.passMs(10);
    const [save] = rig.store.saves;
    expect(save.rows).toMatchObject([{ round: 1, outcome: 'aggregated', closedMs: 1e12 }]);
    expect(rig.store.history(NAME, 0, 9)).toEqual([]);
    await rig.allSaved();
    expect(rig.store.history(NAME, 0, 9)).toHaveLength(1);
  });

  test('messages that wait are bounded for each participant', async () => {
    rig.join('a');
    for (let i = 0; i < 100; i++) rig.join('b');
    rig.join('c');
    await rig.allSaved();
    const from = rig.inputs.flatMap((input) => (input.type === 'message' ? [input.from] : []));
    expect(from).toEqual(['a', ...Array(8).fill('b'), 'c']);
    // Later ones are taken again.
    rig.join('b');
    await rig.allSaved();
    expect(rig.inputs).toHaveLength(12);
  });

  test('an order is answered when it is durable, and refused with the reason', async () => {
    await rig.trained();
    let answered = false;
    const paused = rig.host.order('pause').then((refusal) => {
      answered = true;
      return refusal;
    });
    await settled();
    expect([answered, rig.store.saves.length]).toEqual([false, 1]);
    await rig.allSaved();
    expect(await paused).toBeUndefined();
    expect(rig.store.loadRun(NAME)!.run.paused).toBe(true);
    const fresh = new Rig();
    expect(await fresh.host.order('recount')).toBe('recount: only with aggregation by answers');
  });

  test('stopping waits for the save that is under way, and nothing follows it', async () => {
    rig.join('a');
    let stopped = false;
    const stop = rig.host.stop().then(() => {
      stopped = true;
    });
    await settled();
    expect(stopped).toBe(false);
    await rig.saved();
    await stop;
    expect(rig.sent).toEqual([]);
    expect(rig.store.loadRun(NAME)!.members).toHaveLength(1);
  });
});

describe('a store that fails', () => {
  test('is tried again every second; nothing is sent meanwhile, and all of it afterwards', async () => {
    rig.join('a');
    await rig.failed();
    expect(rig.host.storeFailure).toMatchObject({ message: 'disk full' });
    for (let time = 2; time <= 4; time++) {
      await rig.passMs(999);
      expect(rig.store.saves).toHaveLength(0);
      await rig.passMs(1);
      expect(rig.store.saves).toHaveLength(1);
      await rig.failed();
      expect(rig.failures).toHaveLength(time);
    }
    // Not taken: it is retransmitted.
    rig.join('b');
    await rig.passMs(1000);
    await rig.allSaved();
    expect(rig.host.storeFailure).toBeUndefined();
    expect(rig.failures.at(-1)).toBeUndefined();
    expect(rig.sent).toEqual(['welcome to a']);
    // Time goes on where it stood still.
    expect(rig.inputs.at(-1)).toMatchObject({ type: 'timer', now: rig.queue.now });
    rig.join('b');
    await rig.allSaved();
    expect(rig.sent).toEqual(['welcome to a', 'welcome to b']);
  });

  test('what nobody repeats is taken when it works again: a sum, and whose connection is gone', async () => {
    await rig.trained();
    rig.join('c');
    await rig.failed();
    rig.host.away('a');
    rig.host.away('a');
    rig.host.take({ type: 'summed', now: rig.queue.now });
    await rig.passMs(1000);
    await rig.allSaved();
    const types = rig.inputs.slice(-3).map(({ type }) => type);
    expect(types).toEqual(['away', 'summed', 'timer']);
  });

  test('what had come before it failed is kept', async () => {
    rig.join('a');
    rig.join('b');
    await rig.failed();
    await rig.passMs(1000);
    await rig.allSaved();
    expect(rig.sent).toEqual(['welcome to a', 'welcome to b']);
  });

  test('an order is refused while it fails, and so are those that waited; one that was taken is carried out', async () => {
    await rig.trained();
    const [taken, waiting] = [rig.host.order('pause'), rig.host.order('finish')];
    await rig.failed();
    const sentence = 'federation "default" accepts no changes: its store is failing';
    expect(await taken).toBeUndefined();
    expect(await waiting).toBe(sentence);
    expect(await rig.host.order('resume')).toBe(sentence);
    await rig.passMs(1000);
    await rig.allSaved();
    expect(rig.host.state).toMatchObject({ paused: true, phase: 'open' });
  });

  test('nobody waits for the answer to an order of a host that has been stopped', async () => {
    await rig.trained();
    const orders = [rig.host.order('pause'), rig.host.order('finish')];
    const stopped = rig.host.stop();
    await rig.saved();
    await stopped;
    orders.push(rig.host.order('resume'));
    const sentence = 'federation "default" has been stopped';
    expect(await Promise.all(orders)).toEqual([undefined, sentence, sentence]);
    expect(rig.store.loadRun(NAME)!.run.paused).toBe(true);
  });

  test('is not tried again by a host that has been stopped', async () => {
    rig.join('a');
    await rig.failed();
    await rig.host.stop();
    await rig.passMs(5000);
    expect([rig.store.saves, rig.failures.length]).toEqual([[], 1]);
  });
});
