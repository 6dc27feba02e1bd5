import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { stream } from '../../src/base/random.ts';
import { encode } from '../../src/protocol/codec.ts';
import { frameOf, payloadOf, tryDecode } from './frames.ts';
import { SAMPLES } from './samples.ts';

/** Whatever the bytes, the answer is a refusal with a code and a sentence: nothing else escapes, nothing bad is taken. */
const FRAMES = SAMPLES.map(({ name, message, precision }) => ({ name, frame: encode(message, precision) }));
const PAYLOAD_CASES = 20_000;

describe('damage in transit', () => {
  test('[FRAME-2] [FRAME-12] every golden frame, cut at every byte', () => {
    const taken: string[] = [];
    for (const { name, frame } of FRAMES) {
      for (let end = 0; end < frame.length; end++) {
        const result = tryDecode(frame.subarray(0, end));
        if (!('code' in result)) taken.push(`${name} cut at ${end}`);
      }
    }
    expect(taken).toEqual([]);
  });

  test('[FRAME-10] every golden payload, cut at every byte and sealed again', () => {
    const taken: string[] = [];
    for (const { name, frame } of FRAMES) {
      const payload = payloadOf(frame);
      for (let end = 0; end < payload.length; end++) {
        const result = tryDecode(frameOf({ tag: frame[5], flags: frame[6] }, payload.subarray(0, end)));
        if (!('code' in result) || result.code !== 'BAD_FRAME') taken.push(`${name} cut at ${end}`);
      }
    }
    expect(taken).toEqual([]);
  });

  test('[FRAME-5] [FRAME-12] every golden frame, with every single bit flipped', () => {
    const taken: string[] = [];
    for (const { name, frame } of FRAMES) {
      for (let bit = 0; bit < frame.length * 8; bit++) {
        const bent = frame.slice();
        bent[bit >> 3] ^= 1 << (bit & 7);
        if (!('code' in tryDecode(bent))) taken.push(`${name} bit ${bit}`);
      }
    }
    expect(taken).toEqual([]);
  });
});

describe('garbage', () => {
  test('[FRAME-12] random bytes', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 400 }), (bytes) => {
        expect(tryDecode(bytes)).toHaveProperty('code');
      }),
      { numRuns: 3000 },
    );
  });

  test('[FRAME-12] [FRAME-13] random bytes behind a valid header, with the right checksum', () => {
    const random = stream(1, 'garbage payloads');
    for (let i = 0; i < PAYLOAD_CASES; i++) {
      const { frame } = FRAMES[random.below(FRAMES.length)];
      const payload = Uint8Array.from({ length: random.below(200) }, () => random.u32());
      // Half of them with lengths that are small, so that the parser gets past the first one.
      if (random.below(2))
        for (let at = 0; at < payload.length; at++) if (random.below(3)) payload[at] = random.below(2);
      expectSound(frameOf({ tag: frame[5], flags: frame[6] }, payload));
    }
  });

  test('[FRAME-12] [FRAME-13] [LIMIT-2] golden payloads with a few bytes changed, dropped or added, with the right checksum', () => {
    const random = stream(1, 'bent payloads');
    for (let i = 0; i < PAYLOAD_CASES; i++) {
      const { frame } = FRAMES[random.below(FRAMES.length)];
      const payload = [...payloadOf(frame)];
      for (let edits = 1 + random.below(3); edits > 0; edits--) {
        payload.splice(
          random.below(payload.length + 1),
          random.below(3),
          ...someBytes(random.below(3), random),
        );
      }
      expectSound(frameOf({ tag: frame[5], flags: frame[6] }, Uint8Array.from(payload)));
    }
  });
});

function someBytes(count: number, random: ReturnType<typeof stream>): number[] {
  return Array.from({ length: count }, () => random.u32() & 255);
}

/** Refused, or a message that is encoded as the very same bytes: there is one frame for a message. */
function expectSound(frame: Uint8Array): void {
  const result = tryDecode(frame);
  if ('code' in result) {
    if (result.sentence.length > 300) throw new Error(`a sentence of ${result.sentence.length} characters`);
    return;
  }
  if ('escaped' in result) throw result.escaped;
  const again = encode(result.message, frame[6] === 1 ? 'f32' : 'f64');
  // JSON can be spelt in many ways.
  if (result.message.kind === 'welcome') expect(tryDecode(again)).toEqual({ message: result.message });
  else if (Buffer.compare(again, frame) !== 0) {
    throw new Error(`${result.message.kind}: taken, but encoded otherwise`);
  }
}
