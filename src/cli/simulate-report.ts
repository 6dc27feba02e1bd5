/** What a simulation came to, on one screen. */

import { objectiveOf, type Scenario } from '../sim/scenario.ts';
import type { ScenarioInputs } from '../sim/scenario-plan.ts';
import { meanOf, type RunRecord, type RunSummary } from '../sim/summary.ts';
import { contributionTable, privacyText } from './defence-report.ts';
import { count, decimals, megabytes, scientific } from './number-text.ts';
import type { Style } from './style.ts';
import { type Column, labelled, textTable } from './text-table.ts';

/** More repeats than this are shown as means only. */
const MOST_ROWS = 12;
const METRIC = { balancedAccuracy: 'balanced accuracy', r2: 'R2' } as const;
const STOPPED: Readonly<Record<string, string>> = {
  gap: 'the gap was reached',
  stall: 'no more progress',
  rounds: 'limit of rounds',
  time: 'limit of time',
  operator: 'the operator ended it',
  budget: 'the privacy budget is spent',
};

export function simulateReport(
  scenario: Scenario,
  { table, compute }: ScenarioInputs,
  records: readonly RunRecord[],
  out: string | undefined,
  style: Style,
): string[] {
  const line = (label: string, text: string) => labelled(label, text, style);
  const runs = records.map(({ summary }) => summary);
  const [first] = runs;
  const size = `${count(table.participants.length)} participants, ${count(table.n)} rows, ${count(table.features.length)} features`;
  const privacy = privacyText(first);
  const contributions = contributionTable(first, style);
  const device = `${scientific(compute.fixedMs)} ms + ${scientific(compute.perValueMs)} ms a value and pass, spread ${compute.spread}`;
  return [
    line('Scenario', scenario.name),
    line('Data', `${size} (${table.source}), ${objectiveOf(scenario)}`),
    line('Devices', `${hardwareText(scenario)}, ${device}`),
    line('Waiting', waitingText(scenario, first)),
    '',
    ...runTable(runs, style),
    '',
    ...reachedLines(runs).map((text) => line('Reached', text)),
    line('Bytes', bytesText(runs)),
    ...(privacy === undefined ? [] : [line('Privacy', privacy)]),
    ...troubleLines(runs).map((text) => line('Refused', text)),
    ...(contributions.length === 0 ? [] : ['', ...contributions]),
    ...(out === undefined ? [] : [line('Written', `${out}/`)]),
  ];
}

function hardwareText({ hardware }: Scenario): string {
  if (hardware === 'equal') return 'all equal';
  if (hardware === 'rising') return 'from 1 to 10 times as fast';
  return `${hardware.slice(0, 6).join(', ')}${hardware.length > 6 ? ', ...' : ''} times as fast`;
}

function waitingText(
  { method, waiting, straggler, responders }: Scenario,
  { responders: { waitMs } }: RunSummary,
): string {
  if (method === 'local') return 'for nobody: everybody trains alone';
  const policy = `stragglers ${straggler}`;
  if (responders !== undefined && waitMs !== null)
    return `${waitMs.toFixed(1)} ms, for ${(100 * responders).toFixed(0)}% of responders; ${policy}`;
  switch (waiting?.kind) {
    case 'fixed':
      return `${waiting.ms} ms; ${policy}`;
    case 'share':
      return `for ${(100 * waiting.share).toFixed(0)}% by the times observed; ${policy}`;
    case 'benchmarks':
      return `${waiting.factor} x the ${waiting.quantile}-quantile of the benchmarks; ${policy}`;
    default:
      return `for all; ${policy}`;
  }
}

const COLUMNS: readonly Column[] = [
  { title: 'seed', align: 'right' },
  { title: 'rounds', align: 'right' },
  { title: 'virtual time', align: 'right' },
  { title: 'responders', align: 'right' },
  { title: 'relative gap', align: 'right' },
  { title: 'mean', align: 'right' },
  { title: 'worst', align: 'right' },
  { title: 'stopped', align: 'left' },
];

