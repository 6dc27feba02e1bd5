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
    .addOption(valued('--port <number>', 'port to listen on; 0: any free port', whole(0, 65_535), 7070))
    .option('--host <address>', 'address to listen on; 0.0.0.0: all interfaces', '127.0.0.1')
    .option(
      '--store <address>',
      'SQLite file of the server, created if missing, or postgres://user@host/database',
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
  addSettings(command.optionsGroup('Options of a new federation:'), FEDERATION_FLAGS);
  command
    .optionsGroup('Options:')
    .option('--log-level <level>', 'trace, debug, info, warn, error or silent', 'info')
    .addOption(
      valued(
        '--log-format <kind>',
        'pretty or json (default: json if stderr is not a terminal)',
        choice('pretty', 'json'),
      ),
    )
    .option(
      '--recount',
      'discard all answers and ask all participants again; a damaged store is moved aside and replaced',
    )
    .option('--record <folder>', 'write a run log of every federation here')
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
    .option('--tls-cert <file>', 'certificate, PEM')
    .option('--tls-key <file>', 'private key of the certificate, PEM')
    .option(
      '--tls-self-signed',
      'make a certificate for this machine, in <store>.cert.pem and <store>.key.pem or the files above',
    )
    .option(
      '--tls-client-ca <file>',
      'accept only clients with a certificate signed by this authority (mutual TLS)',
    )
    .option('--origin <origin>', 'origin of web pages that may use the API; may be repeated', origins)
    .option('--host-name <name>', 'public name of this server (DNS or proxy); may be repeated', hostNames)
    .addOption(
      valued(
        '--max-enrolments <number>',
        'maximum number of participants per federation that enrol without an invitation',
        whole(1),
      ),
    )
    .addOption(valued('--max-connections <number>', 'maximum number of connections', whole(1)))
    .addOption(
      valued('--connections-per-address <number>', 'maximum number of connections per address', whole(1)),
    )
    .addOption(valued('--max-frame-bytes <number>', 'maximum message size in bytes', whole(1024)));
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
