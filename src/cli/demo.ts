/** kindred demo: a whole federation on this machine, in seconds and without any data at hand. */
import type { Command } from 'commander';
import type { DemoFlags } from './demo-run.ts';
import { addJsonOption, example, wholeNumber } from './flags.ts';
import type { Io } from './io.ts';

export function addDemo(program: Command, io: Io): void {
  const command = program
    .command('demo')
    .description(
      'A coordinator and 20 participants as processes of their own, on built-in activity data; compared with training alone and with one model for all.',
    )
    .option('--seed <number>', 'another seed makes other people', wholeNumber('--seed', 0), 1)
    .option('--participants <number>', 'how many people', wholeNumber('--participants', 2), 20)
    .action(async (flags: DemoFlags) => {
      const { runDemo } = await import('./demo-run.ts');
      await runDemo(io, flags);
    });
  addJsonOption(command);
  example(command, 'kindred demo');
}
