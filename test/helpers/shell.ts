/** What a shell makes of a command line: its words. */
import { execFileSync } from 'node:child_process';

export function wordsOf(line: string): string[] {
  const out = execFileSync('sh', ['-c', `printf '%s\\0' ${line}`], { encoding: 'utf8' });
  return out.split('\0').slice(0, -1);
}
