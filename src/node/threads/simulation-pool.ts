/** Repeats of a scenario, here or spread over worker threads. */
import type { ObservedRow } from '../../sim/observe.ts';
import { type RunRequest, runScenario } from '../../sim/run.ts';
import type { Scenario } from '../../sim/scenario.ts';
import type { ScenarioInputs } from '../../sim/scenario-plan.ts';
import type { RunRecord } from '../../sim/summary.ts';
import { inSharedMemory, onThreads } from './threads.ts';

/** What is reported of a row during the run. */
export type RowProgress = Pick<ObservedRow, 'seed' | 'round' | 'relativeGap'>;

/** Records come in the order of the requests. */
export async function runRepeats(
  scenario: Scenario,
  inputs: ScenarioInputs,
  requests: readonly RunRequest[],
  threads: number,
  onRow: (row: RowProgress) => void,
): Promise<RunRecord[]> {
  if (Math.min(threads, requests.length) <= 1)
    return requests.map((request) => runScenario(scenario, inputs, request, onRow));
  const shared = { ...inputs, table: { ...inputs.table, x: inSharedMemory(inputs.table.x) } };
  const workerData = { scenario, inputs: shared };
  return onThreads({ file: 'threads/simulation-worker', workerData, requests, threads }, onRow);
}
