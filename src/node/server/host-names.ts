/**
 * The names under which this server may be addressed. A browser sends in `Host` the name that a page has asked for: a page that has made
 * a name of its own point here (DNS rebinding) is recognised by it. Participants sign the address that they have dialled: a server that
 * passes our challenge on to them gets a signature for its own name, which is not one of ours.
 */
import { isIP } from 'node:net';
import { isLoopback, plainAddress } from './addresses.ts';

interface HostNamesOptions {
  /** What the server listens on, and what the operator has named. */
  readonly names: readonly string[];
  /** Whether the certificate in force is for this name; undefined: no TLS. */
  readonly isCertified: ((name: string) => boolean) | undefined;
}

const LABEL = /^(?!-)[a-z0-9_-]{1,63}(?<!-)$/;
const WILDCARDS = new Set(['0.0.0.0', '::']);

export class HostNames {
  private readonly names: ReadonlySet<string>;
  private readonly isCertified: (name: string) => boolean;
  /** Participants must have dialled by TLS. Without TLS of our own a proxy may have it. */
  private readonly needsTls: boolean;

  constructor({ names, isCertified }: HostNamesOptions) {
    this.names = new Set(names.map((name) => name.toLowerCase()).filter((name) => !WILDCARDS.has(name)));
    this.isCertified = isCertified ?? (() => false);
    this.needsTls = isCertified !== undefined;
  }

  /** `header`: as in `Host`. `localAddress`: the address of this machine that the connection has come to. */
  isOurs(header: string, localAddress: string | undefined): boolean {
    const name = hostIn(header);
    if (name === undefined) return false;
    if (isLoopback(name) || this.names.has(name) || this.isCertified(name)) return true;
    return isIP(name) !== 0 && localAddress !== undefined && name === plainAddress(localAddress);
  }

  /** `origin`: what a participant has dialled, such as https://example.org:7070. Its port may be that of a forwarder. */
  isOurOrigin(origin: string, localAddress: string | undefined): boolean {
    const [, scheme, host] = /^(https?):\/\/([^/?#@\\]+)$/.exec(origin) ?? [];
    if (host === undefined || (this.needsTls && scheme !== 'https')) return false;
    return this.isOurs(host, localAddress);
  }
}

/** Whether it can be given as a name of the server: no port, no brackets. */
export function isHostName(name: string): boolean {
  return (
    isIP(name) !== 0 ||
    name
      .toLowerCase()
      .split('.')
      .every((label) => LABEL.test(label))
  );
}

/** The name or address in a `Host` header, in lower case; undefined: it is not a valid one. */
export function hostIn(header: string): string | undefined {
  const [, bracketed, plain] = /^(?:\[([0-9A-Fa-f:.]+)\]|([A-Za-z0-9._-]+))(?::\d{1,5})?$/.exec(header) ?? [];
  if (bracketed !== undefined) return isIP(bracketed) === 6 ? plainAddress(bracketed) : undefined;
  if (plain === undefined || !isHostName(plain)) return undefined;
  return plain.toLowerCase();
}
