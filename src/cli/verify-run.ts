/** What `kindred verify` does. */
import { inputError, KindredError } from '../base/errors.ts';
import { type Verification, type VerifiedParticipant, verified } from '../check/verify.ts';
import type { FederationRecord } from '../host/ports.ts';
import { readParticipantState } from '../node/client/state-folder.ts';
import { kindOf } from '../node/files/files.ts';
import { SqliteStore } from '../node/store/sqlite-store.ts';
import type { Stored } from '../participant/state.ts';
import { type Io, writeJson, writeLines } from './io.ts';
import { scientific } from './number-text.ts';
import { type Style, styleOf } from './style.ts';
import { type Column, labelled, textTable } from './text-table.ts';

export interface VerifyFlags {
  readonly federation?: string;
  readonly tolerance: number;
  readonly json?: true;
}

export async function runVerify(
  io: Io,
  path: string,
  folders: readonly string[],
  flags: VerifyFlags,
): Promise<void> {
  // Opening would make one.
  if ((await kindOf(path)) !== 'file')
    throw inputError('FILE_NOT_FOUND', `${path}: expected a store, got no such file`);
  const store = new SqliteStore(path);
  try {
    const federation = federationFrom(store, flags.federation);
    const states = statesOf(federation, folders);
    const stored = store.loadRun(federation.name);
    const run = stored && { options: federation.options, ...stored };
    const result = verified(run, states, flags.tolerance);
    if (flags.json) await writeJson(io, { federation: federation.name, ...result });
    else await writeLines(io, report(federation.name, result, flags.tolerance, styleOf(io)));
    if (!result.ok)
      throw new KindredError('NOT_CONSERVED', whatIsWrong(path, result, flags.tolerance), 'run');
  } finally {
    store.close();
  }
}

function federationFrom(store: SqliteStore, name: string | undefined): FederationRecord {
  const all = store.federations();
  const names = all.map((record) => record.name).join(', ') || 'none';
  if (name === undefined && all.length === 1) return all[0];
  if (name === undefined)
    throw inputError('BAD_OPTION', `option --federation: expected one of those in ${store.name} (${names})`);
  const found = all.find((record) => record.name === name);
  if (found) return found;
  throw inputError('NO_SUCH_FEDERATION', `${store.name}: expected federation "${name}", got ${names}`);
}

function statesOf({ id, name }: FederationRecord, folders: readonly string[]): Map<string, Stored> {
  const states = new Map<string, Stored>();
  for (const folder of folders) {
    const { participant, federation, stored } = readParticipantState(folder);
    if (federation && federation.id !== id) {
      throw inputError(
        'OTHER_FEDERATION',
        `${folder}: expected a state of federation "${name}" (${id}), got one of "${federation.name}" (${federation.id})`,
      );
    }
    if (states.has(participant))
      throw inputError(
        'SAME_PARTICIPANT',
        `${folder}: expected each participant once, got "${participant}" again`,
      );
    states.set(participant, stored);
  }
  return states;
}

const COLUMNS: readonly Column[] = [
  { title: 'participant', align: 'left' },
  { title: 'store', align: 'right' },
  { title: 'own', align: 'right' },
  { title: 'difference', align: 'right' },
  { title: 'verdict', align: 'left' },
];

const WORDS: Readonly<Record<VerifiedParticipant['verdict'], string>> = {
  equal: 'equal',
  'pending, settled': 'pending, settled',
  summed: 'in the sum',
  different: 'DIFFERENT',
  missing: 'MISSING: no state given',
  idle: 'nothing contributed',
  forgotten: 'forgotten',
  unknown: 'UNKNOWN to the store',
};

function report(name: string, result: Verification, tolerance: number, style: Style): string[] {
  const { participants, conservation, ok } = result;
  const round = (value: number | null) => (value === null ? '-' : String(value));
  const rows = participants.map(({ id, verdict, storeRound, ownRound, relativeDifference }) => [
    id,
    round(storeRound),
    round(ownRound),
    relativeDifference === Number.POSITIVE_INFINITY ? 'all' : scientific(relativeDifference),
    WORDS[verdict],
  ]);
  const within = `${scientific(conservation.relativeError)} relative, at most ${scientific(tolerance)} is fine`;
  return [
    ...(rows.length > 0 ? [...textTable(COLUMNS, rows, style), ''] : []),
    labelled('Federation', name, style),
    labelled('Conservation', `|sum in the store - sum of all contributions| is ${within}`, style),
    labelled('Verdict', ok ? 'conserved' : 'NOT conserved', style),
  ];
}

function whatIsWrong(path: string, { participants, conservation }: Verification, tolerance: number): string {
  const wrong = participants.filter(({ verdict }) => ['different', 'missing', 'unknown'].includes(verdict));
  const [first] = wrong;
  if (!first) {
    const got = scientific(conservation.relativeError);
    return `${path}: expected the sum in the store to be that of all contributions to ${scientific(tolerance)}, got ${got}`;
  }
  const others = wrong.length > 1 ? ` and ${wrong.length - 1} more` : '';
  return `${path}: participant "${first.id}" is ${first.verdict}${others}`;
}
