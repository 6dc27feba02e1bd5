/** kindred work: does jobs of tune and reproduce for commands on other machines. */
import { availableParallelism } from 'node:os';
import type { Command } from 'commander';
import { takeJobs } from '../nats/work-taker.ts';
import { WorkData, WorkThread } from '../node/threads/work-thread.ts';
import { addThreadsOption, finish } from './flags.ts';
import { type Io, note } from './io.ts';
import { layoutFor, writeLines, writeResult } from './layout.ts';
import { addReplicasOption, NATS_HELP } from './nats-options.ts';
import { count } from './number-text.ts';
import { openQueue } from './open-queue.ts';
import { Progress } from './progress.ts';

interface Flags {
  readonly nats: string;
  readonly replicas?: number;
  readonly threads?: number;
  readonly json?: true;
}

/** How often jobs of another version are looked for. */
const LOOK_MS = 30_000;

export function addWork(program: Command, io: Io): void {
  const command = program
    .command('work')
    .description('Do jobs of kindred tune --nats and kindred reproduce --nats, until interrupted.')
    .requiredOption(
      '--nats <url>',
      'NATS server with JetStream: nats://host:4222, several separated by commas',
    )
    .action((flags: Flags) => runWork(io, flags));
  addReplicasOption(command);
  addThreadsOption(command, 'number of jobs at a time (default: one per core)');
  command.addHelpText('after', NATS_HELP);
  finish(
    command,
    'kindred work --nats nats://queue.example.org',
    'kindred work --nats nats://a,nats://b,nats://c --replicas 3 --threads 4',
  );
}

async function runWork(io: Io, flags: Flags): Promise<void> {
  const { label, connection, queue } = await openQueue(io, flags, `kindred work, process ${process.pid}`);
  const threads = flags.threads ?? availableParallelism();
  const common = new WorkData();
  const slots = Array.from({ length: threads }, () => new WorkThread(common));
  const stop = new AbortController();
  // What has begun is finished.
  const release = io.onInterrupt?.(() => stop.abort());
  const progress = new Progress(io, 0);
  const done = { jobs: 0, failed: 0 };
  if (!flags.json) {
    const { line } = layoutFor(io);
    await writeLines(io, [
      line('Queue', label),
      line('Version', queue.version),
      line('Threads', `${threads}`),
    ]);
  }
  const known = new Set([queue.version]);
  const look = async () => {
    for (const version of await queue.versionsWaiting()) {
      if (known.has(version)) continue;
      known.add(version);
      await note(
        io,
        `jobs of kindred ${version} are waiting: this is ${queue.version}, which leaves them alone`,
      );
    }
  };
  await look().catch(() => {});
  const looking = setInterval(() => void look().catch(() => {}), LOOK_MS);
  try {
    await progress.during(() =>
      takeJobs(queue, {
        ...{ slots, signal: stop.signal },
        onDone: (_, outcome) => {
          done.jobs++;
          if (outcome === 'failed') done.failed++;
          progress.show(`work: ${count(done.jobs)} jobs done`);
        },
      }),
    );
  } finally {
    clearInterval(looking);
    release?.();
    await Promise.all(slots.map((slot) => slot.end()));
    await connection.drain().catch(() => {});
  }
  await writeResult(io, flags, done, ({ line }) => [
    line('Done', `${count(done.jobs)} jobs, ${done.failed} failed`),
  ]);
}
