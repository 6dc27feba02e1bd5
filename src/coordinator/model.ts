/**
 * The model in use, as far as the coordinator knows it: model_k = w + v_k. Where the rule keeps the best model, that is the best
 * one that is known for certain, as participants choose it too; otherwise the latest.
 *
 * Personal parts are known where updates come in the clear. They are of one participant each: whoever hands them on tells what
 * differential privacy and the paper's masking do not cover.
 */
import type { CoordinatorState, KeptModel } from './state.ts';

export interface ModelInUse {
  /** The round that opened with it. */
  readonly round: number;
  readonly w: Float64Array;
  /** By participant. Whoever is not in it is served by w alone; nobody is where single contributions are not known. */
  readonly v: ReadonlyMap<string, Float64Array>;
  readonly scaling: NonNullable<CoordinatorState['scaling']>;
  /** Whether all who contribute have reported about this very model. */
  readonly certified: boolean;
}

/** Undefined: there is none yet. */
export function modelOf(state: CoordinatorState): ModelInUse | undefined {
  const { scaling, best, bestModel, aggregator } = state;
  if (!scaling || !aggregator) return undefined;
  const known = best !== undefined && best.round === bestModel?.round ? bestModel : undefined;
  const { round, w, u } = known ?? presentModel(state);
  return { round, w, v: personalParts(state, u), scaling, certified: known !== undefined };
}

/** w and everybody's u as they are now. */
export function presentModel({ round, members, aggregator }: CoordinatorState): KeptModel {
  const parts = [...members.values()].flatMap(({ id, index }) => {
    const known = aggregator!.members.get(index);
    return known ? [[id, known.u] as const] : [];
  });
  return { round, w: aggregator!.w, u: new Map(parts) };
}

export function dropBest(state: CoordinatorState): void {
  state.best = undefined;
  state.bestModel = undefined;
}

function personalParts(
  { options, aggregator, members }: CoordinatorState,
  parts: KeptModel['u'],
): ModelInUse['v'] {
  // What is told with the paper's masks is not what participants predict with.
  if (options.mask?.semantics === 'paper') return new Map();
  // MOCHA has no shared part, and keeps no model but the latest.
  if (options.aggregation === 'mocha') {
    return new Map([...parts.keys()].map((id) => [id, aggregator!.modelOf(members.get(id)!.index)]));
  }
  return new Map([...parts].map(([id, u]) => [id, dividedBy(u, options.c2)]));
}

function dividedBy(u: Float64Array, c2: number): Float64Array {
  return u.map((value) => value / c2);
}
