/**
 * Personal parts without a federation. For a given w a participant's best personal part depends on its own rows alone:
 *
 *   v(w) = argmin over v of  C2/2 |v|^2 + C1 sum_i c_i loss(y_i, (w + v).x_i)
 *
 * so whoever has w and some labelled rows computes it at once: a newcomer, or a participant with new rows.
 */
import { seed32 } from '../base/random.ts';
import { applyMapping, regressionTargets } from '../data/labels.ts';
import { rowsByParticipant } from '../data/participants.ts';
import { splitRows } from '../data/split.ts';
import type { Table } from '../data/table.ts';
import { weightedRows } from '../data/weights.ts';
import { Arena } from '../math/arena.ts';
import { withScaledEpsilon } from '../math/target-scaling.ts';
import type { PersonaliseOptions } from '../settings/training.ts';
import type { Calibration } from '../solver/calibration.ts';
import { certifiedAnswer } from '../solver/certified-answer.ts';
import type { Metrics } from '../solver/metrics.ts';
import type { Model } from '../solver/model.ts';
import type { ProblemSettings } from '../solver/problem.ts';
import { Shard } from '../solver/shard.ts';
import { personalPart } from './answers.ts';
import { calibrationOf } from './calibrate.ts';
import { evaluationOf, type ParticipantResult, testedBy } from './evaluate.ts';
import { withFeaturesOf } from './model-rows.ts';
import { type ResolvedPersonaliseOptions, resolvePersonaliseOptions } from './personalise-options.ts';
import { type Placed, scaledTasks } from './prepare.ts';
import type { Task } from './workspace.ts';

/** Metrics are those of the test rows; all other rows were used for the personal part. */
export interface PersonalisedParticipant extends ParticipantResult {
  /** Whether the given model had a personal part for this participant. */
  readonly part: 'added' | 'replaced';
  /** C2/2 |v|^2 + C1 sum loss at w + v, with targets scaled as the model has them. */
  readonly value: number;
  /** The same at v = 0. */
  readonly valueOfShared: number;
  /** How far `value` is from the optimum, at most: (value - dual) / value. */
  readonly relativeGap: number;
  readonly passes: number;
}

export interface PersonaliseResult {
  readonly participants: readonly PersonalisedParticipant[];
  /** Means over participants. */
  readonly mean: Metrics;
  /** The same for w alone on the same test rows. */
  readonly meanOfShared: Metrics;
  readonly options: ResolvedPersonaliseOptions;
  /** Sentences for people. */
  readonly notes: readonly string[];
  /** The given model with these personal parts; those of other participants are untouched. */
  readonly model: Model;
}

export function personalise(model: Model, given: Table, options: PersonaliseOptions = {}): PersonaliseResult {
  const { resolved, notes } = resolvePersonaliseOptions(model, options);
  const table = withFeaturesOf(model, given);
  const { objective, bias, w } = model;
  const { c1, c2, epsilon, quantile, loss, classWeight } = resolved;
  const y = model.classes ? applyMapping(table, model.classes) : regressionTargets(table);
  const split = splitRows(table, resolved);
  const groups = rowsByParticipant(table, weightedRows(table, split.train));
  const placed = scaledTasks(table, y, groups, model, { objective, loss, bias, classWeight });
  const { tasks, columns: d } = placed;
  const problem = withScaledEpsilon({ objective, loss, c1, c2, epsilon, quantile }, model.target);
  const arena = new Arena();
  const solved = tasks.map((task) => solveTask(arena, problem, { task, d, w }, resolved));
  const parts = tasks.map(({ id }, k) => [id, solved[k].v] as const);
  // The certificate of the given model is about its own personal parts.
  const personalised = {
    ...model,
    personal: new Map([...model.personal, ...parts]),
    certificate: undefined,
    calibration: calibrationWith(model, placed, { ...problem, seed: resolved.seed }, resolved),
  };
  const measured = (by: Model) => evaluationOf(by, testedBy(by, table, y, split.test));
  const { participants, mean } = measured(personalised);
  const shared = {
    ...model,
    personal: new Map(),
    servesNewcomers: true,
    calibration: model.calibration && { ...model.calibration, participants: new Map() },
  };
  return {
    participants: participants.map((result, k) => {
      const { v: _, ...own } = solved[k];
      return { ...result, part: model.personal.has(result.id) ? 'replaced' : 'added', ...own };
    }),
    mean,
    meanOfShared: measured(shared).mean,
    options: resolved,
    notes,
    model: personalised,
  };
}

/** Sigmoids of personal parts that are replaced go with them. */
function calibrationWith(
  { calibration, w }: Model,
  placed: Placed,
  settings: ProblemSettings & { readonly seed: number },
  { probabilities }: ResolvedPersonaliseOptions,
): Calibration | undefined {
  const kept = new Map(calibration?.participants);
  for (const { id } of placed.tasks) kept.delete(id);
  if (!probabilities) return calibration && { ...calibration, participants: kept };
  const own = calibrationOf(settings, placed, w);
  return {
    participants: new Map([...kept, ...own.participants]),
    shared: calibration?.shared ?? own.shared,
  };
}

/** One at a time: nobody needs the rows of two participants in memory at once. */
function solveTask(
  arena: Arena,
  settings: ProblemSettings,
  { task, d, w }: { readonly task: Task; readonly d: number; readonly w: Float64Array },
  { gap, passes, seed }: ResolvedPersonaliseOptions,
) {
  const shard = new Shard(arena, settings, { ...task, d });
  shard.load(new Float64Array(task.n), w);
  const valueOfShared = shard.loss();
  const seedOf = (solve: number) => seed32(seed, 'personalise', solve, task.id);
  const found = certifiedAnswer(shard, w, { gap, passes, seedOf });
  shard.release();
  return {
    v: personalPart(found, settings.c2),
    value: found.certificate.primal,
    valueOfShared,
    relativeGap: found.certificate.relativeGap,
    passes: found.passes,
  };
}
