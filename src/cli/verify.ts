/** kindred verify: conservation between a coordinator's store and the participants' states. */
import type { Command } from 'commander';
import { inputError, KindredError } from '../base/errors.ts';
import { type Verification, type VerifiedParticipant, verified } from '../check/verify.ts';
import { type VerifiedUnlearning, verifiedUnlearning } from '../check/verify-unlearned.ts';
import type { ParticipantFile } from '../client/participant-file.ts';
import { allRounds } from '../host/all-rounds.ts';
import type { FederationRecord } from '../host/ports.ts';
import { number } from '../settings/kinds.ts';
import { openStore } from '../stores/open-store.ts';
import { finish, kindValue } from './flags.ts';
import type { Io } from './io.ts';
import { type Layout, writeResult } from './layout.ts';
import { count, scientific } from './number-text.ts';
import { Progress } from './progress.ts';

interface Flags {
  readonly federation?: string;
  readonly tolerance: number;
  readonly json?: true;
}

export function addVerify(program: Command, io: Io): void {
  const command = program
    .command('verify')
    .description(
      "Check that a server's store and the states of its participants agree: the stored sum equals the sum of all contributions.",
    )
    .argument('<store>', 'store of a stopped server: its file or its address')
    .argument('<state-dir...>', 'the --state folders of all participants')
    .option('--federation <name>', 'name of the federation (default: the only one in the store)')
    .option(
      '--tolerance <number>',
      'maximum relative difference',
      kindValue('--tolerance', number({ min: 0 })),
      1e-9,
    )
    .action((store: string, folders: readonly string[], flags: Flags) =>
      runVerify(io, store, folders, flags),
    );
  finish(command, 'kindred verify kindred.db states/ada states/ben');
}

async function runVerify(io: Io, address: string, folders: readonly string[], flags: Flags): Promise<void> {
  const store = await openStore(address, 'read', io.env);
  const { name: path } = store;
  try {
    const federation = federationFrom(path, await store.federations(), flags.federation);
    const progress = new Progress(io);
    const files = await progress.during(() => filesOf(federation, folders, progress));
    const stored = await store.loadRun(federation.name);
    const run = stored && { options: federation.options, ...stored };
    const states = new Map(Array.from(files, ([id, file]) => [id, file.stored]));
    const result = verified(run, states, flags.tolerance);
    const history = await allRounds(store, federation.name);
    const certificates = [...files.values()].flatMap(({ unlearned = [] }) => unlearned);
    const unlearned = certificates.map((one) => verifiedUnlearning(one, stored, history));
    await writeResult(io, flags, { federation: federation.name, ...result, unlearned }, (layout) => [
      ...report(federation.name, result, flags.tolerance, layout),
      ...unlearned.map((one) => layout.line('Unlearned', unlearnedText(one))),
    ]);
    if (!result.ok)
      throw new KindredError('NOT_CONSERVED', whatIsWrong(path, result, flags.tolerance), 'run');
    const broken = unlearned.find(({ holds }) => !holds);
    if (broken) throw notUnlearned(path, broken);
  } finally {
    await store.close();
  }
}

function federationFrom(
  store: string,
  all: readonly FederationRecord[],
  name: string | undefined,
): FederationRecord {
  const names = all.map((record) => record.name).join(', ') || 'none';
  if (name === undefined && all.length === 1) return all[0];
  if (name === undefined)
    throw inputError('BAD_OPTION', `option --federation: expected one of those in ${store} (${names})`);
  const found = all.find((record) => record.name === name);
  if (found) return found;
  throw inputError('NO_SUCH_FEDERATION', `${store}: expected federation "${name}", got ${names}`);
}

async function filesOf(
  { id, name }: FederationRecord,
  folders: readonly string[],
  progress: Progress,
): Promise<Map<string, ParticipantFile>> {
  const { readParticipantState } = await import('../node/client/state-folder.ts');
  const files = new Map<string, ParticipantFile>();
  for (const [i, folder] of folders.entries()) {
    progress.show(`verify: ${folder}, ${i + 1} of ${folders.length} states`);
    const file = readParticipantState(folder);
    const { participant, federation } = file;
    if (federation && federation.id !== id) {
      const got = `"${federation.name}" (${federation.id})`;
      const expected = `expected a state of federation "${name}" (${id})`;
      throw inputError('OTHER_FEDERATION', `${folder}: ${expected}, got one of ${got}`);
    }
    if (files.has(participant)) {
      const got = `got "${participant}" again`;
      throw inputError('SAME_PARTICIPANT', `${folder}: expected each participant once, ${got}`);
    }
    files.set(participant, file);
  }
  return files;
}

const VERDICTS: Readonly<Record<VerifiedParticipant['verdict'], string>> = {
  equal: 'equal',
  'pending, settled': 'pending, settled',
  summed: 'in the sum',
  different: 'DIFFERENT',
  missing: 'MISSING: no state given',
  idle: 'nothing contributed',
  forgotten: 'forgotten',
  unknown: 'UNKNOWN to the store',
};

const COLUMNS = ['<participant', 'store', 'own', 'difference', '<verdict'];

function report(name: string, result: Verification, tolerance: number, { line, table }: Layout): string[] {
  const { participants, conservation, ok } = result;
  const rows = participants.map(({ id, verdict, storeRound, ownRound, relativeDifference }) => [
    id,
    `${storeRound ?? '-'}`,
    `${ownRound ?? '-'}`,
    relativeDifference === Number.POSITIVE_INFINITY ? 'all' : scientific(relativeDifference),
    VERDICTS[verdict],
  ]);
  const within = `${scientific(conservation.relativeError)} relative (tolerance ${scientific(tolerance)})`;
  return [
    ...(rows.length > 0 ? [...table(COLUMNS, rows), ''] : []),
    line('Federation', name),
    line('Conservation', `|stored sum - sum of all contributions| is ${within}`),
    line('Verdict', ok ? 'conserved' : 'NOT conserved'),
  ];
}

/** What a certificate says, and whether the store bears it out. */
function unlearnedText({ participant, removed, acceptedRound, holds, ...gaps }: VerifiedUnlearning): string {
  const rows = `${count(removed.training + removed.testing)} rows of ${participant} since round ${acceptedRound}`;
  const { gapBefore, gapAfter } = gaps;
  return `${rows}, relative gap ${scientific(gapBefore)} before, ${scientific(gapAfter)} after: ${holds ? 'holds' : 'does NOT hold'}`;
}

function notUnlearned(
  path: string,
  { participant, edition, acceptedRound, ...store }: VerifiedUnlearning,
): Error {
  const { storeEdition, storeRound } = store;
  const expected = `expected edition ${edition} of the rows of "${participant}" and an answer of round ${acceptedRound} or later`;
  const got = `got edition ${storeEdition} and round ${storeRound}`;
  return new KindredError('NOT_UNLEARNED', `${path}: ${expected}, as its certificate says, ${got}`, 'run');
}

function whatIsWrong(path: string, { participants, conservation }: Verification, tolerance: number): string {
  const wrong = participants.filter(({ verdict }) => ['different', 'missing', 'unknown'].includes(verdict));
  const [first] = wrong;
  if (!first) {
    const got = scientific(conservation.relativeError);
    return `${path}: expected the stored sum to match the sum of all contributions within ${scientific(tolerance)}, got ${got}`;
  }
  const others = wrong.length > 1 ? ` and ${wrong.length - 1} more` : '';
  return `${path}: participant "${first.id}" is ${first.verdict}${others}`;
}
