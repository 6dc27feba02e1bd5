/** Features that give the target away, in one sentence on stderr. */
import { listed } from '../data/number.ts';
import { commandLine } from './command-line.ts';
import { type Io, warn } from './io.ts';

const SHOWN = 5;

export async function warnOfLeaks(io: Io, leaks: readonly string[]): Promise<void> {
  if (leaks.length === 0) return;
  const subject = leaks.length === 1 ? 'feature' : 'features';
  const verb = leaks.length === 1 ? 'alone tells' : 'each alone tell';
  await warn(
    io,
    `${subject} ${listed(leaks, SHOWN)} ${verb} the target; if that is not known when you predict, leave it out: ${commandLine('--drop', leaks.slice(0, SHOWN).join(','))}`,
  );
}
