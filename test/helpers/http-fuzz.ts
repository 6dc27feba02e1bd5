/** HTTP requests as no client would send them, drawn from a seed: bytes, ready for a socket. */
import type { Stream } from '../../src/base/random.ts';

const METHODS = [
  ...['GET', 'POST', 'PUT', 'DELETE', 'PATCH', 'HEAD', 'OPTIONS', 'TRACE'],
  ...['PROPFIND', 'M-SEARCH', 'QUERY', 'get', 'G\u00cbT', 'PO ST', '', 'A'.repeat(300)],
];
const NAMES = [
  ...[
    'default',
    'other',
    'none',
    '__proto__',
    'constructor',
    'toString',
    '%00',
    '%2e%2e',
    '..',
    '%zz',
    '%ff',
  ],
  ...[
    '%E0%A4%A',
    '..%2f..%2fetc%2fpasswd',
    'a%20b',
    '%F0%9F%92%A9',
    'x'.repeat(700),
    "'; DROP TABLE runs; --",
  ],
];
const PATHS = [
  ...[
    '/',
    '//',
    '*',
    '/healthz',
    '/readyz',
    '/metrics',
    '/v1',
    '/v1/',
    '/v1/openapi.json',
    '/v1/federations',
  ],
  ...[
    '/v1/federations/',
    'http://127.0.0.1/healthz',
    'healthz',
    '/%',
    '/\u00e9',
    '/a b',
    `/${'y'.repeat(9000)}`,
  ],
  ...['', '/', '/challenge', '/session', '/connect', '/participants', '/rounds', '/history', '/model'].map(
    (rest) => `/v1/federations/:name${rest}`,
  ),
  ...['/rounds/1', '/rounds/0', '/rounds/-1', '/rounds/1e9', '/rounds/9007199254740993', '/rounds/NaN'].map(
    (rest) => `/v1/federations/:name${rest}`,
  ),
  ...['/invitations', '/participants/:name/forget', '/participants/:name/allow', '/finish', '/pause'].map(
    (rest) => `/v1/federations/:name${rest}`,
  ),
];
const QUERIES = [
  ...['', '', '', '?', '?a', '?after=1&after=2', '?after=-1', '?after=1e308', '?after=99999999999999999999'],
  ...[
    '?limit=0',
    '?limit=1000000',
    '?limit[]=1',
    '?__proto__[x]=1',
    '?constructor=1',
    '?format=xml',
    '?%zz=1',
  ],
  ...[`?q=${'z'.repeat(5000)}`, '?after=%00', '?after= 1', '#fragment', '?limit=0x10'],
];
const HEADERS = [
  ...['content-type: application/json', 'content-type: text/plain', 'content-type: ', 'content-type: a/b; c'],
  ...[
    'authorization: Bearer x',
    'authorization: Basic eDp5',
    'authorization:',
    'expect: 100-continue',
    'expect: tea',
  ],
  ...[
    'origin: null',
    'origin: https://evil.example',
    'transfer-encoding: chunked',
    'transfer-encoding: gzip',
  ],
  ...[
    'connection: upgrade\r\nupgrade: websocket',
    'connection: upgrade\r\nupgrade: h2c',
    'connection: close',
  ],
  ...['sec-websocket-version: 99', 'sec-websocket-protocol: kindred.v2, ticket.x', 'sec-websocket-key: x'],
  ...[
    'x: \u0001',
    'bad header',
    ': empty',
    'x y: z',
    'accept-encoding: gzip, br',
    'range: bytes=0-9999999999',
  ],
  ...[`cookie: ${'c'.repeat(4000)}`, `x-long: ${'h'.repeat(20_000)}`, 'content-encoding: gzip'],
  ...Array<string>(4).fill('x-padding: 1'),
];
const BODIES = [
  ...[
    '',
    '{}',
    '[]',
    'null',
    'true',
    '1e999',
    '"text"',
    '{',
    '{"a":',
    '\u0000',
    '{}{}',
    '\ufeff{}',
    "{'a':1}",
  ],
  ...[
    '{"__proto__":{"admin":true}}',
    '{"constructor":{"prototype":{"admin":true}}}',
    '{"\\u005f_proto__":1}',
  ],
  ...['{"participant":"p0","key":"k"}', '{"participant":5}', '{"participant":"\\ud800"}', '{"count":1e308}'],
  ...[
    '{"name":"a","options":[]}',
    '{"name":{"toString":1}}',
    '{"name":"b","options":{"c1":-1}}',
    '{"count":0.5}',
  ],
  ...[
    '['.repeat(50_000),
    '{"a":'.repeat(20_000),
    `[${'9'.repeat(50_000)}]`,
    `{"name":"${'n'.repeat(100_000)}"}`,
  ],
  ...[
    `{"name":"deep","options":${'['.repeat(20_000)}${']'.repeat(20_000)}}`,
    `{"options":${'{"a":'.repeat(9000)}1`,
  ],
  ...['\u00ff\u00fe', `{"features":[${'"x",'.repeat(20_000)}"x"]}`, '{"signature":"'.padEnd(5000, 'A')],
];

