/** What bad peers say, each with the code that it is refused with. */
import { encode } from '../../src/protocol/codec.ts';
import type { RejectCode } from '../../src/protocol/codes.ts';
import { PROTOCOL_VERSION, type RoundMessage, type ToCoordinator } from '../../src/protocol/messages.ts';
import { dot } from '../../src/solver/vector.ts';
import { frameOf, payloadOf, sealed } from '../protocol/frames.ts';
import type { Attacker } from './attacked-federation.ts';
import { USUAL_CLASSES } from './moments.ts';

export interface BadMessage {
  readonly name: string;
  readonly code: RejectCode;
  /** Said by somebody who has joined, unless it has not. */
  readonly by?: 'stranger';
  /** `order`: the round that is open, for whoever has joined. */
  readonly say: (attacker: Attacker, order: RoundMessage) => ToCoordinator | Uint8Array | string;
}

/** Where things are in the frame of an answer. */
const LOSS_AT = 12 + 26;
const U_LENGTH_AT = 12 + 58;
const U_AT = U_LENGTH_AT + 4;

const bytesOf = (message: ToCoordinator) => encode(message, 'f64');

/** A number in the place of another, with the checksum made right again: `encode` would refuse to write it. */
function withNumber(frame: Uint8Array, at: number, value: number): Uint8Array {
  const copy = frame.slice();
  new DataView(copy.buffer).setFloat64(at, value, true);
  return sealed(copy);
}

function withByte(frame: Uint8Array, at: number, value: number): Uint8Array {
  const copy = frame.slice();
  copy[at] = value;
  return sealed(copy);
}

function withLength(frame: Uint8Array, at: number, value: number): Uint8Array {
  const copy = frame.slice();
  new DataView(copy.buffer).setUint32(at, value, true);
  return sealed(copy);
}

const moments = (mean: number[], m2: number[], count = 5): ToCoordinator => ({
  kind: 'moments',
  count,
  mean: Float64Array.from(mean),
  m2: Float64Array.from(m2),
  ...USUAL_CLASSES,
});
const long = (value: number, n: number) => Array<number>(n).fill(value);

const FRAMES: readonly BadMessage[] = [
  { name: 'garbage', code: 'BAD_FRAME', say: () => Uint8Array.from(long(0, 100), (_, i) => (i * 37) & 255) },
  // Not empty: that is the ping of a page.
  { name: 'a single byte', code: 'BAD_FRAME', say: () => Uint8Array.of(75) },
  { name: 'text', code: 'BAD_FRAME', say: () => '{"kind":"join"}' },
  {
    name: 'another magic',
    code: 'BAD_FRAME',
    say: (one) => frameOf({ magic: 'KNDS', tag: 1 }, payloadOf(bytesOf(one.hello()))),
  },
  {
    name: 'a version of the future',
    code: 'BAD_VERSION',
    say: (one) => frameOf({ version: PROTOCOL_VERSION + 1, tag: 1 }, payloadOf(bytesOf(one.hello()))),
  },
  {
    name: 'a version of the past',
    code: 'BAD_VERSION',
    say: (one) => frameOf({ version: 2, tag: 1 }, payloadOf(bytesOf(one.hello()))),
  },
  {
    name: 'a damaged frame',
    code: 'BAD_FRAME',
    say: (one) => {
      const frame = bytesOf(one.hello()).slice();
      frame[14] ^= 1;
      return frame;
    },
  },
  { name: 'a frame cut short', code: 'BAD_FRAME', say: (one) => bytesOf(one.answer()).subarray(0, 60) },
  { name: 'a payload cut short', code: 'BAD_FRAME', say: () => frameOf({ tag: 0x0b }, new Uint8Array(40)) },
  { name: 'a byte too many', code: 'BAD_FRAME', say: () => frameOf({ tag: 5 }, new Uint8Array(5)) },
  {
    name: 'a length of 4 GiB',
    code: 'BAD_FRAME',
    say: (one) => withLength(bytesOf(one.hello()), 8, 0xffff_ffff),
  },
  { name: 'an unknown tag', code: 'BAD_FRAME', say: () => frameOf({ tag: 0x7f }, new Uint8Array(4)) },
  {
    name: 'the word of a coordinator',
    code: 'BAD_FRAME',
    say: () => encode({ kind: 'reject', code: 'FORGOTTEN', session: 0, message: '' }, 'f64'),
  },
  { name: 'unknown flags', code: 'BAD_FRAME', say: (one) => withByte(bytesOf(one.answer()), 6, 0x82) },
  { name: 'a reserved byte', code: 'BAD_FRAME', say: (one) => withByte(bytesOf(one.answer()), 7, 1) },
  {
    name: 'a vector of more numbers than there are bytes',
    code: 'BAD_FRAME',
    say: (one) => withLength(bytesOf(one.answer()), U_LENGTH_AT, 900_000),
  },
  {
    name: 'an id that is no text',
    code: 'BAD_FRAME',
    say: (one) => withByte(bytesOf(one.hello()), 46, 0xff),
  },
];

