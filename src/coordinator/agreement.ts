/**
 * What participants agree on before the first round (protocol/agreement.ts): the scaling of features and targets from merged moments, and
 * which classes there are. Whoever brings what contradicts those before it is refused; what is settled stays.
 */
import { chosenClasses, declaredClasses, USUAL_CLASSES } from '../data/agreed-classes.ts';
import { listed, shown } from '../data/number.ts';
import { naturallySorted } from '../data/participants.ts';
import { type Moments as RowMoments, scalingFrom } from '../math/scaling.ts';
import { targetScalingFrom } from '../math/target-scaling.ts';
import {
  type Agreement,
  areLabelsAsked as areAsked,
  areLevelsNamed,
  featuresBy,
  measuredBy,
} from '../protocol/agreement.ts';
import { DEFAULT_LIMITS } from '../protocol/limits.ts';
import type { Moments } from '../protocol/messages.ts';
import { arranged, unionOf } from './column-union.ts';
import { encodedBy, namedCodes, settledCodes, withMeans } from './columns.ts';
import type { Member } from './member.ts';
import type { CoordinatorOptions } from './options.ts';
import { publicScaling } from './private-scaling.ts';
import { mergeRobustly } from './robust-moments.ts';
import type { CoordinatorState, Meanings } from './state.ts';

type Brought = NonNullable<Member['moments']>;

/** What a member has brought. */
interface Claimed {
  readonly id: string;
  readonly moments: Brought;
}

/** What the operator has declared is agreed on from the outset. */
export function initialAgreement(options: CoordinatorOptions): Agreement | undefined {
  const classes = declaredClasses(options);
  return classes && { classes, target: undefined };
}

/** Of a run that an earlier version began: everybody chose its own classes, and newcomers can know those of the usual labels only. */
export function earlierAgreement({ objective }: CoordinatorOptions): Agreement {
  return { classes: objective === 'regression' ? undefined : USUAL_CLASSES, target: undefined };
}

export function areLabelsAsked({ options }: CoordinatorState): boolean {
  return areAsked(options, declaredClasses(options));
}

/** Whether rows are measured: added up in secret under secure aggregation. */
export function areRowsMeasured({ options }: CoordinatorState): boolean {
  const { features, target } = measuredBy(options);
  return features || target;
}

/** What of a message was not asked for, or is missing; `features` as everybody has them. */
export function misshapenMoments(state: CoordinatorState, message: Moments): string | undefined {
  const { options, features, secure } = state;
  const asked = measuredBy(options);
  const { mean, m2, target, labels, columns } = message;
  const misnamed = misnamedColumns(options, message);
  if (misnamed) return misnamed;
  if (columns && (options.dp || options.levels))
    return 'moments: expected nothing of the columns, which are declared or cannot be agreed on';
  const brought = message.names?.length ?? features;
  if (columns && columns.length !== brought)
    return `moments: expected ${brought} columns, got ${columns.length}`;
  const expected =
    (asked.features || columns) && !secure ? featuresBy({ features: brought, levels: options.levels }) : 0;
  if (mean.length !== expected || m2.length !== expected)
    return `moments: expected ${expected} features, got ${mean.length} and ${m2.length}`;
  if ((target !== undefined) !== (asked.target && !secure))
    return `moments: expected ${target ? 'none' : 'those'} of the targets`;
  if (!areLabelsAsked(state) && labels.length > 0) return `moments: expected no labels, got ${labels.length}`;
  return undefined;
}

/** Names of columns belong to those that may differ, and to no others. */
function misnamedColumns({ columns }: CoordinatorOptions, message: Moments): string | undefined {
  const { names } = message;
  if (columns !== 'union')
    return names && 'moments: expected no names of columns, which are the same for all';
  if (!names || !message.columns || names.length === 0)
    return 'moments: expected columns and their names, because participants may have different ones';
  if (new Set(names).size < names.length) return 'moments: expected each name of a column once';
  return undefined;
}

/** Labels and positive class that members have brought so far; of those but one. */
function broughtBy({ members }: CoordinatorState, but?: Member) {
  const labels = new Set<string>();
  let positive: { readonly label: string; readonly by: string } | undefined;
  for (const member of members.values()) {
    if (!member.moments || member === but) continue;
    for (const label of member.moments.labels) labels.add(label);
    if (member.moments.positive !== undefined) positive ??= { label: member.moments.positive, by: member.id };
  }
  return { labels, positive };
}

/** What another has brought goes with everything: in a crowd nearly everybody has the same classes. */
function isAsOfAnother(
  { members }: CoordinatorState,
  member: Member,
  { labels, positive }: Pick<Moments, 'labels' | 'positive'>,
): boolean {
  for (const other of members.values()) {
    if (other === member || !other.moments) continue;
    const { moments } = other;
    const isKnown = labels.every((label) => moments.labels.includes(label));
    return isKnown && (positive === undefined || positive === moments.positive);
  }
  return false;
}

/** Why what a member has brought does not go with what others have. */
export function contradictionIn(
  state: CoordinatorState,
  member: Member,
  { labels, positive }: Pick<Moments, 'labels' | 'positive'>,
): string | undefined {
  const who = `participant "${member.id}"`;
  if (isAsOfAnother(state, member, { labels, positive })) return undefined;
  const known = broughtBy(state, member);
  if (positive !== undefined && known.positive && known.positive.label !== positive) {
    const { label, by } = known.positive;
    return `${who}: expected ${shown(label)} as the positive class, as given by participant "${by}", got ${shown(positive)}; all participants must give the same --positive`;
  }
  const all = new Set([...known.labels, ...labels]);
  const { maxLabels } = DEFAULT_LIMITS;
  if (all.size <= maxLabels) return undefined;
  const added = labels.filter((label) => !known.labels.has(label));
  return `${who}: expected at most ${maxLabels} classes in total, got ${namesOf(added)} in addition to ${known.labels.size} of other participants; give --positive or --classes to serve`;
}

