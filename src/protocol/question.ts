/**
 * Everything that an answer in a secure sum depends on, as one digest. Masks are derived from it, so that vectors which answer different
 * questions do not add up to anything, and members attest to it before they uncover the sum.
 *
 * Settings (losses and limits), scaling, what labels, targets and columns mean, query, allowance, tolerance, purpose, and from which accepted answer each
 * member's change goes. Time that is left is not in it: it differs from one member to the next.
 */
import { sha256 } from '@noble/hashes/sha2.js';
import { utf8ToBytes } from '@noble/hashes/utils.js';
import type { Scaling } from '../math/scaling.ts';
import { type FederationSettings, wireKind } from '../settings/wire.ts';
import type { Agreement } from './agreement.ts';
import type { RoundMessage } from './messages.ts';
import type { SumPurpose } from './secure-messages.ts';

/** What a round asks, as far as the answer depends on it. */
export type Asked = Pick<RoundMessage, 'purpose' | 'w' | 'sigma' | 'tolerance'>;

interface Question {
  readonly purpose: SumPurpose;
  readonly settings: FederationSettings;
  readonly scaling: Pick<Scaling, 'shift' | 'factor'> | undefined;
  readonly agreement: Agreement | undefined;
  /** Undefined: the moments are asked for, which depend on nothing else. */
  readonly asked: Asked | undefined;
  /** Round of the accepted answer that each member of the roster goes from; 0: none. */
  readonly bases: readonly number[];
}

export function questionOf(question: Question): Uint8Array {
  const { purpose, settings, scaling, agreement, asked, bases } = question;
  const numbers = asked && [asked.purpose, asked.sigma, asked.tolerance];
  // Moments are asked for before everybody knows it.
  const meant = asked && [agreement?.classes, agreement?.target];
  // What columns become is known to all by then: with other features than others have nobody adds to their sums.
  const encoding = agreement?.encoding?.map((code) =>
    code.kind === 'number'
      ? [code.kind, code.mean, code.missing]
      : [code.kind, code.levels, code.other, code.missing],
  );
  const told = [wireKind.toJson(settings), meant, numbers, bases, ...(encoding ? [encoding] : [])];
  const head = JSON.stringify(['kindred question 2', purpose, ...told]);
  const hash = sha256.create().update(utf8ToBytes(head));
  for (const vector of [scaling?.shift, scaling?.factor, asked?.w]) {
    // Lengths first, or two lists of vectors could be the same bytes.
    hash.update(utf8ToBytes(`|${vector?.length ?? 'none'}|`));
    if (vector) hash.update(new Uint8Array(vector.slice().buffer));
  }
  return hash.digest();
}
