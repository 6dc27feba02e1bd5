/** From a scenario and its table to a plan that can be run, once for each seed. */

import {
  type CoordinatorOptions,
  conflictOfSize,
  DEFAULT_OPTIONS,
  DEFAULT_SECURE,
} from '../coordinator/options.ts';
import { labelsOf } from '../data/agreed-classes.ts';
import { makeHarLike } from '../data/generate-har.ts';
import { makeRegression } from '../data/generate-regression.ts';
import { makeRings } from '../data/generate-rings.ts';
import { classificationTargets, regressionTargets } from '../data/labels.ts';
import { encodeLearnt } from '../data/learn-encoding.ts';
import { checkDenseSize, DEFAULT_MEMORY_LIMIT_BYTES } from '../data/memory.ts';
import { featuresOf, rowsByParticipant } from '../data/participants.ts';
import { splitRows } from '../data/split.ts';
import type { Table } from '../data/table.ts';
import { weightedRows } from '../data/weights.ts';
import { defaultSecurity, graphParameters } from '../privacy/secure/graph.ts';
import { SecureError } from '../privacy/secure/secure-error.ts';
import { securityOf } from '../protocol/secure-sums.ts';
import { columnsOf } from '../settings/feature-map.ts';
import type { SecureOptions } from '../settings/federation.ts';
import { LONGEST_MS } from '../settings/scenario.ts';
import type { SecureSettings } from '../settings/wire.ts';
import { type ComputeModel, DEFAULT_COMPUTE, meanPassMs } from './compute.ts';
import type { ParticipantData } from './participant-node.ts';
import { HARDWARE, POOLED, participantsOf, pooled, withCommonMoments } from './participants.ts';
import { asOptions, checkNames, objectiveOf, type Scenario, scenarioError } from './scenario.ts';
import type { SimulationPlan } from './simulation.ts';
import { waitingTime } from './waiting-time.ts';

/** Rows kept aside, by participant. */
export interface TestRows {
  /** rows x features, raw. */
  readonly x: Float64Array;
  readonly y: Float64Array;
  /** The node whose model serves them. */
  readonly servedBy: string;
}

const FEDERATION_OF_ONE: Partial<CoordinatorOptions> = {
  minParticipants: 1,
  minResponses: 1,
  waiting: { kind: 'all' },
};

/** Who the nodes of a method are, and what is different about the coordinator. */
function arranged(
  scenario: Scenario,
  everybody: ParticipantData[],
): { readonly participants: ParticipantData[]; readonly changes: Partial<CoordinatorOptions> } {
  const { method, positive } = scenario;
  if (method === 'global') return { participants: [pooled(everybody)], changes: FEDERATION_OF_ONE };
  if (method !== 'local') return { participants: everybody, changes: {} };
  // Each is to be run by itself (alone.ts), and nobody has anything to sum. Its classes are those of all, whichever it has.
  const labels = labelsOf(everybody.flatMap(({ profile }) => profile.targets.labels ?? []));
  const isDeclared = positive === undefined && objectiveOf(scenario) === 'classification';
  const changes = { ...FEDERATION_OF_ONE, summationMs: 0, ...(isDeclared && { classes: labels }) };
  return { participants: withCommonMoments(everybody), changes };
}

export interface ScenarioPlan extends SimulationPlan {
  readonly tests: ReadonlyMap<string, TestRows>;
  /** The period that was computed for the wanted share of responders. */
  readonly waitMs: number | undefined;
}

/** What of a scenario lies outside it, already read, and what errors call it. */
export interface ScenarioInputs {
  readonly source: string;
  readonly table: Table;
  readonly compute: ComputeModel;
}

/** The table of a scenario whose data are generated; undefined: it is in a file. */
export function generatedTable({ data }: Scenario): Table | undefined {
  if (data.generator === 'file') return undefined;
  const { participants, rows, features, seed } = data;
  checkDenseSize('data', Math.ceil(participants * rows * 1.19), features, DEFAULT_MEMORY_LIMIT_BYTES);
  if (data.generator === 'har')
    return makeHarLike({ participants, rowsPerParticipant: rows, features, seed });
  if (data.generator === 'rings') return makeRings({ participants, rows, features, seed });
  return makeRegression({ tasks: participants, rows, features, seed, heterogeneity: data.heterogeneity });
}

