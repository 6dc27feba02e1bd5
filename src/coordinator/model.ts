/**
 * The model in use, as far as the coordinator knows it: the shared part w. Personal parts are the participants' own; only MOCHA, which
 * has no shared part, makes them here.
 */
import type { CoordinatorState } from './state.ts';
import { combinerOf, inquiryOf, sharedPart } from './training.ts';

interface ModelInUse {
  /** The round that asked about it, or opened with it. */
  readonly round: number;
  readonly w: Float64Array;
  /** By participant, where they are made here. */
  readonly v: ReadonlyMap<string, Float64Array>;
  readonly scaling: NonNullable<CoordinatorState['scaling']>;
  /** Whether its primal value is known. */
  readonly certified: boolean;
}

/** Undefined: there is none yet. */
export function modelOf(state: CoordinatorState): ModelInUse | undefined {
  const { scaling, best, round, bestW } = state;
  const w = inquiryOf(state) ? sharedPart(state) : (bestW ?? sharedPart(state));
  if (!scaling || !w) return undefined;
  const certified = best !== undefined && (inquiryOf(state) !== undefined || bestW !== undefined);
  return { round: certified ? best.round : round, w, v: ownModels(state), scaling, certified };
}

export function dropBest(state: CoordinatorState): void {
  state.best = undefined;
  state.bestW = undefined;
}

function ownModels(state: CoordinatorState): ModelInUse['v'] {
  if (state.options.method !== 'mocha') return new Map();
  const combiner = combinerOf(state)!;
  return new Map([...state.members.values()].map(({ id, index }) => [id, combiner.modelOf(index)]));
}
