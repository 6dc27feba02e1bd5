/** kindred revoke: lets a participant into a federation no longer. */
import type { Command } from 'commander';
import { postToServer, serverAddress } from '../node/admin/server-client.ts';
import { ANYTHING } from '../settings/kinds.ts';
import { addJsonOption, example } from './flags.ts';
import { type Io, notify, writeJson, writeLines } from './io.ts';
import { addOperatorOptions, type OperatorFlags, operatorAccess, URL_ARGUMENT } from './operator-options.ts';

interface Flags extends OperatorFlags {
  readonly json?: true;
}

export function addRevoke(program: Command, io: Io): void {
  const command = program
    .command('revoke')
    .description('Let a participant into a federation of a running server no longer.')
    .argument('<url>', URL_ARGUMENT)
    .argument('<participant>', 'its name')
    .action((url: string, participant: string, flags: Flags) => runRevoke(io, url, participant, flags));
  addOperatorOptions(command);
  addJsonOption(command);
  example(command, 'kindred revoke http://127.0.0.1:7070 ada');
}

async function runRevoke(io: Io, url: string, name: string, flags: Flags): Promise<void> {
  const address = serverAddress(url, flags.federation);
  const access = await operatorAccess(io, flags);
  const path = `/participants/${encodeURIComponent(name)}/revoke`;
  const participant = await postToServer(address, path, {}, access, ANYTHING);
  if (flags.json) return await writeJson(io, { federation: address.federation, participant });
  await writeLines(io, [`${name} may no longer join federation ${address.federation}`]);
  await notify(io, 'note', 'what it has contributed stays in the model until it is forgotten');
}
