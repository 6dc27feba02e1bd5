/** `kindred demo` on a terminal: serves until ctrl-c, and leaves nothing behind. */
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { makeHarPerson } from '../../src/data/generate-har.ts';
import { joinFederation } from '../../src/node/client/join.ts';
import { parseLink } from '../../src/web/join/link.ts';
import { script, Terminal } from '../helpers/terminal.ts';
import { launcher, useBuilt } from '../node/client/helpers.ts';

useBuilt();
const LONG = 240_000;
const LINK = /^Take part +(\S+)\s/m;
let terminal: Terminal | undefined;
let folder = '';

/** Everything that it starts has this folder in its arguments. */
function demo(...flags: string[]): Terminal {
  folder = mkdtempSync(join(tmpdir(), 'kindred-live-'));
  terminal = new Terminal(`"${process.execPath}" "${launcher}" demo ${flags.join(' ')}`, {
    TMPDIR: folder,
    NO_COLOR: '1',
  });
  return terminal;
}

function running(): string[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name) && existsSync(`/proc/${name}/cmdline`))
    .map((name) => commandOf(name))
    .filter((command) => command.includes(folder));
}

function commandOf(pid: string): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ');
  } catch {
    // It has just ended.
    return '';
  }
}

afterEach(() => {
  terminal?.kill();
  rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
});

test.skipIf(!script)(
  'prints the dashboard at once, trains, invites a guest who wakes the federation, and ends at ctrl-c',
  async () => {
    const shown = demo('--participants', '3');
    const [, dashboard] = await shown.reads(/^Dashboard +(\S+)\s/m);
    expect(shown.output).not.toContain('Training took');
    const page = await fetch(dashboard);
    expect([page.status, page.headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8']);
    const [, address] = await shown.reads(LINK);
    await shown.reads(/ctrl-c/);
    expect(shown.output).toMatch(/mtl +shared part/);
    expect(running()).toHaveLength(4);
    const { origin, pathname, hash } = new URL(address);
    expect([`${origin}/`, pathname]).toEqual([dashboard, '/join/default']);
    const { invitation, name, demo: person } = parseLink(hash);
    expect([name, person]).toEqual(['guest-1', { seed: 1, person: 4 }]);
    const state = async () => (await (await fetch(`${origin}/v1/federations/default`)).json()) as State;
    const before = await state();
    const guest = joinFederation({
      url: origin,
      data: { table: makeHarPerson(4, { seed: 1 }) },
      participant: name!,
      invitation,
      stateFolder: join(folder, 'guest'),
    });
    const { reason, base, participants, missing } = await guest.done;
    // Everybody else is still there and has answered.
    expect({ reason, participants, missing }).toEqual({ reason: 'gap', participants: 4, missing: 0 });
    expect(base).toBeGreaterThan(before.round);
    await shown.reads(/Next guest.*name=guest-2/);
    shown.interrupt();
    expect(await shown.exitCode()).toBe(0);
    expect(shown.output).toMatch(/Stopped. Not verified: 1 took part in a browser/);
    expect(running()).toEqual([]);
  },
  LONG,
);

interface State {
  readonly round: number;
}

test.skipIf(!script)(
  'people have new rows while it runs, and the sum is verified at the end',
  async () => {
    const shown = demo('--participants', '2', '--data', 'motion');
    await shown.reads(/resting after round (\d+)/);
    const [, first] = /resting after round (\d+)/.exec(shown.output)!;
    await shown.reads(new RegExp(`resting after round (?!${first}\\b)\\d+`));
    // Guests bring motion of their own.
    expect(LINK.exec(shown.output)![1]).toMatch(/#invitation=[^&]+&name=guest-1$/);
    shown.interrupt();
    expect(await shown.exitCode()).toBe(0);
    expect(shown.output).toMatch(/Stopped. Verified: the contributions of all 2 participants add up/);
    expect(running()).toEqual([]);
  },
  LONG,
);

test.skipIf(!script)(
  'ctrl-c before training has ended stops everything, too',
  async () => {
    const shown = demo('--participants', '5');
    await shown.reads(/of 5 participants connected/);
    shown.interrupt();
    expect(await shown.exitCode()).toBe(0);
    expect(shown.output).toContain('Stopped before training had ended.');
    expect(running()).toEqual([]);
  },
  LONG,
);

test.skipIf(!script)(
  '--exit ends after training, with the report as without a terminal',
  async () => {
    const shown = demo('--participants', '2', '--exit');
    expect(await shown.exitCode()).toBe(0);
    expect(shown.output).toContain('Verified: the contributions of all 2 participants add up');
    expect(shown.output).not.toMatch(/Dashboard|Take part/);
    expect(running()).toEqual([]);
  },
  LONG,
);

test.skipIf(!script)(
  'on all interfaces with a certificate of its own, it draws a code for phones',
  async () => {
    const shown = demo('--participants', '2', '--host', '0.0.0.0', '--tls-self-signed');
    const [, address] = await shown.reads(LINK);
    expect(new URL(address).protocol).toBe('https:');
    await shown.reads(/ctrl-c/);
    shown.interrupt();
    expect(await shown.exitCode()).toBe(0);
    if (!/127\.0\.0\.1/.test(address)) expect(shown.output).toContain('█▀▀');
  },
  LONG,
);
