/**
 * What participants agree on before the first round, beyond the settings and the scaling of features: what their targets mean. Each brings
 * what is asked for (`moments`), the coordinator settles it once (coordinator/agreement.ts), `welcome` carries it from then on. Nothing is
 * asked for that is not used.
 */
import type { AgreedClasses } from '../data/agreed-classes.ts';
import type { TargetScaling } from '../math/target-scaling.ts';
import type { FederationSettings } from '../settings/wire.ts';

export interface Agreement {
  /** Undefined for regression. */
  readonly classes: AgreedClasses | undefined;
  /** Undefined: targets are as they are. */
  readonly target: TargetScaling | undefined;
}

/** What participants are asked for. */
export interface Asked {
  /** Moments of the features, and of the targets: added up in secret under secure aggregation. */
  readonly features: boolean;
  readonly target: boolean;
  /** Names of classes: in the clear in any case. */
  readonly labels: boolean;
}

export type AskingSettings = Pick<
  FederationSettings,
  'objective' | 'scale' | 'scaleTarget' | 'positive' | 'classes'
>;

export function askedBy({ objective, scale, scaleTarget, positive, classes }: AskingSettings): Asked {
  const isRegression = objective === 'regression';
  return {
    features: scale !== 'none',
    target: isRegression && scaleTarget === 'standard',
    labels: !isRegression && positive === undefined && classes === undefined,
  };
}
