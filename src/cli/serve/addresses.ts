/** Addresses of a running server, for people: nobody can open "all interfaces" in a browser. */
import { hostname } from 'node:os';
import { isLoopback } from '../../node/server/addresses.ts';
import { lanAddresses } from '../../node/server/own-certificate.ts';

const LOOPBACK = '127.0.0.1';

export interface Origins {
  /** For people on this machine. */
  readonly own: string;
  /** For everybody else, the best first; empty: only this machine reaches it. */
  readonly others: readonly string[];
}

interface Listening {
  /** Where it listens: http://0.0.0.0:7070. */
  readonly url: string;
  isCertifiedFor(name: string): boolean;
}

export function isWildcard(host: string): boolean {
  return host === '0.0.0.0' || host === '::';
}

/** `names`: as the operator has given them (--host-name). Those that the certificate is not for come only where there are no others. */
export function originsOf(server: Listening, names: readonly string[]): Origins {
  const { protocol, hostname: listening, port } = new URL(server.url);
  const host = listening.replace(/^\[|\]$/g, '');
  const origin = (name: string) => `${protocol}//${name.includes(':') ? `[${name}]` : name}:${port}`;
  // A name for loopback is that of a proxy, whose port is not ours.
  if (isLoopback(host)) return { own: server.url, others: [] };
  if (!isWildcard(host)) return { own: server.url, others: [...names.map(origin), server.url] };
  const addresses = [...names, ...lanAddresses()];
  const certified = (list: readonly string[]) => list.filter((name) => server.isCertifiedFor(name));
  // The machine's own name comes second: other devices may not know it.
  const choices = [certified(addresses), certified([hostname()]), addresses];
  const others = choices.find((list) => list.length > 0) ?? [];
  return { own: origin(LOOPBACK), others: others.map(origin) };
}

export const dashboardAt = (origin: string) => `${origin}/`;
