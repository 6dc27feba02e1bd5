/** HTTP as it is: any header, any body, certificates of one's own. `fetch` would not let a test set them all. */
import { type IncomingHttpHeaders, request as plainRequest } from 'node:http';
import { request as secureRequest } from 'node:https';

export interface Tls {
  readonly ca?: string | Buffer;
  readonly cert?: string | Buffer;
  readonly key?: string | Buffer;
}

export interface Ask {
  readonly method?: string;
  readonly token?: string;
  /** An object is sent as JSON, a string as it is. */
  readonly body?: unknown;
  readonly headers?: Record<string, string>;
  readonly tls?: Tls;
}

export interface Heard {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly bytes: Buffer;
  readonly text: string;
  /** Undefined where it is none. */
  // biome-ignore lint/suspicious/noExplicitAny: tests look into it and fail if it is not what they expect
  readonly json: any;
}

export function ask(url: string, { method, token, body, headers = {}, tls }: Ask = {}): Promise<Heard> {
  const text = body === undefined || typeof body === 'string' ? body : JSON.stringify(body);
  const all: Record<string, string> = {
    ...(text !== undefined && {
      'content-type': 'application/json',
      'content-length': String(Buffer.byteLength(text)),
    }),
    ...(token && { authorization: `Bearer ${token}` }),
    ...headers,
  };
  const options = { method: method ?? (text === undefined ? 'GET' : 'POST'), headers: all, agent: false };
  return new Promise((resolve, reject) => {
    const request = url.startsWith('https:')
      ? secureRequest(url, { ...options, ...tls } as object)
      : plainRequest(url, options);
    request.on('error', reject);
    request.on('response', (response) => {
      const chunks: Buffer[] = [];
      const finish = () => {
        const bytes = Buffer.concat(chunks);
        const heard = bytes.toString();
        resolve({
          status: response.statusCode!,
          headers: response.headers,
          bytes,
          text: heard,
          json: parsed(heard),
        });
      };
      response.on('data', (chunk: Buffer) => {
        chunks.push(chunk);
        if (!response.headers['content-type']?.startsWith('text/event-stream')) return;
        // It does not end by itself: what comes first is enough.
        finish();
        response.destroy();
      });
      response.on('error', reject);
      response.on('end', finish);
    });
    request.end(text);
  });
}

export function post(url: string, token?: string, body?: unknown): Promise<Heard> {
  return ask(url, { method: 'POST', ...(token && { token }), body });
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
