/** Envelopes come back as they were, and hostile bytes are refused, whatever they are. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  decodeBranch,
  decodeDown,
  decodeStem,
  decodeUp,
  encodeBranch,
  encodeDown,
  encodeStem,
  encodeUp,
} from '../../src/nats/envelope.ts';
import { gatewayName, Subjects, shardOf } from '../../src/nats/subjects.ts';
import { ProtocolError } from '../../src/protocol/protocol-error.ts';

const name = fc.string({ minLength: 1, maxLength: 40 });
const whole = fc.integer({ min: 0, max: Number.MAX_SAFE_INTEGER });
const frame = fc.uint8Array({ maxLength: 50 });
const connections = fc.array(whole, { maxLength: 10 });
const token = fc.stringMatching(/^[A-Za-z0-9_-]{1,40}$/);
const gateway = fc.tuple(token, token).map(([user, process]) => gatewayName(user, process));
const who = { gateway, connection: whole, participant: name };
const up = fc.oneof(
  fc.record({ type: fc.constant('frame' as const), ...who, frame }),
  fc.record({ type: fc.constant('connected' as const), ...who, agent: name }),
  fc.record({ type: fc.constant('away' as const), ...who }),
  fc.record({ type: fc.constant('roster' as const), gateway, connections }),
);
const down = fc.oneof(
  fc.record({ type: fc.constant('frame' as const), connections, frame }),
  fc.record({ type: fc.constant('close' as const), connections, code: fc.nat(65_535), reason: name }),
  fc.record({ type: fc.constant('who' as const), connections }),
);
const shard = { shard: fc.nat(4095), epoch: whole };
const branch = fc.oneof(
  fc.record({ type: fc.constant('frame' as const), ...shard, frame }),
  fc.record({ type: fc.constant('alive' as const), ...shard, connected: fc.nat(), members: fc.nat() }),
);
const stem = fc.record({ type: fc.constant('frame' as const), epoch: whole, frame });

const KINDS = [
  { what: 'up', values: up as fc.Arbitrary<never>, encode: encodeUp, decode: decodeUp },
  { what: 'down', values: down as fc.Arbitrary<never>, encode: encodeDown, decode: decodeDown },
  { what: 'branch', values: branch as fc.Arbitrary<never>, encode: encodeBranch, decode: decodeBranch },
  { what: 'stem', values: stem as fc.Arbitrary<never>, encode: encodeStem, decode: decodeStem },
];

describe.each(KINDS)('$what', ({ values, encode, decode }) => {
  test('comes back as it was', () => {
    fc.assert(fc.property(values, (value) => void expect(decode(encode(value))).toEqual(value)));
  });

  test('other bytes are refused, and nothing else happens', () => {
    const refused = (bytes: Uint8Array) => {
      try {
        decode(bytes);
      } catch (error) {
        expect(error).toBeInstanceOf(ProtocolError);
      }
    };
    fc.assert(fc.property(fc.uint8Array({ maxLength: 200 }), refused));
    // Near misses: one byte of a good one is another.
    fc.assert(
      fc.property(values, fc.nat(), fc.nat(255), (value, at, byte) => {
        const bytes = encode(value).slice();
        bytes[at % bytes.length] = byte;
        refused(bytes);
        refused(bytes.subarray(0, at % bytes.length));
      }),
    );
    expect(() => decode(new Uint8Array(0))).toThrow(ProtocolError);
    expect(() => decode(Uint8Array.of(2, 1, 0, 0, 0, 0))).toThrow(/version/);
    expect(() => decode(Uint8Array.of(1, 99, 0, 0, 0, 0))).toThrow(/unknown type/);
  });
});

test('the name of a gateway, which becomes part of a subject, has no wildcards, spaces or further tokens', () => {
  for (const gateway of ['', '*', 'a.>', 'a b', 'a.b.c', 'a.', '.a', 'a\r\nPUB x 0', 'x'.repeat(65)])
    expect(() => decodeUp(encodeUp({ type: 'roster', gateway, connections: [] })), gateway).toThrow(
      'gateway: expected its name',
    );
  expect(gatewayName(undefined, 'p-1')).toBe('gateway.p-1');
  expect(gatewayName('not a token', 'p-1')).toBe('gateway.p-1');
});

test('a list that claims to be longer than the message is not allocated', () => {
  const bytes = encodeDown({ type: 'who', connections: [] });
  new DataView(bytes.buffer).setUint32(2, 0xffff_ffff, true);
  expect(() => decodeDown(bytes)).toThrow(/ids/);
});

describe('subjects', () => {
  test('a namespace is one token', () => {
    for (const bad of ['', 'a.b', '*', '>', 'a b']) expect(() => new Subjects(bad)).toThrow(/namespace/);
    const subjects = new Subjects('ward-7');
    expect(subjects.up('f', 3)).toBe('kindred.ward-7.f.up.3');
    expect(subjects.federationOf(subjects.down('f', 'g'))).toBe('f');
  });

  test('participants belong to the same shard for ever, and are spread evenly', () => {
    // First four bytes of the SHA-256, big endian.
    expect(['p1', 'p2', 'Ada'].map((id) => shardOf(id, 8))).toEqual([4, 4, 3]);
    const counts = new Array<number>(8).fill(0);
    for (let k = 0; k < 8000; k++) counts[shardOf(`participant ${k}`, 8)]++;
    for (const count of counts) expect(Math.abs(count - 1000)).toBeLessThan(150);
  });
});