/** What is given, then what was calibrated, then the default device. */
export function computeModel({ compute }: Scenario, calibrated: Partial<ComputeModel> = {}): ComputeModel {
  const { fixedMs, perRowMs, perValueMs, spread } = { perRowMs: 0, ...DEFAULT_COMPUTE, ...calibrated };
  return {
    fixedMs: compute.fixedMs ?? fixedMs,
    perRowMs: compute.perRowMs ?? perRowMs,
    perValueMs: compute.perValueMs ?? perValueMs,
    spread: compute.spread ?? spread,
  };
}

export function planFrom(scenario: Scenario, inputs: ScenarioInputs, seed: number): ScenarioPlan {
  const { source, table: given, compute } = inputs;
  checkNames(source, scenario, given.participants);
  const { testFraction, trainRows, passes, link, partitions, crashes, deeds, startMs } = scenario;
  const { train, test } = splitRows(given, { testFraction, seed, trainRows });
  const split = { train: weightedRows(given, train), test };
  // What columns become is agreed on before the first round: a simulation begins with the first round.
  const { table } = encodeLearnt(given, split.train, scenario);
  const objective = objectiveOf(scenario);
  const y =
    objective === 'regression'
      ? regressionTargets(table)
      : classificationTargets(table, { positive: scenario.positive }).y;
  const timing = timingOf(scenario, table, split.train, compute);
  const { retryMs } = timing;
  const hardware = hardwareOf(scenario);
  const everybody = participantsOf(table, y, split.train, { compute, passes, retryMs, hardware });
  const { participants, changes } = arranged(scenario, everybody);
  const waitMs =
    changes.waiting || !scenario.responders
      ? undefined
      : computedWait(scenario, scenario.responders, compute, participants);
  const options = { ...optionsFrom(scenario, timing, participants.length, seed, waitMs), ...changes };
  if (options.secure) checkSums(source, options.secure, participants.length);
  const tests = testRowsOf(table, y, split.test, (id) => (scenario.method === 'global' ? POOLED : id));
  return {
    options,
    participants: participants.map((one) => withChoices(scenario, one, tests.get(one.profile.id))),
    compute,
    link,
    partitions,
    crashes,
    deeds,
    startMs: (id) => startMs[id] ?? 0,
    misbehaving: scenario.misbehaving ?? [],
    seed,
    untilMs: LONGEST_MS,
    transcript: 'off',
    tests,
    waitMs,
  };
}

/** What participants decide for themselves. */
function withChoices(
  { policy, reportTests }: Scenario,
  data: ParticipantData,
  tests: TestRows | undefined,
): ParticipantData {
  const isReported = reportTests && tests && tests.y.length > 0;
  const profile = {
    ...data.profile,
    ...(policy && { policy }),
    ...(isReported && { reportsTests: true }),
  };
  return { ...data, profile, ...(isReported && { tests }) };
}

function optionsFrom(
  scenario: Scenario,
  timing: Timing,
  participants: number,
  seed: number,
  waitMs: number | undefined,
): CoordinatorOptions {
  const late = Object.values(scenario.startMs).filter((ms) => ms > 0).length;
  const known = asOptions(scenario);
  const secure = secureFrom(scenario, timing, participants);
  const minParticipants = scenario.minParticipants ?? Math.max(1, participants - late);
  return {
    ...known,
    ...timing,
    seed,
    secure,
    dp: known.dp && secure ? { ...known.dp, honest: honestFor(secure, minParticipants) } : known.dp,
    waiting: waitMs === undefined ? (scenario.waiting ?? { kind: 'all' }) : { kind: 'fixed', ms: waitMs },
    minParticipants,
  };
}

/** With secure sums the participants add the noise: enough of it, whoever drops out or colludes with the coordinator. */
function honestFor({ dropout, corrupted }: SecureSettings, participants: number): number {
  return Math.max(1, Math.floor((1 - dropout - corrupted) * participants));
}

