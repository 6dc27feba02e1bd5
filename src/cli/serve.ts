/** kindred serve: a coordinator as a service. What it runs is loaded when it runs. */
import type { Command } from 'commander';
import { addJsonOption, addSettings, example, oneOf, refuse, wholeNumber } from './flags.ts';
import type { Io } from './io.ts';
import { SERVE_SETTINGS, type ServeFlags } from './serve/flags.ts';

export function addServe(program: Command, io: Io): void {
  const command = program
    .command('serve')
    .description('Run the coordinator of a federation as a service.')
    .option(
      '--port <number>',
      'port to listen on; 0: any that is free',
      wholeNumber('--port', 0, 65_535),
      7070,
    )
    .option('--host <address>', 'address to listen on; 0.0.0.0: all of this machine', '127.0.0.1')
    .option('--store <file>', 'where everything is kept; made where there is none', 'kindred.db')
    .option('--federation <name>', 'to run beside those in the store (default: default)')
    .option('--federation-file <file>', 'its options as JSON, or {"name", "options"}')
    .action(async (flags: ServeFlags) => {
      const { runServe } = await import('./serve/run.ts');
      await runServe(io, flags);
    });
  addAccessOptions(command);
  addSettings(command.optionsGroup('Options of a new federation:'), SERVE_SETTINGS);
  command
    .optionsGroup('Options:')
    .option('--log-level <level>', 'trace, debug, info, warn, error or silent', 'info')
    .option(
      '--log-format <kind>',
      'pretty or json (default: json where stderr is no terminal)',
      oneOf('--log-format', ['pretty', 'json']),
    )
    .option('--recount', 'ask everybody again; a damaged store is moved aside, and a new one begun')
    .option('--record <folder>', 'write a run log of every federation here')
    .option('--exit-when-finished', 'end when training has ended and everybody was told');
  addJsonOption(command);
  example(
    command,
    'kindred serve --min-participants 3',
    'kindred serve --host 0.0.0.0 --tls-cert cert.pem --tls-key key.pem --store wards.db --gap 1e-4',
  );
}

function addAccessOptions(command: Command): void {
  command
    .optionsGroup('Who may come in:')
    .option('--open', 'anybody may enrol (default: only on loopback, by invitation elsewhere)')
    .option('--invite-only', 'by invitation, also on loopback')
    .option('--allow <file>', 'participants with their keys: lines of name and key')
    .option('--operator-token-file <file>', 'made where there is none (default: <store>.token)')
    .option('--tls-cert <file>', 'certificate, PEM')
    .option('--tls-key <file>', 'its key, PEM')
    .option('--tls-client-ca <file>', 'take only clients with a certificate of this authority')
    .option('--origin <origin>', 'pages from there may use the API; may be repeated', origins)
    .option('--max-connections <number>', 'in all', wholeNumber('--max-connections', 1))
    .option(
      '--connections-per-address <number>',
      'from one address',
      wholeNumber('--connections-per-address', 1),
    )
    .option('--max-frame-bytes <number>', 'of one message', wholeNumber('--max-frame-bytes', 1024));
}

/** As browsers say it: no path, no slash at the end. */
function origins(text: string, previous: readonly string[] | undefined): readonly string[] {
  if (URL.canParse(text) && new URL(text).origin === text) return [...(previous ?? []), text];
  return refuse('--origin', 'an origin such as https://example.org', text);
}
