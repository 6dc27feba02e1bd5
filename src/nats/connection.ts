/**
 * A connection to NATS that comes back by itself. What goes wrong at the first attempt is one sentence with a code; later losses are
 * reported and waited out, for ever: whoever uses the connection retransmits.
 */
import { connect, credsAuthenticator, type NatsConnection } from '@nats-io/transport-node';
import { inputError, type KindredError } from '../base/errors.ts';
import { isToken } from './subjects.ts';

export interface NatsOptions {
  /** nats:// or tls://, or host and port alone; several of one cluster. User and password may be in them. */
  readonly servers: readonly string[];
  /** What the server's monitoring calls this client. */
  readonly name: string;
  /** The content of a .creds file. */
  readonly credentials?: string | undefined;
  readonly user?: string | undefined;
  readonly password?: string | undefined;
  readonly token?: string | undefined;
  /** Trusted certificates, PEM: the connection must be TLS. */
  readonly ca?: string | undefined;
  /** The connection is lost, or back; `server` is the one it had, or has. */
  readonly onChange?: ((state: 'lost' | 'back', server: string) => void) | undefined;
}

/** Of the first attempt. */
const PATIENCE_MS = 10_000;
const RETRY_MS = 500;
/** A server that has died without a word is noticed after twice this time. */
const PING_MS = 10_000;
const SCHEMES = new Set(['nats:', 'tls:']);

export async function connectNats(options: NatsOptions): Promise<NatsConnection> {
  const servers = options.servers.map(addressOf);
  const connection = await connect({
    servers: servers.map(({ host }) => host),
    name: options.name,
    ...authentication(options, servers),
    ...(isSecure(options, servers) && { tls: options.ca === undefined ? {} : { ca: options.ca } }),
    timeout: PATIENCE_MS,
    pingInterval: PING_MS,
    maxPingOut: 2,
    maxReconnectAttempts: -1,
    reconnectTimeWait: RETRY_MS,
    // A server that restarts may not know its users for a moment.
    ignoreAuthErrorAbort: true,
    // Addresses that servers of a cluster tell of each other may not be reachable from here; and with them the first attempt would go
    // round for ever where all servers refuse.
    ignoreClusterUpdates: true,
    noAsyncTraces: true,
  }).catch((error: unknown) => {
    throw connectionError(labelOf(options.servers), error);
  });
  void watch(connection, options.onChange ?? (() => {}));
  return connection;
}

/** Undefined: none is named, as with a token or credentials. */
export function userOf(options: NatsOptions): string | undefined {
  const known = authentication(options, options.servers.map(addressOf));
  return 'user' in known ? known.user : undefined;
}

/** The addresses without passwords, for messages. */
export function labelOf(servers: readonly string[]): string {
  return servers.map((server) => `nats://${addressOf(server).host}`).join(',');
}

interface Address {
  readonly scheme: string;
  readonly host: string;
  readonly user: string | undefined;
  readonly password: string | undefined;
}

function addressOf(text: string): Address {
  const whole = text.includes('://') ? text : `nats://${text}`;
  const url = URL.canParse(whole) ? new URL(whole) : undefined;
  if (!url || !SCHEMES.has(url.protocol) || url.hostname === '' || url.pathname.length > 1)
    // Not the text itself: it may have a password in it.
    throw inputError(
      'BAD_URL',
      `address of NATS: expected nats://host:4222 or tls://host:4222, got ${url ? `${url.protocol}//${url.host}${url.pathname}` : 'something else'}`,
    );
  return {
    scheme: url.protocol,
    host: `${url.hostname}:${url.port || '4222'}`,
    user: url.username === '' ? undefined : decodeURIComponent(url.username),
    password: url.password === '' ? undefined : decodeURIComponent(url.password),
  };
}

function isSecure({ ca }: NatsOptions, servers: readonly Address[]): boolean {
  return ca !== undefined || servers.some(({ scheme }) => scheme === 'tls:');
}

function authentication({ credentials, token, user, password }: NatsOptions, servers: readonly Address[]) {
  if (credentials !== undefined)
    return { authenticator: credsAuthenticator(new TextEncoder().encode(credentials)) };
  const written = servers.find((server) => server.user !== undefined);
  const name = user ?? written?.user;
  // A user without a password is a token: that is how addresses of NATS are written.
  const secret = token ?? (written && written.password === undefined ? written.user : undefined);
  if (secret !== undefined && user === undefined) return { token: secret };
  if (name === undefined) return {};
  // Replies go to subjects of the user's own, so that permissions can keep others from reading them.
  const inboxPrefix = isToken(name) ? { inboxPrefix: `_INBOX.${name}` } : {};
  return { user: name, pass: password ?? written?.password ?? '', ...inboxPrefix };
}

const UNTRUSTED = /CERT|SELF_SIGNED|UNABLE_TO_(?:VERIFY|GET_ISSUER)|ERR_TLS|ERR_SSL|EPROTO/;

function connectionError(where: string, error: unknown): KindredError {
  const { name, message, code = '', cause } = error as Error & { code?: string };
  const inner = cause as { code?: string; message?: string } | undefined;
  if (name === 'AuthorizationError')
    return inputError('NATS_REFUSED', `${where}: refused by the server (${message}); check the credentials`);
  if (UNTRUSTED.test(inner?.code ?? code) || message.includes("'tls'"))
    return inputError(
      'NATS_NOT_TRUSTED',
      `${where}: expected a trusted TLS connection, got ${inner?.message ?? message}; KINDRED_NATS_CA names a file of trusted certificates`,
    );
  const why = name === 'TimeoutError' ? `no answer for ${PATIENCE_MS / 1000} s` : (inner?.message ?? message);
  return inputError('NATS_UNREACHABLE', `${where}: could not be reached (${why})`);
}

async function watch(connection: NatsConnection, onChange: NonNullable<NatsOptions['onChange']>) {
  for await (const status of connection.status()) {
    if (status.type === 'disconnect') onChange('lost', status.server);
    if (status.type === 'reconnect') onChange('back', status.server);
  }
}
