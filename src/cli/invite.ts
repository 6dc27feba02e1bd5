/** kindred invite: lets new participants into a federation, by a token or by their key. */
import type { Command } from 'commander';
import { inputError } from '../base/errors.ts';
import { postToServer, type ServerAddress, serverAddress } from '../node/admin/server-client.ts';
import { ANYTHING, list, number, object, text } from '../settings/kinds.ts';
import { addJsonOption, durationValue, example, wholeNumber } from './flags.ts';
import { type Io, notify, writeJson, writeLines } from './io.ts';
import { addOperatorOptions, type OperatorFlags, operatorAccess, URL_ARGUMENT } from './operator-options.ts';

interface Flags extends OperatorFlags {
  readonly name?: string;
  readonly count?: number;
  readonly expires?: number;
  readonly key?: string;
  readonly json?: true;
}

const LONGEST_MS = 100 * 365 * 24 * 3_600_000;

const invitation = object(
  { token: text(), participant: text().optional(), expiresMs: number().optional() },
  'ignored',
);
const invitationsKind = object({ invitations: list(invitation, 'a list') }, 'ignored');

export function addInvite(program: Command, io: Io): void {
  const command = program
    .command('invite')
    .description('Let new participants into a federation of a running server.')
    .argument('<url>', URL_ARGUMENT)
    .option('--name <participant>', 'only for the one of this name (default: whoever comes with it)')
    .option('--count <number>', 'number of invitations', wholeNumber('--count', 1, 1000))
    .option('--expires <time>', '12h, 7d (default: never)', durationValue('--expires', LONGEST_MS))
    .option('--key <key>', 'enrol --name by its public key (base64url), without an invitation')
    .action((url: string, flags: Flags) => runInvite(io, url, flags));
  addOperatorOptions(command);
  addJsonOption(command);
  example(
    command,
    'kindred invite http://127.0.0.1:7070 --name ada --expires 7d',
    'kindred invite https://host:7070/wards --count 20 --token-file wards.token --ca ca.pem --json',
  );
}

async function runInvite(io: Io, url: string, flags: Flags): Promise<void> {
  const address = serverAddress(url, flags.federation);
  if (flags.key !== undefined) return await allow(io, address, flags, flags.key);
  const { name, count, expires } = flags;
  if (name !== undefined && (count ?? 1) > 1)
    throw inputError('BAD_OPTION', `option --count: expected 1 for the one of --name, got ${count}`);
  const body = {
    ...(name !== undefined && { participant: name }),
    ...(count !== undefined && { count }),
    ...(expires !== undefined && { lifetimeMs: expires }),
  };
  const access = await operatorAccess(io, flags);
  const { invitations } = await postToServer(address, '/invitations', body, access, invitationsKind);
  if (flags.json) return await writeJson(io, { federation: address.federation, invitations });
  await writeLines(
    io,
    invitations.map(({ token }) => token),
  );
  const who = name === undefined ? 'for one new participant' : `for "${name}"`;
  await notify(
    io,
    'note',
    `each is good once, ${who}: ${io.program} join ${shownAddress(address)} ... --invitation <token>`,
  );
}

async function allow(io: Io, address: ServerAddress, flags: Flags, key: string): Promise<void> {
  const { name, count, expires } = flags;
  if (name === undefined) throw inputError('BAD_OPTION', 'option --key: expected --name with it');
  if (count !== undefined || expires !== undefined)
    throw inputError('BAD_OPTION', 'option --key: expected neither --count nor --expires with it');
  const path = `/participants/${encodeURIComponent(name)}/allow`;
  const access = await operatorAccess(io, flags);
  const participant = await postToServer(address, path, { key }, access, ANYTHING);
  if (flags.json) await writeJson(io, { federation: address.federation, participant });
  else await writeLines(io, [`${name} may join federation ${address.federation} with this key`]);
}

function shownAddress({ base, federation }: ServerAddress): string {
  return federation === 'default' ? base : `${base}/${federation}`;
}
