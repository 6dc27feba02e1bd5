/**
 * Files and frames that earlier versions have written (scripts/make-fixtures.mjs): each is read by the present code, or refused with a
 * code and a sentence that says what to do. A format that changes turns a `read` below into the refusal that users meet.
 */
import { cpSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { ProtocolError } from '../src/protocol/protocol-error.ts';
import { run, Sandbox } from './cli/helpers.ts';
import { serve } from './helpers/serve.ts';
import { useBuilt } from './node/client/helpers.ts';
import { decode } from './protocol/frames.ts';

// Joining solves in a thread, which runs what is built.
useBuilt();

const FIXTURES = join(import.meta.dirname, 'fixtures');

type Expected = 'read' | { readonly code: string; readonly sentence: string };

interface Formats {
  readonly frames: Expected;
  readonly model: Expected;
  readonly state: Expected;
  readonly store: Expected;
  readonly runLog: Expected;
}

const VERSIONS: Readonly<Record<string, Formats>> = {
  'v0.1.0': {
    frames: {
      code: 'BAD_VERSION',
      sentence: 'frame: expected protocol version 7, got version 3; update kindred at the sender',
    },
    model: 'read',
    state: 'read',
    store: 'read',
    // Its effects hold settings of protocol 3.
    runLog: { code: 'STORED_VERSION', sentence: 'use the kindred that wrote it' },
  },
};

test('every folder of fixtures is tested', () => {
  const folders = readdirSync(FIXTURES).filter((name) => /^v\d/.test(name));
  expect(folders.sort()).toEqual(Object.keys(VERSIONS).sort());
});

describe.each(Object.entries(VERSIONS))('written by %s', (version, formats) => {
  const sandbox = new Sandbox();
  const folder = join(FIXTURES, version);
  const data = join(folder, 'data.csv');
  const either = formats.store === 'read' ? formats.state : formats.store;

  /** What comes of a command line with a fixture: success, or the refusal that is expected. */
  async function check(expected: Expected, ...argv: string[]): Promise<void> {
    const { code, stderr } = await run(argv);
    if (expected === 'read') {
      expect({ code, stderr }).toMatchObject({ code: 0 });
      return;
    }
    expect(code).toBe(2);
    expect(stderr).toContain(`[${expected.code}]`);
    expect(stderr).toContain(expected.sentence);
  }

  /** Commands may write: they get copies. */
  function copied(kind: string): { store: string; states: string[] } {
    cpSync(join(folder, kind), sandbox.path(kind), { recursive: true });
    const packed = readFileSync(join(folder, kind, 'store.db.gz'));
    const store = sandbox.write(`${kind}/store.db`, gunzipSync(packed));
    return { store, states: ['1', '2', '3'].map((id) => sandbox.path(`${kind}/state-${id}`)) };
  }

  test('frames', () => {
    const frames = JSON.parse(readFileSync(join(folder, 'frames.json'), 'utf8')) as Record<string, string>;
    expect(Object.keys(frames).length).toBeGreaterThan(20);
    for (const [name, hex] of Object.entries(frames)) {
      const frame = Uint8Array.from(Buffer.from(hex, 'hex'));
      if (formats.frames === 'read') expect(decode(frame).kind, name).toBe(name.match(/^[a-z]+/)![0]);
      else {
        const { code, sentence } = formats.frames;
        expect(() => decode(frame), name).toThrow(new ProtocolError(code as ProtocolError['code'], sentence));
      }
    }
  });

  test('a model file', () => check(formats.model, 'evaluate', '--model', join(folder, 'model.json'), data));

  describe.each(['plain', 'secure', 'interrupted'])('a federation, %s', (kind) => {
    const { store, states } = copied(kind);

    test('the run logs of both machines replay to the same effects', async () => {
      for (const name of ['coordinator.log', 'participant-1.log'])
        await check(formats.runLog, 'replay', sandbox.path(`${kind}/${name}`));
    });

    if (kind !== 'interrupted') {
      test('the states of its participants hold their models', async () => {
        for (const state of states) await check(formats.state, 'predict', '--model', state, data);
      });
    }

    test('its store and the states add up', () => check(either, 'verify', store, ...states));

    test.runIf(either === 'read')('it goes on: everybody is asked again', async () => {
      const secure = kind === 'secure' ? ['--secure'] : [];
      const { url, outcome } = await serve(['--store', store, '--recount']);
      const joined = await Promise.all(
        states.map((state, i) =>
          run(['join', url, '--data', data, '--task', `${i + 1}`, '--state', state, ...secure]),
        ),
      );
      for (const { code, stderr } of [...joined, await outcome])
        expect({ code, stderr }).toMatchObject({ code: 0 });
      await check('read', 'verify', store, ...states);
    });
  });
});
