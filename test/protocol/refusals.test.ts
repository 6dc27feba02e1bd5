import { describe, expect, test } from 'vitest';
import { decodeFrom, encode } from '../../src/protocol/codec.ts';
import { DEFAULT_LIMITS } from '../../src/protocol/limits.ts';
import type { Message, Welcome } from '../../src/protocol/messages.ts';
import { headScalars } from '../../src/solver/answer.ts';
import { frameOf, payloadOf, refusalOf, sealed, tryDecode } from './frames.ts';
import { BEFORE, SAMPLES, SETTINGS } from './samples.ts';

const golden = (name: string): Uint8Array => {
  const { message, precision } = SAMPLES.find((sample) => sample.name === name)!;
  return encode(message, precision);
};

const patched = (frame: Uint8Array, at: number, bytes: readonly number[]): Uint8Array => {
  const copy = frame.slice();
  copy.set(bytes, at);
  return sealed(copy);
};

const u32 = (value: number): number[] => [...new Uint8Array(Uint32Array.of(value).buffer)];
const SECURE_SETTINGS = { scaleBits: 30, limit: 1e6, dropout: 0.3, corrupted: 0.1 };
const LEAVE = 0x05;
const JOIN = 0x01;
const WELCOME = 0x81;
const WELCOME_SAMPLE = SAMPLES.find(({ name }) => name === 'welcome')!.message as Welcome;

describe('the envelope', () => {
  test('[FRAME-2] nothing, and too little', () => {
    expect(refusalOf(new Uint8Array(0)).sentence).toBe('frame: expected at least 16 bytes, got 0');
    expect(refusalOf(Buffer.from('GET / HTTP/1.1')).sentence).toBe(
      'frame: expected at least 16 bytes, got 14',
    );
  });

  test('[FRAME-3] another magic', () => {
    const { code, sentence } = refusalOf(frameOf({ tag: LEAVE, magic: 'RIFF' }, new Uint8Array(0)));
    expect(code).toBe('BAD_FRAME');
    expect(sentence).toBe('frame: expected "KNDR" at the start, got other bytes');
  });

  test('[FRAME-4] another version: both are named, even where the rest cannot be read', () => {
    const frame = frameOf({ tag: LEAVE, version: 8 }, new Uint8Array(0));
    const sentence = 'frame: expected protocol version 7, got version 8; update kindred at the receiver';
    const refusal = { code: 'BAD_VERSION', sentence };
    expect(refusalOf(frame)).toEqual(refusal);
    expect(refusalOf(frame.fill(0xab, 5))).toEqual(refusal);
  });

  test('[FRAME-7] [VERSION-2] unknown tags, all of them', () => {
    const known = new Set(SAMPLES.map(({ message, precision }) => encode(message, precision)[5]));
    for (let tag = 0; tag < 256; tag++) {
      if (known.has(tag)) continue;
      const { code, sentence } = refusalOf(frameOf({ tag }, new Uint8Array(0)));
      expect([code, sentence]).toEqual(['BAD_FRAME', `frame: unknown message tag ${tag}`]);
    }
  });

  test('[FRAME-9] [VERSION-2] unknown flags, and f32 where it does not apply', () => {
    for (const flags of [1, 2, 0x80, 0xff]) {
      const { sentence } = refusalOf(frameOf({ tag: LEAVE, flags }, new Uint8Array(0)));
      expect(sentence).toBe(`leave: unknown flags ${flags}`);
    }
    expect(refusalOf(patched(golden('answer.f32'), 6, [3])).sentence).toBe('answer: unknown flags 2');
  });

  test('[FRAME-6] a reserved byte that is used', () => {
    const { sentence } = refusalOf(frameOf({ tag: LEAVE, reserved: 9 }, new Uint8Array(0)));
    expect(sentence).toBe('frame: expected 0 in the reserved byte, got 9');
  });

  test('[FRAME-5] a wrong checksum', () => {
    const frame = golden('outcome');
    frame[frame.length - 1] ^= 1;
    expect(refusalOf(frame).sentence).toBe('frame: checksum does not match: damaged in transit');
  });

  test('[FRAME-2] [FRAME-10] bytes after the frame, and after the payload', () => {
    const frame = golden('moments');
    expect(refusalOf(Buffer.concat([frame, Buffer.alloc(2)])).sentence).toMatch(/by its length, got/);
    const longer = Buffer.concat([payloadOf(frame), Buffer.alloc(2)]);
    const { sentence } = refusalOf(frameOf({ tag: frame[5] }, longer));
    expect(sentence).toBe('moments: expected the end of the payload, got 2 more bytes');
  });

  test('[FRAME-10] a payload that stops short says which field is missing what', () => {
    const frame = golden('answer.f64');
    const { code, sentence } = refusalOf(frameOf({ tag: frame[5] }, payloadOf(frame).subarray(0, 29)));
    expect([code, sentence]).toEqual([
      'BAD_FRAME',
      'answer: expected 8 more bytes for scalars[0].loss, got 3',
    ]);
  });
});

