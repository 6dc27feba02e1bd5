/** The queue of jobs on NATS, for commands that hand jobs out and for those that do them. */
import type { NatsConnection } from '@nats-io/transport-node';
import { inputError } from '../base/errors.ts';
import { connectNats, labelOf } from '../nats/connection.ts';
import { WorkQueue } from '../nats/work-queue.ts';
import { packageVersion } from '../node/package-version.ts';
import type { Io } from './io.ts';
import { natsOptions } from './nats-options.ts';

interface OpenQueue {
  /** The addresses, without passwords. */
  readonly label: string;
  readonly connection: NatsConnection;
  readonly queue: WorkQueue;
}

export async function openQueue(io: Io, nats: string, name: string): Promise<OpenQueue> {
  const options = await natsOptions(io, nats, name);
  const label = labelOf(options.servers);
  const connection = await connectNats(options);
  try {
    return { label, connection, queue: await WorkQueue.open(connection, { version: packageVersion() }) };
  } catch (error) {
    await connection.close();
    throw inputError(
      'NATS_WITHOUT_JETSTREAM',
      `${label}: expected a NATS server with JetStream, got ${(error as Error).message}`,
    );
  }
}
