/**
 * An ordered map that never changes in place: a B+ tree whose nodes are values under names of their own (`store-values.ts`). A change
 * writes new nodes from the leaves it touches up to the root, and the name of the root is the map: whoever replaces one name by another,
 * in one compare-and-set, has replaced all of it or nothing. What the new tree no longer refers to is known exactly.
 *
 * Keys are in the order of JavaScript's strings. Small values lie in the leaves, larger ones under names of their own, so that a small
 * change beside them does not write them again.
 */
import { seal, unseal } from '../base/packed.ts';

/** Undefined: there is nothing in it. */
export type Root = string | undefined;

/** By key; undefined: it is removed. */
export type TreeChanges = ReadonlyMap<string, Uint8Array | undefined>;

/** The bytes themselves, or the name of the value that has them. */
type Slot = Uint8Array | string;
export type TreeNode =
  | { readonly kind: 'leaf'; readonly keys: readonly string[]; readonly slots: readonly Slot[] }
  | { readonly kind: 'inner'; readonly keys: readonly string[]; readonly children: readonly string[] };

export interface TreeReader {
  node(name: string): Promise<TreeNode>;
  value(name: string): Promise<Uint8Array>;
}

export interface TreeUpdate {
  readonly root: Root;
  /** By name. */
  readonly written: ReadonlyMap<string, Uint8Array>;
  /** Names that the tree before refers to, and the new one does not. */
  readonly replaced: readonly string[];
}

const NODE = { kind: 'kindred tree node', version: 1 };
/** Larger nodes are split. */
const NODE_BYTES = 16 * 1024;
const INLINE_BYTES = 2 * 1024;
/** Values that are asked for at a time. */
const READ_AT_ONCE = 64;
/** Of an entry, beside its key and its bytes. */
const ENTRY_BYTES = 80;

export function treeNode(bytes: Uint8Array, source: string): TreeNode {
  return unseal(NODE, bytes, source) as TreeNode;
}

/** `nameOf`: under which a value is going to be written; no two are the same. */
export async function updateTree(
  reader: TreeReader,
  nameOf: (bytes: Uint8Array) => string,
  root: Root,
  changes: TreeChanges,
): Promise<TreeUpdate> {
  const update = new Update(reader, nameOf);
  const sorted = [...changes].sort(([a], [b]) => (a < b ? -1 : 1));
  const found = await update.whole(root, sorted);
  return { root: found, written: update.written, replaced: update.replaced };
}

export async function lookUp(reader: TreeReader, root: Root, key: string): Promise<Uint8Array | undefined> {
  let name = root;
  while (name !== undefined) {
    const node = await reader.node(name);
    if (node.kind === 'leaf') {
      const at = node.keys.indexOf(key);
      return at < 0 ? undefined : await bytesOf(reader, node.slots[at]);
    }
    name = node.children[childFor(node.keys, key)];
  }
  return undefined;
}

export interface Range {
  readonly from: string;
  /** Not included. */
  readonly to: string;
  readonly limit?: number;
  readonly order?: 'ascending' | 'descending';
}

export async function scan(
  reader: TreeReader,
  root: Root,
  range: Range,
): Promise<(readonly [key: string, bytes: Uint8Array])[]> {
  const found = await slotsIn(reader, root, range);
  const entries: (readonly [string, Uint8Array])[] = [];
  for (let i = 0; i < found.length; i += READ_AT_ONCE) {
    const part = found.slice(i, i + READ_AT_ONCE);
    const bytes = await Promise.all(part.map(([, slot]) => bytesOf(reader, slot)));
    for (const [j, [key]] of part.entries()) entries.push([key, bytes[j]]);
  }
  return entries;
}

export async function keysIn(reader: TreeReader, root: Root, range: Range): Promise<string[]> {
  return (await slotsIn(reader, root, range)).map(([key]) => key);
}

async function slotsIn(
  reader: TreeReader,
  root: Root,
  { from, to, limit = Number.POSITIVE_INFINITY, order = 'ascending' }: Range,
): Promise<(readonly [key: string, slot: Slot])[]> {
  const found: (readonly [string, Slot])[] = [];
  const inOrder = (indices: number[]) => (order === 'ascending' ? indices : indices.reverse());
  const visit = async (name: string): Promise<void> => {
    const node = await reader.node(name);
    const inside = node.keys.flatMap((key, i) => {
      // A child has all keys from its own up to the next one's, the first one also those below.
      const isBelow =
        node.kind === 'leaf' ? key < from : i + 1 < node.keys.length && node.keys[i + 1] <= from;
      const isAbove = key >= to && (node.kind === 'leaf' || i > 0);
      return isBelow || isAbove ? [] : [i];
    });
    for (const i of inOrder(inside)) {
      if (found.length >= limit) return;
      if (node.kind === 'inner') await visit(node.children[i]);
      else found.push([node.keys[i], node.slots[i]]);
    }
  };
  if (root !== undefined) await visit(root);
  return found;
}

