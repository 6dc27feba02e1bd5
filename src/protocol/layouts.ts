/** Every message: its tag, who may send it, and its payload field by field. PROTOCOL.md has the same as tables. */
import type { CategoryCode, ColumnCode, NumberCode } from '../data/encoding.ts';
import type { Advertisement } from '../privacy/secure/messages.ts';
import type { Waiting } from '../settings/federation.ts';
import { type HeadScalars, headScalars, totalScalars } from '../solver/answer.ts';
import type { GroupBounds } from '../solver/inquiry-types.ts';
import type { Agreement, ColumnClaim } from './agreement.ts';
import { DECLINE_NUMBERS, FAULT_NUMBERS, REJECT_NUMBERS } from './codes.ts';
import {
  bytes,
  checked,
  choice,
  constant,
  exactly,
  type Field,
  f64,
  f64OrInfinity,
  flag,
  id,
  indexSet,
  label,
  list,
  optional,
  record,
  sameLength,
  text,
  u16,
  u32,
  vector,
} from './fields.ts';
import type { Accepted, FinishReason, Message, Moments, RoundMessage, Scalars, Welcome } from './messages.ts';
import type { SumPurpose } from './secure-messages.ts';
import { settingsText } from './settings.ts';
import type { GroupStatistics, GroupTests, TestReport } from './test-reports.ts';

/** A share of 0 would be no acceptance. */
const share = checked(f64, 'BAD_FRAME', (value, name) =>
  value > 0 && value <= 1 ? undefined : `${name}: expected a number above 0 and at most 1, got ${value}`,
);
const shareOrAll: Field<Accepted['factor']> = {
  write: (out, value = 1, name) => share.write(out, value, name),
  read(input, name) {
    const value = share.read(input, name);
    return value === 1 ? undefined : value;
  },
  same: (a = 1, b = 1) => a === b,
};

/** The last accepted answer: its round, and the share of its change that was taken, 1 for all. */
const accepted = record<Accepted>({ round: u32, factor: shareOrAll });

export type Sender = 'participant' | 'coordinator';
type Kind = Message['kind'];
type MessageOf<K extends Kind> = Extract<Message, { kind: K }>;
type Fields<M> = { readonly [K in Exclude<keyof M, 'kind'>]-?: Field<M[K]> };

interface Layout<M extends Message = Message> {
  /** Written out, never derived: a tag outlives any order in which the kinds are listed. */
  readonly tag: number;
  readonly knownFlags: number;
  readonly payload: Field<M>;
}

/**
 * Bit 0 of the flags: vectors are f32. Only for what goes back and forth every round. Moments and scaling are sent once, and
 * a mean or a sum of squares in f32 would lose the digits that standardisation needs, or overflow.
 */
export const F32_FLAG = 1;
const EVERY_ROUND: ReadonlySet<Kind> = new Set<Kind>(['answer', 'round', 'finish']);
/** Set in the tags of the coordinator's messages. */
const COORDINATOR_BIT = 0x80;

const KEY_BYTES = 32;
const SIGNATURE_BYTES = 64;
/** Of everything that is sent for each of some neighbours, at most so many bytes for each. */
const MOST_PER_NEIGHBOUR = 48;

