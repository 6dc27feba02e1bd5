/** kindred token: the tokens of a running server, each with a name and a role. */
import type { Command } from 'commander';
import { ROLES } from '../host/ports.ts';
import { askServer, serverAddress } from '../node/admin/server-client.ts';
import type { Json } from '../settings/kind.ts';
import { ANYTHING, choice, list, text } from '../settings/kinds.ts';
import { object } from '../settings/objects.ts';
import { durationValue, finish, valued } from './flags.ts';
import { type Io, note } from './io.ts';
import { writeResult } from './layout.ts';
import { accessFrom, addTokenOptions, type OperatorFlags } from './operator.ts';

interface AddFlags extends OperatorFlags {
  readonly role: (typeof ROLES)[number];
  readonly expires?: number;
}

interface RotateFlags extends OperatorFlags {
  readonly overlap?: number;
}

const LONGEST_MS = 100 * 365 * 24 * 3_600_000;
const LONGEST_OVERLAP_MS = 90 * 24 * 3_600_000;
const URL_ARGUMENT = 'address of the server: http://127.0.0.1:7070';

const oneToken = {
  name: text(),
  role: text(),
  expiresMs: ANYTHING,
  previousUntilMs: ANYTHING,
};
const tokenKind = object({ ...oneToken, token: text() }, 'ignored');
const tokensKind = object({ tokens: list(object(oneToken, 'ignored'), 'a list') }, 'ignored');

export function addToken(program: Command, io: Io): void {
  const token = program.command('token').description('Manage the API tokens of a running server.');
  addAdd(token, io);
  const listing = token
    .command('list')
    .description('List tokens, without their secrets.')
    .argument('<url>', URL_ARGUMENT);
  listing.action((url: string, flags: OperatorFlags) => runList(io, url, flags));
  finished(listing, 'kindred token list http://127.0.0.1:7070');
  const rotate = token
    .command('rotate')
    .description('Replace a token with a new one.')
    .argument('<url>', URL_ARGUMENT)
    .argument('<name>', 'name of the token')
    .option(
      '--overlap <time>',
      'how long the old token stays valid: 1h, 7d (default: not at all)',
      durationValue('--overlap', LONGEST_OVERLAP_MS),
    )
    .action((url: string, name: string, flags: RotateFlags) =>
      runChange(io, url, flags, `/v1/tokens/${encodeURIComponent(name)}/rotate`, {
        overlapMs: flags.overlap,
      }),
    );
  finished(rotate, 'kindred token rotate http://127.0.0.1:7070 dashboard --overlap 1d');
  const remove = token
    .command('remove')
    .description('Invalidate a token immediately.')
    .argument('<url>', URL_ARGUMENT)
    .argument('<name>', 'name of the token')
    .action((url: string, name: string, flags: OperatorFlags) => runRemove(io, url, name, flags));
  finished(remove, 'kindred token remove http://127.0.0.1:7070 dashboard');
}

function addAdd(token: Command, io: Io): void {
  const add = token
    .command('add')
    .description('Create a token.')
    .argument('<url>', URL_ARGUMENT)
    .argument('<name>', 'name of the token: letters, digits, ".", "_" and "-"')
    .addOption(valued('--role <role>', 'read, operate or admin', choice(...ROLES), 'read'))
    .option(
      '--expires <time>',
      'time until expiry: 12h, 90d (default: never)',
      durationValue('--expires', LONGEST_MS),
    )
    .action((url: string, name: string, { role, expires, ...flags }: AddFlags) =>
      runChange(io, url, flags, '/v1/tokens', { name, role, lifetimeMs: expires }),
    );
  finished(add, 'kindred token add http://127.0.0.1:7070 dashboard --role read --expires 90d');
}

function finished(command: Command, example: string): void {
  addTokenOptions(command);
  finish(command, example);
}

/** Prints the token alone on stdout, for scripts. */
async function runChange(io: Io, url: string, flags: OperatorFlags, path: string, body: Json): Promise<void> {
  const { base } = serverAddress(url);
  const made = await askServer(base, path, body, await accessFrom(io, flags), tokenKind);
  await writeResult(io, flags, made, () => [made.token]);
  if (flags.json) return;
  const old = isTime(made.previousUntilMs)
    ? `; the old token is valid until ${timeText(made.previousUntilMs)}`
    : '';
  await note(io, `token "${made.name}", role ${made.role}, valid until ${timeText(made.expiresMs)}${old}`);
}

async function runRemove(io: Io, url: string, name: string, flags: OperatorFlags): Promise<void> {
  const { base } = serverAddress(url);
  const path = `/v1/tokens/${encodeURIComponent(name)}/remove`;
  await askServer(base, path, {}, await accessFrom(io, flags), ANYTHING);
  await writeResult(io, flags, { removed: name }, () => [`token "${name}" is no longer valid`]);
}

async function runList(io: Io, url: string, flags: OperatorFlags): Promise<void> {
  const { base } = serverAddress(url);
  const found = await askServer(base, '/v1/tokens', undefined, await accessFrom(io, flags), tokensKind);
  await writeResult(io, flags, found, () => [
    'operator, role admin, from the operator token file of the server',
    ...found.tokens.map(({ name, role, expiresMs, previousUntilMs }) => {
      const old = isTime(previousUntilMs) ? `, the previous one until ${timeText(previousUntilMs)}` : '';
      return `${name}, role ${role}, valid until ${timeText(expiresMs)}${old}`;
    }),
  ]);
}

function isTime(ms: unknown): ms is number {
  return typeof ms === 'number' && Math.abs(ms) <= 8.64e15;
}

function timeText(ms: unknown): string {
  return isTime(ms) ? new Date(ms).toISOString() : 'it is removed';
}
