/**
 * Who may ask for what over HTTP. Changes take a token of the operator, everywhere. Reading takes one too, unless the server
 * listens on loopback only: whoever is on the machine may read. Pages of other origins may do neither, and a page that has
 * made its own name point to this machine (DNS rebinding) is recognised by the Host it asks for.
 */
import type { IncomingMessage } from 'node:http';
import { ROLES, type Role } from '../../host/ports.ts';
import { ApiError } from './api-error.ts';
import type { HostNames } from './host-names.ts';
import type { Actor, Tokens } from './tokens.ts';

/** Node drops those after the 2000th in silence. */
const MOST_HEADERS = 100;

interface AccessOptions {
  readonly tokens: Pick<Tokens, 'actorOf'>;
  readonly hosts: HostNames;
  /** Whoever can reach the server is on this machine. */
  readonly loopback: boolean;
  /** Origins of pages that may use the API beside our own. */
  readonly origins: readonly string[];
}

export class Access {
  private readonly options: AccessOptions;
  private readonly actors = new WeakMap<IncomingMessage, Actor>();

  constructor(options: AccessOptions) {
    this.options = options;
  }

  /** Before anything else: refuses other names than ours, and pages of other origins. */
  checkOrigin(request: IncomingMessage): void {
    const { headers, rawHeaders, socket, url = '' } = request;
    const { origin } = headers;
    if (rawHeaders.length > 2 * MOST_HEADERS)
      throw new ApiError('BAD_REQUEST', `headers: expected at most ${MOST_HEADERS}`);
    // A target with a server in it goes before Host (RFC 9112, 3.2.2).
    const [, host = headers.host ?? ''] = /^[a-z]+:\/\/([^/?#]*)/i.exec(url) ?? [];
    const hosts = rawHeaders.filter((text, i) => i % 2 === 0 && text.toLowerCase() === 'host');
    if (hosts.length > 1) throw new ApiError('BAD_REQUEST', `host: expected one, got ${hosts.length}`);
    if (!this.options.hosts.isOurs(host, socket.localAddress)) {
      const hint = 'if it is one, the operator must add it with serve --host-name';
      throw new ApiError('WRONG_HOST', `host "${host.slice(0, 200)}": not a name of this server; ${hint}`);
    }
    if (origin !== undefined && !this.isAllowed(origin, host)) throw wrongOrigin(origin);
    // Requests of pages without an origin: images, scripts, forms. Of links that people follow nothing is read by a page.
    const { 'sec-fetch-site': site = 'none', 'sec-fetch-mode': mode } = headers;
    const isForeign = site === 'cross-site' || site === 'same-site';
    if (origin === undefined && isForeign && mode !== 'navigate') throw wrongOrigin('of another site');
  }

  isAllowed(origin: string, host: string): boolean {
    const own = origin === `http://${host}` || origin === `https://${host}`;
    return own || this.options.origins.includes(origin);
  }

  /** Whose token a request has, and what may be done with it; without one on loopback: read. Refuses a token that is not valid. */
  whoAsks(request: IncomingMessage): { readonly name: string | null; readonly role: Role | null } {
    const { tokens, loopback } = this.options;
    if (request.headers.authorization === undefined) return { name: null, role: loopback ? 'read' : null };
    const token = tokenOf(request);
    const actor = token === undefined ? undefined : tokens.actorOf(token);
    if (actor) return actor;
    throw new ApiError('WRONG_TOKEN', 'authorization: expected a valid operator token');
  }

  /** Whether `check` would not refuse it, at this moment. */
  may(request: IncomingMessage, needed: Role): boolean {
    try {
      this.check(request, needed);
      return true;
    } catch {
      return false;
    }
  }

  /** Refuses whoever has no token of this role. */
  check(request: IncomingMessage, needed: Role): void {
    const { tokens, loopback } = this.options;
    const token = tokenOf(request);
    const actor = token === undefined ? undefined : tokens.actorOf(token);
    if (actor) this.actors.set(request, actor);
    if (loopback && needed === 'read') return;
    if (token === undefined)
      throw new ApiError('TOKEN_NEEDED', 'authorization: expected "Bearer" and an operator token');
    if (!actor) throw new ApiError('WRONG_TOKEN', 'authorization: expected a valid operator token');
    if (ROLES.indexOf(actor.role) >= ROLES.indexOf(needed)) return;
    const message = `token "${actor.name}": expected one of role ${needed}, got role ${actor.role}`;
    throw new ApiError('ROLE_NEEDED', message);
  }

  /** Whose valid token it has come with. */
  actorOf(request: IncomingMessage): Actor | undefined {
    return this.actors.get(request);
  }
}

function tokenOf({ headers }: IncomingMessage): string | undefined {
  return /^Bearer ([\x21-\x7e]{1,500})$/.exec(headers.authorization ?? '')?.[1];
}

function wrongOrigin(origin: string): ApiError {
  return new ApiError(
    'WRONG_ORIGIN',
    `origin "${origin.slice(0, 200)}": pages of this origin may not use this server`,
  );
}
