/** What `kindred gateway` and `kindred aggregate` do. */
import { inputError } from '../../base/errors.ts';
import { Bus } from '../../nats/bus.ts';
import { connectNats, labelOf } from '../../nats/connection.ts';
import { Subjects } from '../../nats/subjects.ts';
import { checkToken } from '../../node/admin/operator-token.ts';
import { readText } from '../../node/files/files.ts';
import { GatewayServer, processName } from '../../node/gateway/gateway-server.ts';
import { Owner } from '../../node/owner/owner.ts';
import { addOwnerMetrics } from '../../node/owner/owner-meters.ts';
import { OwnerServer } from '../../node/owner/owner-server.ts';
import { packageVersion } from '../../node/package-version.ts';
import type { Io } from '../io.ts';
import { layoutFor, writeLines } from '../layout.ts';
import { natsOptions } from '../nats-options.ts';
import type { FrontFlags, LogFlags } from '../serve/front-options.ts';
import { limitsFrom, logFrom, tlsFrom, warnWithoutTls } from '../serve/server-options.ts';
import { listenToSignals } from '../serve/signals.ts';
import { DEFAULT_NAMESPACE } from '../serve/tree-flags.ts';

export interface AggregateFlags extends LogFlags {
  readonly port: number;
  readonly host: string;
  readonly nats?: string;
  readonly namespace?: string;
  readonly takeover?: number;
  readonly metricsTokenFile?: string;
  readonly json?: true;
}

export interface GatewayFlags extends AggregateFlags, FrontFlags {
  readonly aggregate?: true;
}

export async function runGateway(io: Io, flags: GatewayFlags): Promise<void> {
  const tls = tlsFrom(flags);
  const metricsToken = await tokenFrom(flags);
  await onNats(io, flags, 'kindred gateway', async ({ connection, bus, subjects, log }, stop) => {
    const gateway = new GatewayServer({
      ...{ bus, subjects, host: flags.host, port: flags.port, tls, metricsToken, log },
      hostNames: flags.hostName,
      origins: flags.origin,
      limits: limitsFrom(flags),
      version: packageVersion(),
    });
    const name = processName();
    const owner =
      flags.aggregate && new Owner({ connection, bus, subjects, name, log, ttlMs: flags.takeover });
    if (owner) addOwnerMetrics(gateway.registry, owner);
    const signals = listenToSignals(() => gateway.reloadCertificates());
    try {
      await gateway.listen();
      owner?.start();
      await warnWithoutTls(io, flags);
      await report(io, flags, gateway.url);
      await Promise.race([signals.stop, stop]);
    } finally {
      await owner?.close();
      await gateway.close();
      signals.release();
    }
  });
}

export async function runAggregate(io: Io, flags: AggregateFlags): Promise<void> {
  const metricsToken = await tokenFrom(flags);
  await onNats(io, flags, 'kindred aggregate', async ({ connection, bus, subjects, log }, stop) => {
    const owner = new Owner({ connection, bus, subjects, name: processName(), log, ttlMs: flags.takeover });
    const server = new OwnerServer({ owner, bus, host: flags.host, port: flags.port, metricsToken, log });
    const signals = listenToSignals(() => {});
    try {
      await server.listen();
      owner.start();
      await report(io, flags, server.url);
      await Promise.race([signals.stop, stop]);
    } finally {
      await owner.close();
      await server.close();
      signals.release();
    }
  });
}

type OnNats = Awaited<ReturnType<typeof connected>>;

/** `stop` rejects where the connection is gone for good. */
async function onNats(
  io: Io,
  flags: AggregateFlags,
  name: string,
  act: (nats: OnNats, stop: Promise<never>) => Promise<void>,
): Promise<void> {
  const nats = await connected(io, flags, name);
  const stop = nats.connection.closed().then((error): never => {
    throw error ?? new Error('the connection to NATS is closed');
  });
  stop.catch(() => {});
  try {
    await act(nats, stop);
  } finally {
    await nats.connection.close();
  }
}

async function connected(io: Io, flags: AggregateFlags, name: string) {
  const { nats, namespace = DEFAULT_NAMESPACE } = flags;
  if (nats === undefined) throw inputError('MISSING_OPTION', 'option --nats: expected an address, got none');
  const subjects = new Subjects(namespace);
  const log = logFrom(io, flags);
  const onChange = (state: string, server: string) => log.warn({ server }, `connection to NATS ${state}`);
  const connection = await connectNats({ ...(await natsOptions(io, nats, name)), onChange });
  return { connection, bus: new Bus(connection), subjects, log };
}

async function tokenFrom({ metricsTokenFile }: AggregateFlags): Promise<string | undefined> {
  if (metricsTokenFile === undefined) return undefined;
  return checkToken((await readText(metricsTokenFile)).trim(), metricsTokenFile);
}

async function report(io: Io, { json, nats = '' }: AggregateFlags, url: string): Promise<void> {
  const label = labelOf(nats.split(','));
  if (json) {
    await io.stdout.write(`${JSON.stringify({ url, nats: label, pid: process.pid })}\n`);
    return;
  }
  const { line } = layoutFor(io);
  await writeLines(io, [line('Listening', url), line('Through', label)]);
}
