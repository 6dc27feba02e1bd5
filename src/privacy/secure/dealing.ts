/**
 * What a participant deals in a round, in place of the keys and shares of Bonawitz et al. 2017 (their rounds 0 and 1).
 *
 * Two secrets of 16 bytes, fresh for the round:
 *   self mask  b  revealed by the holders if the participant was counted in
 *   recovery   a  revealed if it was not; opens the table of its pairwise seeds of THIS round
 *
 * Why not the secret key itself, as in the paper: a channel key that serves many rounds may never be revealed, because b of
 * earlier rounds has been, and with b and the key every earlier vector of that participant would lie open. With the
 * table nothing but the seeds of one round is revealed, keys last, and who dropped out takes part again.
 *
 * Shares: the polynomial is fixed by the values at the dealer's own point (drawn) and at threshold - 1 neighbours (derived by both
 * ends from their root key, so never sent). The secrets are its value at 0; the other neighbours get theirs sealed. Values derived
 * by HKDF look random to everybody else, so this is Shamir's sharing, at a third of the bytes for a threshold of two thirds.
 */
import { concatBytes } from '@noble/hashes/utils.js';
import { type Context, derive, type Entropy, SECRET_BYTES, seedFrom } from './keys.ts';
import type { Dealt } from './messages.ts';
import { type Layout, mustSend, pointOf } from './roster.ts';
import { derivedShare, fromMe, pairSeed, type Seat, SHARE_BYTES, seal } from './seat.ts';
import { extend } from './shamir.ts';

export type SecretKind = 'recovery' | 'selfMask';

/** With the share that the dealer holds of its own secrets, and its self mask. */
export function dealSecrets(seat: Seat, round: number, entropy: Entropy) {
  const { layout, index, neighbours } = seat;
  const ownShare = seedFrom(entropy, SHARE_BYTES);
  const receivers = neighbours.filter((holder) => mustSend(layout, index, holder.index));
  const given = neighbours
    .filter((holder) => !receivers.includes(holder))
    .map((holder) => ({
      x: pointOf(holder.index),
      y: derivedShare(holder.root, fromMe(seat, holder, round)),
    }));
  const points = [0, ...receivers.map((holder) => pointOf(holder.index))];
  const [secrets, ...shares] = extend([{ x: pointOf(index), y: ownShare }, ...given], points);
  const { recovery, selfMask } = halves(secrets.y);
  const sealed = receivers.map((holder, i) => seal(shares[i].y, holder.root, fromMe(seat, holder, round)));
  const message: Dealt = {
    round,
    from: index,
    commitments: concatBytes(
      commitment(recovery, 'recovery', layout, seat.id, round),
      commitment(selfMask, 'selfMask', layout, seat.id, round),
    ),
    table: recoveryTable(seat, recovery, round),
    sealed: concatBytes(...sealed),
  };
  return { message, ownShare, selfMask };
}

/** A share, or the secrets themselves: first the recovery secret, then the self mask. */
export function halves(share: Uint8Array): { recovery: Uint8Array; selfMask: Uint8Array } {
  return { recovery: share.subarray(0, SECRET_BYTES), selfMask: share.subarray(SECRET_BYTES) };
}

/** Lets the coordinator see whether it has recovered the right secret; reveals nothing about it before. */
export function commitment(
  secret: Uint8Array,
  kind: SecretKind,
  { federation }: Layout,
  id: string,
  round: number,
): Uint8Array {
  const purpose = kind === 'recovery' ? 'commitment to recovery' : 'commitment to self mask';
  return derive(secret, purpose, { federation, round, from: id, to: id }, SECRET_BYTES);
}

/** Hides a pairwise seed under the recovery secret, or uncovers it. */
export function coverSeed(seed: Uint8Array, recovery: Uint8Array, context: Context): Uint8Array {
  const cover = derive(recovery, 'recovery table', context, SECRET_BYTES);
  return seed.map((byte, i) => byte ^ cover[i]);
}

function recoveryTable(seat: Seat, recovery: Uint8Array, round: number): Uint8Array {
  return concatBytes(
    ...seat.neighbours.map((neighbour) =>
      coverSeed(pairSeed(seat, neighbour, round), recovery, fromMe(seat, neighbour, round)),
    ),
  );
}