/** Of every node and value that the tree refers to. */
export async function namesIn(
  reader: TreeReader,
  root: Root,
  names = new Set<string>(),
): Promise<Set<string>> {
  if (root === undefined || names.has(root)) return names;
  names.add(root);
  const node = await reader.node(root);
  if (node.kind === 'inner') for (const child of node.children) await namesIn(reader, child, names);
  else for (const slot of node.slots) if (typeof slot === 'string') names.add(slot);
  return names;
}

/** What a node has of one child, or a leaf of one value. */
type Item<T> = readonly [key: string, content: T];
type SortedChanges = readonly (readonly [key: string, bytes: Uint8Array | undefined])[];

class Update {
  readonly written = new Map<string, Uint8Array>();
  readonly replaced: string[] = [];
  private readonly reader: TreeReader;
  private readonly nameOf: (bytes: Uint8Array) => string;

  constructor(reader: TreeReader, nameOf: (bytes: Uint8Array) => string) {
    this.reader = reader;
    this.nameOf = nameOf;
  }

  async whole(root: Root, changes: SortedChanges): Promise<Root> {
    let nodes = root === undefined ? this.leaves([], changes) : await this.below(root, changes);
    while (nodes.length > 1) nodes = this.inner(nodes);
    return nodes.length === 0 ? undefined : await this.withoutHeight(nodes[0][1]);
  }

  /** What becomes of a node: none, one or several of the same height, each with its first key. */
  private async below(name: string, changes: SortedChanges): Promise<Item<string>[]> {
    const node = await this.reader.node(name);
    if (node.kind === 'leaf') {
      this.replaced.push(name);
      return this.leaves(
        node.keys.map((key, i) => [key, node.slots[i]]),
        changes,
      );
    }
    const items: Item<string>[] = [];
    let next = 0;
    for (const [i, child] of node.children.entries()) {
      const end = i + 1 < node.keys.length ? node.keys[i + 1] : undefined;
      const first = next;
      while (next < changes.length && (end === undefined || changes[next][0] < end)) next++;
      const inside = changes.slice(first, next);
      if (inside.length === 0) items.push([node.keys[i], child]);
      else items.push(...(await this.below(child, inside)));
    }
    this.replaced.push(name);
    return items.length === 0 ? [] : this.inner(items);
  }

  private leaves(items: readonly Item<Slot>[], changes: SortedChanges): Item<string>[] {
    const slots = new Map(items);
    for (const [key, bytes] of changes) {
      const before = slots.get(key);
      if (typeof before === 'string') this.replaced.push(before);
      if (bytes) slots.set(key, bytes.length > INLINE_BYTES ? this.write(bytes) : bytes);
      else slots.delete(key);
    }
    const sorted = [...slots].sort(([a], [b]) => (a < b ? -1 : 1));
    return split(sorted, (slot) => slot.length).map((part) =>
      this.node(part[0][0], {
        kind: 'leaf',
        keys: part.map(([key]) => key),
        slots: part.map(([, slot]) => slot),
      }),
    );
  }

  private inner(items: readonly Item<string>[]): Item<string>[] {
    return split(items, (name) => name.length).map((part) =>
      this.node(part[0][0], {
        kind: 'inner',
        keys: part.map(([key]) => key),
        children: part.map(([, name]) => name),
      }),
    );
  }

  /** A root with one child is left out. */
  private async withoutHeight(root: string): Promise<string> {
    const bytes = this.written.get(root);
    const node = bytes ? treeNode(bytes, root) : await this.reader.node(root);
    if (node.kind === 'leaf' || node.children.length > 1) return root;
    if (!this.written.delete(root)) this.replaced.push(root);
    return await this.withoutHeight(node.children[0]);
  }

  private node(firstKey: string, node: TreeNode): Item<string> {
    return [firstKey, this.write(seal(NODE, node))];
  }

  private write(bytes: Uint8Array): string {
    const name = this.nameOf(bytes);
    this.written.set(name, bytes);
    return name;
  }
}

/** In parts of about equal size. */
function split<T>(items: readonly Item<T>[], sizeOf: (content: T) => number): Item<T>[][] {
  const sizes = items.map(([key, content]) => ENTRY_BYTES + key.length + sizeOf(content));
  const total = sizes.reduce((sum, size) => sum + size, 0);
  const goal = total / Math.ceil(total / NODE_BYTES);
  const parts: Item<T>[][] = [];
  let filled = 0;
  for (const [i, item] of items.entries()) {
    if (parts.length === 0 || filled >= goal * parts.length) parts.push([]);
    parts.at(-1)!.push(item);
    filled += sizes[i];
  }
  return parts;
}

/** Where a key is, if anywhere: the last child whose first key is not above it. */
function childFor(keys: readonly string[], key: string): number {
  let [low, high] = [0, keys.length];
  while (low + 1 < high) {
    const middle = (low + high) >> 1;
    if (keys[middle] <= key) low = middle;
    else high = middle;
  }
  return low;
}

async function bytesOf(reader: TreeReader, slot: Slot): Promise<Uint8Array> {
  return typeof slot === 'string' ? await reader.value(slot) : slot;
}