/** A phase of a secure sum takes one way there and one back: a few retries are enough for it. */
function secureFrom(
  { secure }: Scenario,
  { retryMs, maxWaitMs }: Timing,
  participants: number,
): SecureOptions | undefined {
  if (!secure) return undefined;
  const { dropout, corrupted } = defaultSecurity(participants);
  const phaseMs = Math.min(maxWaitMs, 4 * retryMs);
  return { ...DEFAULT_SECURE, dropout, corrupted, phaseMs, ...secure } as SecureOptions;
}

/** Whether so many can be summed at all, and hidden by as many as are left. */
function checkSums(source: string, secure: SecureOptions, participants: number): void {
  const conflict = conflictOfSize(secure, participants);
  if (conflict) throw scenarioError(source, conflict.field, conflict.expected, conflict.got);
  try {
    graphParameters(participants, securityOf(secure));
  } catch (error) {
    if (!(error instanceof SecureError)) throw error;
    throw scenarioError(source, 'secure', `compatible shares (${error.message})`, {
      dropout: secure.dropout,
      corrupted: secure.corrupted,
    });
  }
}

function hardwareOf({ hardware }: Scenario): (k: number, participants: number) => number {
  // A list goes round: [1, 10] is a slow and a fast device in turn.
  return typeof hardware === 'string' ? HARDWARE[hardware] : (k) => hardware[k % hardware.length];
}

type Timing = ReturnType<typeof timingOf>;

/**
 * Where nothing gets lost or overtaken, nothing is sent twice and everybody answers some time: the retry is beyond any round, and
 * patience has no end. (What overtakes the message before it may come too early to be of use: that is as good as lost.) Otherwise the
 * retry is a little longer than the slowest answer, and nobody is waited for longer than twenty of that.
 */
function timingOf(scenario: Scenario, table: Table, train: Uint32Array, compute: ComputeModel) {
  const { link, partitions, crashes, deeds, passes, features: map, bias } = scenario;
  const { loss, duplicate, jitterMs } = link;
  const nothingLost =
    loss + duplicate + jitterMs === 0 && partitions.length + crashes.length + deeds.length === 0;
  const groups = rowsByParticipant(table, train);
  const hardware = hardwareOf(scenario);
  const columns = columnsOf({ features: table.features.length, map, bias });
  let slowest = 1;
  for (const [k, rows] of groups.entries()) {
    const passMs = meanPassMs(compute, rows.length, columns);
    slowest = Math.max(slowest, (passes * passMs) / hardware(k, groups.length));
  }
  const answer = (1 + 3 * compute.spread) * slowest + 2 * (link.delayMs + link.jitterMs);
  return {
    retryMs: scenario.retryMs ?? Math.min(LONGEST_MS, nothingLost ? LONGEST_MS : answer),
    maxWaitMs: scenario.maxWaitMs ?? Math.min(LONGEST_MS, nothingLost ? LONGEST_MS : 20 * answer),
    patience: scenario.patience ?? (nothingLost ? Number.POSITIVE_INFINITY : DEFAULT_OPTIONS.patience),
  };
}

/** A share of 1 is everybody: no period, the round closes with the last answer. */
function computedWait(
  { passes, link, features: map, bias }: Scenario,
  share: number,
  compute: ComputeModel,
  participants: readonly ParticipantData[],
): number | undefined {
  if (share === 1) return undefined;
  const devices = participants.map(({ profile, hardware }) => ({
    rows: profile.rows,
    columns: columnsOf({ features: profile.features, map, bias }),
    hardware,
  }));
  // There and back, the random part at its mean.
  return waitingTime(share, compute, passes, devices) + 2 * link.delayMs + link.jitterMs;
}

function testRowsOf(
  table: Table,
  y: Float64Array,
  test: Uint32Array,
  servedBy: (id: string) => string,
): Map<string, TestRows> {
  const tests = rowsByParticipant(table, test).map((rows, k) => ({
    x: featuresOf(table, rows),
    y: Float64Array.from(rows, (i) => y[i]),
    servedBy: servedBy(table.participants[k]),
  }));
  return new Map(tests.map((rows, k) => [table.participants[k], rows]));
}
