/**
 * A scenario: everything a simulation is made of, as a JSON file. Strict, and every field has a default: {} is a whole
 * scenario, of 20 HAR-like participants on equal devices that are all waited for.
 */
import { z } from 'zod';
import { errorFromIssues } from '../base/field-error.ts';
import { type CoordinatorOptions, DEFAULT_SECURE, type SecureOptions } from '../coordinator/options.ts';
import { conflictWithSecure, defaultAggregation } from '../coordinator/options-checks.ts';
import {
  above0,
  defenceField,
  dpFields,
  maskField,
  SAYS_HOW_PRIVATE,
  secureField,
  seedField,
  share,
  waitingField,
  whole,
  withoutGaps,
} from '../coordinator/options-fields.ts';
import { AGGREGATIONS, type Aggregation } from '../solver/aggregate.ts';
import { COORDINATOR } from './coordinator-node.ts';
import type { Deed } from './faults.ts';
import { scenarioError, scenarioIn } from './scenario-error.ts';
import { checkDp, misbehavingFields } from './scenario-privacy.ts';

/** Virtual time is counted in milliseconds up to this many (11 days): what comes later never comes. */
export const LONGEST_MS = 1e9;

const duration = z.number().min(0).max(LONGEST_MS);
const period = z.number().gt(0).max(LONGEST_MS);
const id = z.string().min(1);

const generated = { participants: whole.default(20), seed: seedField.default(1) };

const data = z.preprocess(
  withKind,
  z.discriminatedUnion(
    'generator',
    [
      z.strictObject({
        generator: z.literal('har'),
        ...generated,
        /** Of each participant, in the middle: they differ by up to 19%. */
        rows: whole.default(345),
        features: whole.default(561),
      }),
      z.strictObject({
        generator: z.literal('regression'),
        ...generated,
        rows: whole.default(200),
        features: whole.default(200),
        heterogeneity: z.enum(['same', 'diverse']).default('diverse'),
      }),
      z.strictObject({
        generator: z.literal('file'),
        /** Relative to the scenario's own folder. */
        file: z.string().min(1),
        task: z.string().min(1).default('task'),
        label: z.string().min(1).default('y'),
        drop: z.array(z.string()).default([]),
      }),
    ],
    { error: 'har, regression, or a file name' },
  ),
);

/** "rows.csv" is short for a file; without a generator it is the embedded data set. */
function withKind(given: unknown): unknown {
  if (typeof given === 'string') return { generator: 'file', file: given };
  if (typeof given !== 'object' || given === null || Array.isArray(given) || 'generator' in given)
    return given;
  return { generator: 'file' in given ? 'file' : 'har', ...given };
}

const compute = z.preprocess(
  (given) => (typeof given === 'string' ? { file: given } : given),
  z.strictObject({
    /** A fit that `kindred calibrate` has written; what is given beside it goes before it. */
    file: z.string().min(1).optional(),
    fixedMs: z.number().min(0).max(LONGEST_MS).optional(),
    perRowMs: z.number().min(0).max(LONGEST_MS).optional(),
    perValueMs: z.number().min(0).max(LONGEST_MS).optional(),
    spread: z.number().min(0).max(2).optional(),
  }),
);

const link = z.strictObject({
  delayMs: duration.default(0),
  jitterMs: duration.default(0),
  loss: z.number().min(0).max(0.9).default(0),
  duplicate: z.number().min(0).max(1).default(0),
});

const partition = z
  .strictObject({ fromMs: duration, toMs: duration, participants: z.array(id).min(1) })
  .refine(({ fromMs, toMs }) => fromMs < toMs, { error: 'toMs after fromMs' });

const crash = z.strictObject({
  /** "coordinator" or a participant. */
  node: id,
  /** Counted from the node's start, over all its lives. */
  step: whole,
  afterEffects: z.number().int().min(0).max(1_000_000).default(0),
  downMs: duration.default(1000),
});

const deed = z
  .strictObject({
    atMs: duration,
    kind: z.enum(['leave', 'rejoin', 'forget', 'pause', 'resume', 'finish']),
    participant: id.optional(),
  })
  .refine(({ kind, participant }) => isOfOne(kind) === (participant !== undefined), {
    error: 'a participant to leave, rejoin or forget, and none to pause, resume or finish',
  });