describe('the order of the checks', () => {
  /** Each spoils a good `leave` in one way; a decoder finds the first of any two. */
  const FAULTS: readonly [name: string, says: RegExp, spoil: (frame: Uint8Array) => Uint8Array][] = [
    ['magic', /"KNDR"/, (frame) => patched(frame, 0, [0])],
    ['version', /version/, (frame) => patched(frame, 4, [99])],
    ['length', /by its length/, (frame) => patched(frame, 8, [0xff])],
    ['checksum', /checksum/, (frame) => frame.with(-1, frame.at(-1)! ^ 1)],
    ['reserved byte', /reserved/, (frame) => patched(frame, 7, [1])],
    ['tag', /unknown message tag/, (frame) => patched(frame, 5, [0x7f])],
    ['flags', /flags/, (frame) => patched(frame, 6, [0x40])],
    ['end of payload', /more bytes/, () => frameOf({ tag: LEAVE }, new Uint8Array(9))],
  ];

  test('[FRAME-11] of any two faults the earlier one in the order is named', () => {
    for (let first = 0; first < FAULTS.length; first++) {
      for (let second = first + 1; second < FAULTS.length; second++) {
        // The later fault is made first: what seals a frame again must not hide a damage that comes before it.
        const frame = FAULTS[first][2](FAULTS[second][2](frameOf({ tag: LEAVE }, new Uint8Array(4))));
        expect(refusalOf(frame).sentence, `${FAULTS[first][0]}, ${FAULTS[second][0]}`).toMatch(
          FAULTS[first][1],
        );
      }
    }
  });

  test('[FRAME-11] size before magic, direction before flags', () => {
    expect(refusalOf(new Uint8Array(3)).sentence).toMatch(/at least 16 bytes/);
    const reject = patched(golden('reject'), 6, [0x40]);
    expect(() => decodeFrom('participant', reject)).toThrow(/a participant may not send this message/);
  });
});

describe('lengths that lie', () => {
  test('[LIMIT-1] a frame of 4 GiB by its length', () => {
    for (const { message, precision } of SAMPLES) {
      const frame = encode(message, precision);
      const { sentence } = refusalOf(patched(frame, 8, u32(0xffff_ffff)));
      expect(sentence).toBe(`frame: expected 4294967311 bytes by its length, got ${frame.length}`);
    }
  });

  test('[LIMIT-1] vectors and texts that are longer than the rest of the frame, or than allowed', () => {
    // The length before u is 3 numbers, two presence bytes and the checksum from the end.
    const answer = golden('answer.f64');
    const uAt = answer.length - 4 - 2 - 3 * 8 - 4;
    expect(refusalOf(patched(answer, uAt, u32(4))).sentence).toBe(
      'answer: expected 32 more bytes for u, got 26',
    );
    expect(refusalOf(patched(answer, uAt, u32(0xffff_ffff))).sentence).toBe(
      'answer: u: expected at most 1000001 numbers, got 4294967295',
    );
    const both = golden('answer-previous.f64');
    const beforeAt = both.length - 4 - 1 - 3 * 8 - 4;
    expect(refusalOf(patched(both, beforeAt, u32(0xffff_ffff))).sentence).toBe(
      'answer: previous: expected at most 1000001 numbers, got 4294967295',
    );
    const join = golden('join');
    expect(refusalOf(patched(join, 44, [201, 0])).sentence).toBe(
      'join: id: expected at most 200 bytes, got 201',
    );
    expect(refusalOf(patched(join, 44, [7, 0])).sentence).toBe('join: expected 7 more bytes for id, got 6');
    const welcome = golden('welcome-before-scaling');
    expect(refusalOf(patched(welcome, 12, u32(0xffff_fff0))).sentence).toMatch(
      /settings: expected at most 100000/,
    );
  });

  test('[LIMIT-1] every limit is kept', () => {
    const tight = {
      ...DEFAULT_LIMITS,
      maxFeatures: 2,
      maxIdBytes: 8,
      maxTextBytes: 400,
      maxParticipants: 16,
    };
    for (const { name, message, precision } of SAMPLES) {
      if (message.kind === 'welcome') continue;
      expect(tryDecode(encode(message, precision), tight), name).toEqual({ message });
    }
    const cases: readonly (readonly [string, Partial<typeof tight>])[] = [
      ['answer.f64', { maxFeatures: 1 }],
      ['answer-previous.f32', { maxFeatures: 1 }],
      ['welcome', { maxFeatures: 1 }],
      ['welcome', { maxTextBytes: 100 }],
      ['reject', { maxTextBytes: 20 }],
      ['join', { maxIdBytes: 5 }],
      ['join', { maxFrameBytes: 40 }],
      ['roster', { maxParticipants: 1 }],
      ['roster', { maxIdBytes: 5 }],
      ['moments-labels', { maxLabels: 1 }],
      ['moments-labels', { maxIdBytes: 7 }],
      ['welcome-classes', { maxLabels: 1 }],
      ['moments-columns', { maxLevels: 1 }],
      ['welcome-columns', { maxLevels: 1 }],
      ['dealt', { maxParticipants: 1 }],
      ['counted', { maxParticipants: 8 }],
      ['masked', { maxParticipants: 8 }],
    ];
    for (const [name, limit] of cases) {
      const { code, sentence } = refusalOf(golden(name), { ...DEFAULT_LIMITS, ...limit });
      expect([code, sentence]).toEqual(['BAD_FRAME', expect.stringMatching(/expected at most \d+/)]);
    }
  });
});

