/**
 * From the sum of masked vectors to the sum (round 4 of Bonawitz et al. 2017): for everybody who has dealt, one of two secrets is
 * recovered from the shares that were revealed, and the masks that it explains are taken off.
 *
 *   counted in    b_i: the self mask
 *   dropped       a_i: opens i's table, and with it the masks that i's neighbours had agreed with i and that now cancel with nobody
 *
 * A recovered secret must match the commitment that was dealt; if it does not, some share was wrong, and whoever sent it is found
 * as long as there are enough others.
 */
import { commitment, coverSeed, type SecretKind } from './dealing.ts';
import { neighboursOf } from './graph.ts';
import { has, type IndexSet, sameBytes } from './index-set.ts';
import { SECRET_BYTES } from './keys.ts';
import { pairMaskKey, selfMaskKey } from './masking.ts';
import type { Dealt } from './messages.ts';
import { addMask, subtractMask } from './prg.ts';
import { type Layout, pointOf } from './roster.ts';
import { reconstruct, type Share } from './shamir.ts';
import { sortShares } from './wrong-shares.ts';

interface Recovered {
  /** By index of the dealer, for as long as nothing failed. */
  readonly secrets: ReadonlyMap<number, Uint8Array>;
  readonly wrong: ReadonlySet<number>;
  readonly failed: number | undefined;
}

export function recoverAll(
  shares: ReadonlyMap<number, readonly Share[]>,
  dealt: ReadonlyMap<number, Dealt>,
  counted: IndexSet,
  layout: Layout,
): Recovered {
  const secrets = new Map<number, Uint8Array>();
  const wrong = new Set<number>();
  for (const [index, message] of dealt) {
    const all = shares.get(index) ?? [];
    // Who was wrong about one is not asked about the others, if it can be done without.
    const trusted = all.filter(({ x }) => !wrong.has(x - pointOf(0)));
    const kind = has(counted, index) ? 'selfMask' : 'recovery';
    const found = recover(trusted.length >= layout.threshold ? trusted : all, kind, message, layout);
    if (!found) return { secrets, wrong, failed: index };
    for (const { x } of found.wrong) wrong.add(x - pointOf(0));
    secrets.set(index, found.secret);
  }
  return { secrets, wrong, failed: undefined };
}

export function removeMasks(
  sum: Uint32Array,
  secrets: ReadonlyMap<number, Uint8Array>,
  dealt: ReadonlyMap<number, Dealt>,
  counted: IndexSet,
  layout: Layout,
): void {
  for (const [index, secret] of secrets) {
    const message = dealt.get(index)!;
    if (has(counted, index)) subtractMask(sum, selfMaskKey(secret, layout, layout.ids[index], message.round));
    else removePairMasks(sum, message, secret, layout, counted);
  }
}

/** `undefined` if the shares do not give what was committed to. */
function recover(
  shares: readonly Share[],
  kind: SecretKind,
  dealt: Dealt,
  layout: Layout,
): { secret: Uint8Array; wrong: readonly Share[] } | undefined {
  const { threshold } = layout;
  if (shares.length < threshold) return undefined;
  const secret = reconstruct(shares, threshold);
  if (matches(secret, kind, dealt, layout)) return { secret, wrong: [] };
  const sorted = sortShares(shares, threshold);
  if (!sorted) return undefined;
  const corrected = reconstruct(sorted.right, threshold);
  return matches(corrected, kind, dealt, layout) ? { secret: corrected, wrong: sorted.wrong } : undefined;
}

/** Takes off what the neighbours of a dropped participant have added for it. */
function removePairMasks(
  sum: Uint32Array,
  dealt: Dealt,
  secret: Uint8Array,
  layout: Layout,
  counted: IndexSet,
): void {
  const { from, round, table } = dealt;
  for (const [at, neighbour] of neighboursOf(layout.circle, from).entries()) {
    if (!has(counted, neighbour)) continue;
    const { federation, ids } = layout;
    const context = { federation, round, from: ids[from], to: ids[neighbour] };
    const covered = table.subarray(at * SECRET_BYTES, (at + 1) * SECRET_BYTES);
    const key = pairMaskKey(coverSeed(covered, secret, context), context);
    // The neighbour has added it if it comes first, else subtracted.
    if (neighbour < from) subtractMask(sum, key);
    else addMask(sum, key);
  }
}

function matches(secret: Uint8Array, kind: SecretKind, dealt: Dealt, layout: Layout): boolean {
  const at = kind === 'recovery' ? 0 : SECRET_BYTES;
  const committed = dealt.commitments.subarray(at, at + SECRET_BYTES);
  return sameBytes(commitment(secret, kind, layout, layout.ids[dealt.from], dealt.round), committed);
}
