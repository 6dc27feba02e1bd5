/** The options of a federation that the dashboard shows: they come as JSON, with defaults filled in. */
import type { FederationState } from '../../../node/server/routes/federations.ts';
import { count, decimal, duration, percent } from '../../shared/format.ts';

export type Waiting =
  | { readonly kind: 'all' }
  | { readonly kind: 'fixed'; readonly ms: number }
  | { readonly kind: 'share'; readonly share: number }
  | { readonly kind: 'benchmarks'; readonly quantile: number; readonly factor: number };

export interface ShownOptions {
  readonly objective: 'classification' | 'regression';
  readonly method: string;
  readonly aggregation: string;
  readonly c1: number;
  readonly c2: number;
  readonly minParticipants: number;
  readonly waiting: Waiting;
  /** null: endless. */
  readonly maxWaitMs: number | null;
  readonly secure?: object | boolean;
  readonly dp?: { readonly epsilon?: number; readonly delta?: number; readonly noiseMultiplier?: number };
  readonly mask?: object;
  readonly stop: { readonly gap: number; readonly rounds: number | null };
}

export function optionsOf({ options }: Pick<FederationState, 'options'>): ShownOptions {
  const given = options as unknown as ShownOptions & { readonly waiting: Waiting | 'all' | 'benchmarks' };
  const { waiting } = given as { readonly waiting: unknown };
  const known = typeof waiting === 'string' ? ({ kind: waiting } as Waiting) : given.waiting;
  return { ...given, waiting: known };
}

export function waitingText({ waiting, maxWaitMs }: Pick<ShownOptions, 'waiting' | 'maxWaitMs'>): string {
  const most = maxWaitMs === null ? '' : `, at most ${duration(maxWaitMs)}`;
  switch (waiting.kind) {
    case 'all':
      return `until all have answered${most}`;
    case 'fixed':
      return duration(waiting.ms);
    case 'share':
      return `until ${percent(waiting.share, 0)} have answered${most}`;
    case 'benchmarks':
      return `by reported benchmark times${most}`;
  }
}

/** Who learns what: one line. */
export function privacyText(options: ShownOptions): { readonly mode: string; readonly about: string } {
  const noise = options.dp ? ' Noise is added: differential privacy.' : '';
  if (options.secure) {
    return {
      mode: options.dp ? 'Secure sums and noise' : 'Secure aggregation',
      about: `The server learns sums only, never the answer of one participant.${noise}`,
    };
  }
  if (options.dp) {
    return {
      mode: 'Differential privacy',
      about: 'The server sees each answer. What it publishes has noise.',
    };
  }
  if (options.mask) {
    return { mode: 'Masked updates', about: 'The server sees updates with a part of the rows left out.' };
  }
  return { mode: 'Plain', about: 'The server sees each answer, and can compute personal models from them.' };
}

/** As a list for people. */
export function factsOf(options: ShownOptions): readonly (readonly [string, string])[] {
  const { objective, method, aggregation, c1, c2, stop, minParticipants } = options;
  return [
    ['Objective', objective],
    ['Method', `${method}, ${aggregation}`],
    ['C1, C2', `${decimal(c1)}, ${decimal(c2)}`],
    ['Round stays open', waitingText(options)],
    ['Starts with', `${count(minParticipants)} participants`],
    ['Ends at gap', decimal(stop.gap)],
    ['Most rounds', stop.rounds === null ? 'endless' : count(stop.rounds)],
  ];
}
