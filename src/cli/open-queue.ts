/** The queue of jobs on NATS, for commands that hand jobs out and for those that do them. */
import { JetStreamApiError } from '@nats-io/jetstream';
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

/** What nats-server says where it cannot have that many replicas: it is alone, or the cluster is too small. */
const TOO_FEW_SERVERS = new Set([10074, 10005]);

export interface QueueFlags {
  readonly nats: string;
  readonly replicas?: number | undefined;
}

export async function openQueue(io: Io, { nats, replicas }: QueueFlags, name: string): Promise<OpenQueue> {
  const options = await natsOptions(io, nats, name);
  const label = labelOf(options.servers);
  const connection = await connectNats(options);
  try {
    const queue = await WorkQueue.open(connection, { version: packageVersion(), replicas });
    return { label, connection, queue };
  } catch (error) {
    await connection.close();
    if (error instanceof JetStreamApiError && TOO_FEW_SERVERS.has(error.code))
      throw inputError(
        'BAD_OPTION',
        `option --replicas: expected a cluster with at least ${replicas} servers with JetStream, got ${label} (${error.message})`,
      );
    throw inputError(
      'NATS_WITHOUT_JETSTREAM',
      `${label}: expected a NATS server with JetStream, got ${(error as Error).message}`,
    );
  }
}
