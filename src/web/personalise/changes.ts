/** What a personal part has changed: the features on which somebody differs most from the shared model. */
import { KindredError } from '../../base/errors.ts';
import { explain, type PersonalWeight } from '../../explain/explain.ts';
import type { WeightUnit } from '../../explain/standard-weights.ts';
import type { Fitted } from './fit.ts';

export type Changes =
  | {
      readonly kind: 'weights';
      readonly unit: WeightUnit;
      /** |v| / |w + v|. */
      readonly personalShare: number;
      /** One for two classes and for a regression. */
      readonly heads: readonly {
        readonly class: string | undefined;
        readonly features: readonly PersonalWeight[];
      }[];
    }
  /** No weight belongs to a single feature. */
  | { readonly kind: 'not linear' };

const SHOWN = 12;

export function changesOf({ model, table }: Fitted, participant: string): Changes {
  const own = { ...model, personal: new Map([[participant, model.personal.get(participant)!]]) };
  try {
    const { unit, participants } = explain(own, table);
    const [{ personalShare, heads }] = participants;
    const shown = heads.map((head) => ({ ...head, features: head.features.slice(0, SHOWN) }));
    return { kind: 'weights', unit, personalShare, heads: shown };
  } catch (error) {
    if (error instanceof KindredError && error.code === 'MODEL_NOT_LINEAR') return { kind: 'not linear' };
    throw error;
  }
}
