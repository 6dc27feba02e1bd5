/** kindred verify: conservation between a coordinator's store and the participants' states. */
import type { Command } from 'commander';
import { number } from '../settings/kinds.ts';
import { addJsonOption, example, kindValue } from './flags.ts';
import type { Io } from './io.ts';
import type { VerifyFlags } from './verify-run.ts';

export function addVerify(program: Command, io: Io): void {
  const command = program
    .command('verify')
    .description(
      "Check that a server's store and its participants' states add up: the sum in the store is that of what they hold.",
    )
    .argument('<store>', 'of a server that is not running')
    .argument('<state-dir...>', 'the --state folders of all participants')
    .option('--federation <name>', 'default: the only one in the store')
    .option(
      '--tolerance <number>',
      'largest relative difference',
      kindValue('--tolerance', number({ min: 0 })),
      1e-9,
    )
    .action(async (store: string, folders: readonly string[], flags: VerifyFlags) => {
      const { runVerify } = await import('./verify-run.ts');
      await runVerify(io, store, folders, flags);
    });
  addJsonOption(command);
  example(command, 'kindred verify kindred.db states/ada states/ben');
}
