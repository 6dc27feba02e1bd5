/** What the coordinator knows of the model, as a file for `kindred predict` and `evaluate`. */
import { modelOf } from '../../coordinator/model.ts';
import { optionsToJson } from '../../coordinator/options-schema.ts';
import type { Certificate } from '../../solver/certificate.ts';
import type { Model } from '../../solver/model.ts';
import type { Store } from '../host/store.ts';
import type { Federation } from './federation.ts';

/** The names of classes stay with the participants. */
const CLASSES = { positive: '1', negative: '-1' };

/** Undefined before the first round. */
export function modelFileOf({ name, host }: Federation, store: Store): Model | undefined {
  const found = modelOf(host.state);
  if (!found) return undefined;
  const { options, features: d } = host.state;
  const { objective, bias, scale, seed, aggregation } = options;
  const names = store.schema(name)?.features;
  return {
    method: aggregation === 'mocha' ? 'mocha' : 'mtl',
    objective,
    features: names?.length === d ? names : Array.from({ length: d }, (_, j) => `x${j + 1}`),
    bias,
    scaling: { mode: scale, ...found.scaling },
    classes: objective === 'classification' ? CLASSES : undefined,
    w: found.w,
    // Personal parts are the participants' own; only MOCHA, which has no shared part, makes them here.
    personal: found.v,
    servesNewcomers: aggregation !== 'mocha',
    options: { ...optionsToJson(options), federation: name, round: found.round },
    seed,
    certificate: certificateOf(host, found, store),
  };
}

/** What is known of this very model: that of the last round, where it was about the model in use. */
function certificateOf(
  { record, state }: Federation['host'],
  { round, certified }: { readonly round: number; readonly certified: boolean },
  store: Store,
): Certificate | undefined {
  const row = store.history(record.name, Math.max(0, state.round - 2), 2).at(-1);
  if (!row?.certified || !Number.isFinite(row.relativeGap)) return undefined;
  // The best model so far, or the latest where nothing has moved it since.
  const isIt = certified ? row.primal === state.best?.primal : row.outcome === 'final' && row.round === round;
  if (!isIt) return undefined;
  const { primal, dual, relativeGap } = row;
  return { primal, dual, relativeGap };
}
