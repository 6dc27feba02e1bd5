/**
 * Certificates of unlearning against a coordinator's store. Where the store has the participant's rows in the edition of a certificate, or a
 * later one, and has accepted no earlier answer, all that it has of the participant is without the removed rows: conservation (verify.ts)
 * shows that the stored sum holds nothing else. Pure.
 */
import type { UnlearnedRows } from '../client/unlearned-rows.ts';
import type { RoundRow } from '../coordinator/round-row.ts';
import type { StoredMember, StoredRun } from '../coordinator/stored.ts';
import { acceptedBy } from './verify.ts';

export interface VerifiedUnlearning {
  readonly participant: string;
  readonly edition: number;
  readonly removed: UnlearnedRows['removed'];
  /** The first round that accepted an answer without the rows. */
  readonly acceptedRound: number;
  /** As the store has it; null: it has nothing of the participant any more. */
  readonly storeEdition: number | null;
  readonly storeRound: number | null;
  /** Of the last training that came to rest with the rows, and of the first without them; null: not known. */
  readonly gapBefore: number | null;
  readonly gapAfter: number | null;
  readonly holds: boolean;
}

export function verifiedUnlearning(
  certificate: UnlearnedRows,
  stored: { readonly run: StoredRun; readonly members: readonly StoredMember[] } | undefined,
  history: readonly RoundRow[],
): VerifiedUnlearning {
  const { participant, edition, removed, acceptedRound } = certificate;
  const member = stored?.members.find(({ id }) => id === participant);
  const storeRound = stored && member ? acceptedBy(stored.run, member).round : null;
  const rests = history.filter(
    ({ outcome, relativeGap }) => outcome === 'final' && Number.isFinite(relativeGap),
  );
  const before = rests.findLast(({ round }) => round < acceptedRound);
  const after = rests.find(({ round }) => round >= acceptedRound);
  return {
    ...{ participant, edition, removed, acceptedRound },
    storeEdition: member?.edition ?? null,
    storeRound,
    gapBefore: before?.relativeGap ?? null,
    gapAfter: after?.relativeGap ?? null,
    // Whoever was forgotten, or is asked again, has nothing in the sum.
    holds: !member || (member.edition >= edition && (storeRound === 0 || storeRound! >= acceptedRound)),
  };
}
