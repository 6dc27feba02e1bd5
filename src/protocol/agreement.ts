/**
 * What participants agree on before the first round, beyond the settings and the scaling of features: what their targets mean. Each brings
 * what is asked for (`moments`), the coordinator settles it once (coordinator/agreement.ts), `welcome` carries it from then on. Nothing is
 * asked for that is not used.
 */
import { type AgreedClasses, mappingOf } from '../data/agreed-classes.ts';
import { type ColumnCode, featuresOfCode } from '../data/encoding.ts';
import { headsOf } from '../data/labels.ts';
import type { TargetScaling } from '../math/target-scaling.ts';
import { columnsOf, type RowShape } from '../settings/feature-map.ts';
import type { FederationSettings } from '../settings/wire.ts';

export interface Agreement {
  /** Undefined for regression. */
  readonly classes: AgreedClasses | undefined;
  /** Undefined: targets are as they are. */
  readonly target: TargetScaling | undefined;
  /** How columns with text or gaps become features, by their places; absent: they are features. */
  readonly encoding?: readonly ColumnCode[] | undefined;
  /** Names of the columns that are encoded, where participants may have different ones; absent: everybody has them all, in this order. */
  readonly columns?: readonly string[] | undefined;
}

/** What a participant says of one of its columns. */
export interface ColumnClaim {
  readonly kind: 'number' | 'text';
  readonly missing: number;
  /** Of text: levels and their rows. Rows of levels that are not named are of others. With secure aggregation nothing is counted: rows are 0, `missing` 0 or 1. */
  readonly levels: readonly { readonly level: string; readonly rows: number }[];
}

/** Whether levels are named and not counted: the coordinator sees no counts of single participants. */
export function areLevelsNamed({ secure, dp, levels }: SecrecySettings): boolean {
  return secure !== undefined && !dp && !levels;
}

type SecrecySettings = Pick<FederationSettings, 'levels'> & {
  readonly secure?: unknown;
  readonly dp?: unknown;
};

type ColumnSettings = Pick<FederationSettings, 'features' | 'levels'>;

/** Features that the columns become, without the bias: by what is declared, or agreed on. */
export function featuresBy({ features, levels = {} }: ColumnSettings, agreement?: Agreement): number {
  const agreed = agreement?.encoding?.reduce((sum, code) => sum + featuresOfCode(code), 0);
  return agreed ?? Object.values(levels).reduce((sum, own) => sum + own.length - 1, features);
}

/** Linear models that make up one: as many as there are classes, where they are more than two. */
export function headsBy(agreement: Agreement | undefined): number {
  return headsOf(agreement?.classes && mappingOf(agreement.classes));
}

/** Length of w and of every contribution: columns of all heads. */
export function vectorLength(
  rows: RowShape & Pick<ColumnSettings, 'levels'>,
  agreement: Agreement | undefined,
): number {
  const features = featuresBy(rows, agreement);
  return headsBy(agreement) * columnsOf({ ...rows, features });
}

/** Of what participants are asked for moments: added up in secret under secure aggregation. */
export interface Measured {
  readonly features: boolean;
  readonly target: boolean;
}

export type MeasuringSettings = Pick<FederationSettings, 'objective' | 'scale' | 'scaleTarget'> & {
  readonly dp?: unknown;
};

/** Under differential privacy nobody sends any: they are functions of private rows. */
export function measuredBy({ objective, scale, scaleTarget, dp }: MeasuringSettings): Measured {
  if (dp) return { features: false, target: false };
  const target = objective === 'regression' && scaleTarget === 'standard';
  return { features: scale !== 'none', target };
}

/** Names of classes are asked for, in the clear in any case, where they are not known from the outset. */
export function areLabelsAsked(
  { objective }: Pick<FederationSettings, 'objective'>,
  known: AgreedClasses | undefined,
): boolean {
  return objective === 'classification' && !known;
}
