/** What a scenario says of differential privacy, and of those whom the model is defended against. */
import { z } from 'zod';
import { completeDp, conflictWithDp } from '../coordinator/options-checks.ts';
import type { DpSettings } from '../privacy/dp/settings.ts';
import type { SecureSettings } from '../protocol/messages.ts';
import { MISDEEDS } from './misbehaving.ts';
import type { Scenario } from './scenario.ts';
import { scenarioError } from './scenario-error.ts';

export const misbehavingFields = z.strictObject({
  participant: z.string().min(1),
  kind: z.enum(MISDEEDS),
  /** Size of what is sent, in units of the honest update; default: 1, and 10 for poison. */
  scale: z.number().positive().optional(),
});

/** Of a scenario whose rule is settled: what does not go with differential privacy. */
export function checkDp(source: string, scenario: Scenario): void {
  const { dp, method, stall } = scenario;
  if (!dp) return;
  if (method !== 'mtl') throw scenarioError(source, 'method', 'mtl with dp', method);
  if (stall !== undefined) throw scenarioError(source, 'stall', 'none with dp, which knows no gap', stall);
  const conflict = conflictWithDp({ ...scenario, dp: dpSettings(scenario) });
  if (conflict) throw scenarioError(source, conflict.field, conflict.expected, conflict.got);
}

/** With secret sums the participants add the noise: enough of it, whoever vanishes or works for the coordinator. */
export function honestIn({ dropout, corrupted }: SecureSettings, participants: number): number {
  return Math.max(1, Math.floor((1 - dropout - corrupted) * participants));
}

/** What is not given follows from the rest and the number of rounds. */
export function dpSettings({ dp, rounds }: Scenario): DpSettings | undefined {
  return dp && completeDp(dp, rounds);
}
