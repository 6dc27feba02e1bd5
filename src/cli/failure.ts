/** From whatever went wrong to one line on stderr and an exit code. */
import { CommanderError } from 'commander';
import { type ErrorKind, KindredError } from '../base/errors.ts';
import { type Io, OutputClosed } from './io.ts';
import { printable, printableLines } from './printable.ts';

const EXIT_CODES: Readonly<Record<ErrorKind, number>> = { input: 2, run: 1 };

/** Commander's codes, as ours. */
const USAGE_CODES: Readonly<Record<string, string>> = {
  'commander.unknownOption': 'UNKNOWN_OPTION',
  'commander.unknownCommand': 'UNKNOWN_COMMAND',
  'commander.missingArgument': 'MISSING_ARGUMENT',
  'commander.optionMissingArgument': 'MISSING_OPTION_VALUE',
  'commander.missingMandatoryOptionValue': 'MISSING_OPTION',
  'commander.help': 'MISSING_COMMAND',
  'commander.excessArguments': 'TOO_MANY_ARGUMENTS',
};

/**
 * Gives the exit code; 0 where "error" was only commander's way to stop (help, version). `suggested`: what may have been meant, as the end
 * of the sentence.
 */
export async function reportFailure(error: unknown, io: Io, suggested = ''): Promise<number> {
  if (error instanceof OutputClosed) return 0;
  if (error instanceof CommanderError && error.exitCode === 0) return 0;
  const known =
    error instanceof CommanderError
      ? new KindredError(USAGE_CODES[error.code] ?? 'USAGE', `${usageSentence(error)}${suggested}`)
      : error;
  if (known instanceof KindredError) {
    await io.stderr.write(`kindred: ${printable(known.message)} [${known.code}]\n`);
    return EXIT_CODES[known.kind];
  }
  const message = error instanceof Error ? error.message : String(error);
  const debug = io.env.KINDRED_DEBUG === '1';
  const hint = debug ? '' : '; KINDRED_DEBUG=1 shows where';
  await io.stderr.write(`kindred: internal error: ${printable(message)}${hint} [INTERNAL]\n`);
  if (debug && error instanceof Error) await io.stderr.write(`${printableLines(String(error.stack))}\n`);
  return EXIT_CODES.run;
}

/** "error: unknown option '--c3'" as one sentence. */
function usageSentence(error: CommanderError): string {
  if (error.code === 'commander.help') return 'expected a command, got none; --help lists them';
  return error.message.replace(/^error: /, '').replace(/\. Expected (.*)\.$/, ', expected $1');
}
