/** kindred verify: conservation between a coordinator's store and the participants' states. */
import type { Command } from 'commander';
import { inputError } from '../base/errors.ts';
import { parseDecimal } from '../data/number.ts';
import { addJsonOption, example } from './flags.ts';
import type { Io } from './io.ts';

export interface VerifyFlags {
  readonly federation?: string;
  readonly tolerance: number;
  readonly json?: true;
}

export function addVerify(program: Command, io: Io): void {
  const command = program
    .command('verify')
    .description(
      "Check that a server's store and its participants' states add up: the sum in the store is that of what they hold.",
    )
    .argument('<store>', 'of a server that is not running')
    .argument('<state-dir...>', 'the --state folders of all participants')
    .option('--federation <name>', 'default: the only one in the store')
    .option('--tolerance <number>', 'largest relative difference', tolerance, 1e-9)
    .action(async (store: string, folders: readonly string[], flags: VerifyFlags) => {
      const { runVerify } = await import('./verify-run.ts');
      await runVerify(io, store, folders, flags);
    });
  addJsonOption(command);
  example(command, 'kindred verify kindred.db states/ada states/ben');
}

function tolerance(text: string): number {
  const value = parseDecimal(text);
  if (value >= 0 && Number.isFinite(value)) return value;
  throw inputError('BAD_OPTION', `option --tolerance: expected a number of at least 0, got ${text || '""'}`);
}
