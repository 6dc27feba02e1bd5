/** Simulated federations that write run logs, one for each node. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll } from 'vitest';
import { RunRecorder } from '../../src/node/run-log.ts';
import { Simulation, type SimulationPlan } from '../../src/sim/simulation.ts';

/** A folder of its own for a test file, gone afterwards. */
export function logFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'kindred-log-'));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** Runs the plan; gives the paths of the logs by node. */
export function recorded(
  folder: string,
  name: string,
  plan: SimulationPlan,
): { readonly simulation: Simulation; readonly logs: ReadonlyMap<string, string> } {
  const logs = new Map<string, string>();
  const recorders: RunRecorder[] = [];
  const simulation = new Simulation({
    ...plan,
    observerOf: (node) => {
      const path = join(folder, `${name}-${node}.log`);
      logs.set(node, path);
      const recorder = new RunRecorder(path);
      recorders.push(recorder);
      return recorder;
    },
  });
  simulation.run();
  for (const recorder of recorders) recorder.close();
  return { simulation, logs };
}
