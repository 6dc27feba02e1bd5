/**
 * Which proxy a connection takes, by the variables that curl and others know: HTTPS_PROXY for https and wss, HTTP_PROXY for http and
 * ws, ALL_PROXY for both, NO_PROXY for what goes straight. KINDRED_PROXY goes before them, and is the only one that counts for loopback.
 */
import { BlockList, isIP } from 'node:net';
import { inputError } from '../../base/errors.ts';
import { isLoopback } from '../server/addresses.ts';

export type Environment = Readonly<Record<string, string | undefined>>;

export interface HttpProxy {
  /** Without user and password: for messages. */
  readonly label: string;
  /** The variable that names it. */
  readonly variable: string;
  readonly isSecure: boolean;
  readonly host: string;
  readonly port: number;
  /** Value of Proxy-Authorization. Secret. */
  readonly authorization: string | undefined;
}

const OWN = 'KINDRED_PROXY';
const PORTS: Readonly<Record<string, number>> = { 'http:': 80, 'ws:': 80, 'https:': 443, 'wss:': 443 };

/** Undefined: the connection goes straight. */
export function proxyFor(url: URL, env: Environment = process.env): HttpProxy | undefined {
  const { host, port } = targetOf(url);
  const isPlain = url.protocol === 'http:' || url.protocol === 'ws:';
  const names = isLocal(host) ? [OWN] : [OWN, isPlain ? 'HTTP_PROXY' : 'HTTPS_PROXY', 'ALL_PROXY'];
  for (const name of names) {
    const [variable, value] = lookUp(env, name);
    if (value === '') continue;
    return isExempt(host, port, lookUp(env, 'NO_PROXY')[1]) ? undefined : parseProxy(variable, value);
  }
  return undefined;
}

/** Where a tunnel to this address has to lead. */
export function targetOf(url: URL): { readonly host: string; readonly port: number } {
  return { host: bare(url.hostname), port: Number(url.port) || PORTS[url.protocol] };
}

/** As curl does it: the name in lower case goes first. */
function lookUp(env: Environment, name: string): readonly [variable: string, value: string] {
  const lower = env[name.toLowerCase()]?.trim();
  return lower ? [name.toLowerCase(), lower] : [name, env[name]?.trim() ?? ''];
}

function isLocal(host: string): boolean {
  return isLoopback(host) || host.endsWith('.localhost');
}

function bare(host: string): string {
  return host.replace(/^\[|\]$/g, '').replace(/\.$/, '');
}

/** Never with the text in an error: it may have a password in it. */
function parseProxy(variable: string, text: string): HttpProxy {
  const whole = text.includes('://') ? text : `http://${text}`;
  const url = URL.canParse(whole) ? new URL(whole) : undefined;
  const refuse = (got: string) =>
    inputError('BAD_PROXY', `${variable}: expected an address such as http://proxy:3128, got ${got}`);
  if (!url || url.hostname === '') throw refuse('something else');
  if (url.protocol !== 'http:' && url.protocol !== 'https:') throw refuse(`one of ${url.protocol}//`);
  const { username, password, protocol } = url;
  let authorization: string | undefined;
  try {
    const pair = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`;
    if (pair !== ':') authorization = `Basic ${Buffer.from(pair).toString('base64')}`;
  } catch {
    throw refuse('a user or a password with invalid percent-encoding');
  }
  const { host, port } = targetOf(url);
  return {
    ...{ label: `${protocol}//${url.host}`, variable, host, port, authorization },
    isSecure: protocol === 'https:',
  };
}

/** `rules`: separated by commas or spaces. */
function isExempt(host: string, port: number, rules: string): boolean {
  return rules.split(/[\s,]+/).some((rule) => rule !== '' && matches(rule.toLowerCase(), host, port));
}

/** `*`, or a name (all below it, too), an address or a network (10.0.0.0/8), each maybe with a port. */
function matches(rule: string, host: string, port: number): boolean {
  if (rule === '*') return true;
  const [, withoutPort, only] = /^(\[[^\]]*\]|[^:]*):(\d+)$/.exec(rule) ?? [];
  if (only !== undefined && Number(only) !== port) return false;
  const [name, bits] = (withoutPort ?? rule).split('/');
  const address = bare(name);
  if (isIP(address) !== 0) return isWithin(host, address, bits);
  const suffix = address.replace(/^\*?\.?/, '');
  return suffix !== '' && (host === suffix || host.endsWith(`.${suffix}`));
}

function isWithin(host: string, address: string, bits: string | undefined): boolean {
  const family = (text: string) => (isIP(text) === 6 ? 'ipv6' : 'ipv4');
  const most = isIP(address) === 6 ? 128 : 32;
  const prefix = bits === undefined ? most : Number(bits);
  if (isIP(host) === 0 || !Number.isInteger(prefix) || prefix < 0 || prefix > most) return false;
  const list = new BlockList();
  list.addSubnet(address, prefix, family(address));
  return list.check(host, family(host));
}
