/** kindred serve: a coordinator as a service. What it runs is loaded when it runs. */
import type { Command } from 'commander';
import { isHostName } from '../node/server/host-names.ts';
import { FEDERATION_FLAGS } from '../settings/federation.ts';
import { choice, whole } from '../settings/kinds.ts';
import { addSettings, finish, refuse, valued } from './flags.ts';
import type { Io } from './io.ts';
import type { ServeFlags } from './serve/server-options.ts';

export function addServe(program: Command, io: Io): void {
  const command = program
    .command('serve')
    .description('Run the coordinator of a federation as a service.')
    .addOption(valued('--port <number>', 'port to listen on; 0: any that is free', whole(0, 65_535), 7070))
    .option('--host <address>', 'address to listen on; 0.0.0.0: all of this machine', '127.0.0.1')
    .option('--store <file>', 'SQLite file for everything that must last; created if missing', 'kindred.db')
    .option(
      '--federation <name>',
      'name of the federation to run, beside those in the store (default: default)',
    )
    .option(
      '--federation-file <file>',
      'its options as JSON, or {"name", "options"}; kindred settings federation lists them',
    )
    .action(async (flags: ServeFlags) => {
      const { runServe } = await import('./serve/run.ts');
      await runServe(io, flags);
    });
  addAccessOptions(command);
  addSettings(command.optionsGroup('Options of a new federation:'), FEDERATION_FLAGS);
  command
    .optionsGroup('Options:')
    .option('--log-level <level>', 'trace, debug, info, warn, error or silent', 'info')
    .addOption(
      valued(
        '--log-format <kind>',
        'pretty or json (default: json where stderr is no terminal)',
        choice('pretty', 'json'),
      ),
    )
    .option('--recount', 'ask everybody again; a damaged store is moved aside and replaced by a new one')
    .option('--record <folder>', 'write a run log of every federation here')
    .option('--exit-when-finished', 'exit when training has ended and all participants know it');
  finish(
    command,
    'kindred serve --min-participants 3',
    'kindred serve --host 0.0.0.0 --tls-cert cert.pem --tls-key key.pem --store wards.db --gap 1e-4',
  );
}

function addAccessOptions(command: Command): void {
  command
    .optionsGroup('Access:')
    .option('--open', 'anybody may enrol (default: only on loopback, by invitation elsewhere)')
    .option('--invite-only', 'by invitation, also on loopback')
    .option('--allow <file>', 'file of participants that may join: lines of name and key')
    .option(
      '--operator-token-file <file>',
      'file with the operator token; created if missing (default: <store>.token)',
    )
    .option('--tls-cert <file>', 'certificate, PEM')
    .option('--tls-key <file>', 'its key, PEM')
    .option('--tls-client-ca <file>', 'accept only clients with a certificate of this authority (mutual TLS)')
    .option('--origin <origin>', 'pages from there may use the API; may be repeated', origins)
    .option(
      '--host-name <name>',
      'a name of this server, as a proxy or DNS has it; may be repeated',
      hostNames,
    )
    .addOption(
      valued(
        '--max-enrolments <number>',
        'most participants of a federation without an invitation',
        whole(1),
      ),
    )
    .addOption(valued('--max-connections <number>', 'most connections in all', whole(1)))
    .addOption(valued('--connections-per-address <number>', 'most connections from one address', whole(1)))
    .addOption(valued('--max-frame-bytes <number>', 'largest message', whole(1024)));
}

/** No port: it may be that of a forwarder. */
function hostNames(text: string, previous: readonly string[] | undefined): readonly string[] {
  if (isHostName(text)) return [...(previous ?? []), text];
  return refuse('--host-name', 'a name or an address without a port, such as kindred.example.org', text);
}

/** As browsers send it: no path, no slash at the end. */
function origins(text: string, previous: readonly string[] | undefined): readonly string[] {
  if (URL.canParse(text) && new URL(text).origin === text) return [...(previous ?? []), text];
  return refuse('--origin', 'an origin such as https://example.org', text);
}
