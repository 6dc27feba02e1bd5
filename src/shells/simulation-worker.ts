/** A thread that runs repeats of a scenario, one after another, as they are asked for. */
import { parentPort, workerData } from 'node:worker_threads';
import {
  type RunRecord,
  type RunRequest,
  runScenario,
  type Scenario,
  type ScenarioInputs,
} from '../sim/index.ts';
import type { RowNews } from './simulation-pool.ts';
import type { FromThread } from './threads.ts';

const { scenario, inputs } = workerData as { scenario: Scenario; inputs: ScenarioInputs };
const say = (message: FromThread<RowNews, RunRecord>) => parentPort?.postMessage(message);

parentPort?.on('message', (request: RunRequest) => {
  const result = runScenario(scenario, inputs, request, ({ seed, round, relativeGap }) =>
    say({ kind: 'news', news: { seed, round, relativeGap } }),
  );
  say({ kind: 'done', result });
});
