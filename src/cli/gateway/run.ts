/** What `kindred gateway` and `kindred aggregate` do. */
import { inputError } from '../../base/errors.ts';
import { Bus } from '../../nats/bus.ts';
import { connectNats, labelOf, userOf } from '../../nats/connection.ts';
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
  await onNats(io, flags, 'kindred gateway', async (nats, stop) => {
    const { bus, namespaces, user, log } = nats;
    const gateway = new GatewayServer({
      ...{ bus, namespaces, user, host: flags.host, port: flags.port, tls, metricsToken, log },
      hostNames: flags.hostName,
      origins: flags.origin,
      limits: limitsFrom(flags),
      version: packageVersion(),
    });
    const owners = flags.aggregate ? ownersOn(nats, flags) : [];
    if (flags.aggregate) addOwnerMetrics(gateway.registry, owners);
    const signals = listenToSignals(() => gateway.reloadCertificates());
    try {
      await gateway.listen();
      for (const owner of owners) owner.start();
      await warnWithoutTls(io, flags, '--tls-cert and --tls-key');
      await report(io, flags, gateway.url);
      await Promise.race([signals.stop, stop]);
    } finally {
      await Promise.all(owners.map((owner) => owner.close()));
      await gateway.close();
      signals.release();
    }
  });
}

export async function runAggregate(io: Io, flags: AggregateFlags): Promise<void> {
  const metricsToken = await tokenFrom(flags);
  await onNats(io, flags, 'kindred aggregate', async (nats, stop) => {
    const { bus, log } = nats;
    const owners = ownersOn(nats, flags);
    const server = new OwnerServer({ owners, bus, host: flags.host, port: flags.port, metricsToken, log });
    const signals = listenToSignals(() => {});
    try {
      await server.listen();
      for (const owner of owners) owner.start();
      await report(io, flags, server.url);
      await Promise.race([signals.stop, stop]);
    } finally {
      await Promise.all(owners.map((owner) => owner.close()));
      await server.close();
      signals.release();
    }
  });
}

/** Each namespace has its own leases. */
function ownersOn({ connection, bus, namespaces, log }: OnNats, { takeover }: AggregateFlags): Owner[] {
  const name = processName();
  return namespaces.map((subjects) => new Owner({ connection, bus, subjects, name, log, ttlMs: takeover }));
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
  const names = new Set(namespace.split(',').map((text) => text.trim()));
  const namespaces = [...names].map((text) => new Subjects(text));
  const log = logFrom(io, flags);
  const onChange = (state: string, server: string) => log.warn({ server }, `connection to NATS ${state}`);
  const options = await natsOptions(io, nats, name);
  const connection = await connectNats({ ...options, onChange });
  return { connection, bus: new Bus(connection), namespaces, user: userOf(options), log };
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
