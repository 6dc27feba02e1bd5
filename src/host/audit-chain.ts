/**
 * The audit log of a server as a chain: every entry is one line of JSON that ends with the SHA-256 of the rest of it, and names that of the
 * entry before. Nobody can change, take out or put in an entry without changing every hash after it; whoever has noted a later hash
 * (the head) finds out, also if the end was cut off.
 */
import { sha256 } from '@noble/hashes/sha2.js';
import { bytesToHex, utf8ToBytes } from '@noble/hashes/utils.js';

/** What has happened. No secrets: neither tokens nor invitations nor signatures. */
export interface AuditEvent {
  /** ISO 8601, UTC. */
  readonly at: string;
  /** Name of a token; `console`: whoever started the server; `strangers`: requests without a valid token. */
  readonly who: string;
  /** Network address; empty: none. */
  readonly from: string;
  /** Operation of the API, or `start`, `stop`, `refusals`. */
  readonly what: string;
  /** What it was done to: a federation, a participant, a token. */
  readonly target: string;
  /** `done`, or the code of the refusal. */
  readonly outcome: string;
  /** Of refusals that are counted together, by code. */
  readonly counts?: Readonly<Record<string, number>>;
}

/** As it is stored. */
export interface AuditLine {
  readonly seq: number;
  readonly line: string;
}

export interface AuditEntry extends AuditEvent {
  /** From 1. */
  readonly seq: number;
  /** Hash of the entry before; of the first: zeros. */
  readonly previous: string;
  readonly hash: string;
}

const START = '0'.repeat(64);
const LINE = /^(\{.*),"hash":"([0-9a-f]{64})"\}$/s;

/** The line after this one; undefined: the first. One that was changed is not hidden by what follows it. */
export function nextAuditLine(last: AuditLine | undefined, event: AuditEvent): AuditLine {
  const seq = (last?.seq ?? 0) + 1;
  const previous = last === undefined ? START : (readAuditLine(last.line)?.hash ?? hashOf(last.line));
  const { at, who, from, what, target, outcome, counts } = event;
  const fields = { seq, at, who, from, what, target, outcome, counts, previous };
  const body = JSON.stringify(fields);
  return { seq, line: `${body.slice(0, -1)},"hash":"${hashOf(body)}"}` };
}

/** Undefined: the line is not an entry, or its hash is not that of the rest. */
export function readAuditLine(line: string): AuditEntry | undefined {
  const [, rest, hash] = LINE.exec(line) ?? [];
  if (rest === undefined || hashOf(`${rest}}`) !== hash) return undefined;
  try {
    return JSON.parse(line) as AuditEntry;
  } catch {
    return undefined;
  }
}

export interface AuditVerdict {
  /** Entries that are good, from the first on. */
  readonly entries: number;
  /** Hash of the last of them; of no entries: zeros. */
  readonly head: string;
  /** The first that is not: its number, and what is wrong with it. */
  readonly broken?: { readonly seq: number; readonly why: string };
}

/** `head`: a hash that was noted before, which must be that of an entry. */
export function verifyAudit(lines: Iterable<string>, head?: string): AuditVerdict {
  let [entries, last, isHeadThere] = [0, START, head === undefined || head === START];
  for (const line of lines) {
    const entry = readAuditLine(line);
    const why = !entry
      ? 'it was changed: its hash does not match its content'
      : entry.seq !== entries + 1
        ? `expected entry ${entries + 1}, got entry ${entry.seq}: entries are missing or out of order`
        : entry.previous !== last
          ? 'it does not follow the previous entry: one of the two was replaced'
          : undefined;
    if (!entry || why !== undefined) return { entries, head: last, broken: { seq: entries + 1, why: why! } };
    entries++;
    last = entry.hash;
    if (last === head) isHeadThere = true;
  }
  if (isHeadThere) return { entries, head: last };
  const why = 'no entry has the given head hash: the log was truncated or rewritten';
  return { entries, head: last, broken: { seq: entries + 1, why } };
}

function hashOf(text: string): string {
  return bytesToHex(sha256(utf8ToBytes(`kindred audit 1\n${text}`)));
}