function runTable(runs: readonly RunSummary[], style: Style): string[] {
  const rows = runs
    .slice(0, MOST_ROWS)
    .map((run) => [
      String(run.seed),
      String(run.rounds.aggregated) +
        (run.rounds.abandoned > 0 ? ` + ${run.rounds.abandoned} abandoned` : ''),
      seconds(run.virtualMs),
      shareText(run),
      `${scientific(run.certificate?.relativeGap)}${run.certificate?.certified === false && !run.privacy ? ' (estimate)' : ''}`,
      decimals(run.metric?.mean ?? undefined),
      decimals(run.metric?.worst ?? undefined),
      run.stopped === null ? 'virtual time ran out' : (STOPPED[run.stopped] ?? run.stopped),
    ]);
  if (runs.length > 1) rows.push(meanRow(runs));
  const name = runs[0].metric ? METRIC[runs[0].metric.name] : 'metric';
  const lines = textTable(COLUMNS, rows, style);
  const hidden = runs.length - Math.min(runs.length, MOST_ROWS);
  const more = hidden > 0 ? [`  (${hidden} more repeats are in the mean)`] : [];
  return [...lines, ...more, `  mean and worst over participants are of ${name} on test rows`];
}

function meanRow(runs: readonly RunSummary[]): string[] {
  const of = (value: (run: RunSummary) => number | null | undefined) =>
    meanOf(runs.map(value).filter((each) => each !== null && each !== undefined));
  return [
    'mean',
    of((run) => run.rounds.aggregated).toFixed(1),
    seconds(of((run) => run.virtualMs)),
    `${(100 * of((run) => run.responders.observed)).toFixed(1)}%`,
    scientific(of((run) => run.certificate?.relativeGap)),
    decimals(of((run) => run.metric?.mean)),
    decimals(of((run) => run.metric?.worst)),
    '',
  ];
}

function shareText({ responders: { wanted, observed } }: RunSummary): string {
  const text = `${(100 * observed).toFixed(1)}%`;
  return wanted === null ? text : `${text} (wanted ${(100 * wanted).toFixed(0)}%)`;
}

/** "0.95 after 3.20 s (2 of 3 repeats)". */
function reachedLines(runs: readonly RunSummary[]): string[] {
  const texts = (runs[0].metric?.reached ?? []).map(({ target }, t) => {
    const times = runs
      .map((run) => run.metric?.reached[t].atMs)
      .filter((ms) => ms !== null && ms !== undefined);
    if (times.length === 0) return `${target} never`;
    const some = times.length < runs.length ? ` (${times.length} of ${runs.length} repeats)` : '';
    return `${target} after ${seconds(meanOf(times))}${some}`;
  });
  return texts.length === 0 ? [] : [texts.join(', ')];
}

function bytesText(runs: readonly RunSummary[]): string {
  const up = meanOf(runs.map(({ bytes }) => bytes.upPerParticipantRound));
  const down = meanOf(runs.map(({ bytes }) => bytes.downPerParticipantRound));
  const total = meanOf(runs.map(({ bytes }) => bytes.up + bytes.down));
  return `${count(Math.round(up))} up and ${count(Math.round(down))} down for each participant and round, ${megabytes(total)} in all`;
}

function troubleLines(runs: readonly RunSummary[]): string[] {
  const sums = new Map<string, number>();
  for (const { rejections, badFrames } of runs) {
    for (const [code, times] of Object.entries(rejections)) sums.set(code, (sums.get(code) ?? 0) + times);
    if (badFrames > 0) sums.set('BAD_FRAME', (sums.get('BAD_FRAME') ?? 0) + badFrames);
  }
  if (sums.size === 0) return [];
  return [[...sums].map(([code, times]) => `${times} x ${code}`).join(', ')];
}

const seconds = (ms: number) => `${(ms / 1000).toFixed(2)} s`;
