/** Accuracy against epsilon: one scenario with differential privacy, run with one privacy budget after another. */
import { runScenario } from './run.ts';
import type { Scenario } from './scenario.ts';
import type { ScenarioInputs } from './scenario-plan.ts';
import { meanOf } from './summary.ts';

interface PrivacyPoint {
  /** Infinity: the same rounds and the same clipping without noise worth speaking of. */
  readonly epsilon: number;
  readonly noiseMultiplier: number;
  /** Mean over participants and seeds of the metric on test rows, and the mean of the worst participant's. */
  readonly mean: number;
  readonly worst: number;
}

/** So little noise that only the clipping is seen. */
const HARDLY_ANY = 1e-6;

/** `scenario` must have dp; its noise is chosen for each epsilon. */
export function privacyCurve(
  scenario: Scenario,
  inputs: ScenarioInputs,
  epsilons: readonly number[],
  seeds: readonly number[],
): PrivacyPoint[] {
  const { clip = 1, delta = 1e-5 } = scenario.dp ?? {};
  return epsilons.map((epsilon) => {
    const noise = epsilon === Number.POSITIVE_INFINITY ? { noiseMultiplier: HARDLY_ANY } : { epsilon };
    const varied: Scenario = { ...scenario, dp: { clip, delta, ...noise } };
    const runs = seeds.map((seed) => runScenario(varied, inputs, { seed, transcript: 'off' }).summary);
    const metrics = runs.map(({ metric }) => metric);
    return {
      epsilon,
      noiseMultiplier: runs[0].privacy?.settings.noiseMultiplier ?? 0,
      mean: meanOf(metrics.map((metric) => metric?.mean ?? 0)),
      worst: meanOf(metrics.map((metric) => metric?.worst ?? 0)),
    };
  });
}