/** Of one participant; the others are of the whole run. */
function isOfOne(kind: Deed['kind']): boolean {
  return kind === 'leave' || kind === 'rejoin' || kind === 'forget';
}

const schema = z.strictObject({
  name: z.string().max(200).default('scenario'),
  /** For people; nothing reads it. */
  about: z.string().max(2000).default(''),
  data: data.prefault({}),
  /** Default: what suits the generator; classification for a file. */
  objective: z.enum(['classification', 'regression']).optional(),
  positive: z.string().optional(),
  /**
   * `global`: everybody's rows at one node as strong as all together, one model for all. `local`: everybody alone, with
   * the scaling of all. `mocha`: learnt relations between participants, classification only.
   */
  method: z.enum(['mtl', 'local', 'global', 'mocha']).default('mtl'),
  c1: above0.default(1),
  c2: above0.default(1),
  epsilon: z.number().min(0).default(0.1),
  /** Mocha's regularisation: it takes no C1, no C2 and no aggregation. */
  lambda: above0.default(0.001),
  classWeight: z.enum(['none', 'balanced']).default('none'),
  scale: z.enum(['standard', 'center', 'none']).default('standard'),
  bias: z.boolean().default(true),
  testFraction: z.number().min(0).lt(1).default(0.3),
  /** At most so many training rows of each, or of those named; the test rows stay as they are. */
  trainRows: z
    .union([whole, z.record(id, whole)], {
      error: 'a whole number of at least 1, or one for each of some participants',
    })
    .optional(),
  seed: seedField.default(1),
  /** Runs with the seeds from `seed` on: other splits, delays and faults, the same data. */
  repeats: z.number().int().min(1).max(10_000).default(1),
  /** Default: answers, safe with dp. */
  aggregation: z.enum(AGGREGATIONS).optional(),
  passes: whole.default(100),
  gap: z.number().min(0).lt(1).default(1e-3),
  rounds: z.number().int().min(1).max(1_000_000).default(200),
  timeMs: period.optional(),
  stall: whole.optional(),
  waiting: waitingField(period).optional(),
  /** Wanted share of responders: the waiting period is computed from the distribution of delays. */
  responders: share.optional(),
  minResponses: whole.default(1),
  minParticipants: whole.optional(),
  maxWaitMs: period.optional(),
  straggler: z.enum(['restart', 'resume', 'anytime']).default('anytime'),
  precision: z.enum(['f64', 'f32']).default('f64'),
  mask: maskField.optional(),
  /** Differential privacy at participant level. */
  dp: z
    .strictObject(dpFields)
    .refine(...SAYS_HOW_PRIVATE)
    .optional(),
  /** Norm bounds and contribution scores. */
  defence: defenceField.optional(),
  /** Participants that do not play fair. */
  misbehaving: z.array(misbehavingFields).optional(),
  /** Secure aggregation: the coordinator sees sums only. */
  secure: secureField(period).default(false),
  summationMs: duration.default(0),
  retryMs: period.optional(),
  /** Default: 3, or for ever where nothing gets lost. */
  patience: whole.optional(),
  hardware: z
    .union([z.enum(['equal', 'rising']), z.array(above0.max(1e6)).min(1)], {
      error: 'equal, rising, or a list of factors above 0',
    })
    .default('equal'),
  compute: compute.prefault({}),
  link: link.prefault({}),
  partitions: z.array(partition).default([]),
  crashes: z.array(crash).default([]),
  deeds: z.array(deed).default([]),
  /** Participants that come later than at 0. */
  startMs: z.record(id, duration).default({}),
  /** The summary says when the metric first reached each of these. */
  targets: z.array(z.number().max(1)).max(20).default([0.9, 0.95, 0.97]),
});

/** A scenario with every default filled in. */
export type Scenario = z.output<typeof schema> & { readonly aggregation: Aggregation };
/** As one may write it. */
export type ScenarioInput = z.input<typeof schema>;

