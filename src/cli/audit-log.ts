/** kindred audit-log: what operators have done, from a store or an export of `GET /v1/audit-log`. */
import type { Command } from 'commander';
import { KindredError } from '../base/errors.ts';
import { type AuditLine, readAuditLine, verifyAudit } from '../host/audit-chain.ts';
import { readBytes } from '../node/files/files.ts';
import { isStoreFile } from '../node/store/store-address.ts';
import { text } from '../settings/kinds.ts';
import { openStore } from '../stores/open-store.ts';
import { finish, valued } from './flags.ts';
import type { Io } from './io.ts';
import { writeResult } from './layout.ts';
import { printable } from './printable.ts';

interface VerifyFlags {
  readonly head?: string;
  readonly json?: true;
}

const FILE_ARGUMENT =
  'store of a stopped server (file or address), or an export of GET /v1/audit-log (JSON lines)';
const SQLITE = 'SQLite format 3\u0000';
/** Entries that are read at a time. */
const PAGE = 1000;

export function addAuditLog(program: Command, io: Io): void {
  const command = program.command('audit-log').description('Print or verify the audit log of a server.');
  const show = command
    .command('show')
    .description('Print the audit log.')
    .argument('<file>', FILE_ARGUMENT)
    .action((file: string, flags: VerifyFlags) => runShow(io, file, flags));
  finish(show, 'kindred audit-log show kindred.db');
  const verify = command
    .command('verify')
    .description('Verify that no entry was changed, removed or inserted.')
    .argument('<file>', FILE_ARGUMENT)
    .addOption(valued('--head <hash>', 'a hash printed earlier: also detects a truncated log', headKind()))
    .action((file: string, flags: VerifyFlags) => runVerify(io, file, flags));
  finish(
    verify,
    'kindred audit-log verify kindred.db',
    'kindred audit-log verify export.jsonl --head 5c0e...',
  );
}

function headKind() {
  return text().check((value) => /^[0-9a-f]{64}$/.test(value), 'a hash of 64 hex digits');
}

async function runVerify(io: Io, file: string, flags: VerifyFlags): Promise<void> {
  const { name, lines } = await linesOf(io, file);
  const verdict = verifyAudit(lines, flags.head);
  const { entries, broken } = verdict;
  if (broken)
    throw new KindredError(
      'AUDIT_BROKEN',
      `${name}: entry ${broken.seq} of the audit log: ${broken.why}`,
      'run',
    );
  const { head: last } = verdict;
  await writeResult(io, flags, { entries, head: last }, () => [
    `${entries} entries, none changed, none missing`,
    `head ${last}`,
  ]);
}

async function runShow(io: Io, file: string, flags: VerifyFlags): Promise<void> {
  const { lines } = await linesOf(io, file);
  const entries = lines.map((line) => readAuditLine(line) ?? line);
  await writeResult(io, flags, { entries }, () =>
    entries.map((entry) => {
      if (typeof entry === 'string') return `? ${printable(entry)}`;
      const { seq, at, who, from, what, target, outcome, counts = {} } = entry;
      const numbers = Object.entries(counts).map(([code, count]) => `${code} ${count}`);
      const parts = [`${seq}`, at, who, from || '-', what, target, outcome, ...numbers];
      return printable(parts.filter((part) => part !== '').join('  '));
    }),
  );
}

/** `name`: as the store calls itself, without a password. */
async function linesOf(
  { env }: Io,
  file: string,
): Promise<{ readonly name: string; readonly lines: string[] }> {
  if (isStoreFile(file)) {
    const bytes = await readBytes(file);
    const isStore = Buffer.from(bytes.subarray(0, SQLITE.length)).toString('latin1') === SQLITE;
    if (!isStore) {
      const lines = new TextDecoder().decode(bytes).split('\n');
      return { name: file, lines: lines.filter((line) => line !== '') };
    }
  }
  const store = await openStore(file, 'read', env);
  try {
    const lines: AuditLine[] = [];
    for (;;) {
      const page = await store.auditLines(lines.at(-1)?.seq ?? 0, PAGE);
      if (page.length === 0) return { name: store.name, lines: lines.map(({ line }) => line) };
      for (const entry of page) lines.push(entry);
    }
  } finally {
    await store.close();
  }
}
