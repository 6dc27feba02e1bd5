/** `kindred serve --nats`: a root, which leads or stands by. */
import { hostname } from 'node:os';
import { pino } from 'pino';
import { Bus } from '../../nats/bus.ts';
import { connectNats, labelOf } from '../../nats/connection.ts';
import { jetStreamAddress } from '../../nats/store-address.ts';
import { Subjects } from '../../nats/subjects.ts';
import { Root } from '../../node/root/root.ts';
import type { CoordinatorServer } from '../../node/server/server.ts';
import type { ServerOptions } from '../../node/server/server-options.ts';
import type { Io } from '../io.ts';
import { layoutFor, writeLines } from '../layout.ts';
import { natsOptions } from '../nats-options.ts';
import type { ServeFlags } from './server-options.ts';
import { DEFAULT_NAMESPACE, DEFAULT_SHARDS, treeStore } from './tree-flags.ts';

/** How long those are waited for who take part but are not connected when training ends. */
const LINGER_MS = 3000;

interface RootRun {
  readonly server: ServerOptions;
  /** Resolves when the process is to end. */
  readonly stop: Promise<void>;
  prepare(server: CoordinatorServer): Promise<void>;
  report(server: CoordinatorServer): Promise<void>;
}

export async function runRoot(
  io: Io,
  flags: ServeFlags & { readonly nats: string },
  run: RootRun,
): Promise<void> {
  const { namespace = DEFAULT_NAMESPACE, shards = DEFAULT_SHARDS, fanIn, takeover } = flags;
  const subjects = new Subjects(namespace);
  const store = jetStreamAddress(treeStore(flags));
  const { log = pino({ level: 'silent' }) } = run.server;
  const onChange = (state: string, server: string) => log.warn({ server }, `connection to NATS ${state}`);
  const nats = await natsOptions(io, flags.nats, 'kindred root');
  const connection = await connectNats({ ...nats, onChange });
  const isSame = labelOf(store.servers) === labelOf(nats.servers);
  const storeConnection = isSame ? connection : await connectNats({ ...nats, servers: store.servers });
  let isNew = true;
  let finish = () => {};
  const finished = new Promise<void>((resolve) => {
    finish = resolve;
  });
  const root = new Root({
    ...{ connection, storeConnection, bus: new Bus(connection), subjects, shards, fanIn, store, log },
    name: `${hostname()} ${process.pid}`,
    ttlMs: takeover,
    server: run.server,
    prepare: run.prepare,
    onStandby: (url) => void reportStandby(io, flags, url),
    onLeading: async (server) => {
      if (isNew && flags.recount) await server.recount();
      isNew = false;
      await run.report(server);
      if (!flags.exitWhenFinished) return;
      // It also ends when another one leads.
      void server.whenFinished(LINGER_MS).then(() => root.server === server && finish());
    },
  });
  try {
    await Promise.race([root.run(), run.stop, finished]);
  } finally {
    await root.close();
    await connection.close();
    if (!isSame) await storeConnection.close();
  }
}

async function reportStandby(io: Io, { json }: ServeFlags, url: string): Promise<void> {
  if (json) await io.stdout.write(`${JSON.stringify({ url, standby: true, pid: process.pid })}\n`);
  else await writeLines(io, [layoutFor(io).line('Standby', url)]);
}
