/** A request of JSON and its answer, with certificates of one's own where they are needed. */
import { type ClientRequest, type IncomingMessage, request as plainRequest } from 'node:http';
import { request as secureRequest } from 'node:https';
import type { HttpProxy } from '../proxy/proxy-choice.ts';
import { createConnectionThrough } from '../proxy/tunnel.ts';

/** PEM text. */
export interface TlsOptions {
  /** Whom to trust instead of the usual authorities. */
  readonly ca?: string | undefined;
  /** To show who we are (mutual TLS). */
  readonly cert?: string | undefined;
  readonly key?: string | undefined;
}

interface RequestOptions {
  readonly tls?: TlsOptions | undefined;
  readonly signal?: AbortSignal | undefined;
  readonly proxy?: HttpProxy | undefined;
  /** The operator's token. */
  readonly token?: string | undefined;
  /** Of an answer; most are short, and whoever sends more is not a kindred server. */
  readonly mostBytes?: number | undefined;
}

interface Answer {
  readonly status: number;
  /** Undefined: it was no JSON. */
  readonly body: unknown;
  /** There was more of it than is read. */
  readonly isCutShort: boolean;
}

const SILENCE_MS = 15_000;
const MOST_BYTES = 64 * 1024;

export function postJson(url: URL, body: unknown, post: RequestOptions = {}): Promise<Answer> {
  return requestJson(url, body ?? {}, post);
}

/** By POST, or by GET where there is no body. */
export function requestJson(url: URL, body: unknown, options: RequestOptions = {}): Promise<Answer> {
  const { tls, signal, proxy, token, mostBytes } = options;
  const text = body === undefined ? undefined : JSON.stringify(body);
  const headers = {
    ...(text !== undefined && {
      'content-type': 'application/json',
      'content-length': Buffer.byteLength(text),
    }),
    accept: 'application/json',
    ...(token !== undefined && { authorization: `Bearer ${token}` }),
  };
  return new Promise((resolve, reject) => {
    // One connection for one request: they are minutes or days apart.
    const sent = {
      method: text === undefined ? 'GET' : 'POST',
      headers,
      timeout: SILENCE_MS,
      ...(proxy
        ? { createConnection: createConnectionThrough({ url, proxy, tls, signal }) }
        : { agent: false as const }),
      ...(signal && { signal }),
    };
    const request: ClientRequest =
      url.protocol === 'https:' ? secureRequest(url, { ...sent, ...tls }) : plainRequest(url, sent);
    request.on('timeout', () => request.destroy(new Error('no answer for too long')));
    request.on('error', reject);
    request.on('response', (response) => readAnswer(response, mostBytes).then(resolve, reject));
    request.end(text);
  });
}

export async function readAnswer(response: IncomingMessage, mostBytes = MOST_BYTES): Promise<Answer> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of response) {
    bytes += (chunk as Buffer).length;
    if (bytes > mostBytes) {
      response.destroy();
      break;
    }
    chunks.push(chunk as Buffer);
  }
  const body = parsed(Buffer.concat(chunks).toString());
  return { status: response.statusCode ?? 0, body, isCutShort: bytes > mostBytes };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
