/** kindred replay: the inputs of run logs through the machines again; do they come to the same? */
import type { Command } from 'commander';
import { KindredError } from '../base/errors.ts';
import { type Replayed, replay } from '../check/replay.ts';
import { nodePrimitives } from '../node/crypto.ts';
import { readRunLog } from '../node/run-log.ts';
import { finish } from './flags.ts';
import type { Io } from './io.ts';
import { writeResult } from './layout.ts';
import { Progress } from './progress.ts';

interface Flags {
  readonly json?: true;
}

interface ReplayedLog extends Replayed {
  readonly log: string;
}

export function addReplay(program: Command, io: Io): void {
  const command = program
    .command('replay')
    .description('Replay run logs and check that the same inputs give the same effects.')
    .argument('<log...>', 'run logs of a coordinator or participants (--record)')
    .action((paths: string[], flags: Flags) => runReplay(io, paths, flags));
  finish(command, 'kindred replay coordinator.log', 'kindred replay logs/*.log --json');
}

async function runReplay(io: Io, paths: readonly string[], flags: Flags): Promise<void> {
  const primitives = nodePrimitives();
  const progress = new Progress(io);
  const logs = await progress.during(() =>
    paths.map((log, i): ReplayedLog => {
      progress.show(`replay: ${log}, ${i + 1} of ${paths.length}`);
      return { log, ...replay(readRunLog(log), primitives) };
    }),
  );
  const document = { logs: logs.map((log) => ({ ...log, identical: isSame(log) })) };
  await writeResult(io, flags, document, () => logs.map(lineOf));
  const others = logs.filter((log) => !isSame(log));
  if (others.length > 0) throw new KindredError('REPLAY_DIFFERS', sentenceOf(others, logs.length), 'run');
}

const isSame = ({ firstDifference }: Replayed) => firstDifference === undefined;

function lineOf({ log, lives, inputs, effects, torn, firstDifference }: ReplayedLog): string {
  const counts = [counted(lives, 'start'), counted(inputs, 'input'), counted(effects, 'effect')];
  if (!firstDifference) {
    return `${log}: ${counts.join(', ')}: identical${torn ? ' (the last record is cut short)' : ''}`;
  }
  const { life, step, input, expected, got } = firstDifference;
  return `${log}: ${counts.join(', ')}: differs in start ${life}, step ${step} (${input}): expected ${expected}, got ${got}`;
}

function counted(count: number, one: string): string {
  return `${count} ${one}${count === 1 ? '' : 's'}`;
}

function sentenceOf([{ log, firstDifference }, ...more]: readonly ReplayedLog[], all: number): string {
  const { life, step } = firstDifference!;
  const which = `${1 + more.length} of ${counted(all, 'log')}`;
  return `${log}: expected the effects that were recorded, got others in start ${life}, step ${step} (${which} differ)`;
}
