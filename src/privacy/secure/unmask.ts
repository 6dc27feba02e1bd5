/**
 * From the sum of masked vectors to the sum (round 4 of Bonawitz et al. 2017): for everybody who has dealt, one of two secrets is
 * recovered from the shares that were revealed, and the masks that it explains are taken off.
 *
 *   counted in    b_i: the self mask
 *   dropped       a_i: opens i's table, and with it the masks that i's neighbours had agreed with i and that now cancel with nobody
 *
 * A recovered secret must match the commitment that was dealt; if it does not, some share was wrong, and whoever sent it is found
 * as long as there are enough others. Where no choice of shares gives what was committed to, although more shares are there to spare than
 * participants may be corrupted, it is the dealer who is at fault.
 */
import type { Culprit } from './coordinator-round.ts';
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

interface Fault {
  readonly index: number;
  readonly fault: Culprit['fault'];
  readonly dealer: number;
}

interface Recovered {
  /** By index of the dealer, for as long as nothing failed. */
  readonly secrets: ReadonlyMap<number, Uint8Array>;
  /** The first fault of each that is found, by index. */
  readonly culprits: readonly Fault[];
  readonly failed: number | undefined;
}

export function recoverAll(
  shares: ReadonlyMap<number, readonly Share[]>,
  dealt: ReadonlyMap<number, Dealt>,
  counted: IndexSet,
  layout: Layout,
): Recovered {
  const secrets = new Map<number, Uint8Array>();
  const culprits = new Map<number, Fault>();
  let failed: number | undefined;
  for (const [index, message] of dealt) {
    const all = shares.get(index) ?? [];
    // Who was wrong about one is not asked about the others, if it can be done without.
    const trusted = all.filter(({ x }) => !culprits.has(x - pointOf(0)));
    const kind = has(counted, index) ? 'selfMask' : 'recovery';
    const found = recover(trusted.length >= layout.threshold ? trusted : all, kind, message, layout);
    if (!found) {
      failed ??= index;
      if (mostFound(all.length, layout) >= Math.max(1, layout.mostCorrupted))
        culprits.set(index, { index, fault: 'dealing', dealer: index });
      continue;
    }
    for (const { x } of found.wrong) {
      const holder = x - pointOf(0);
      culprits.set(holder, { index: holder, fault: 'share', dealer: index });
    }
    secrets.set(index, found.secret);
  }
  return { secrets, culprits: [...culprits.values()], failed };
}

export function removeMasks(
  sum: Uint32Array,
  secrets: ReadonlyMap<number, Uint8Array>,
  dealt: ReadonlyMap<number, Dealt>,
  counted: IndexSet,
  layout: Layout,
  question: Uint8Array,
): void {
  for (const [index, secret] of secrets) {
    const message = dealt.get(index)!;
    if (has(counted, index)) subtractMask(sum, selfMaskKey(secret, layout, layout.ids[index], message.round));
    else removePairMasks(sum, message, secret, layout, counted, question);
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
  const corrected = sorted && reconstruct(sorted.right, threshold);
  if (sorted && corrected && matches(corrected, kind, dealt, layout))
    return { secret: corrected, wrong: sorted.wrong };
  for (const wrong of leftOut(shares, layout)) {
    const right = shares.filter((share) => !wrong.includes(share));
    const found = reconstruct(right, threshold);
    if (matches(found, kind, dealt, layout)) return { secret: found, wrong };
  }
  return undefined;
}

/** Leaving out two at a time is tried among so many. */
const FEW_SHARES = 30;

/** With few shares to spare the shares alone do not say which are wrong; the commitment does, if the right ones are left out. */
function* leftOut(shares: readonly Share[], { threshold }: Layout): Generator<readonly Share[]> {
  const spare = shares.length - threshold;
  if (spare < 1) return;
  for (const one of shares) yield [one];
  if (spare < 2 || shares.length > FEW_SHARES) return;
  for (const [i, one] of shares.entries()) for (const other of shares.slice(i + 1)) yield [one, other];
}

/** How many wrong ones among so many shares are found for certain. */
function mostFound(shares: number, { threshold }: Layout): number {
  const spare = shares - threshold;
  return Math.max(Math.floor(spare / 2), Math.min(spare, shares > FEW_SHARES ? 1 : 2));
}

/** Takes off what the neighbours of a dropped participant have added for it. */
function removePairMasks(
  sum: Uint32Array,
  dealt: Dealt,
  secret: Uint8Array,
  layout: Layout,
  counted: IndexSet,
  question: Uint8Array,
): void {
  const { from, round, table } = dealt;
  for (const [at, neighbour] of neighboursOf(layout.circle, from).entries()) {
    if (!has(counted, neighbour)) continue;
    const { federation, ids } = layout;
    const context = { federation, round, from: ids[from], to: ids[neighbour] };
    const covered = table.subarray(at * SECRET_BYTES, (at + 1) * SECRET_BYTES);
    const key = pairMaskKey(coverSeed(covered, secret, context), context, question);
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
