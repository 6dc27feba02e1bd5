/** kindred gateway: participants in, NATS out. What it runs is loaded when it runs. */
import type { Command } from 'commander';
import { whole } from '../settings/kinds.ts';
import { finish, valued } from './flags.ts';
import type { GatewayFlags } from './gateway/run.ts';
import type { Io } from './io.ts';
import { addNatsOption, addTakeoverOptions, NAMESPACES, NATS_HELP } from './nats-options.ts';
import { addFrontOptions, addLogOptions } from './serve/front-options.ts';

export function addGateway(program: Command, io: Io): void {
  const command = program
    .command('gateway')
    .description(
      'Let participants join a federation that runs on NATS. A gateway keeps nothing: run as many as there are participants for.',
    )
    .addOption(valued('--port <number>', 'port to listen on; 0: any free port', whole(0, 65_535), 7070))
    .option('--host <address>', 'address to listen on; 0.0.0.0: all interfaces', '127.0.0.1')
    .option('--aggregate', 'also own shards, as kindred aggregate does; needs rights to JetStream')
    .option('--metrics-token-file <file>', 'file with the token for /metrics (default: loopback only)')
    .action(async (flags: GatewayFlags) => {
      const { runGateway } = await import('./gateway/run.ts');
      await runGateway(io, flags);
    });
  addNatsOption(command, 'address of NATS; several of one cluster separated by commas');
  addTakeoverOptions(command, NAMESPACES);
  addFrontOptions(command.optionsGroup('Access:'));
  addLogOptions(command.optionsGroup('Options:'));
  command.addHelpText('after', NATS_HELP);
  finish(
    command,
    'kindred gateway --nats nats://127.0.0.1:4222 --aggregate',
    'kindred gateway --nats nats://a:4222,nats://b:4222 --host 0.0.0.0 --tls-cert cert.pem --tls-key key.pem',
  );
}
