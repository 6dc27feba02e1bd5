/** Commander's command with what every command here has: --config, and suggestions for what was mistyped. */
import { Command } from 'commander';
import { nearestName } from '../data/columns.ts';
import { applyConfig } from './config.ts';

export class KindredCommand extends Command {
  private readonly commandNames: readonly string[];

  /** `commandNames`: of all commands, loaded or not. */
  constructor(name: string | undefined, commandNames: readonly string[]) {
    super(name);
    this.commandNames = commandNames;
    this.showSuggestionAfterError(false);
  }

  override createCommand(name?: string): KindredCommand {
    return new KindredCommand(name, this.commandNames);
  }

  /** Commander asks for required options later: the file may have them. */
  override parseOptions(argv: string[]): ReturnType<Command['parseOptions']> {
    const parsed = super.parseOptions(argv);
    const file: unknown = this.getOptionValue('config');
    if (typeof file === 'string') applyConfig(this, file, this.commandNames);
    return parsed;
  }

  /** On every command that does something itself. */
  addConfigOption(): void {
    for (const command of this.commands as KindredCommand[]) command.addConfigOption();
    if (this.commands.length > 0) return;
    this.optionsGroup('Options:').option(
      '--config <file>',
      'JSON file with option values by name; the command line overrides it',
    );
  }
}

/** The option that was meant, or the one that has this word in its name; undefined where there is none. */
export function nearestFlag(command: Command, typed: string): string | undefined {
  const word = typed.replace(/^-+/, '').replace(/=.*/, '');
  const names = command.options.flatMap(({ long }) => (long ? [long.slice(2)] : []));
  const near = nearestName(word, names) ?? names.find((name) => name.split('-').includes(word));
  return near === undefined ? undefined : `--${near}`;
}
