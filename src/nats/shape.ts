/**
 * The tree that a federation on NATS is: shards, the root, and where `fanIn` asks for it levels of branches in between, so that nobody has
 * more than `fanIn` below. All but the root are numbered: shards from 0, then the branches above them, level by level.
 */
import type { FederationRecord } from '../host/ports.ts';
import { shardName } from './subjects.ts';

export type Shape = Pick<FederationRecord, 'fanIn'> & { readonly shards: number };

/** How many there are on each level, from the shards upwards. */
function levelsOf({ shards, fanIn = Number.POSITIVE_INFINITY }: Shape): number[] {
  const levels = [shards];
  while (levels.at(-1)! > fanIn) levels.push(Math.ceil(levels.at(-1)! / fanIn));
  return levels;
}

/** Of all but the root. */
export function nodesIn(shape: Shape): number {
  return levelsOf(shape).reduce((sum, count) => sum + count, 0);
}

/** Undefined: the root. */
export function parentOf(node: number, shape: Shape): number | undefined {
  let first = 0;
  const levels = levelsOf(shape);
  for (const [level, count] of levels.entries()) {
    const place = node - first;
    first += count;
    if (place < count)
      return level + 1 < levels.length ? first + Math.floor(place / shape.fanIn!) : undefined;
  }
  return undefined;
}

/** What its parent calls a node. */
export function nodeName(node: number, { shards }: Shape): string {
  return node < shards ? shardName(node) : `branch-${node}`;
}

export function shapeOf({ shards = 1, fanIn }: Pick<FederationRecord, 'shards' | 'fanIn'>): Shape {
  return { shards, fanIn };
}
