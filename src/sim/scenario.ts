/** A scenario: everything a simulation is made of, as a JSON file. Its fields are declared in settings/scenario.ts. */
import {
  type CoordinatorOptions,
  completeDp,
  conflictIn,
  DEFAULT_OPTIONS,
  DEFAULT_SECURE,
  defaultAggregation,
} from '../coordinator/options.ts';
import type { SecureOptions } from '../settings/federation.ts';
import { defaultLoss, type LossName } from '../settings/losses.ts';
import { readSettings } from '../settings/objects.ts';
import { settingError } from '../settings/refused.ts';
import { type ScenarioValues, scenarioKind } from '../settings/scenario.ts';
import type { Aggregation } from '../settings/training.ts';
import { COORDINATOR } from './coordinator-node.ts';

export type { ScenarioInput } from '../settings/scenario.ts';

/** A scenario with every default filled in. */
export type Scenario = ScenarioValues & { readonly aggregation: Aggregation; readonly loss: LossName };

export function scenarioError(name: string, field: string, expected: string, got: unknown) {
  return settingError({ code: 'BAD_SCENARIO', name }, field, expected, got);
}

/** `source` is what errors call it. */
export function parseScenario(source: string, given: unknown): Scenario {
  const values = readSettings(scenarioKind, given, { code: 'BAD_SCENARIO', name: source });
  const { method, dp, waiting, responders } = values;
  const scenario = {
    ...values,
    aggregation: values.aggregation ?? defaultAggregation({ dp, method }),
    loss: values.loss ?? defaultLoss(objectiveOf(values)),
  };
  const conflict = conflictIn(asOptions(scenario));
  if (conflict) {
    const { field, expected } = conflict;
    // A federation knows no `local`: what was written is named.
    const got = field === 'method' ? method : conflict.got;
    throw scenarioError(source, field.replace(/^stop\./, ''), expected, got);
  }
  if (scenario.reportTests && dp)
    throw scenarioError(
      source,
      'reportTests',
      'false with dp, under which nothing of tests is sent',
      scenario.reportTests,
    );
  if (responders !== undefined && waiting !== undefined) {
    const expected = 'no waiting together with responders, which determine it';
    throw scenarioError(source, 'waiting', expected, waiting);
  }
  return scenario;
}

/** As the coordinator has them, as far as a scenario alone says: how many take part is not known yet. */
export function asOptions(scenario: Scenario): CoordinatorOptions {
  const { method, aggregation, loss, secure, dp, gap, rounds, timeMs, stall } = scenario;
  const { c1, c2, epsilon, quantile, lambda, classWeight, scale, scaleTarget } = scenario;
  const { features, positive, bias, passes, seed } = scenario;
  const { straggler, precision, minResponses, summationMs, mask, defence } = scenario;
  const alone = method === 'local' || method === 'global';
  const complete = dp && completeDp(dp, rounds);
  return {
    ...DEFAULT_OPTIONS,
    ...{ loss, c1, c2, epsilon, quantile, lambda, classWeight, scale, scaleTarget },
    ...{ features, bias, passes, seed },
    ...(positive !== undefined && { positive }),
    ...{ straggler, precision, minResponses, summationMs, mask, defence },
    objective: objectiveOf(scenario),
    method: alone ? 'global' : method,
    // Without personal parts there are no answers.
    aggregation: method === 'mtl' ? aggregation : 'safe',
    dp: complete && secure ? { ...complete, honest: 0 } : complete,
    secure: secure && ({ ...DEFAULT_SECURE, dropout: 0, corrupted: 0, ...secure } as SecureOptions),
    minParticipants: scenario.minParticipants ?? 0,
    stop: { gap, rounds, timeMs, stall },
  };
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

export function objectiveOf({ objective, data }: Pick<ScenarioValues, 'objective' | 'data'>) {
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
    throw scenarioError(
      source,
      'minParticipants',
      `at most ${participants.length}, the number of participants`,
      least,
    );
}

/** Why a method has no federation that something could happen to. */
const NO_FEDERATION: Readonly<Partial<Record<Scenario['method'], string>>> = {
  global: 'none with the global method, which has one node',
  local: 'none with the local method, where each participant is alone',
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
