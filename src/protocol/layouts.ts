/** Every message: its tag, who may send it, and its payload field by field. PROTOCOL.md has the same as tables. */
import { accepted } from './accepted.ts';
import {
  choice,
  constant,
  type Field,
  f64,
  f64OrInfinity,
  flag,
  id,
  optional,
  record,
  sameLength,
  text,
  u32,
  vector,
} from './fields.ts';
import type { Message, Scalars, SecureToCoordinator, SecureToParticipant, Welcome } from './messages.ts';
import { SECURE_PAYLOADS } from './secure-layouts.ts';
import { settingsText } from './settings.ts';
import { CODES, F32_FLAG, PURPOSES, REASONS } from './tags.ts';

export type Sender = 'participant' | 'coordinator';
type Kind = Message['kind'];
type MessageOf<K extends Kind> = Extract<Message, { kind: K }>;

export interface Layout<M extends Message = Message> {
  readonly sender: Sender;
  readonly knownFlags: number;
  readonly payload: Field<M>;
}

const scalars = record<Scalars>({ loss: f64, dualSum: f64, uNorm2: f64, wDotU: f64 });
const scaling = sameLength(
  record<NonNullable<Welcome['scaling']>>({ shift: vector, factor: vector }),
  'shift',
  'factor',
);

function secure<K extends (SecureToCoordinator | SecureToParticipant)['kind']>(sender: Sender, kind: K) {
  return { sender, knownFlags: 0, payload: SECURE_PAYLOADS[kind] };
}

export const LAYOUTS: { readonly [K in Kind]: Layout<MessageOf<K>> } = {
  join: {
    sender: 'participant',
    knownFlags: 0,
    payload: record({
      kind: constant('join'),
      rows: u32,
      features: u32,
      benchmarkMs: f64,
      session: u32,
      base: u32,
      pending: u32,
      edition: u32,
      id,
    }),
  },
  moments: {
    sender: 'participant',
    knownFlags: 0,
    payload: sameLength(
      record<MessageOf<'moments'>>({ kind: constant('moments'), count: u32, mean: vector, m2: vector }),
      'mean',
      'm2',
    ),
  },
  answer: {
    sender: 'participant',
    knownFlags: F32_FLAG,
    payload: record({
      kind: constant('answer'),
      session: u32,
      round: u32,
      base: u32,
      passes: u32,
      computeMs: f64,
      scalars,
      u: vector,
      before: optional(vector),
    }),
  },
  leave: { sender: 'participant', knownFlags: 0, payload: record({ kind: constant('leave'), session: u32 }) },
  welcome: {
    sender: 'coordinator',
    knownFlags: 0,
    payload: record({ kind: constant('welcome'), settings: settingsText, scaling: optional(scaling) }),
  },
  round: {
    sender: 'coordinator',
    knownFlags: F32_FLAG,
    payload: record({
      kind: constant('round'),
      session: u32,
      round: u32,
      best: u32,
      purpose: choice(PURPOSES),
      sigma: f64,
      tolerance: f64,
      waitMs: f64OrInfinity,
      accepted,
      tellBefore: flag,
      w: vector,
    }),
  },
  outcome: {
    sender: 'coordinator',
    knownFlags: 0,
    payload: record({ kind: constant('outcome'), session: u32, round: u32, accepted }),
  },
  finish: {
    sender: 'coordinator',
    knownFlags: F32_FLAG,
    payload: record({
      kind: constant('finish'),
      session: u32,
      round: u32,
      best: u32,
      reason: choice(REASONS),
      accepted,
      w: vector,
    }),
  },
  reject: {
    sender: 'coordinator',
    knownFlags: 0,
    payload: record({ kind: constant('reject'), code: choice(CODES), session: u32, message: text }),
  },
  advertise: secure('participant', 'advertise'),
  dealt: secure('participant', 'dealt'),
  masked: secure('participant', 'masked'),
  attested: secure('participant', 'attested'),
  revealed: secure('participant', 'revealed'),
  roster: secure('coordinator', 'roster'),
  plan: secure('coordinator', 'plan'),
  delivered: secure('coordinator', 'delivered'),
  counted: secure('coordinator', 'counted'),
  attestations: secure('coordinator', 'attestations'),
};

/** For code that treats all kinds alike. */
export function layoutOf(kind: Kind): Layout {
  return LAYOUTS[kind] as Layout;
}
