/** kindred completion: what a shell needs to complete commands, options and their values. Made from the commands themselves. */
import type { Command } from 'commander';
import { example, oneOf } from './flags.ts';
import type { Io } from './io.ts';
import { offered } from './offered.ts';
import { bashCompletion, type CommandSpec, fishCompletion, zshCompletion } from './shells.ts';

const SHELLS = { bash: bashCompletion, zsh: zshCompletion, fish: fishCompletion };
const NAMES = Object.keys(SHELLS) as (keyof typeof SHELLS)[];

/** `loadAll`: the program with all its commands, not only this one. */
export function addCompletion(program: Command, io: Io, loadAll: () => Promise<Command>): void {
  const command = program
    .command('completion')
    .description('Print a shell completion script for commands, options and values.')
    .argument('<shell>', NAMES.join(', '))
    .action(async (shell: string) => {
      const write = SHELLS[oneOf('argument <shell>', NAMES)(shell)];
      await io.stdout.write(write(specsOf(await loadAll())));
    });
  example(
    command,
    'kindred completion bash > ~/.local/share/bash-completion/completions/kindred',
    'kindred completion zsh > ~/.zsh/completions/_kindred',
    'kindred completion fish > ~/.config/fish/completions/kindred.fish',
  );
}

/** Every command that does something itself, by its words. */
function specsOf(command: Command, words: readonly string[] = []): CommandSpec[] {
  if (command.commands.length > 0)
    return command.commands.flatMap((inner) => specsOf(inner, [...words, inner.name()]));
  const options = command.options.map((option) => ({
    flag: option.long ?? option.flags,
    about: option.description,
    takes: option.required || option.optional ? ('value' as const) : ('nothing' as const),
    values: offered(option),
  }));
  const help = { flag: '--help', about: 'print the help', takes: 'nothing' as const, values: [] };
  return [{ words, about: command.description(), options: [...options, help] }];
}
