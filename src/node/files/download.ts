/** One file over HTTP into memory. Whatever goes wrong out there is one sentence and fails the run. */
import { KindredError } from '../../base/errors.ts';
import { plainBytes } from './files.ts';

interface DownloadOptions {
  readonly onProgress?: (receivedBytes: number, totalBytes: number | undefined) => void;
  /** A connection that stays silent for so long is given up. */
  readonly stallMs?: number;
  readonly limitBytes?: number;
}

export async function download(url: URL, options: DownloadOptions = {}): Promise<Uint8Array> {
  const { stallMs = 60_000, limitBytes = 1 << 30 } = options;
  const controller = new AbortController();
  const stalled = setTimeout(() => controller.abort(), stallMs);
  try {
    const response = await connect(url, controller.signal);
    const total = announcedBytes(response);
    const chunks: Uint8Array[] = [];
    let received = 0;
    for await (const chunk of bodyOf(response, url, () => ({ received, total }))) {
      stalled.refresh();
      chunks.push(chunk);
      received += chunk.length;
      if (received > limitBytes) throw fail('DOWNLOAD_TOO_LARGE', url, `is larger than ${limitBytes} bytes`);
      options.onProgress?.(received, total);
    }
    if (total !== undefined && received !== total) throw truncated(url, received, total);
    return plainBytes(Buffer.concat(chunks));
  } finally {
    clearTimeout(stalled);
    // A download that was given up half-way must not keep the process waiting for the rest.
    controller.abort();
  }
}

async function connect(url: URL, signal: AbortSignal): Promise<Response> {
  // `identity`: with a content encoding the announced length would not be that of what arrives.
  const headers = { 'accept-encoding': 'identity' };
  const response = await fetch(url, { signal, headers }).catch((cause: unknown) => {
    throw fail('DOWNLOAD_FAILED', url, `could not be reached (${reason(cause)})`);
  });
  if (response.status === 200) return response;
  throw fail(
    'HTTP_STATUS',
    url,
    `expected status 200, got ${`${response.status} ${response.statusText}`.trim()}`,
  );
}

function announcedBytes(response: Response): number | undefined {
  const length = response.headers.get('content-length');
  if (length === null || response.headers.has('content-encoding')) return undefined;
  return Number(length);
}

async function* bodyOf(
  response: Response,
  url: URL,
  state: () => { received: number; total: number | undefined },
): AsyncGenerator<Uint8Array, void, undefined> {
  const reader = response.body?.getReader();
  if (!reader) return;
  for (;;) {
    const { done, value } = await reader.read().catch((cause: unknown) => {
      const { received, total } = state();
      if (total !== undefined && reason(cause) !== STALLED) throw truncated(url, received, total);
      throw fail('DOWNLOAD_FAILED', url, `broke off after ${received} bytes (${reason(cause)})`);
    });
    if (done) return;
    yield value;
  }
}

const STALLED = 'time-out: no data arrived';

function reason(cause: unknown): string {
  const error = cause as { name?: string; message?: string; cause?: { code?: string; message?: string } };
  if (error.name === 'AbortError') return STALLED;
  return error.cause?.code ?? error.cause?.message ?? error.message ?? String(cause);
}

function truncated(url: URL, received: number, total: number): KindredError {
  return fail(
    'DOWNLOAD_TRUNCATED',
    url,
    `expected ${total} bytes, the connection broke off after ${received}`,
  );
}

function fail(code: string, url: URL, what: string): KindredError {
  return new KindredError(code, `${url.href}: ${what}`, 'run');
}
