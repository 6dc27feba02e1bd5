/** Where a federation is: from a URL as people write it to the addresses of the three steps of joining. */
import { inputError } from '../base/errors.ts';

export interface Endpoint {
  /** As errors and reports call it: without a default path, a trailing slash and the like. */
  readonly label: string;
  /** Of the server: http or https, without a slash at the end. */
  readonly base: string;
  readonly federation: string;
  readonly challenge: URL;
  readonly session: URL;
  /** ws or wss. */
  readonly connect: URL;
  readonly isSecure: boolean;
}

export const DEFAULT_FEDERATION = 'default';
const SCHEMES: Readonly<Record<string, 'http:' | 'https:'>> = {
  'http:': 'http:',
  'https:': 'https:',
  'ws:': 'http:',
  'wss:': 'https:',
};
/** A federation by its whole path, maybe behind a prefix of a proxy; or by its name alone. */
const WHOLE_PATH = /^(.*)\/v1\/federations\/([^/]+)$/;
const NAME_ALONE = /^()\/([^/]+)$/;

export function parseEndpoint(text: string): Endpoint {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  const scheme = url && SCHEMES[url.protocol];
  if (!url || !scheme || url.hostname === '') {
    throw badUrl(text, 'expected an address such as http://host:7070');
  }
  if (url.username !== '' || url.password !== '' || url.search !== '' || url.hash !== '') {
    throw badUrl(text, 'expected an address without user, password, "?" and "#"');
  }
  const { prefix, name } = splitPath(text, url.pathname.replace(/\/+$/, ''));
  const base = `${scheme}//${url.host}${prefix}`;
  const path = `${base}/v1/federations/${encodeURIComponent(name)}`;
  return {
    label: name === DEFAULT_FEDERATION ? base : `${base}/${name}`,
    base,
    federation: name,
    challenge: new URL(`${path}/challenge`),
    session: new URL(`${path}/session`),
    connect: new URL(`${path.replace(/^http/, 'ws')}/connect`),
    isSecure: scheme === 'https:',
  };
}

function splitPath(text: string, path: string): { prefix: string; name: string } {
  if (path === '') return { prefix: '', name: DEFAULT_FEDERATION };
  const match = WHOLE_PATH.exec(path) ?? NAME_ALONE.exec(path);
  if (!match) throw badUrl(text, 'expected a path such as /my-federation');
  try {
    return { prefix: match[1], name: decodeURIComponent(match[2]) };
  } catch {
    throw badUrl(text, 'expected a path with valid percent-encoding');
  }
}

function badUrl(text: string, expected: string): Error {
  return inputError('BAD_URL', `server address: ${expected}, got ${text === '' ? '""' : text}`);
}
