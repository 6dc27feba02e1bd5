/** The map of a store against a plain one, on random changes: what is in it, what was written and what is no longer needed. */
import { describe, expect, test } from 'vitest';
import { stream } from '../../src/base/random.ts';
import {
  keysIn,
  lookUp,
  namesIn,
  type Root,
  scan,
  type TreeReader,
  treeNode,
  updateTree,
} from '../../src/nats/store-tree.ts';

class Memory implements TreeReader {
  readonly values = new Map<string, Uint8Array>();
  private count = 0;

  readonly nameOf = () => `${++this.count}`;

  async node(name: string) {
    return treeNode(await this.value(name), name);
  }

  async value(name: string) {
    const found = this.values.get(name);
    if (!found) throw new Error(`${name} is not there`);
    return found;
  }
}

const EVERYTHING = { from: '', to: '\uffff' };

/** All bytes of a value are the same. */
const inShort = ([key, bytes]: readonly [string, Uint8Array]) => `${key}: ${bytes.length} x ${bytes[0]}`;

describe('the tree of a store', () => {
  test('nothing is in an empty one', async () => {
    const memory = new Memory();
    expect(await lookUp(memory, undefined, 'a')).toBeUndefined();
    expect(await scan(memory, undefined, EVERYTHING)).toEqual([]);
    const removed = await updateTree(memory, memory.nameOf, undefined, new Map([['a', undefined]]));
    expect(removed).toEqual({ root: undefined, written: new Map(), replaced: [] });
  });

  test.each([1, 2, 3, 4, 5, 6])('random changes, seed %i', async (seed) => {
    const random = stream(seed, 'tree');
    const memory = new Memory();
    const expected = new Map<string, Uint8Array>();
    const keys = Array.from({ length: 400 }, (_, i) => (i % 7 === 0 ? `ü${i}` : `key ${i * 37}`));
    let root: Root;
    for (let step = 0; step < 60; step++) {
      const changes = new Map<string, Uint8Array | undefined>();
      // From one key to all of them; towards the end more goes than comes.
      const share = random.uniform() ** 3;
      for (const key of keys) {
        if (random.uniform() > share) continue;
        const length = random.uniform() < 0.1 ? 5000 : 300 * random.uniform();
        const isRemoved = random.uniform() < (step < 40 ? 0.2 : 0.8);
        changes.set(key, isRemoved ? undefined : new Uint8Array(length).fill(step));
      }
      const before = await namesIn(memory, root);
      const update = await updateTree(memory, memory.nameOf, root, changes);
      for (const [name, bytes] of update.written) memory.values.set(name, bytes);
      root = update.root;
      for (const [key, bytes] of changes) {
        if (bytes) expected.set(key, bytes);
        else expected.delete(key);
      }
      // Exactly what is not needed is removed: nothing of it is used, and nothing else is left.
      for (const name of update.replaced) {
        expect(before.has(name)).toBe(true);
        memory.values.delete(name);
      }
      expect([...(await namesIn(memory, root))].sort()).toEqual([...memory.values.keys()].sort());
      const sorted = [...expected].sort(([a], [b]) => (a < b ? -1 : 1));
      expect((await scan(memory, root, EVERYTHING)).map(inShort)).toEqual(sorted.map(inShort));
      const [from, to] = [keys[step], keys[step + 100]].sort();
      const inside = sorted.filter(([key]) => key >= from && key < to).map(([key]) => key);
      expect(await keysIn(memory, root, { from, to })).toEqual(inside);
      expect(await keysIn(memory, root, { from, to, limit: 3, order: 'descending' })).toEqual(
        inside.toReversed().slice(0, 3),
      );
      const one = await lookUp(memory, root, keys[step]);
      expect(one?.length).toBe(expected.get(keys[step])?.length);
    }
  });

  test('a small change of a large map writes little', async () => {
    const memory = new Memory();
    const all = new Map(
      Array.from({ length: 20_000 }, (_, i) => [`${i}`.padStart(6, '0'), new Uint8Array(200)]),
    );
    const { root, written } = await updateTree(memory, memory.nameOf, undefined, all);
    for (const [name, bytes] of written) memory.values.set(name, bytes);
    const change = await updateTree(memory, memory.nameOf, root, new Map([['010000', new Uint8Array(10)]]));
    const bytes = [...change.written.values()].reduce((sum, { length }) => sum + length, 0);
    expect(bytes).toBeLessThan(64 * 1024);
    expect(change.written.size).toBeLessThan(6);
  });
});