function namesOf(labels: Iterable<string>): string {
  return listed(naturallySorted(labels).map(shown));
}

/** The class that training waits for, in words; undefined: none. */
export function classAwaited(state: CoordinatorState): string | undefined {
  if (state.agreement || !areLabelsAsked(state)) return undefined;
  const { labels, positive } = meaningsOf(state);
  if (labels.size === 0) return undefined;
  const sofar = () => `so far participants have only ${namesOf(labels)}`;
  if (positive !== undefined && !labels.has(positive))
    return `the positive class ${shown(positive)}: ${sofar()}`;
  return labels.size < 2 ? `another class: ${sofar()}` : undefined;
}

/** Asked for every participant: of a crowd nobody's classes are collected twice. */
function meaningsOf(state: CoordinatorState): Meanings {
  if (!state.meanings) {
    state.meanings = { labels: new Set(), positive: undefined };
    for (const { moments } of state.members.values()) if (moments) noteMeanings(state, moments);
  }
  return state.meanings;
}

/** What a member has brought is part of what is known. */
export function noteMeanings({ meanings }: CoordinatorState, { labels, positive }: Brought): void {
  if (!meanings) return;
  for (const label of labels) meanings.labels.add(label);
  meanings.positive ??= positive;
}

/** What labels mean is settled first, before rows are measured in secret: nobody who comes during that can change it. */
export function settleClasses(state: CoordinatorState): void {
  const { positive } = broughtBy(state);
  const brought = [...state.members.values()].map(({ moments }) => moments?.labels ?? []);
  const isRegression = state.options.objective === 'regression';
  const classes = isRegression ? undefined : chosenClasses(brought, positive?.label);
  state.agreement ??= { classes, target: undefined };
}

/** What columns become is settled, too, and gives what everybody has brought as moments of features. */
export function settleColumns(state: CoordinatorState, claimed: readonly Claimed[]): Claimed[] {
  const union =
    state.options.columns === 'union' ? unionOf(claimed.map(({ moments }) => moments)) : undefined;
  if (union) state.features = union.size;
  const all = union ? claimed.map(({ id, moments }) => ({ id, moments: arranged(union, moments) })) : claimed;
  const brought = all.map(({ moments }) => moments).filter(({ mean }) => mean.length > 0);
  const encoding = settledCodes(state, brought);
  if (encoding)
    state.agreement = { ...state.agreement!, encoding, ...(union && { columns: [...union.keys()] }) };
  return all.map(({ id, moments }) => ({ id, moments: encodedBy(encoding, moments) }));
}

/** The same under secure aggregation, before anything is measured: what is named is settled, means follow. */
export function settleNamedColumns(state: CoordinatorState): void {
  if (!areLevelsNamed(state.options)) return;
  const brought = [...state.members.values()].flatMap(({ moments }) => moments ?? []);
  const encoding = namedCodes(state, brought);
  if (encoding) state.agreement = { ...state.agreement!, encoding };
}

/** The scaling of features and targets, from the moments of all rows; undefined: none were asked for. */
export function settleScaling(
  state: CoordinatorState,
  moments: (RowMoments & Partial<Pick<Moments, 'target'>>) | undefined,
): void {
  const { options, agreement } = state;
  const d = featuresBy({ features: state.features, levels: options.levels }, agreement);
  const { shift, factor } = publicScaling(options, d) ?? scalingFrom(moments!, options.scale);
  const { count = 0, target } = moments ?? {};
  const named = areLevelsNamed(options) && moments?.mean.length ? agreement?.encoding : undefined;
  state.scaling = { shift, factor };
  state.agreement = {
    ...state.agreement!,
    ...(named && { encoding: withMeans(named, moments!.mean) }),
    target: target && targetScalingFrom(oneColumn(count, target)),
  };
}

function oneColumn(count: number, { mean, m2 }: NonNullable<Moments['target']>): RowMoments {
  return { count, mean: Float64Array.of(mean), m2: Float64Array.of(m2) };
}

/** In the order of the members, so that everybody computes the same. Targets are one more column. */
export function mergedMoments(claimed: readonly Claimed[]) {
  const hasTarget = claimed[0]?.moments.target !== undefined;
  const { moments, leftOut } = mergeRobustly(
    claimed.map(({ id, moments }) => ({ id, moments: withTarget(moments) })),
    (j, d) => (hasTarget && j === d - 1 ? 'the target' : `feature ${j + 1}`),
  );
  if (!hasTarget) return { moments, leftOut };
  const { count, mean, m2 } = moments;
  const target = { mean: mean[mean.length - 1], m2: m2[m2.length - 1] };
  return { moments: { count, mean: mean.slice(0, -1), m2: m2.slice(0, -1), target }, leftOut };
}

function withTarget({ count, mean, m2, target }: Brought): RowMoments {
  if (!target) return { count, mean, m2 };
  return { count, mean: Float64Array.of(...mean, target.mean), m2: Float64Array.of(...m2, target.m2) };
}
