import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { encode } from '../../src/protocol/codec.ts';
import { FAULT_CODES, REJECT_CODES } from '../../src/protocol/codes.ts';
import { ProtocolError } from '../../src/protocol/protocol-error.ts';
import { KINDS } from './arbitrary.ts';
import { decode } from './frames.ts';
import { SAMPLES } from './samples.ts';

/**
 * Frames as files. A difference here means that old and new versions no longer understand each other: that needs a new
 * PROTOCOL_VERSION. Then UPDATE_GOLDEN=1 writes them again, and those of the version before stay in a folder of their own.
 */
const FOLDER = join(import.meta.dirname, '../fixtures/protocol');
const PROTOCOL_MD = join(import.meta.dirname, '../../src/protocol/PROTOCOL.md');

/** Sixteen bytes a line. */
function toHex(bytes: Uint8Array): string {
  const lines: string[] = [];
  for (let at = 0; at < bytes.length; at += 16) {
    const line = [...bytes.subarray(at, at + 16)].map((byte) => byte.toString(16).padStart(2, '0'));
    lines.push(`${line.join(' ')}\n`);
  }
  return lines.join('');
}

function fromHex(text: string): Uint8Array {
  return Uint8Array.from(text.split(/\s+/).filter(Boolean), (byte) => Number.parseInt(byte, 16));
}

describe('golden frames', () => {
  for (const { name, precision, message } of SAMPLES) {
    const path = join(FOLDER, `${name}.hex`);
    if (process.env.UPDATE_GOLDEN) writeFileSync(path, toHex(encode(message, precision)));

    test(`[FRAME-1] ${name}: encode gives the bytes of the fixture`, () => {
      expect(toHex(encode(message, precision))).toBe(readFileSync(path, 'utf8'));
    });

    test(`${name}: decode gives the message back`, () => {
      expect(decode(fromHex(readFileSync(path, 'utf8')))).toEqual(message);
    });
  }

  test('there is a frame for every kind, and no fixture without a sample', () => {
    expect(new Set(SAMPLES.map(({ message }) => message.kind))).toEqual(new Set(KINDS));
    const fixtures = readdirSync(FOLDER).filter((name) => name.endsWith('.hex'));
    expect(fixtures.sort()).toEqual(SAMPLES.map(({ name }) => `${name}.hex`).sort());
  });

  test('[TYPE-10] only what is said every round differs by precision', () => {
    for (const { name, message } of SAMPLES) {
      const same = Buffer.compare(encode(message, 'f32'), encode(message, 'f64')) === 0;
      expect(same, name).toBe(!/^(answer|round|finish)/.test(name));
    }
  });

  test('[SETTINGS-2] settings are the same bytes in whatever order they are given', () => {
    const sample = SAMPLES.find(({ name }) => name === 'welcome')!;
    if (sample.message.kind !== 'welcome') throw new Error('not a welcome');
    const turned = Object.fromEntries(Object.entries(sample.message.settings).reverse());
    const message = { ...sample.message, settings: turned as unknown as typeof sample.message.settings };
    expect(encode(message, 'f64')).toEqual(encode(sample.message, 'f64'));
  });
});

const folderOf = (version: string) =>
  readdirSync(join(FOLDER, version)).map((name) => readFileSync(join(FOLDER, version, name), 'utf8'));
const V3: Readonly<Record<string, string>> = JSON.parse(
  readFileSync(join(FOLDER, '../v0.1.0/frames.json'), 'utf8'),
);

describe.each([
  [2, 28, folderOf('v2')],
  [3, 29, Object.values(V3).map((hex) => hex.replace(/../g, '$& '))],
  [4, 29, folderOf('v4')],
  [5, 34, folderOf('v5')],
  [6, 42, folderOf('v6')],
] as const)('frames of version %d', (version, count, frames) => {
  test('[VERSION-1] [FRAME-4] are refused, each with BAD_VERSION and a sentence that names both versions and says what to do', () => {
    expect(frames).toHaveLength(count);
    const sentence = `frame: expected protocol version 7, got version ${version}; update kindred at the sender`;
    const refusal = new ProtocolError('BAD_VERSION', sentence);
    for (const frame of frames) expect(() => decode(fromHex(frame)), frame).toThrow(refusal);
  });
});

describe('PROTOCOL.md', () => {
  const text = readFileSync(PROTOCOL_MD, 'utf8');

  test('its worked example is the golden outcome frame', () => {
    const block = text.split('<!-- outcome.hex -->')[1].match(/```\n([\s\S]*?)```/)![1];
    expect(block).toBe(readFileSync(join(FOLDER, 'outcome.hex'), 'utf8'));
  });

  test('it speaks of every message and every code', () => {
    for (const code of FAULT_CODES) expect(text).toContain(`| \`${code}\` |`);
    for (const kind of KINDS) expect(text).toMatch(new RegExp(`^### 0x[0-9a-f]{2} ${kind}$`, 'm'));
    for (const code of REJECT_CODES) expect(text).toContain(`| \`${code}\` |`);
  });
});
