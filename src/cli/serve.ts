/** kindred serve: a coordinator as a service. What it runs is loaded when it runs. */
import type { Command } from 'commander';
import { MOST_SHARDS } from '../nats/subjects.ts';
import { FEDERATION_FLAGS } from '../settings/federation.ts';
import { whole } from '../settings/kinds.ts';
import { addSettings, finish, valued } from './flags.ts';
import type { Io } from './io.ts';
import { addNatsOption, addTakeoverOptions, ONE_NAMESPACE } from './nats-options.ts';
import { addFrontOptions, addLogOptions } from './serve/front-options.ts';
import type { ServeFlags } from './serve/server-options.ts';

export function addServe(program: Command, io: Io): void {
  const command = program
    .command('serve')
    .description('Run the coordinator of a federation as a service.')
    .addOption(valued('--port <number>', 'port to listen on; 0: any free port', whole(0, 65_535), 7070))
    .option('--host <address>', 'address to listen on; 0.0.0.0: all interfaces', '127.0.0.1')
    .option(
      '--store <address>',
      'SQLite file of the server, created if missing, postgres://user@host/database, or nats://host/name',
      'kindred.db',
    )
    .option(
      '--federation <name>',
      'name of the federation to run, in addition to those in the store (default: default)',
    )
    .option(
      '--federation-file <file>',
      'options of the federation as JSON, or {"name", "options"}; kindred settings federation lists them',
    )
    .action(async (flags: ServeFlags) => {
      const { runServe } = await import('./serve/run.ts');
      await runServe(io, flags);
    });
  addAccessOptions(command);
  addTreeOptions(command);
  addSettings(command.optionsGroup('Options of a new federation:'), FEDERATION_FLAGS);
  addLogOptions(command.optionsGroup('Options:'))
    .option(
      '--recount',
      'discard all answers and ask all participants again; a damaged store is moved aside and replaced',
    )
    .option('--record <folder>', 'write a run log of every federation here')
    .option('--reports <folder>', 'show the reports of kindred reproduce in this folder on the dashboard')
    .option('--exit-when-finished', 'exit when training has ended and all participants have been notified');
  command.addHelpText(
    'after',
    '\nC1 and C2 are not searched for here: a federation cannot train before it starts.\nFind them with kindred tune, on rows that you may see.',
  );
  finish(
    command,
    'kindred serve --min-participants 3',
    'kindred serve --host 0.0.0.0 --tls-self-signed',
    'kindred serve --host 0.0.0.0 --tls-cert cert.pem --tls-key key.pem --store wards.db --gap 1e-4',
    'kindred serve --nats nats://127.0.0.1:4222 --shards 8',
  );
}

function addTreeOptions(command: Command): void {
  command.optionsGroup('Beyond one machine:');
  addNatsOption(
    command,
    'serve participants behind gateways on this NATS; several addresses separated by commas',
  );
  addTakeoverOptions(command, ONE_NAMESPACE)
    .addOption(
      valued(
        '--shards <number>',
        'shards of a new federation, with --nats (default: 8)',
        whole(1, MOST_SHARDS),
      ),
    )
    .addOption(
      valued(
        '--fan-in <number>',
        'most shards or branches below the root and below each branch of a new federation, with --nats; levels of branches follow from it (default: all shards below the root)',
        whole(2, MOST_SHARDS),
      ),
    );
}

function addAccessOptions(command: Command): void {
  command
    .optionsGroup('Access:')
    .option('--open', 'anyone may enrol (default on loopback; elsewhere participants need an invitation)')
    .option('--invite-only', 'participants need an invitation, also on loopback')
    .option('--allow <file>', 'file of participants that may join: one name and key per line')
    .option(
      '--operator-token-file <file>',
      'file with the operator token; created if missing (default: <store>.token)',
    )
    .option(
      '--tls-self-signed',
      'make a certificate for this machine, in <store>.cert.pem and <store>.key.pem or the files of --tls-cert',
    )
    .addOption(
      valued(
        '--max-enrolments <number>',
        'maximum number of participants per federation that enrol without an invitation',
        whole(1),
      ),
    );
  addFrontOptions(command);
}
