/** Rounds of a tree of coordinators in a process of its own: its memory is that of the tree, and may be most of the machine's. */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { totalmem } from 'node:os';
import { fileURLToPath } from 'node:url';
import { KindredError } from '../../base/errors.ts';
import { threadFile } from '../threads/threads.ts';
import { LoadTree, type LoadTreeOptions } from './load-tree.ts';

/** Of the memory of the machine. */
const MOST_MEMORY = 0.6;

export interface TreeRun {
  /** What each round has taken. */
  readonly rounds: readonly LoadTree['spent'][];
  readonly memoryEach: number;
}

export async function runTreeApart(options: LoadTreeOptions, rounds: number): Promise<TreeRun> {
  const heapMiB = Math.floor((totalmem() * MOST_MEMORY) / 2 ** 20);
  const program = fileURLToPath(threadFile('load/load-tree-process'));
  const child = fork(program, [JSON.stringify({ options, rounds })], {
    execArgv: [...process.execArgv, `--max-old-space-size=${heapMiB}`],
  });
  const ended = once(child, 'exit').then(([code]) => {
    throw new KindredError('SERVER_FAILED', `a tree in one process ended with exit code ${code}`, 'run');
  });
  const [run] = (await Promise.race([once(child, 'message'), ended])) as [TreeRun];
  ended.catch(() => {});
  child.disconnect();
  return run;
}

/** After the first two rounds, in which everybody joins. */
export async function runTree(options: LoadTreeOptions, rounds: number): Promise<TreeRun> {
  const before = process.memoryUsage().rss;
  const tree = new LoadTree(options);
  await tree.run(2);
  const spent: LoadTree['spent'][] = [];
  for (let round = 0; round < rounds; round++) {
    const start = { ...tree.spent };
    await tree.run(tree.round + 1);
    spent.push({
      rootMs: tree.spent.rootMs - start.rootMs,
      shardsMs: tree.spent.shardsMs - start.shardsMs,
      rootBytes: tree.spent.rootBytes - start.rootBytes,
    });
  }
  const memoryEach = (process.memoryUsage().rss - before) / options.participants;
  await tree.close();
  return { rounds: spent, memoryEach };
}
