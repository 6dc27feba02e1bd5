/** The declarations themselves: every setting has words, its flag, and its place in the reference. */
import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { settingsDocument } from '../../src/settings/document.ts';
import { FEDERATION, FEDERATION_FLAGS, SECURE_OPTIONS, upgraded } from '../../src/settings/federation.ts';
import type { Fields } from '../../src/settings/kind.ts';
import { defaultLoss, LOSS_NAMES, LOSSES, unfitLoss } from '../../src/settings/losses.ts';
import { flagOf } from '../../src/settings/refused.ts';
import { SCENARIO } from '../../src/settings/scenario.ts';
import { settingFlags } from '../../src/settings/setting-flags.ts';
import { PERSONALISING, TRAINING } from '../../src/settings/training.ts';
import { DP, honest, WIRE, wireKind } from '../../src/settings/wire.ts';
import { LOSSES as IMPLEMENTED } from '../../src/solver/losses/losses.ts';
import { run } from '../cli/helpers.ts';

test('docs/settings.md is current (node scripts/settings-docs.mjs)', () => {
  const text = readFileSync(new URL('../../docs/settings.md', import.meta.url), 'utf8');
  expect(text).toBe(settingsDocument());
});

const all = { TRAINING, PERSONALISING, FEDERATION, SCENARIO };
test.each(Object.entries(all))('%s: each setting says what it means', (_, fields) => {
  const check = (inner: Fields, prefix: string) => {
    for (const [key, { is, declared }] of Object.entries(inner)) {
      expect(declared.about, `${prefix}${key}`).toMatch(/^[a-z][^.]{2,110}$/);
      for (const part of is.parts ?? []) check(part.fields, `${prefix}${key}.`);
    }
  };
  check(fields, '');
});

describe('every setting that one value can say has a flag', () => {
  test.each<[string, Fields]>([
    ['train', TRAINING],
    ['personalise', PERSONALISING],
    ['serve', FEDERATION_FLAGS],
  ])('of kindred %s', async (command, fields) => {
    const { stdout } = await run([command, '--help']);
    for (const { flag } of settingFlags(fields)) expect(stdout).toContain(`  ${flag}`);
  });

  test('inside of objects, too', () => {
    const flags = settingFlags(FEDERATION_FLAGS).map(({ flag }) => flag.split(' ')[0]);
    for (const [outer, inner] of Object.entries({ dp: { ...DP, honest }, secure: SECURE_OPTIONS }))
      for (const key of Object.keys(inner)) expect(flags).toContain(flagOf(`${outer}-${key}`));
    expect(new Set(flags).size).toBe(flags.length);
  });
});

test('the wire has settings of the federation, and what follows from them: features is a number there, and their map has its own key', () => {
  const own = Object.keys(WIRE).filter((key) => !(key in FEDERATION));
  expect(own).toEqual(['training', 'map']);
  expect(wireKind.is.expected).toContain('method, objective, loss');
});

describe('losses', () => {
  test('each name is implemented, for the objective that it is declared for', () => {
    expect(Object.keys(IMPLEMENTED).sort()).toEqual([...LOSS_NAMES].sort());
    for (const name of LOSS_NAMES) expect(IMPLEMENTED[name].task).toBe(LOSSES[name]);
  });

  test('fit an objective or are refused', () => {
    for (const objective of ['classification', 'regression'] as const) {
      expect(unfitLoss(objective, defaultLoss(objective))).toBeUndefined();
      for (const name of LOSS_NAMES)
        expect(unfitLoss(objective, name) === undefined).toBe(LOSSES[name] === objective);
    }
  });
});

describe('what version 3 stored is read as it was meant', () => {
  test.each([
    [
      { objective: 'regression', c2: 3 },
      { method: 'mtl', loss: 'epsilon-insensitive', c2: 3 },
    ],
    [
      { objective: 'classification', c2: 1e300 },
      { method: 'mocha', loss: 'hinge', c2: 1 },
    ],
    [
      { objective: 'classification', c2: 2, aggregation: 'mocha' },
      { method: 'mocha', aggregation: 'safe' },
    ],
    [
      { method: 'global', loss: 'logistic', c2: 1e300 },
      { method: 'global', loss: 'logistic', c2: 1e300 },
    ],
  ])('%j', (stored, read) => {
    expect(upgraded(stored)).toMatchObject(read);
  });
});
