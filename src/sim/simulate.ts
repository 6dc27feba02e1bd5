/** A scenario run once, from its JSON to what came of it: what programs use; `kindred simulate` adds files, repeats and threads. */
import type { Table } from '../data/table.ts';
import type { ScenarioInput } from '../settings/scenario.ts';
import type { ObservedRow } from './observe.ts';
import { runScenario } from './run.ts';
import { parseScenario, scenarioError } from './scenario.ts';
import { computeModel, generatedTable } from './scenario-plan.ts';
import type { RunRecord } from './summary.ts';

export interface SimulateOptions {
  /** Rows of the participants, in place of generated ones. */
  readonly table?: Table | undefined;
  /** Default: the scenario's. */
  readonly seed?: number | undefined;
  /** Every message of the run; default: off. */
  readonly transcript?: 'on' | 'off' | undefined;
  /** Called when a round closes. */
  readonly onRow?: ((row: ObservedRow) => void) | undefined;
}

export function simulate(given: ScenarioInput, options: SimulateOptions = {}): RunRecord {
  const source = 'scenario';
  const scenario = parseScenario(source, given);
  const table = options.table ?? generatedTable(scenario);
  if (!table)
    throw scenarioError(source, 'data', 'a generator, or a table beside the scenario', scenario.data);
  const { seed = scenario.seed, transcript = 'off', onRow } = options;
  return runScenario(
    scenario,
    { source, table, compute: computeModel(scenario) },
    { seed, transcript },
    onRow,
  );
}