const NUMBERS: readonly BadMessage[] = [
  ...[Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY].map(
    (value): BadMessage => ({
      name: `${value} in an answer`,
      code: 'NOT_FINITE',
      say: (one) => withNumber(bytesOf(one.answer()), U_AT + 8, value),
    }),
  ),
  {
    name: 'NaN for a loss',
    code: 'NOT_FINITE',
    say: (one) => withNumber(bytesOf(one.answer()), LOSS_AT, Number.NaN),
  },
  {
    name: 'Infinity in moments',
    code: 'NOT_FINITE',
    say: () => withNumber(bytesOf(moments(long(0, 4), long(1, 4))), 12 + 8, Number.POSITIVE_INFINITY),
  },
  {
    name: 'NaN for a benchmark',
    code: 'NOT_FINITE',
    say: (one) => withNumber(bytesOf(one.hello()), 12 + 8, Number.NaN),
  },
  {
    name: 'an answer whose square is no number',
    code: 'INFEASIBLE',
    say: (one, { w }) => one.answer({ u: new Float64Array(w.length).fill(1e200) }),
  },
  {
    name: 'a loss whose sum with another is no number',
    code: 'INFEASIBLE',
    say: (one) => one.answer({ scalars: { loss: 1.7e308, dualSum: 0, uNorm2: 0, wDotU: 0 } }),
  },
  {
    name: 'an answer of a large norm',
    code: 'TOO_LARGE',
    say: (one, { w }) => {
      const u = new Float64Array(w.length).fill(1e6);
      const [uNorm2, wDotU] = [dot(u, u), dot(w, u)];
      // As large a value as its own cut and its norm ask for.
      return one.answer({ u, scalars: { loss: uNorm2 + Math.abs(wDotU), dualSum: 0, uNorm2, wDotU } });
    },
  },
];

const SHAPES: readonly BadMessage[] = [
  { name: 'an answer too short', code: 'WRONG_SHAPE', say: (one) => one.answer({ u: new Float64Array(2) }) },
  {
    name: 'an answer too long',
    code: 'WRONG_SHAPE',
    say: (one) => one.answer({ u: new Float64Array(900) }),
  },
  {
    name: 'moments of other features',
    code: 'WRONG_SHAPE',
    say: () => moments(long(0, 3), long(1, 3)),
  },
  {
    name: 'moments of two lengths',
    code: 'WRONG_SHAPE',
    say: () => {
      // Count, one mean, one m2 that is taken out, and all that comes after.
      const payload = Buffer.from(payloadOf(bytesOf(moments([0], [1]))));
      payload.writeUInt32LE(0, 16);
      return frameOf({ tag: 2 }, Buffer.concat([payload.subarray(0, 20), payload.subarray(28)]));
    },
  },
  { name: 'a join of other features', code: 'WRONG_FEATURES', say: (one) => one.hello({ features: 9 }) },
  { name: 'a join of no features', code: 'WRONG_FEATURES', say: (one) => one.hello({ features: 0 }) },
];

const STATES: readonly BadMessage[] = [
  { name: 'an answer before joining', code: 'NOT_JOINED', by: 'stranger', say: (one) => one.answer() },
  { name: 'moments before joining', code: 'NOT_JOINED', by: 'stranger', say: () => moments([0], [1]) },
  {
    name: 'a goodbye before joining',
    code: 'NOT_JOINED',
    by: 'stranger',
    say: () => ({ kind: 'leave', session: 1 }),
  },
  {
    name: 'a state that nobody knows',
    code: 'FORGOTTEN',
    by: 'stranger',
    say: (one) => one.hello({ base: 7 }),
  },
  {
    name: 'a join as somebody else',
    code: 'WRONG_IDENTITY',
    by: 'stranger',
    say: (one) => one.hello({ id: 'p1' }),
  },
  {
    name: 'an answer of a session that has not joined',
    code: 'NOT_JOINED',
    say: (one) => one.answer({ session: 9 }),
  },
  {
    name: 'an answer of a round to come',
    code: 'FUTURE_ROUND',
    say: (one, { round }) => one.answer({ round: round + 1000 }),
  },
  {
    name: 'an answer to the last round there could be',
    code: 'FUTURE_ROUND',
    say: (one) => one.answer({ round: 0xffff_ffff }),
  },
  {
    name: 'an answer on another state',
    code: 'STATE_MISMATCH',
    say: (one, { round }) => one.answer({ base: round - 1 }),
  },
];

const LIES: readonly BadMessage[] = [
  {
    name: 'a norm that is not its own',
    code: 'INFEASIBLE',
    say: (one) => one.answer({ scalars: { loss: 1, dualSum: 0, uNorm2: 1, wDotU: 0 } }),
  },
  {
    name: 'a product with the query that is not its own',
    code: 'INFEASIBLE',
    say: (one) => one.answer({ scalars: { loss: 1, dualSum: 0, uNorm2: 0, wDotU: 1 } }),
  },
  {
    name: 'a value below that of its own cut',
    code: 'INFEASIBLE',
    say: (one) => one.answer({ scalars: { loss: 0.5, dualSum: 1, uNorm2: 0, wDotU: 0 } }),
  },
  {
    name: 'a negative loss',
    code: 'INFEASIBLE',
    say: (one) => one.answer({ scalars: { loss: -1, dualSum: 0, uNorm2: 0, wDotU: 0 } }),
  },
  {
    name: 'duals outside of their box',
    code: 'INFEASIBLE',
    say: (one) => one.answer({ scalars: { loss: 2e9, dualSum: 1e9, uNorm2: 0, wDotU: 0 } }),
  },
  {
    name: 'squared deviations below zero',
    code: 'INFEASIBLE',
    say: () => moments(long(0, 4), long(-1, 4)),
  },
  {
    name: 'keys for secret sums where there are none',
    code: 'INFEASIBLE',
    say: () => ({
      kind: 'advertise',
      session: 1,
      identityKey: new Uint8Array(32),
      channelKey: new Uint8Array(32),
      signature: new Uint8Array(64),
    }),
  },
];

export const BAD_MESSAGES = { frames: FRAMES, numbers: NUMBERS, shapes: SHAPES, states: STATES, lies: LIES };
