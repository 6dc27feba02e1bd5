/** The operator's side of the HTTP API: one request, its answer, and a clear error where there is none. */
import { inputError, KindredError } from '../../base/errors.ts';
import { DEFAULT_FEDERATION, type Endpoint, parseEndpoint } from '../../client/endpoint.ts';
import type { Kind } from '../../settings/kind.ts';
import { accepted, text } from '../../settings/kinds.ts';
import { object } from '../../settings/objects.ts';
import { type Environment, proxyFor } from '../proxy/proxy-choice.ts';
import { requestJson, type TlsOptions } from './post-json.ts';

export type ServerAddress = Pick<Endpoint, 'base' | 'federation'>;

export interface ServerAccess {
  readonly token: string;
  readonly tls?: TlsOptions | undefined;
  /** Where a proxy is named (default: the environment of this process). */
  readonly env?: Environment | undefined;
}

/** Lists of tokens may be long. */
const MOST_BYTES = 16 * 1024 * 1024;

/** As `kindred join` takes it: http://host:7070, http://host:7070/my-federation; a flag may name the federation, too. */
export function serverAddress(text: string, federation?: string): ServerAddress {
  const endpoint = parseEndpoint(text);
  const inPath = endpoint.federation === DEFAULT_FEDERATION ? undefined : endpoint.federation;
  if (inPath !== undefined && federation !== undefined && inPath !== federation) {
    throw inputError(
      'BAD_OPTION',
      `option --federation: expected "${inPath}" as in the address, got "${federation}"`,
    );
  }
  return { base: endpoint.base, federation: federation ?? endpoint.federation };
}

/** `path` is below the federation: `/invitations`. */
export function postToServer<T>(
  { base, federation }: ServerAddress,
  path: string,
  body: unknown,
  access: ServerAccess,
  expected: Kind<T, unknown>,
): Promise<T> {
  const whole = `/v1/federations/${encodeURIComponent(federation)}${path}`;
  return askServer(base, whole, body, access, expected);
}

/** `path` is that of a route: `/v1/tokens`. `body`: undefined for GET. */
export async function askServer<T>(
  base: string,
  path: string,
  body: unknown,
  { token, tls, env }: ServerAccess,
  expected: Kind<T, unknown>,
): Promise<T> {
  const url = new URL(`${base}${path}`);
  const proxy = proxyFor(url, env);
  const post = requestJson(url, body, { token, tls, proxy, mostBytes: MOST_BYTES });
  const {
    status,
    body: json,
    isCutShort,
  } = await post.catch((error: unknown) => {
    throw networkError(base, error);
  });
  if (isCutShort) throw networkError(base, new Error('an answer that is too long'));
  const answer = status >= 200 && status < 300 ? accepted(expected, json) : undefined;
  if (answer !== undefined) return answer;
  throw refusalOf(base, status, json);
}

const code = text().check((value) => /^[A-Z_]+$/.test(value), 'a code');
const errorKind = object({ error: object({ code, message: text() }, 'ignored') }, 'ignored');

function refusalOf(base: string, status: number, json: unknown): KindredError {
  const refusal = accepted(errorKind, json)?.error;
  if (refusal)
    return new KindredError(refusal.code, `${base}: ${refusal.message}`, status >= 500 ? 'run' : 'input');
  return new KindredError(
    'NOT_A_SERVER',
    `${base}: expected the answer of a kindred server, got status ${status}; check the address`,
    'run',
  );
}

const UNTRUSTED = /CERT|SELF_SIGNED|UNABLE_TO|ERR_TLS|ERR_SSL|EPROTO/;

function networkError(base: string, error: unknown): KindredError {
  if (error instanceof KindredError) return error;
  const { code = '', message } = error as { code?: string; message: string };
  const fail = (ours: string, sentence: string) => new KindredError(ours, `${base}: ${sentence}`, 'run');
  if (code === 'ECONNREFUSED') return fail('NOT_RUNNING', 'connection refused; is kindred serve running?');
  if (code === 'ENOTFOUND' || code === 'EAI_AGAIN') return fail('NOT_RUNNING', 'unknown host');
  if (UNTRUSTED.test(code)) {
    const hint = '--ca gives trusted certificates, --tls-cert and --tls-key your own';
    return fail('NOT_TRUSTED', `expected a trusted TLS connection, got ${code}; ${hint}`);
  }
  return fail('NOT_REACHED', message || code);
}
