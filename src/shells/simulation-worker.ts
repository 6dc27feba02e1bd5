/** A thread that runs repeats of a scenario, one after another, as they are asked for. */
import { workerData } from 'node:worker_threads';
import {
  type RunRecord,
  type RunRequest,
  runScenario,
  type Scenario,
  type ScenarioInputs,
} from '../sim/index.ts';
import { takeRequests } from './in-thread.ts';
import type { RowNews } from './simulation-pool.ts';

const { scenario, inputs } = workerData as { scenario: Scenario; inputs: ScenarioInputs };

takeRequests<RunRequest, RowNews, RunRecord>((request, onNews) =>
  runScenario(scenario, inputs, request, ({ seed, round, relativeGap }) =>
    onNews({ seed, round, relativeGap }),
  ),
);
