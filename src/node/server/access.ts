/**
 * Who may ask for what over HTTP. Changes take the operator's token, everywhere. Reading takes it too, unless the server
 * listens on loopback only: whoever is on the machine may read. Pages of other origins may do neither, and a page that has
 * made its own name point to this machine (DNS rebinding) is recognised by the Host it asks for.
 */
import { createHash, timingSafeEqual } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { ApiError } from './api-error.ts';
import { isLoopback } from './guard.ts';

interface AccessOptions {
  readonly operatorToken: string;
  /** The server listens on loopback only. */
  readonly loopback: boolean;
  /** Origins of pages that may use the API beside our own. */
  readonly origins: readonly string[];
}

export class Access {
  private readonly options: AccessOptions;
  private readonly tokenDigest: Buffer;

  constructor(options: AccessOptions) {
    this.options = options;
    this.tokenDigest = digest(options.operatorToken);
  }

  /** Before anything else: refuses pages of other origins. */
  checkOrigin({ headers }: IncomingMessage): void {
    const { host = '', origin } = headers;
    if (this.options.loopback && !isLoopback(hostName(host))) {
      throw new ApiError('WRONG_HOST', `host "${host}": expected a name of this machine's loopback`);
    }
    if (origin !== undefined && !this.isAllowed(origin, host)) {
      throw new ApiError('WRONG_ORIGIN', `origin "${origin}": pages from there may not use this server`);
    }
  }

  isAllowed(origin: string, host: string): boolean {
    const own = origin === `http://${host}` || origin === `https://${host}`;
    return own || this.options.origins.includes(origin);
  }

  checkReader(request: IncomingMessage): void {
    if (!this.options.loopback) this.checkOperator(request);
  }

  checkOperator({ headers }: IncomingMessage): void {
    const [, token] = /^Bearer (.+)$/.exec(headers.authorization ?? '') ?? [];
    if (token === undefined) {
      throw new ApiError('TOKEN_NEEDED', 'authorization: expected "Bearer" and the operator token');
    }
    // Digests, so that the time it takes reveals nothing of the token, not even its length.
    if (!timingSafeEqual(digest(token), this.tokenDigest)) {
      throw new ApiError('WRONG_TOKEN', 'authorization: expected the operator token, got another');
    }
  }
}

function digest(token: string): Buffer {
  return createHash('sha256').update(token).digest();
}

/** Without its port, and without the brackets of IPv6. */
function hostName(host: string): string {
  return host.replace(/:\d+$/, '').replace(/^\[(.*)\]$/, '$1');
}
