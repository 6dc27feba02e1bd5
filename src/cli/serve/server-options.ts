/** What a server runs with, from the flags of `kindred serve`. */
import { mkdir, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Logger } from 'pino';
import { inputError } from '../../base/errors.ts';
import { checkToken, ensureToken, isReadByOthers, tokenFileOf } from '../../node/admin/operator-token.ts';
import { onFile } from '../../node/files/file-error.ts';
import { packageVersion } from '../../node/package-version.ts';
import { RunRecorder } from '../../node/run-log.ts';
import { isLoopback } from '../../node/server/addresses.ts';
import type { ServerLimits } from '../../node/server/limits.ts';
import type { ServerOptions } from '../../node/server/server-options.ts';
import { openStore } from '../../stores/open-store.ts';
import { oneOf } from '../flags.ts';
import { type Io, warn } from '../io.ts';
import type { FrontFlags, LogFlags } from './front-options.ts';
import { LOG_LEVELS, newLog } from './log.ts';

/** Commander's values, by option. */
export interface ServeFlags extends FrontFlags, LogFlags {
  readonly store: string;
  readonly federation?: string;
  readonly federationFile?: string;
  readonly open?: true;
  readonly inviteOnly?: true;
  readonly allow?: string;
  readonly operatorTokenFile?: string;
  readonly tlsSelfSigned?: true;
  readonly maxEnrolments?: number;
  readonly nats?: string;
  readonly namespace?: string;
  readonly shards?: number;
  readonly fanIn?: number;
  readonly takeover?: number;
  readonly record?: string;
  readonly reports?: string;
  readonly recount?: true;
  readonly exitWhenFinished?: true;
  readonly json?: true;
}

/** `file`: undefined where the token comes from the environment. */
export async function operatorToken(io: Io, { store, operatorTokenFile }: ServeFlags) {
  const given = io.env.KINDRED_OPERATOR_TOKEN;
  if (given) return { token: checkToken(given, 'KINDRED_OPERATOR_TOKEN'), file: undefined };
  const file = operatorTokenFile ?? tokenFileOf(store);
  const token = ensureToken(file);
  const hint = 'other users of this machine can read the operator token; restrict it with chmod 600';
  if (isReadByOthers(file)) await warn(io, `${file}: ${hint}`);
  return { token, file };
}

export async function serverOptions(
  io: Io,
  flags: ServeFlags,
  operatorToken: string,
): Promise<ServerOptions> {
  const { host, port, store, origin, record, reports } = flags;
  if (record !== undefined) await onFile(record, () => mkdir(record, { recursive: true }));
  if (reports !== undefined) await onFile(reports, () => readdir(reports));
  return {
    ...{ host, port, store, operatorToken, reports },
    openStore: (address) => openStore(address, 'write', io.env),
    enrolment: enrolmentFrom(flags),
    tls: tlsFrom(flags),
    origins: origin ?? [],
    hostNames: flags.hostName ?? [],
    limits: {
      ...limitsFrom(flags),
      ...(flags.maxEnrolments !== undefined && { openEnrolments: flags.maxEnrolments }),
    },
    log: logFrom(io, flags),
    version: packageVersion(),
    ...(record !== undefined && {
      recorderFor: (name: string) => new RunRecorder(join(record, `${name}.log`)),
    }),
  };
}

export function logFrom(io: Io, { logLevel, logFormat }: LogFlags): Logger {
  const level = oneOf('--log-level', LOG_LEVELS)(logLevel);
  return newLog(io, level, (logFormat ?? (io.stderr.isTerminal ? 'pretty' : 'json')) as 'pretty' | 'json');
}

export function limitsFrom(flags: FrontFlags): Partial<ServerLimits> {
  const { maxConnections, maxFrameBytes, connectionsPerAddress } = flags;
  return {
    ...(maxConnections !== undefined && { connections: maxConnections }),
    ...(maxFrameBytes !== undefined && { maxFrameBytes }),
    ...(connectionsPerAddress !== undefined && { connectionsPerAddress }),
  };
}

function enrolmentFrom({ open, inviteOnly }: ServeFlags): ServerOptions['enrolment'] {
  if (open && inviteOnly)
    throw inputError('BAD_OPTION', 'option --open: expected --open or --invite-only, got both');
  if (open) return 'open';
  return inviteOnly ? 'invitation' : undefined;
}

export function tlsFrom({ tlsCert, tlsKey, tlsClientCa }: FrontFlags): ServerOptions['tls'] {
  if (tlsCert !== undefined && tlsKey !== undefined)
    return { certFile: tlsCert, keyFile: tlsKey, clientCaFile: tlsClientCa };
  if (tlsCert === undefined && tlsKey === undefined && tlsClientCa === undefined) return undefined;
  throw inputError(
    'BAD_OPTION',
    'option --tls-cert: expected --tls-cert and --tls-key together, got one of them',
  );
}

/** `remedy`: the flags that the command has for it. */
export async function warnWithoutTls(io: Io, { host, tlsCert }: FrontFlags, remedy: string): Promise<void> {
  if (isLoopback(host) || tlsCert !== undefined) return;
  const clear = 'traffic is not encrypted, including updates and the operator token';
  const pages = 'browsers withhold cryptography, locks and sensors from its pages';
  await warn(io, `${host} without TLS: ${clear}, and ${pages}; give ${remedy}`);
}
