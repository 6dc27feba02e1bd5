/** What a simulation came to, on one screen. */
import { objectiveOf, type Scenario } from '../sim/scenario.ts';
import type { ScenarioInputs } from '../sim/scenario-plan.ts';
import { type ContributionSummary, meanOf, type RunSummary } from '../sim/summary.ts';
import type { Layout } from './layout.ts';
import { count, decimals, megabytes, scientific, significant, sizeOf, sizeText } from './number-text.ts';

/** More repeats than this are shown as means only; of participants, suspects are all shown, and others as many as fit. */
const MOST_ROWS = 12;
const METRIC = { balancedAccuracy: 'balanced accuracy', r2: 'R2' } as const;
const STOPPED: Readonly<Record<string, string>> = {
  gap: 'gap reached',
  stall: 'no more progress',
  rounds: 'round limit',
  time: 'time limit',
  operator: 'ended by the operator',
  budget: 'privacy budget spent',
};

export function simulateReport(
  scenario: Scenario,
  { table, compute }: ScenarioInputs,
  runs: readonly RunSummary[],
  out: string | undefined,
  layout: Layout,
): string[] {
  const { line } = layout;
  const [first] = runs;
  const device = `${scientific(compute.fixedMs)} ms + ${scientific(compute.perValueMs)} ms per value and pass, spread ${compute.spread}`;
  return [
    line('Scenario', scenario.name),
    line('Data', `${sizeText(sizeOf(table))} (${table.source}), ${objectiveOf(scenario)}`),
    line('Devices', `${hardwareText(scenario)}, ${device}`),
    line('Waiting', waitingText(scenario, first)),
    '',
    ...runTable(runs, layout),
    '',
    ...reachedText(runs).map((text) => line('Reached', text)),
    line('Bytes', bytesText(runs)),
    ...reportedText(first).map((text) => line('Reported', text)),
    ...privacyText(first).map((text) => line('Privacy', text)),
    ...refusedText(runs).map((text) => line('Refused', text)),
    ...contributionLines(first, layout),
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
  if (method === 'local') return 'none: each participant trains alone';
  const policy = `stragglers ${straggler}`;
  if (responders !== undefined && waitMs !== null)
    return `${waitMs.toFixed(1)} ms, for ${(100 * responders).toFixed(0)}% of responders; ${policy}`;
  switch (waiting?.kind) {
    case 'fixed':
      return `${waiting.ms} ms; ${policy}`;
    case 'share':
      return `for ${(100 * waiting.share).toFixed(0)}%, based on observed times; ${policy}`;
    case 'benchmarks':
      return `${waiting.factor} x the ${waiting.quantile}-quantile of the benchmarks; ${policy}`;
    default:
      return `for all; ${policy}`;
  }
}

const COLUMNS = [
  ...['seed', 'rounds', 'virtual time', 'responders', 'relative gap', 'mean', 'worst'],
  '<stopped',
];

function runTable(runs: readonly RunSummary[], { table }: Layout): string[] {
  const rows = runs
    .slice(0, MOST_ROWS)
    .map((run) => [
      String(run.seed),
      String(run.rounds.aggregated) +
        (run.rounds.abandoned > 0 ? ` + ${run.rounds.abandoned} abandoned` : ''),
      seconds(run.virtualMs),
      shareText(run),
      `${scientific(run.certificate?.relativeGap)}${run.certificate?.certified === false && !run.privacy ? ' (estimate)' : ''}`,
      decimals(run.metric?.mean),
      decimals(run.metric?.worst),
      run.stopped === null ? 'virtual time ran out' : (STOPPED[run.stopped] ?? run.stopped),
    ]);
  if (runs.length > 1) rows.push(meanRow(runs));
  const name = runs[0].metric ? METRIC[runs[0].metric.name] : 'metric';
  const hidden = runs.length - MOST_ROWS;
  return [
    ...table(COLUMNS, rows),
    ...(hidden > 0 ? [`  (the mean includes ${hidden} more repeats)`] : []),
    `  mean and worst are over participants: ${name} on test rows`,
  ];
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
function reachedText(runs: readonly RunSummary[]): string[] {
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

/** What the coordinator was told, in place of what an onlooker sees. */
function reportedText({ tests }: RunSummary): string[] {
  if (!tests) return [];
  const { metric, participants, own, shared } = tests;
  const name = metric === 'rmse' ? 'RMSE' : 'balanced accuracy';
  const models = [`own ${decimals(own.mean)}`, ...(shared ? [`shared part ${decimals(shared.mean)}`] : [])];
  return [`${name} on test rows by ${count(participants)} participants: ${models.join(', ')} (means)`];
}

function bytesText(runs: readonly RunSummary[]): string {
  const up = meanOf(runs.map(({ bytes }) => bytes.upPerParticipantRound));
  const down = meanOf(runs.map(({ bytes }) => bytes.downPerParticipantRound));
  const total = meanOf(runs.map(({ bytes }) => bytes.up + bytes.down));
  return `${count(Math.round(up))} up and ${count(Math.round(down))} down per participant and round, ${megabytes(total)} in total`;
}

function refusedText(runs: readonly RunSummary[]): string[] {
  const sums = new Map<string, number>();
  for (const { rejections, badFrames } of runs) {
    for (const [code, times] of [...Object.entries(rejections), ['BAD_FRAME', badFrames] as const])
      if (times > 0) sums.set(code, (sums.get(code) ?? 0) + times);
  }
  return sums.size === 0 ? [] : [[...sums].map(([code, times]) => `${times} x ${code}`).join(', ')];
}

/** "epsilon 3.98 of 4 at delta 1e-05, ..." of the first run: all repeats spend alike, but for rounds given up. */
function privacyText({ privacy }: RunSummary): string[] {
  if (!privacy) return [];
  const { settings, spent } = privacy;
  const total = `epsilon ${spent.epsilon.toFixed(2)} of ${settings.epsilon.toFixed(2)} at delta ${spent.delta}`;
  return [
    `${total}; clip ${settings.clip}, noise ${significant(settings.noiseMultiplier)} x clip on each sum`,
  ];
}

type Judged = RunSummary['participants'][number] & { readonly contribution: ContributionSummary };

/** Of one run; no lines where there is no defence. */
function contributionLines({ participants }: RunSummary, { table }: Layout): string[] {
  const judged = participants.filter((one): one is Judged => one.contribution !== undefined);
  if (judged.length === 0) return [];
  const suspicious = (one: Judged) => one.contribution.suspicions.length;
  const inOrder = judged.toSorted((a, b) => suspicious(b) - suspicious(a));
  const shown = inOrder.slice(0, Math.max(MOST_ROWS, inOrder.filter(suspicious).length));
  const rows = shown.map(({ id, contribution }) => {
    const { cosine, normRatio, ownShare, shortened, suspicions } = contribution;
    const numbers = [cosine, normRatio, ownShare].map((value) => decimals(value, 3));
    return [id, ...numbers, String(shortened), suspicions.join(', ')];
  });
  const more = judged.length - shown.length;
  if (more > 0) rows.push([`and ${more} more`]);
  const titles = ['<participant', 'cosine', 'norm ratio', 'own share', 'shortened', '<suspected of'];
  return ['', ...table(titles, rows)];
}

const seconds = (ms: number) => `${(ms / 1000).toFixed(2)} s`;
