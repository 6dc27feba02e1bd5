/** kindred aggregate: owns shards of federations on NATS. What it runs is loaded when it runs. */
import type { Command } from 'commander';
import { whole } from '../settings/kinds.ts';
import { finish, valued } from './flags.ts';
import type { AggregateFlags } from './gateway/run.ts';
import type { Io } from './io.ts';
import { addNatsOption, addTakeoverOptions, NAMESPACES, NATS_HELP } from './nats-options.ts';
import { addLogOptions } from './serve/front-options.ts';

export function addAggregate(program: Command, io: Io): void {
  const command = program
    .command('aggregate')
    .description(
      'Own shards of federations that run on NATS: sums the answers of their participants. Several processes share the shards.',
    )
    .addOption(
      valued(
        '--port <number>',
        'port of /healthz, /readyz and /metrics; 0: any free port',
        whole(0, 65_535),
        7071,
      ),
    )
    .option('--host <address>', 'address of that port', '127.0.0.1')
    .option('--metrics-token-file <file>', 'file with the token for /metrics (default: loopback only)')
    .action(async (flags: AggregateFlags) => {
      const { runAggregate } = await import('./gateway/run.ts');
      await runAggregate(io, flags);
    });
  addNatsOption(command, 'address of NATS; several of one cluster separated by commas');
  addTakeoverOptions(command, NAMESPACES);
  addLogOptions(command);
  command.addHelpText('after', NATS_HELP);
  finish(command, 'kindred aggregate --nats nats://127.0.0.1:4222');
}
