/**
 * The local method in virtual time: everybody trains alone. That is a federation of one for each participant, run by the
 * same machines, and here their rows are merged.
 *
 * Alone, nothing goes over a link: there is no delay and no traffic. There is no common transcript either, as the
 * federations exchange no messages.
 */
import { declaredClasses, mappingOf } from '../data/agreed-classes.ts';
import { headsOf } from '../data/labels.ts';
import { Arena } from '../math/arena.ts';
import { measuredBy } from '../protocol/agreement.ts';
import { certificateOf } from '../solver/certificate.ts';
import { measure } from '../solver/metrics.ts';
import { PERFECT_LINK } from './network.ts';
import { METRIC_NAME, metricOver, type ObservedRow } from './observe.ts';
import { valuesOf } from './participants.ts';
import type { Scenario } from './scenario.ts';
import type { ScenarioPlan } from './scenario-plan.ts';
import { type RunRecord, type RunSummary, resultOf } from './summary.ts';

export function alone(plan: ScenarioPlan): ScenarioPlan[] {
  const arena = new Arena();
  return plan.participants.map((data) => ({
    ...plan,
    arena,
    participants: [data],
    link: PERFECT_LINK,
    tests: new Map([...plan.tests].filter(([id]) => id === data.profile.id)),
    transcript: 'off',
  }));
}

/** One run of the runs of all participants, in their order. */
export function mergedRuns(scenario: Scenario, plan: ScenarioPlan, runs: readonly RunRecord[]): RunRecord {
  const rows = mergedRows(plan, runs);
  const summaries = runs.map(({ summary }) => summary);
  const most = (kind: keyof RunSummary['rounds']) => Math.max(...summaries.map(({ rounds }) => rounds[kind]));
  const { virtualMs, certificate, metric } = resultOf(rows, scenario.targets);
  const summary: RunSummary = {
    seed: plan.seed,
    stopped: (summaries.find(({ stopped }) => stopped !== 'gap') ?? summaries[0]).stopped,
    rounds: { aggregated: most('aggregated'), abandoned: most('abandoned'), certifying: most('certifying') },
    virtualMs,
    responders: { wanted: null, waitMs: null, observed: 1 },
    bytes: { up: 0, down: 0, upPerParticipantRound: 0, downPerParticipantRound: 0 },
    certificate,
    metric,
    rejections: {},
    badFrames: 0,
    participants: summaries.flatMap(({ participants }) => participants),
  };
  return { summary, rows, transcript: [] };
}

/** What is known of one participant's model at a moment. */
interface Standing extends Pick<ObservedRow, 'primal' | 'dual' | 'certified'> {
  readonly metric: number | undefined;
}

/** A row each time that somebody closes a round: about everybody, as they stand then. */
function mergedRows(plan: ScenarioPlan, runs: readonly RunRecord[]): ObservedRow[] {
  const ids = plan.participants.map(({ profile }) => profile.id);
  const standings = new Map(ids.map((id, k) => [id, atZero(plan, id, runs[k].rows[0])]));
  // Stable: at the same moment, in the order of the participants.
  const closings = runs
    .flatMap(({ rows }, k) => rows.map((row) => ({ id: ids[k], row })))
    .sort((a, b) => a.row.atMs - b.row.atMs);
  return closings.map(({ id, row }) => {
    const { primal, dual, certified, metric } = row;
    standings.set(id, { primal, dual, certified, metric: metric.participants[id] });
    return { ...row, active: ids.length, bytesUp: 0, bytesDown: 0, ...seenTogether(row, standings) };
  });
}

/** Before the first round closes there is the model 0, and the first certificate is about it. */
function atZero(
  { options, tests, participants }: ScenarioPlan,
  id: string,
  first: ObservedRow | undefined,
): Standing {
  const { primal, dual, certified } = first ?? { primal: 0, dual: 0, certified: false };
  const y = tests.get(id)?.y;
  const { objective } = options;
  // With scaled targets the model 0 predicts their mean, which is that of all for everybody.
  const centre = measuredBy(options).target ? valuesOf(participants[0]).mean[0] : 0;
  const classes = declaredClasses(options);
  const heads = headsOf(classes && mappingOf(classes));
  const decisions = y && new Float64Array(heads * y.length).fill(centre);
  const metric = y && measure(objective, y, decisions!, heads)[METRIC_NAME[objective]];
  return { primal, dual, certified, metric };
}

/** Independent problems are one problem: their values add up. */
function seenTogether(row: ObservedRow, standings: ReadonlyMap<string, Standing>) {
  let primal = 0;
  let dual = 0;
  let certified = true;
  const metrics = new Map<string, number>();
  for (const [id, standing] of standings) {
    primal += standing.primal;
    dual += standing.dual;
    certified &&= standing.certified;
    if (standing.metric !== undefined) metrics.set(id, standing.metric);
  }
  return { ...certificateOf(primal, dual), certified, metric: metricOver(row.metric.name, metrics) };
}
