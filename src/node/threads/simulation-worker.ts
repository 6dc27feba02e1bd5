/** A thread that runs repeats of a scenario, one after another, as they are asked for. */
import { workerData } from 'node:worker_threads';
import { type RunRequest, runScenario } from '../../sim/run.ts';
import type { Scenario } from '../../sim/scenario.ts';
import type { ScenarioInputs } from '../../sim/scenario-plan.ts';
import type { RunRecord } from '../../sim/summary.ts';
import type { RowProgress } from './simulation-pool.ts';
import { takeRequests } from './threads.ts';

const { scenario, inputs } = workerData as { scenario: Scenario; inputs: ScenarioInputs };

takeRequests<RunRequest, RowProgress, RunRecord>((request, onProgress) =>
  runScenario(scenario, inputs, request, ({ seed, round, relativeGap }) =>
    onProgress({ seed, round, relativeGap }),
  ),
);
