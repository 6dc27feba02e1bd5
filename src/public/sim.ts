/** `kindred/sim`: federations on a virtual clock, with deadlines, delays, hardware and faults. */

/**
 * What is seen of a run when a round closes: time, traffic, certificate, and the metric on rows kept aside.
 *
 * @example
 * ```ts
 * import { type ObservedRow, simulate } from 'kindred/sim';
 *
 * const rows: ObservedRow[] = [];
 * simulate({ data: { participants: 3, rows: 30, features: 8 } }, { onRow: (row) => rows.push(row) });
 * console.log(rows[0].round, rows[0].responders); // 1 3
 * ```
 */
export type { ObservedRow } from '../sim/observe.ts';

/**
 * A scenario as one writes it: `{}` is a whole one, of 20 HAR-like participants on equal devices that are all waited for.
 *
 * @example
 * ```ts
 * import { type ScenarioInput, simulate } from 'kindred/sim';
 *
 * const scenario: ScenarioInput = {
 *   data: { participants: 4, rows: 30, features: 8 },
 *   hardware: 'rising',
 *   waiting: { kind: 'fixed', ms: 5 },
 *   link: { delayMs: 1, jitterMs: 1, loss: 0.05 },
 *   rounds: 20,
 * };
 * console.log(simulate(scenario).summary.participants.length); // 4
 * ```
 */
export type { ScenarioInput } from '../sim/scenario.ts';

/**
 * Runs a scenario once, with the machines of the real coordinator and the real participants. The same seed gives the same run.
 *
 * @example
 * ```ts
 * import { makeRegression } from 'kindred';
 * import { type SimulateOptions, simulate } from 'kindred/sim';
 *
 * const table = makeRegression({ tasks: 3, rows: 30, features: 5 });
 * const options: SimulateOptions = { table, seed: 4 };
 * const { summary, rows } = simulate({ objective: 'regression' }, options);
 * console.log(summary.stopped, rows.at(-1)!.relativeGap <= 1e-3); // gap true
 * ```
 */
export { type SimulateOptions, simulate } from '../sim/run.ts';

/**
 * A run: its rows, one for each round, its summary, and its messages where they were asked for.
 *
 * @example
 * ```ts
 * import { type RunRecord, type RunSummary, simulate } from 'kindred/sim';
 *
 * const scenario = { data: { participants: 2, rows: 20, features: 4 }, rounds: 3, gap: 0 };
 * const record: RunRecord = simulate(scenario, { transcript: 'on' });
 * const summary: RunSummary = record.summary;
 * console.log(summary.stopped, record.transcript.length > 0); // rounds true
 * ```
 */
export type { RunRecord, RunSummary } from '../sim/summary.ts';
