/** The operator's side of the HTTP API: one request, its answer, and plain words where there is none. */
import { type ClientRequest, type IncomingMessage, request as plainRequest } from 'node:http';
import { request as secureRequest } from 'node:https';
import { z } from 'zod';
import { inputError, KindredError } from '../base/errors.ts';
import { parseEndpoint } from './client/endpoint.ts';

export interface ServerAddress {
  /** Without a slash at the end. */
  readonly base: string;
  readonly federation: string;
}

/** PEM text. */
export interface ClientTls {
  readonly ca?: string | undefined;
  readonly cert?: string | undefined;
  readonly key?: string | undefined;
}

export interface ServerAccess {
  readonly token: string;
  readonly tls?: ClientTls | undefined;
}

const SILENCE_MS = 15_000;
const MOST_BYTES = 16 * 1024 * 1024;
const DEFAULT_FEDERATION = 'default';

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
  const base = endpoint.challenge.href.replace(/\/v1\/federations\/[^/]+\/challenge$/, '');
  return { base, federation: federation ?? endpoint.federation };
}

/** `path` is below the federation: `/invitations`. */
export async function postToServer<T>(
  { base, federation }: ServerAddress,
  path: string,
  body: unknown,
  access: ServerAccess,
  expected: z.ZodType<T>,
): Promise<T> {
  const url = new URL(`${base}/v1/federations/${encodeURIComponent(federation)}${path}`);
  const response = await send(url, JSON.stringify(body), access).catch((error: unknown) => {
    throw networkError(base, error);
  });
  const { status, json } = await answerOf(response).catch((error: unknown) => {
    throw networkError(base, error);
  });
  const good = status >= 200 && status < 300 ? expected.safeParse(json) : undefined;
  if (good?.success) return good.data;
  throw refusalOf(base, status, json);
}

function send(url: URL, body: string, { token, tls }: ServerAccess): Promise<IncomingMessage> {
  const headers = {
    authorization: `Bearer ${token}`,
    'content-type': 'application/json',
    'content-length': Buffer.byteLength(body),
  };
  const options = { method: 'POST', headers, timeout: SILENCE_MS, agent: false as const };
  return new Promise((resolve, reject) => {
    const request: ClientRequest =
      url.protocol === 'https:' ? secureRequest(url, { ...options, ...tls }) : plainRequest(url, options);
    request.on('timeout', () => request.destroy(new Error('no answer for too long')));
    request.on('error', reject);
    request.on('response', resolve);
    request.end(body);
  });
}

async function answerOf(response: IncomingMessage): Promise<{ status: number; json: unknown }> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of response) {
    bytes += (chunk as Buffer).length;
    if (bytes > MOST_BYTES) throw new Error('a longer answer than a kindred server gives');
    chunks.push(chunk as Buffer);
  }
  return { status: response.statusCode ?? 0, json: parsed(Buffer.concat(chunks).toString()) };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

const errorSchema = z.object({
  error: z.object({ code: z.string().regex(/^[A-Z_]+$/), message: z.string() }),
});

function refusalOf(base: string, status: number, json: unknown): KindredError {
  const said = errorSchema.safeParse(json).data?.error;
  if (said) return new KindredError(said.code, `${base}: ${said.message}`, status >= 500 ? 'run' : 'input');
  return new KindredError(
    'NOT_A_SERVER',
    `${base}: expected the answer of a kindred server, got status ${status}; is the address right?`,
    'run',
  );
}

const UNTRUSTED = /CERT|SELF_SIGNED|UNABLE_TO|ERR_TLS|ERR_SSL|EPROTO/;

function networkError(base: string, error: unknown): KindredError {
  const { code = '', message } = error as { code?: string; message: string };
  const fail = (ours: string, sentence: string) => new KindredError(ours, `${base}: ${sentence}`, 'run');
  if (code === 'ECONNREFUSED') return fail('NOT_RUNNING', 'nothing listens there; is kindred serve running?');
  if (code === 'ENOTFOUND' || code === 'EAI_AGAIN')
    return fail('NOT_RUNNING', 'there is no machine of that name');
  if (UNTRUSTED.test(code)) {
    const hint = '--ca names whom to trust, --tls-cert and --tls-key who you are';
    return fail('NOT_TRUSTED', `expected a TLS connection that is trusted, got ${code}; ${hint}`);
  }
  return fail('NOT_REACHED', message || code);
}
