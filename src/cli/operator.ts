/** kindred invite and kindred revoke: what an operator asks of a running server. */
import type { Command } from 'commander';
import { inputError } from '../base/errors.ts';
import { checkToken, readToken, tokenFileOf } from '../node/admin/operator-token.ts';
import {
  postToServer,
  type ServerAccess,
  type ServerAddress,
  serverAddress,
} from '../node/admin/server-client.ts';
import { ANYTHING, list, number, text, whole } from '../settings/kinds.ts';
import { object } from '../settings/objects.ts';
import { durationValue, finish, valued } from './flags.ts';
import { reportInvitations } from './invitation-report.ts';
import { type Io, note } from './io.ts';
import { writeResult } from './layout.ts';
import { addTlsOptions, readTls, type TlsFlags } from './tls-files.ts';

export interface OperatorFlags extends TlsFlags {
  readonly federation?: string;
  readonly tokenFile?: string;
  readonly store: string;
  readonly json?: true;
}

interface InviteFlags extends OperatorFlags {
  readonly name?: string;
  readonly count?: number;
  readonly expires?: number;
  readonly key?: string;
  readonly qr: boolean;
}

const URL_ARGUMENT = 'address of the server: http://127.0.0.1:7070; the path may name the federation';
const LONGEST_MS = 100 * 365 * 24 * 3_600_000;

const invitation = object(
  { token: text(), participant: text().optional(), expiresMs: number().optional() },
  'ignored',
);
const invitationsKind = object({ invitations: list(invitation, 'a list') }, 'ignored');

export function addInvite(program: Command, io: Io): void {
  const command = program
    .command('invite')
    .description('Create invitations to a federation of a running server.')
    .argument('<url>', URL_ARGUMENT)
    .option('--name <participant>', 'participant that may use the invitation (default: anyone who has it)')
    .addOption(valued('--count <number>', 'number of invitations', whole(1, 1000)))
    .option(
      '--expires <time>',
      'time until expiry: 12h, 7d (default: never)',
      durationValue('--expires', LONGEST_MS),
    )
    .option('--no-qr', 'draw no QR code of the link')
    .option('--key <key>', 'enrol --name with its public key (base64url), without an invitation')
    .action((url: string, flags: InviteFlags) => runInvite(io, url, flags));
  addOperatorOptions(command);
  finish(
    command,
    'kindred invite http://127.0.0.1:7070 --name ada --expires 7d > ada.invitation',
    'kindred invite https://host:7070/wards --count 20 --token-file wards.token --ca ca.pem --json',
  );
}

export function addRevoke(program: Command, io: Io): void {
  const command = program
    .command('revoke')
    .description('Revoke the admission of a participant to a federation of a running server.')
    .argument('<url>', URL_ARGUMENT)
    .argument('<participant>', 'name of the participant')
    .action((url: string, name: string, flags: OperatorFlags) => runRevoke(io, url, name, flags));
  addOperatorOptions(command);
  finish(command, 'kindred revoke http://127.0.0.1:7070 ada');
}

function addOperatorOptions(command: Command): void {
  addTokenOptions(
    command.option(
      '--federation <name>',
      'name of the federation (default: the path of the address, or default)',
    ),
  );
}

/** How to find the token, and whom to trust. */
export function addTokenOptions(command: Command): void {
  command
    .option('--token-file <file>', 'file with the operator token (default: <store>.token)')
    .option('--store <address>', 'store of the server, to find its operator token', 'kindred.db');
  addTlsOptions(command);
}

async function runInvite(io: Io, url: string, flags: InviteFlags): Promise<void> {
  const address = serverAddress(url, flags.federation);
  if (flags.key !== undefined) return await allow(io, address, flags, flags.key);
  const { name, count, expires } = flags;
  if (name !== undefined && (count ?? 1) > 1)
    throw inputError('BAD_OPTION', `option --count: expected 1 with --name, got ${count}`);
  // JSON leaves out what is undefined.
  const body = { participant: name, count, lifetimeMs: expires };
  const access = await accessFrom(io, flags);
  const { invitations } = await postToServer(address, '/invitations', body, access, invitationsKind);
  await reportInvitations(io, { ...address, invitations }, flags);
}

async function allow(io: Io, address: ServerAddress, flags: InviteFlags, key: string): Promise<void> {
  const { name, count, expires } = flags;
  if (name === undefined) throw inputError('BAD_OPTION', 'option --key: expected --name as well');
  if (count !== undefined || expires !== undefined)
    throw inputError('BAD_OPTION', 'option --key: expected neither --count nor --expires');
  const done = `${name} may join federation ${address.federation} with this key`;
  await change(io, address, flags, name, 'allow', { key }, done);
}

async function runRevoke(io: Io, url: string, name: string, flags: OperatorFlags): Promise<void> {
  const address = serverAddress(url, flags.federation);
  const done = `${name} may no longer join federation ${address.federation}`;
  await change(io, address, flags, name, 'revoke', {}, done);
  if (!flags.json) await note(io, 'its contribution stays in the model until it is forgotten');
}

/** Asks the server to change one participant; `done` says what has changed. */
async function change(
  io: Io,
  address: ServerAddress,
  flags: OperatorFlags,
  name: string,
  what: 'allow' | 'revoke',
  body: object,
  done: string,
): Promise<void> {
  const path = `/participants/${encodeURIComponent(name)}/${what}`;
  const participant = await postToServer(address, path, body, await accessFrom(io, flags), ANYTHING);
  await writeResult(io, flags, { federation: address.federation, participant }, () => [done]);
}

export async function accessFrom(io: Io, flags: OperatorFlags): Promise<ServerAccess> {
  const { tokenFile, store } = flags;
  const tls = await readTls(flags);
  const file = tokenFile ?? tokenFileOf(store);
  const given = io.env.KINDRED_OPERATOR_TOKEN;
  const { env } = io;
  if (given && tokenFile === undefined)
    return { token: checkToken(given, 'KINDRED_OPERATOR_TOKEN'), tls, env };
  const token = readToken(file);
  if (token !== undefined) return { token, tls, env };
  throw inputError(
    'NO_TOKEN',
    `${file}: expected the operator token of the server, found no such file; give --token-file or --store`,
  );
}