const ofHeads = list(record<HeadScalars>({ loss: f64, dualSum: f64, uNorm2: f64, wDotU: f64 }), [
  'maxLabels',
  'heads',
]);
/** Of each head; sums over heads are not sent. */
const scalars: Field<Scalars> = {
  write: (out, value, name) => ofHeads.write(out, headScalars(value), name),
  read(input, name) {
    const heads = ofHeads.read(input, name);
    if (heads.length === 0) input.refuse('BAD_FRAME', `${name}: expected at least one head, got none`);
    return totalScalars(heads);
  },
};
const scaling = sameLength(
  record<NonNullable<Welcome['scaling']>>({ shift: vector, factor: vector }),
  'shift',
  'factor',
);
const labels = list(label, ['maxLabels', 'labels']);
const classes = checked(
  record<NonNullable<Agreement['classes']>>({ labels, positive: optional(label) }),
  'BAD_FRAME',
  ({ labels, positive }, name) => {
    if (positive !== undefined)
      return labels.includes(positive) ? undefined : `${name}.positive: expected one of the labels`;
    return labels.length > 2 ? undefined : `${name}.labels: expected at least 3, got ${labels.length}`;
  },
);
const above0 = checked(f64, 'BAD_FRAME', (value, name) =>
  value > 0 ? undefined : `${name}: expected a number above 0, got ${value}`,
);
const target = record<NonNullable<Agreement['target']>>({ shift: f64, scale: above0 });
const levels = ['maxLevels', 'levels'] as const;
const columns = ['maxFeatures', 'columns'] as const;
const claim = record<ColumnClaim>({
  kind: choice<ColumnClaim['kind']>({ number: 1, text: 2 }),
  missing: u32,
  levels: list(record<ColumnClaim['levels'][number]>({ level: label, rows: u32 }), levels),
});
const number = record<NumberCode>({ kind: constant('number'), mean: f64, missing: flag });
const category = record<CategoryCode>({
  kind: constant('category'),
  levels: list(label, levels),
  other: flag,
  missing: flag,
});
const codeKind = choice<ColumnCode['kind']>({ number: 1, category: 2 });
const code: Field<ColumnCode> = {
  write(out, value, name) {
    codeKind.write(out, value.kind, `${name}.kind`);
    if (value.kind === 'number') number.write(out, value, name);
    else category.write(out, value, name);
  },
  read: (input, name) =>
    codeKind.read(input, `${name}.kind`) === 'number' ? number.read(input, name) : category.read(input, name),
};
const names = list(label, columns);
const agreement = checked(
  record<Agreement>({
    classes: optional(classes),
    target: optional(target),
    encoding: optional(list(code, columns)),
    columns: optional(names),
  }),
  'BAD_FRAME',
  ({ encoding = [], columns }, name) =>
    !columns || columns.length === encoding.length
      ? undefined
      : `${name}.columns: expected ${encoding.length} names, as many as encoded columns, got ${columns.length}`,
);
const waitingKind = choice<Waiting['kind']>({ all: 1, fixed: 2, share: 3, benchmarks: 4 });
type WaitingOf<K extends Waiting['kind']> = Extract<Waiting, { kind: K }>;
const waitings: { readonly [K in Waiting['kind']]: Field<WaitingOf<K>> } = {
  all: record<WaitingOf<'all'>>({ kind: constant('all') }),
  fixed: record<WaitingOf<'fixed'>>({ kind: constant('fixed'), ms: above0 }),
  share: record<WaitingOf<'share'>>({ kind: constant('share'), share }),
  benchmarks: record<WaitingOf<'benchmarks'>>({
    kind: constant('benchmarks'),
    quantile: share,
    factor: above0,
  }),
};
const waiting: Field<Waiting> = {
  write(out, value, name) {
    waitingKind.write(out, value.kind, `${name}.kind`);
    (waitings[value.kind] as Field<Waiting>).write(out, value, name);
  },
  read: (input, name) => waitings[waitingKind.read(input, `${name}.kind`)].read(input, name),
};
const groupBounds = record<GroupBounds>({ value: f64, slack: f64OrInfinity, constant: f64 });
const targetMoments = record<NonNullable<Moments['target']>>({ mean: f64, m2: f64 });
const tests = record<TestReport>({ own: f64, shared: optional(f64) });
const statistics = record<GroupStatistics>({ mean: f64, spread: f64, worst: optional(f64) });
const groupTests = record<GroupTests>({ reports: u32, own: statistics, shared: optional(statistics) });
const forNeighbours = bytes(({ maxParticipants }) => MOST_PER_NEIGHBOUR * maxParticipants);
/** The longest vector is that of the moments: two numbers for each feature, and a few. */
const summands = bytes(({ maxFeatures }) => 8 * (2 * maxFeatures + 8));
const keys = {
  identityKey: exactly(KEY_BYTES),
  channelKey: exactly(KEY_BYTES),
  signature: exactly(SIGNATURE_BYTES),
};
const members = list(record<Advertisement>({ id, ...keys }));
const purpose = choice<RoundMessage['purpose']>({ train: 1, certify: 2 });
const sumPurpose = choice<SumPurpose>({ measure: 1, train: 2 });
const reason = choice<FinishReason>({
  gap: 1,
  stall: 2,
  rounds: 3,
  time: 4,
  operator: 5,
  left: 6,
  budget: 7,
});
/** Of most messages of secure aggregation. */
const sum = { session: u32, round: u32 };

function layout<K extends Kind>(tag: number, kind: K, fields: Fields<MessageOf<K>>): Layout<MessageOf<K>> {
  const knownFlags = EVERY_ROUND.has(kind) ? F32_FLAG : 0;
  return { tag, knownFlags, payload: record<MessageOf<K>>({ kind: constant(kind), ...fields } as never) };
}

const moments = layout(0x02, 'moments', {
  count: u32,
  mean: vector,
  m2: vector,
  target: optional(targetMoments),
  labels,
  positive: optional(label),
  columns: optional(list(claim, columns)),
  names: optional(names),
});

