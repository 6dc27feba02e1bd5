/** Where training stands, in words. */
import type { FederationBrief } from '../../../node/server/routes/federations.ts';
import type { Tone } from '../../shared/badge.tsx';

type Standing = Pick<FederationBrief, 'phase' | 'paused' | 'finish' | 'round'>;

const ENDED: Readonly<Record<NonNullable<FederationBrief['finish']>, string>> = {
  gap: 'The target gap is reached.',
  stall: 'The gap no longer improves.',
  rounds: 'The maximum number of rounds is reached.',
  time: 'The maximum training time has passed.',
  operator: 'An operator has ended training.',
  left: 'All participants have left.',
  budget: 'The privacy budget is spent.',
};

export function phaseText({ phase, paused, finish }: Standing): {
  readonly text: string;
  readonly tone: Tone;
} {
  if (phase === 'finished') {
    return finish === 'gap' ? { text: 'Converged', tone: 'ok' } : { text: 'Ended', tone: 'plain' };
  }
  if (paused) return { text: 'Paused', tone: 'warn' };
  return phase === 'gathering' ? { text: 'Gathering', tone: 'plain' } : { text: 'Training', tone: 'accent' };
}

export function isTraining({ phase, paused }: Standing): boolean {
  return !paused && (phase === 'open' || phase === 'summing');
}

export function endText(finish: FederationBrief['finish']): string {
  return finish ? ENDED[finish] : '';
}
