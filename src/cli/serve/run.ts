/** What `kindred serve` does. */
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { inputError } from '../../base/errors.ts';
import { checkToken, ensureToken, isReadByOthers, tokenFileOf } from '../../node/admin/operator-token.ts';
import { onFile } from '../../node/files/file-error.ts';
import { checkWritable } from '../../node/files/files.ts';
import { RunRecorder } from '../../node/run-log.ts';
import { isLoopback } from '../../node/server/guard.ts';
import { CoordinatorServer, type ServerOptions } from '../../node/server/server.ts';
import { isDamaged, replaceDamaged } from '../../node/store/salvage.ts';
import { oneOf } from '../flags.ts';
import { type Io, notify } from '../io.ts';
import { programVersion } from '../version.ts';
import { type Allowed, readAllowList } from './allow-list.ts';
import { contradictions, type WantedFederation, wantedFederation } from './federation-file.ts';
import { federationOptions, type ServeFlags } from './flags.ts';
import { LOG_LEVELS, newLog } from './log.ts';
import { reportReady } from './ready.ts';
import { listenToSignals } from './signals.ts';

/** How long those are waited for who take part but are not connected when training ends. */
const LINGER_MS = 3000;

export async function runServe(io: Io, flags: ServeFlags): Promise<void> {
  const wanted = await wantedFederation(flags.federation, flags.federationFile, federationOptions(flags));
  const allowed = flags.allow === undefined ? [] : await readAllowList(flags.allow);
  await checkWritable(flags.store);
  const token = await operatorToken(io, flags);
  const server = await openServer(io, flags, await serverOptions(io, flags, token.token));
  const signals = listenToSignals(() => server.reloadCertificates());
  try {
    await prepare(io, server, wanted, allowed);
    await server.listen();
    if (flags.recount) await recount(io, server);
    await warn(io, flags);
    await reportReady(io, { server, flags, federation: wanted.name, tokenFile: token.file });
    const over = flags.exitWhenFinished ? [server.whenFinished(LINGER_MS)] : [];
    await Promise.race([signals.stop, ...over]);
  } finally {
    await server.close();
    signals.release();
  }
}

/** Begins a new store in the place of a damaged one, where the operator asks for it. */
async function openServer(io: Io, flags: ServeFlags, options: ServerOptions): Promise<CoordinatorServer> {
  const { store, recount } = flags;
  try {
    return await CoordinatorServer.open(options);
  } catch (error) {
    if (!isDamaged(error, store)) throw error;
    const { message } = error as Error;
    if (!recount) {
      throw inputError(
        'CORRUPT',
        `${message}; --recount moves it aside, and participants start from the beginning`,
      );
    }
    const { movedTo, federations } = replaceDamaged(store);
    const known =
      federations.length > 0
        ? `participants of ${federations.join(', ')} start from the beginning by themselves`
        : 'nothing of it could be read: participants need a new --state';
    await notify(io, 'warning', `${message}; moved to ${movedTo}; a new store is created, and ${known}`);
    return await CoordinatorServer.open(options);
  }
}

async function recount(io: Io, server: CoordinatorServer): Promise<void> {
  for (const name of await server.recount()) {
    await notify(io, 'note', `federation "${name}": everybody is asked again`);
  }
}

/** The federation is there before anybody can ask for it. */
async function prepare(
  io: Io,
  server: CoordinatorServer,
  wanted: WantedFederation,
  allowed: readonly Allowed[],
): Promise<void> {
  const known = server.federations.get(wanted.name);
  await server.ensure(wanted.name, wanted.options);
  const other = known ? contradictions(wanted, known.record.options) : [];
  if (other.length > 0) {
    const names = other.join(', ');
    await notify(
      io,
      'note',
      `federation "${wanted.name}" is in the store with other options (${names}): those are used`,
    );
  }
  for (const { participant, key } of allowed) await server.allow(wanted.name, participant, key);
}

async function operatorToken(io: Io, { store, operatorTokenFile }: ServeFlags) {
  const given = io.env.KINDRED_OPERATOR_TOKEN;
  if (given) return { token: checkToken(given, 'KINDRED_OPERATOR_TOKEN'), file: undefined };
  const file = operatorTokenFile ?? tokenFileOf(store);
  const token = ensureToken(file);
  if (isReadByOthers(file)) {
    await notify(
      io,
      'warning',
      `${file}: others on this machine may read the operator token; chmod 600 keeps it to you`,
    );
  }
  return { token, file };
}

async function serverOptions(io: Io, flags: ServeFlags, operatorToken: string): Promise<ServerOptions> {
  const { host, port, store, origin, record } = flags;
  const level = oneOf('--log-level', LOG_LEVELS)(flags.logLevel);
  const format = (flags.logFormat ?? (io.stderr.isTerminal ? 'pretty' : 'json')) as 'pretty' | 'json';
  if (record !== undefined) await onFile(record, () => mkdir(record, { recursive: true }));
  return {
    ...{ host, port, store, operatorToken },
    enrolment: enrolmentFrom(flags),
    tls: tlsFrom(flags),
    origins: origin ?? [],
    limits: limitsFrom(flags),
    log: newLog(io, level, format),
    version: programVersion(),
    ...(record !== undefined && {
      recorderFor: (name: string) => new RunRecorder(join(record, `${name}.log`)),
    }),
  };
}

function enrolmentFrom({ open, inviteOnly }: ServeFlags): ServerOptions['enrolment'] {
  if (open && inviteOnly)
    throw inputError('BAD_OPTION', 'option --open: expected it without --invite-only, got both');
  if (open) return 'open';
  return inviteOnly ? 'invitation' : undefined;
}

function tlsFrom({ tlsCert, tlsKey, tlsClientCa }: ServeFlags): ServerOptions['tls'] {
  if (tlsCert !== undefined && tlsKey !== undefined)
    return { certFile: tlsCert, keyFile: tlsKey, clientCaFile: tlsClientCa };
  if (tlsCert === undefined && tlsKey === undefined && tlsClientCa === undefined) return undefined;
  throw inputError(
    'BAD_OPTION',
    'option --tls-cert: expected --tls-cert and --tls-key together, got one of them',
  );
}

function limitsFrom({ maxConnections, maxFrameBytes, connectionsPerAddress }: ServeFlags) {
  return {
    ...(maxConnections !== undefined && { connections: maxConnections }),
    ...(maxFrameBytes !== undefined && { maxFrameBytes }),
    ...(connectionsPerAddress !== undefined && { connectionsPerAddress }),
  };
}

async function warn(io: Io, { host, tlsCert }: ServeFlags): Promise<void> {
  if (isLoopback(host) || tlsCert !== undefined) return;
  await notify(
    io,
    'warning',
    `${host} without TLS: everything travels in the clear, updates and the operator token too; give --tls-cert and --tls-key`,
  );
}