const welcome = layout(0x81, 'welcome', {
  settings: settingsText,
  scaling: optional(scaling),
  agreement: optional(agreement),
  awaited: u32,
  waitingFor: optional(text),
});

/** Who has the scaling knows all that is agreed on. */
function incomplete({ settings, scaling, agreement }: Welcome): string | undefined {
  const known = settings.objective === 'regression' ? agreement : agreement?.classes;
  return scaling && !known ? 'expected an agreement with the scaling, got none' : undefined;
}

export const LAYOUTS: { readonly [K in Kind]: Layout<MessageOf<K>> } = {
  join: layout(0x01, 'join', {
    rows: u32,
    features: u32,
    benchmarkMs: f64,
    session: u32,
    base: u32,
    pending: u32,
    edition: u32,
    id,
  }),
  moments: { ...moments, payload: sameLength(moments.payload, 'mean', 'm2') },
  answer: layout(0x0b, 'answer', {
    session: u32,
    round: u32,
    base: u32,
    passes: u32,
    computeMs: f64,
    scalars,
    u: vector,
    previous: optional(vector),
    tests: optional(tests),
  }),
  enlist: layout(0x20, 'enlist', {
    session: u32,
    features: u32,
    participants: u32,
    rows: u32,
    base: u32,
    pending: u32,
    rounds: u32,
    edition: u32,
    settled: flag,
    id,
  }),
  partial: layout(0x21, 'partial', {
    session: u32,
    round: u32,
    participants: u32,
    answered: u32,
    missing: u32,
    unanswered: u32,
    renewed: u32,
    passes: u32,
    computeMs: f64,
    heads: list(groupBounds, ['maxLabels', 'heads']),
    tests: optional(groupTests),
    u: vector,
  }),
  leave: layout(0x05, 'leave', { session: u32 }),
  decline: layout(0x10, 'decline', { session: u32, round: u32, code: choice(DECLINE_NUMBERS) }),
  fault: layout(0x11, 'fault', { session: u32, round: u32, code: choice(FAULT_NUMBERS) }),
  advertise: layout(0x06, 'advertise', { session: u32, ...keys }),
  dealt: layout(0x07, 'dealt', {
    ...sum,
    from: u16,
    commitments: exactly(32),
    table: forNeighbours,
    sealed: forNeighbours,
  }),
  masked: layout(0x08, 'masked', { ...sum, base: u32, from: u16, complaints: indexSet, vector: summands }),
  attested: layout(0x09, 'attested', { ...sum, from: u16, tags: forNeighbours }),
  revealed: layout(0x0a, 'revealed', { ...sum, from: u16, dealers: indexSet, shares: forNeighbours }),
  welcome: { ...welcome, payload: checked(welcome.payload, 'BAD_FRAME', incomplete) },
  round: layout(0x82, 'round', {
    session: u32,
    round: u32,
    best: u32,
    purpose,
    sigma: f64,
    tolerance: f64,
    waitMs: f64OrInfinity,
    accepted,
    sendPrevious: flag,
    w: vector,
  }),
  timing: layout(0x8b, 'timing', { session: u32, waiting, maxWaitMs: f64OrInfinity }),
  outcome: layout(0x83, 'outcome', { session: u32, round: u32, accepted }),
  finish: layout(0x84, 'finish', {
    session: u32,
    round: u32,
    best: u32,
    reason,
    accepted,
    participants: u32,
    missing: u32,
    w: vector,
  }),
  reject: layout(0x85, 'reject', { code: choice(REJECT_NUMBERS), session: u32, message: text }),
  roster: layout(0x86, 'roster', { ...sum, members }),
  plan: layout(0x87, 'plan', { ...sum, purpose: sumPurpose, roster: exactly(32), bases: list(u32) }),
  delivered: layout(0x88, 'delivered', { ...sum, dealers: indexSet, sealed: forNeighbours }),
  counted: layout(0x89, 'counted', { ...sum, members: indexSet }),
  attestations: layout(0x8a, 'attestations', { ...sum, attesters: indexSet, tags: forNeighbours }),
};

export const KIND_OF_TAG: ReadonlyMap<number, Kind> = new Map(
  Object.entries(LAYOUTS).map(([kind, { tag }]) => [tag, kind as Kind]),
);

/** For code that treats all kinds alike. */
export function layoutOf(kind: Kind): Layout {
  return LAYOUTS[kind] as Layout;
}

export function senderOf({ tag }: Layout): Sender {
  return tag & COORDINATOR_BIT ? 'coordinator' : 'participant';
}
