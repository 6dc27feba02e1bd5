/**
 * docs/errors.md lists every code, and every code that it lists exists. Codes are found by how they are written: a literal in capitals,
 * or a key of a table of codes. No code is put together from parts, so none can escape.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { ERRORS } from '../src/node/server/api-error.ts';
import { FAULT_CODES, REJECT_CODES } from '../src/protocol/codes.ts';
import { CLOSE } from '../src/protocol/joining.ts';

const ROOT = join(import.meta.dirname, '..');
const SOURCES = readdirSync(join(ROOT, 'src'), { recursive: true })
  .map(String)
  .filter((name) => name.endsWith('.ts') && !name.endsWith('kernels.wasm.ts') && !name.includes('assembly'))
  .map((name) => ({ name, text: withoutComments(readFileSync(join(ROOT, 'src', name), 'utf8')) }));

/** Examples in comments may use codes of their own. */
function withoutComments(text: string): string {
  return text.replace(/^\s*(?:\/?\*|\/\/).*$/gm, '');
}

/** Literals in capitals that stand for something else. */
const NOT_CODES = new Set(
  [
    'GET HEAD OPTIONS POST DELETE CONNECT DENY ERR_WORKER_OUT_OF_MEMORY',
    'HTTP_PROXY HTTPS_PROXY ALL_PROXY NO_PROXY KINDRED_PROXY',
    'EACCES EADDRINUSE EADDRNOTAVAIL EAI_AGAIN ECONNREFUSED EEXIST EMLINK ENOENT ENOSYS ENOTFOUND ENOTSUP EOPNOTSUPP',
    'EPERM EPIPE EROFS',
    'SIGHUP SIGINT SIGKILL SIGTERM KINDRED_OPERATOR_TOKEN',
    'BEGIN COMMIT ROLLBACK ERROR SQLITE_BUSY SQLITE_CORRUPT SQLITE_LOCKED SQLITE_NOTADB',
    'BOOLEAN DATA_PAGE DATA_PAGE_V2 DICTIONARY_PAGE DOUBLE INT32 PAR1 REPEATED REQUIRED RLE STRING',
    'BROTLI GZIP LZ4 LZ4_RAW SNAPPY UNCOMPRESSED ZSTD ARROW1 FEA1',
    'L2R_L1LOSS_SVC_DUAL L2R_L1LOSS_SVR_DUAL L2R_L2LOSS_SVC_DUAL L2R_LR MCSVM_CS',
    'KNDS LIBLINEAR MOCHA NATS NFC NFKC OKP RMSE DIFFERENT ZIP64',
  ].flatMap((names) => names.split(' ')),
);
const WRITTEN = /'([A-Z][A-Z0-9]+(?:_[A-Z0-9]+)*)'/g;

const inSource = new Set<string>([...Object.keys(ERRORS), ...REJECT_CODES]);
for (const { text } of SOURCES) {
  for (const [, code] of text.matchAll(WRITTEN))
    if (code.length > 2 && !NOT_CODES.has(code)) inSource.add(code);
}

/** By heading, the first cells of the table below it. */
const documented = new Map<string, string[]>();
let heading = '';
for (const line of readFileSync(join(ROOT, 'docs/errors.md'), 'utf8').split('\n')) {
  if (line.startsWith('## ')) heading = line.slice(3);
  const code = line.match(/^\| `([A-Z0-9_]+)` \| [^|]+ \| [^|]+ \| [^|]+ \|$/)?.[1];
  if (code) documented.set(heading, [...(documented.get(heading) ?? []), code]);
}
const under = (name: string) => (documented.get(name) ?? []).sort();
const closeCodes = new Set(under('WebSocket close codes'));
const names = new Set([...documented.values()].flat().filter((code) => !closeCodes.has(code)));

describe('docs/errors.md', () => {
  test('lists every code that is in the source', () => {
    expect([...inSource].filter((code) => !names.has(code)).sort()).toEqual([]);
  });

  test('lists no code that is not in the source', () => {
    expect([...names].filter((code) => !inSource.has(code)).sort()).toEqual([]);
  });

  test('says of each, in every table, where it comes, what it means and what to do', () => {
    const rows = readFileSync(join(ROOT, 'docs/errors.md'), 'utf8').match(/^\| `[A-Z0-9_]+` .*$/gm)!;
    expect(rows).toHaveLength([...documented.values()].flat().length);
    for (const [name, codes] of documented) expect(new Set(codes).size, name).toBe(codes.length);
  });

  test('has the codes of the API, the rejects, secure aggregation and close codes under their headings', () => {
    expect(under('HTTP API')).toEqual(Object.keys(ERRORS).sort());
    expect(under('Protocol rejects')).toEqual([...REJECT_CODES].sort());
    expect(under('Reported by participants')).toEqual([...FAULT_CODES].sort());
    expect(under('Secure aggregation')).toEqual([...inSource].filter((code) => /^SECURE_/.test(code)).sort());
    // 1001: the server stops (server.ts); 1009: ws closes by itself where a message is too large.
    expect(under('WebSocket close codes')).toEqual(
      [...Object.values(CLOSE).map(String), '1001', '1009'].sort(),
    );
  });

  test('no code is put together from parts', () => {
    const made = /\b(?:inputError|new (?:Kindred|Api|Secure|Protocol)Error)\(\s*(?:`|'[A-Z0-9_]*'\s*\+)/;
    expect(SOURCES.filter(({ text }) => made.test(text)).map(({ name }) => name)).toEqual([]);
  });
});
