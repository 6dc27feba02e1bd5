/** Commands that hand their jobs to `kindred work`. What that takes is loaded when it is asked for. */
import { inputError } from '../base/errors.ts';
import type { JobRunner } from '../base/job-runner.ts';
import type { WorkKind } from '../node/threads/work-thread.ts';
import { commandLine } from './command-line.ts';
import { type Io, note } from './io.ts';

export const WORKERS_OPTION = 'hand the work to kindred work processes through this NATS server';

interface WorkFlags {
  readonly nats?: string;
  readonly replicas?: number;
  readonly threads?: number;
}

type RunnerFor = <Request, Result>(kind: WorkKind, data: unknown) => JobRunner<Request, Result>;

/** `act` gets a function that makes runners where jobs go to other processes, and none where they do not. */
export async function withWorkers<T>(
  io: Io,
  { nats, replicas, threads }: WorkFlags,
  act: (runnerFor?: RunnerFor) => Promise<T>,
): Promise<T> {
  if (nats === undefined && replicas !== undefined)
    throw inputError('BAD_OPTION', 'option --replicas: expected --nats with it, got --replicas alone');
  if (nats === undefined) return await act();
  if (threads !== undefined)
    throw inputError('BAD_OPTION', 'option --threads: expected --threads or --nats, got both');
  const { openQueue } = await import('./open-queue.ts');
  const { NatsRunner } = await import('../nats/work-client.ts');
  const { label, connection, queue } = await openQueue(
    io,
    { nats, replicas },
    `kindred, process ${process.pid}`,
  );
  const hint = `start one: ${commandLine(io.program, 'work', '--nats', label)}`;
  const onNobody = () => void note(io, `no worker is connected; ${hint}`);
  try {
    return await act((kind, data) => new NatsRunner(queue, { kind, data, onNobody }));
  } finally {
    await connection.close();
  }
}