const FIELDS = [
  ...[
    'participant',
    'key',
    'challenge',
    'schema',
    'features',
    'invitation',
    'signature',
    'count',
    'lifetimeMs',
  ],
  ...[
    'name',
    'options',
    'c1',
    'waiting',
    'kind',
    'ms',
    'stop',
    'gap',
    'rounds',
    'dp',
    'clip',
    'secure',
    'mask',
  ],
  ...[
    'defence',
    'normBound',
    'seed',
    'aggregation',
    'toString',
    'constructor',
    '',
    '\u0000',
    'x'.repeat(300),
  ],
];
const VALUES = [
  ...[
    'null',
    'true',
    '0',
    '-1',
    '1',
    '0.5',
    '1e308',
    '-1e308',
    '1e999',
    '9007199254740993',
    '""',
    '"a"',
    '"all"',
  ],
  ...[
    '"\\ud800"',
    '"\\u0000"',
    `"${'v'.repeat(2000)}"`,
    '"mocha"',
    '"fixed"',
    '"../x"',
    '[]',
    '{}',
    '[[]]',
    '[null]',
  ],
  ...[`"${'A'.repeat(43)}"`, `"${'0'.repeat(64)}"`, `"${'A'.repeat(86)}"`, '["x1","x2"]', '{"kind":"all"}'],
];

export interface FuzzRequest {
  readonly bytes: Buffer;
  /** For whoever has to find out what went wrong. */
  readonly about: string;
}

/** Draws requests; `token` is the operator's, and used where the federation is not the one that must go on. */
export class HttpFuzz {
  private readonly random: Stream;
  private readonly token: string;

  constructor(random: Stream, token: string) {
    this.random = random;
    this.token = token;
  }

  /** Every other one is HTTP, if odd; the rest may be anything. */
  next(): FuzzRequest {
    return this.chance(0.5) ? this.wellFormed() : this.malformed();
  }

  private wellFormed(): FuzzRequest {
    const name = this.chance(0.7) ? 'other' : this.chance(0.5) ? 'default' : this.pick(NAMES);
    const path = this.pick(PATHS.filter((one) => one.startsWith('/v1'))).replaceAll(':name', name);
    const method = this.chance(0.9) ? this.pick(['GET', 'POST']) : this.pick(METHODS.slice(0, 8));
    const body = method === 'GET' ? '' : this.chance(0.8) ? this.json(3) : this.pick(BODIES);
    const headers = ['host: 127.0.0.1', `content-length: ${Buffer.byteLength(body)}`];
    if (this.chance(0.9)) headers.push('content-type: application/json');
    if (name !== 'default' && this.chance(0.8)) headers.push(`authorization: Bearer ${this.token}`);
    const query = this.chance(0.5) ? '' : this.pick(QUERIES);
    return request(`${method} ${path}${query} HTTP/1.1`, headers, body);
  }

  private malformed(): FuzzRequest {
    const path = this.pick(PATHS).replaceAll(':name', this.pick(NAMES)) + this.pick(QUERIES);
    const method = this.usually(this.pick(['GET', 'POST']), METHODS);
    const version = this.usually('HTTP/1.1', ['HTTP/1.0', 'HTTP/2.0', 'HTTP/9.9', 'http/1.1', '']);
    const headers = [this.usually('host: 127.0.0.1', ['host: evil.example', 'host:', 'x: y'])];
    for (let n = this.random.below(4); n > 0; n--) headers.push(this.pick(HEADERS));
    const body = this.pick(BODIES);
    const length = Buffer.byteLength(body);
    const lies = [
      'content-length: 0',
      `content-length: ${length + 5}`,
      'content-length: -1',
      'content-length: 1e3',
    ];
    headers.push(this.usually(`content-length: ${length}`, [...lies, 'x: 1']));
    const { bytes, about } = request(`${method} ${path} ${version}`, headers, body);
    // A few are damaged anywhere.
    if (this.chance(0.1)) bytes[this.random.below(bytes.length)] = this.random.below(256);
    return { bytes, about };
  }

  /** An object of fields that we know, or of others, with values that do not belong there, or do. */
  private json(depth: number): string {
    const fields = Array.from({ length: 1 + this.random.below(4) }, () => {
      const value = depth > 0 && this.chance(0.3) ? this.json(depth - 1) : this.pick(VALUES);
      return `${JSON.stringify(this.pick(FIELDS))}:${value}`;
    });
    return `{${fields.join(',')}}`;
  }

  private usually(usual: string, odd: readonly string[]): string {
    return this.chance(0.8) ? usual : this.pick(odd);
  }

  private pick<T>(from: readonly T[]): T {
    return from[this.random.below(from.length)];
  }

  private chance(share: number): boolean {
    return this.random.uniform() < share;
  }
}

function request(line: string, headers: readonly string[], body: string): FuzzRequest {
  const bytes = Buffer.from(`${line}\r\n${headers.join('\r\n')}\r\n\r\n${body}`);
  return { bytes, about: `${line} | ${headers.slice(0, 5).join(' | ')} | ${body}`.slice(0, 400) };
}
