/** A thread that runs repeats of a scenario, one after another, as they are asked for. */
import { parentPort, workerData } from 'node:worker_threads';
import { type RunRequest, runScenario, type Scenario, type ScenarioInputs } from '../sim/index.ts';

const { scenario, inputs } = workerData as { scenario: Scenario; inputs: ScenarioInputs };

parentPort?.on('message', (request: RunRequest) => {
  const record = runScenario(scenario, inputs, request, ({ seed, round, relativeGap }) =>
    parentPort?.postMessage({ kind: 'row', row: { seed, round, relativeGap } }),
  );
  parentPort?.postMessage({ kind: 'done', record });
});