/** `source` is what errors call it. */
export function parseScenario(source: string, given: unknown): Scenario {
  const result = schema.safeParse(given);
  if (!result.success) throw errorFromIssues(scenarioIn(source), given, result.error);
  const { data } = result;
  const scenario: Scenario = { ...data, aggregation: data.aggregation ?? defaultAggregation(data) };
  checkSecure(source, scenario);
  if (scenario.responders !== undefined && scenario.waiting !== undefined) {
    const expected = 'no waiting beside responders, which compute it';
    throw scenarioError(source, 'waiting', expected, scenario.waiting);
  }
  if (scenario.method === 'mocha' && objectiveOf(scenario) === 'regression')
    throw scenarioError(source, 'method', 'another one for regression: mocha only classifies', 'mocha');
  checkDp(source, scenario);
  return scenario;
}

/** Sums only: what needs more, or hides in another way, does not go with it. */
function checkSecure(source: string, scenario: Scenario): void {
  const { secure, method } = scenario;
  if (!secure) return;
  if (method !== 'mtl') throw scenarioError(source, 'secure', `none with the method ${method}`, secure);
  const conflict = conflictWithSecure({
    ...scenario,
    // That there is any is all that matters here.
    dp: scenario.dp as CoordinatorOptions['dp'],
    secure: { ...DEFAULT_SECURE, ...partsOf(secure) },
  });
  if (conflict) throw scenarioError(source, conflict.field, conflict.expected, conflict.got);
}

/** What is said of it beside that it is on. */
export function partsOf(secure: Scenario['secure']): Partial<SecureOptions> {
  return typeof secure === 'object' ? withoutGaps(secure) : {};
}

export function scenarioFromText(source: string, text: string): Scenario {
  let given: unknown;
  try {
    given = JSON.parse(text);
  } catch (error) {
    throw scenarioError(source, '', `JSON (${(error as Error).message})`, text.trim().slice(0, 20));
  }
  return parseScenario(source, given);
}

export function objectiveOf({ objective, data }: Scenario): 'classification' | 'regression' {
  return objective ?? (data.generator === 'regression' ? 'regression' : 'classification');
}

/** Names in a scenario must be those of its data. */
export function checkNames(source: string, scenario: Scenario, participants: readonly string[]): void {
  const known = new Set(participants);
  const check = (field: string, name: string | undefined, also?: string) => {
    if (name === undefined || known.has(name) || name === also) return;
    const sample = `${participants.slice(0, 3).join(', ')}${participants.length > 3 ? ', ...' : ''}`;
    throw scenarioError(source, field, `one of the participants ${sample}`, name);
  };
  for (const [i, { participants: cut }] of scenario.partitions.entries())
    for (const [j, name] of cut.entries()) check(`partitions[${i}].participants[${j}]`, name);
  for (const [i, { node }] of scenario.crashes.entries()) check(`crashes[${i}].node`, node, COORDINATOR);
  for (const [i, { participant }] of scenario.deeds.entries()) check(`deeds[${i}].participant`, participant);
  for (const [i, { participant }] of (scenario.misbehaving ?? []).entries())
    check(`misbehaving[${i}].participant`, participant);
  for (const name of Object.keys(scenario.startMs)) check('startMs', name);
  if (typeof scenario.trainRows === 'object')
    for (const name of Object.keys(scenario.trainRows)) check('trainRows', name);
  checkMethod(source, scenario);
  const least = scenario.minParticipants ?? 0;
  if (least > participants.length)
    throw scenarioError(source, 'minParticipants', `at most ${participants.length}, as there are`, least);
}

/** Why a method has no federation that something could happen to. */
const NO_FEDERATION: Readonly<Partial<Record<Scenario['method'], string>>> = {
  global: 'none with the global method, which has one node',
  local: 'none with the local method, where everybody is alone',
};

function checkMethod(source: string, scenario: Scenario): void {
  const none = NO_FEDERATION[scenario.method];
  if (none && scenario.mask) throw scenarioError(source, 'mask', none, scenario.mask.kind);
  if (none && scenario.defence) throw scenarioError(source, 'defence', none, scenario.defence);
  for (const field of ['partitions', 'crashes', 'deeds', 'misbehaving'] as const) {
    const length = scenario[field]?.length ?? 0;
    if (none && length > 0) throw scenarioError(source, field, none, length);
  }
  if (scenario.method === 'global' && scenario.classWeight === 'balanced')
    throw scenarioError(
      source,
      'classWeight',
      'none with the global method (weights are counted per participant)',
      'balanced',
    );
}