describe('numbers that are none', () => {
  /** Paths and values of all numbers that travel as f64 or f32: in the samples these are never whole. */
  function* fractions(value: unknown, path: string): Generator<[string, number]> {
    if (typeof value === 'number' && !Number.isInteger(value) && Number.isFinite(value)) yield [path, value];
    if (typeof value !== 'object' || value === null) return;
    const indexed = Array.isArray(value) || ArrayBuffer.isView(value);
    for (const [key, inner] of Object.entries(value)) {
      yield* fractions(inner, indexed ? `${path}[${key}]` : path === '' ? key : `${path}.${key}`);
    }
  }

  const bytesOf = (value: number, width: 4 | 8): Buffer =>
    Buffer.from(width === 8 ? Float64Array.of(value).buffer : Float32Array.of(value).buffer);

  /** The one place that differs when the one field does. */
  function placeOf(frame: Uint8Array, value: number, width: 4 | 8): number {
    const at = Buffer.from(frame).indexOf(bytesOf(value, width), 12);
    expect(at).toBeGreaterThan(0);
    expect(Buffer.from(frame).indexOf(bytesOf(value, width), at + 1)).toBe(-1);
    return at;
  }

  for (const { name, message, precision } of SAMPLES) {
    const { settings: _, ...rest } = message as Message & { settings?: unknown };
    const sent = rest.kind === 'answer' ? { ...rest, scalars: headScalars(rest.scalars) } : rest;
    const fields = [...fractions(sent, '')];
    if (fields.length === 0) continue;
    test(`[TYPE-1] [TYPE-2] ${name}: ${fields.length} fields`, () => {
      const frame = encode(message, precision);
      for (const [path, value] of fields) {
        const isVector = /^(u|previous|w)\[/.test(path);
        const width = precision === 'f32' && isVector ? 4 : 8;
        const at = placeOf(frame, value, width);
        for (const bad of [Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY]) {
          const bent = patched(frame, at, [...bytesOf(bad, width)]);
          if (path === 'waitMs' && bad === Number.POSITIVE_INFINITY) {
            expect(tryDecode(bent)).toEqual({ message: { ...message, waitMs: bad } });
            continue;
          }
          if (path.endsWith('.slack') && bad === Number.POSITIVE_INFINITY) {
            expect(tryDecode(bent)).toHaveProperty('message.kind', message.kind);
            continue;
          }
          const refusal = refusalOf(bent);
          expect(refusal.code).toBe('NOT_FINITE');
          expect(refusal.sentence).toContain(`${message.kind}: ${path}: expected a finite number`);
          expect(refusal.sentence).toContain(`got ${bad}`);
        }
      }
    });
  }
});

describe('words and texts', () => {
  test('[TYPE-6] unknown words', () => {
    expect(refusalOf(patched(golden('round-train.f64'), 24, [3])).sentence).toBe(
      'round: purpose: expected one of 1, 2, got 3',
    );
    expect(refusalOf(patched(golden('finish.f64'), 24, [0])).sentence).toMatch(
      /finish: reason: expected one of/,
    );
    expect(refusalOf(patched(golden('plan'), 20, [0])).sentence).toBe(
      'plan: purpose: expected one of 1, 2, got 0',
    );
    expect(refusalOf(patched(golden('reject'), 12, [200])).sentence).toMatch(/reject: code: expected one of/);
  });

  test('[TYPE-4] [TYPE-5] an id that is empty, or no UTF-8', () => {
    const fixed = payloadOf(golden('join')).subarray(0, 32);
    const withId = (bytes: readonly number[]) =>
      frameOf({ tag: JOIN }, Uint8Array.from([...fixed, bytes.length, 0, ...bytes]));
    expect(refusalOf(withId([])).sentence).toBe('join: id: expected at least 1 byte, got 0');
    // A stray continuation, an overlong slash, half a surrogate pair, a sequence cut short.
    for (const bytes of [[0x80], [0xc0, 0xaf], [0xed, 0xa0, 0x80], [0xf0, 0x9f, 0x98]]) {
      expect(refusalOf(withId(bytes)).sentence).toBe('join: id: expected UTF-8 text, got other bytes');
    }
    expect(tryDecode(withId([0xef, 0xbb, 0xbf]))).toHaveProperty('message.id', '\ufeff');
  });

  test('[TYPE-7] a share of a change that is none', () => {
    for (const factor of [0, -0.5, 1.0000000000000002]) {
      const bytes = [...new Uint8Array(Float64Array.of(factor).buffer)];
      const { code, sentence } = refusalOf(patched(golden('outcome'), 24, bytes));
      expect(code).toBe('BAD_FRAME');
      expect(sentence).toBe(
        `outcome: accepted.factor: expected a number above 0 and at most 1, got ${factor}`,
      );
    }
  });

  test('[TYPE-8] vectors that should be of one length', () => {
    const payload = Uint8Array.from([
      ...u32(9),
      ...u32(1),
      ...new Uint8Array(8),
      ...u32(0),
      0,
      0,
      0,
      0,
      0,
      0,
    ]);
    const refusal = refusalOf(frameOf({ tag: 0x02 }, payload));
    expect(refusal.code).toBe('WRONG_SHAPE');
    expect(refusal.sentence).toBe('moments: expected as many numbers in m2 as in mean (1), got 0');
  });

  test('[TYPE-3] a presence byte that is neither', () => {
    const frame = golden('welcome-before-scaling');
    const { sentence } = refusalOf(patched(frame, frame.length - 11, [2]));
    expect(sentence).toBe('welcome: scaling: expected 0 (absent) or 1 (present), got 2');
    const answer = golden('answer.f64');
    expect(refusalOf(patched(answer, answer.length - 6, [2])).sentence).toBe(
      'answer: previous: expected 0 (absent) or 1 (present), got 2',
    );
    expect(refusalOf(patched(golden('round-train.f64'), 61, [2])).sentence).toBe(
      'round: sendPrevious: expected 0 (no) or 1 (yes), got 2',
    );
  });
});

describe('agreements', () => {
  const welcome = (changes: object) => ({ ...WELCOME_SAMPLE, ...changes }) as Message;
  const AGREED = WELCOME_SAMPLE.agreement!;

  test('[TYPE-12] a positive class that is no class, a scale that is not above 0, a scaling without an agreement', () => {
    // Encoded by hand: a sender does not write what it would have to refuse.
    const frame = golden('welcome');
    const scale = new Uint8Array(Float64Array.of(66.25).buffer);
    const at = frame.findIndex((_, i) => scale.every((byte, k) => frame[i + k] === byte));
    for (const value of [0, -1]) {
      const { code, sentence } = refusalOf(
        patched(frame, at, [...new Uint8Array(Float64Array.of(value).buffer)]),
      );
      expect([code, sentence]).toEqual([
        'BAD_FRAME',
        `welcome: agreement.target.scale: expected a number above 0, got ${value}`,
      ]);
    }
    const classes = golden('welcome-classes');
    const text = new TextEncoder().encode('mild');
    const label = classes.findIndex((_, i) => text.every((byte, k) => classes[i + k] === byte));
    const other = patched(classes, label + 6, [...new TextEncoder().encode('severe!!')]);
    expect(refusalOf(other).sentence).toBe('welcome: agreement.classes.positive: expected one of the labels');
    expect(() => encode(welcome({ agreement: undefined }), 'f64')).toThrow(
      /expected an agreement with the scaling/,
    );
    expect(() =>
      encode(welcome({ agreement: { ...AGREED, target: { shift: 0, scale: 0 } } }), 'f64'),
    ).toThrow(/above 0/);
  });
});

describe('settings', () => {
  const welcome = (text: string): Uint8Array => {
    const bytes = new TextEncoder().encode(text);
    const before = [0, 0, ...u32(BEFORE.awaited), 0];
    return frameOf({ tag: WELCOME }, Uint8Array.from([...u32(bytes.length), ...bytes, ...before]));
  };
  const changed = (change: object): Uint8Array => welcome(JSON.stringify({ ...SETTINGS, ...change }));

  test('[SETTINGS-2] are taken in any order and spacing', () => {
    const turned = Object.fromEntries(Object.entries(SETTINGS).reverse());
    const message = { kind: 'welcome', settings: SETTINGS, ...BEFORE };
    expect(tryDecode(welcome(JSON.stringify(turned, null, 4)))).toEqual({ message });
  });

  const wrong: Readonly<Record<string, readonly unknown[]>> = {
    method: ['local', 1, undefined],
    objective: ['ranking', 1, null, undefined],
    loss: ['squared', undefined],
    training: ['updates', 1, undefined],
    c1: [0, -1, '1', null, undefined],
    c2: [0, -0.5, undefined],
    epsilon: [-0.1, undefined],
    classWeight: ['heavy'],
    scale: ['minmax'],
    scaleTarget: ['center', undefined],
    bias: [1, 'true', undefined],
    features: [0, 1.5, -1, 2 ** 32, 1_000_001],
    passes: [0, 2 ** 32],
    seed: [-1, 0.5, 2 ** 53],
    straggler: ['never'],
    precision: ['f16'],
    retryMs: [0, -1, 2 ** 31, undefined],
    secure: [
      true,
      {},
      { ...SECURE_SETTINGS, scaleBits: 53 },
      { ...SECURE_SETTINGS, scaleBits: 30.5 },
      { ...SECURE_SETTINGS, stepBits: 8 },
      { ...SECURE_SETTINGS, limit: 0 },
      { ...SECURE_SETTINGS, dropout: 1 },
      { ...SECURE_SETTINGS, corrupted: -0.1 },
      { ...SECURE_SETTINGS, phaseMs: 10 },
    ],
    atoms: [6],
    extra: [1],
  };
  for (const [key, values] of Object.entries(wrong)) {
    test(`[SETTINGS-1] [VERSION-2] ${key} out of its range`, () => {
      for (const value of values) {
        const { code, sentence } = refusalOf(changed({ [key]: value }));
        expect(code).toBe('BAD_FRAME');
        expect(sentence).toMatch(/^welcome: settings[.:]/);
        expect(sentence).toContain(key);
      }
    });
  }

  test('[SETTINGS-1] a number past all numbers', () => {
    const { code, sentence } = refusalOf(welcome(JSON.stringify(SETTINGS).replace('"c1":10', '"c1":1e999')));
    expect(code).toBe('NOT_FINITE');
    expect(sentence).toContain('c1');
  });

  test('[SETTINGS-1] what is not JSON, or not an object', () => {
    for (const text of ['', '{', 'undefined', '\u0000', '['.repeat(90_000), '{"a":'.repeat(10_000)]) {
      expect(refusalOf(welcome(text)).sentence).toBe('welcome: settings: expected JSON, got other text');
    }
    for (const text of ['null', '[]', '1', '"x"', 'true', '{}', `${'['.repeat(9000)}${']'.repeat(9000)}`]) {
      expect(refusalOf(welcome(text)).sentence).toMatch(/^welcome: settings: /);
    }
  });

  test('keys that mean something to JavaScript', () => {
    const text = JSON.stringify(SETTINGS).replace('{', '{"__proto__":{"c1":-1},"constructor":1,');
    expect(refusalOf(welcome(text)).code).toBe('BAD_FRAME');
  });

  test('[LIMIT-2] a refusal does not repeat all that was sent', () => {
    const { sentence } = refusalOf(changed({ ['k'.repeat(90_000)]: 1 }));
    expect(sentence.length).toBeLessThan(300);
  });
});
