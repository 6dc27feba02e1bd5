/** Nodes of the tree that were read or written last, so that most of what is asked for needs no request. */
import { KindredError } from '../base/errors.ts';
import { type TreeNode, type TreeReader, treeNode } from './store-tree.ts';
import type { Values } from './store-values.ts';

const CACHED_BYTES = 32 << 20;

export class NodeCache implements TreeReader {
  private readonly values: Values;
  private readonly source: string;
  /** Packed, in the order of their last use: what is read from them may be changed. */
  private readonly cached = new Map<string, Uint8Array>();
  private bytes = 0;

  constructor(values: Values, source: string) {
    this.values = values;
    this.source = source;
  }

  async node(name: string): Promise<TreeNode> {
    const bytes = this.cached.get(name) ?? (await this.value(name));
    this.forget([name]);
    this.keep(name, bytes);
    return treeNode(bytes, `${this.source}, ${name}`);
  }

  async value(name: string): Promise<Uint8Array> {
    const bytes = this.cached.get(name) ?? (await this.values.get(name));
    if (!bytes)
      throw new KindredError(
        'CORRUPT',
        `${this.source}: value ${name} is missing; restore the store from a backup`,
      );
    return bytes;
  }

  /** What was written: mostly it is asked for next. */
  add(written: ReadonlyMap<string, Uint8Array>): void {
    for (const [name, bytes] of written) this.keep(name, bytes);
  }

  forget(names: Iterable<string>): void {
    for (const name of names) {
      this.bytes -= this.cached.get(name)?.length ?? 0;
      this.cached.delete(name);
    }
  }

  private keep(name: string, bytes: Uint8Array): void {
    this.cached.set(name, bytes);
    this.bytes += bytes.length;
    for (const oldest of this.cached.keys()) {
      if (this.bytes <= CACHED_BYTES) return;
      this.forget([oldest]);
    }
  }
}
