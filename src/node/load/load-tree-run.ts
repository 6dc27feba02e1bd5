/** Rounds of a tree of coordinators in a process of its own: its memory is that of the tree, and may be most of the machine's. */
import { fork } from 'node:child_process';
import { totalmem } from 'node:os';
import { fileURLToPath } from 'node:url';
import { KindredError } from '../../base/errors.ts';
import { threadFile } from '../threads/threads.ts';
import { LoadTree, type LoadTreeOptions, type Spent } from './load-tree.ts';

/** Of the memory of the machine. */
const MOST_MEMORY = 0.6;
/** Of progress. */
const BETWEEN_MS = 5000;

export interface TreeRun {
  /** What each round has taken. */
  readonly rounds: readonly Spent[];
  /** From nothing to the second round, in which everybody has joined. */
  readonly joinedS: number;
  /** Of the tree and of those who take part, which are in the same process. */
  readonly memory: number;
  /** Of one participant in one round, both ways. */
  readonly bytesEach: number;
}

/** What a tree in a process of its own sends. */
export type TreeReport = { readonly run: TreeRun } | { readonly progress: string };

export async function runTreeApart(
  options: LoadTreeOptions,
  rounds: number,
  show: (what: string) => void,
): Promise<TreeRun> {
  const heapMiB = Math.floor((totalmem() * MOST_MEMORY) / 2 ** 20);
  const program = fileURLToPath(threadFile('load/load-tree-process'));
  const child = fork(program, [JSON.stringify({ options, rounds })], {
    execArgv: [...process.execArgv, `--max-old-space-size=${heapMiB}`],
  });
  try {
    return await new Promise<TreeRun>((resolve, reject) => {
      child.once('error', reject);
      child.once('exit', (code, signal) => {
        const sentence = `a tree in one process ended with ${signal ?? `exit code ${code}`}`;
        reject(new KindredError('SERVER_FAILED', sentence, 'run'));
      });
      child.on('message', (report: TreeReport) => {
        if ('run' in report) resolve(report.run);
        else show(report.progress);
      });
    });
  } finally {
    child.removeAllListeners();
    if (child.connected) child.disconnect();
  }
}

/** After the first two rounds, in which everybody joins. */
export async function runTree(
  options: LoadTreeOptions,
  rounds: number,
  show: (what: string) => void,
): Promise<TreeRun> {
  const before = process.memoryUsage().rss;
  const started = performance.now();
  const tree = new LoadTree(options);
  await tree.run(2);
  const joinedS = (performance.now() - started) / 1000;
  show(`joined in ${joinedS.toFixed(1)} s`);
  const bytes = tree.participantBytes;
  const spent: Spent[] = [];
  let shownMs = performance.now();
  for (let round = 0; round < rounds; round++) {
    const start = tree.spent;
    await tree.run(tree.round + 1);
    spent.push(difference(tree.spent, start));
    if (performance.now() < shownMs + BETWEEN_MS) continue;
    shownMs = performance.now();
    show(`round ${round + 1} of ${rounds}`);
  }
  const memory = process.memoryUsage().rss - before;
  const bytesEach = (tree.participantBytes - bytes) / options.participants / rounds;
  await tree.close();
  return { rounds: spent, joinedS, memory, bytesEach };
}

function difference(now: Spent, before: Spent): Spent {
  return {
    rootMs: now.rootMs - before.rootMs,
    branchesMs: now.branchesMs - before.branchesMs,
    shardsMs: now.shardsMs - before.shardsMs,
    rootBytes: now.rootBytes - before.rootBytes,
  };
}
