/** What `kindred join` says: events on stderr while it runs, the line that changes, and the report at the end. */
import { join } from 'node:path';
import type { JoinEvent, JoinResult, JoinStatus, OwnMetrics } from '../client/participation-options.ts';
import type { UnlearnedRows } from '../client/unlearned-rows.ts';
import { classesText } from '../data/agreed-classes.ts';
import { listed, shown } from '../data/number.ts';
import { writeDurably } from '../node/files/files.ts';
import { columnLines } from './column-lines.ts';
import { commandLine } from './command-line.ts';
import { type Io, note } from './io.ts';
import type { JoinFlags } from './join-data.ts';
import type { Layout } from './layout.ts';
import { count, decimals, duration, percent, significant } from './number-text.ts';
import { printable } from './printable.ts';
import { privacyLines } from './privacy-lines.ts';
import type { Progress } from './progress.ts';

export function waitingFor(awaited: number): string {
  return `waiting for ${count(awaited)} more participant${awaited === 1 ? '' : 's'}; training starts when they have joined`;
}

const ABOUT_ROWS: ReadonlySet<JoinEvent['type']> = new Set([
  'rows changed',
  'test rows changed',
  'unlearned',
  'columns differ',
]);

/** What is reported on stderr: every event with --verbose, otherwise changed rows, certificates and a lost connection. */
export function reporter(
  io: Io,
  { verbose, state }: JoinFlags,
  progress: Progress,
): (event: JoinEvent) => void {
  let isFirstTry = true;
  let otherVersion: number | undefined;
  return (event) => {
    const isWaiting = event.type === 'phase' && event.waitingFor !== undefined;
    if (event.type === 'unlearned') storeCertificate(state, event.certificate);
    const isNews = event.type === 'other version' && event.server !== otherVersion;
    if (event.type === 'other version') otherVersion = event.server;
    if (event.type === 'connected') otherVersion = undefined;
    if (ABOUT_ROWS.has(event.type) || isWaiting || isNews) {
      progress.clear();
      void note(io, lineFor(event, state));
    } else if (verbose) {
      void io.stderr.write(`${printable(lineFor(event, state))}\n`);
    } else if (event.type === 'lost' && isFirstTry) {
      progress.clear();
      void note(io, `${event.why}; trying again until it answers`);
    }
    if (event.type === 'connected' || event.type === 'lost') isFirstTry = false;
  };
}

function lineFor(event: JoinEvent, state: string): string {
  switch (event.type) {
    case 'connected':
      return `connected to federation ${event.federation.name} (${event.federation.id})`;
    case 'lost':
      return `not connected: ${event.why}; trying again in ${duration(event.retryMs)}`;
    case 'phase':
      return event.waitingFor === undefined
        ? `round ${event.round}: ${event.phase}`
        : `training waits for ${event.waitingFor}`;
    case 'other version':
      return `${event.why}; waiting until the versions fit, next attempt in ${duration(event.retryMs)}`;
    case 'solved':
      return `round ${event.round}: solved with ${event.passes} passes in ${duration(event.computeMs)}`;
    case 'bad frame':
      return `ignored an invalid frame: ${event.message}`;
    case 'finished':
      return `training rests after round ${event.round}: ${REASONS[event.reason]}`;
    case 'rows changed': {
      const { added, gone, kept, own } = event;
      const how = own ? ` (${ownText(own)})` : '';
      const fitted = event.isPersonalised ? `your model is now fitted to them${how}, and ` : '';
      return `training rows: ${count(added)} new, ${count(gone)} gone, ${count(kept)} kept; ${fitted}the federation is asked to train with them`;
    }
    case 'test rows changed':
      return `test rows: ${count(event.added)} new, ${count(event.gone)} gone`;
    case 'columns differ':
      return differingText(event.absent, event.ignored);
    case 'unlearned':
      return unlearnedText(event.certificate, state);
  }
}

/** More columns than these are not listed. */
const FEW_COLUMNS = 5;

function differingText(absent: readonly string[], ignored: readonly string[]): string {
  const named = (names: readonly string[]) => listed(names.map(shown), FEW_COLUMNS);
  const lacks = absent.length > 0 ? [`no column ${named(absent)} here: missing in all rows`] : [];
  const has = ignored.length > 0 ? [`ignored ${named(ignored)}, which the federation does not have`] : [];
  return [...lacks, ...has].join('; ');
}

/** Before and after, by the first metric that applies. */
function ownText({ on, before, after }: OwnMetrics): string {
  const value = ({ errorRate, rmse }: OwnMetrics['before']) =>
    errorRate === undefined ? significant(rmse) : percent(errorRate);
  const name = before.errorRate === undefined ? 'RMSE' : 'error';
  return `${name} on ${count(before.rows)} ${on} ${value(before)} before, ${value(after)} now`;
}

/** For people, beside the state that has it. */
function certificateFile(state: string, { edition }: UnlearnedRows): string {
  return join(state, `unlearned-${edition}.json`);
}

function storeCertificate(state: string, certificate: UnlearnedRows): void {
  const text = `${JSON.stringify(certificate, null, 2)}\n`;
  writeDurably(certificateFile(state, certificate), new TextEncoder().encode(text));
}

function unlearnedText(certificate: UnlearnedRows, state: string): string {
  const { removed, acceptedRound, reason } = certificate;
  const rowsOf = (kind: string, n: number) => `${count(n)} ${kind} row${n === 1 ? '' : 's'}`;
  const tested = removed.testing > 0 ? ` and ${rowsOf('test', removed.testing)}` : '';
  const rows = `${rowsOf('training', removed.training)}${tested}`;
  return `unlearned ${rows}: round ${acceptedRound} accepted an answer without them, and training has come to rest (${REASONS[reason]}); certificate in ${certificateFile(state, certificate)}`;
}

export function progressLine(status: JoinStatus): string {
  const { participant, phase, round, passes, solveMs, isConnected } = status;
  const solved = solveMs === undefined ? '' : `, last solve ${duration(solveMs)}`;
  const link = isConnected ? 'connected' : 'not connected';
  if (status.otherVersion !== undefined)
    return `${participant}: waiting for an upgrade, as the server speaks protocol version ${status.otherVersion}`;
  if (status.awaited) return `${participant}: ${waitingFor(status.awaited)}, ${link}`;
  return `${participant}: ${phase}, round ${round}, ${count(passes)} passes${solved}, ${link}`;
}

export const REASONS: Readonly<Record<JoinResult['reason'], string>> = {
  gap: 'the relative duality gap is below its target',
  stall: 'no more progress',
  rounds: 'the maximum number of rounds was reached',
  time: 'the time limit was reached',
  operator: 'the operator ended the training',
  budget: 'the privacy budget is spent',
  left: 'this participant has left',
  closed: 'stopped; the state is saved, run the same command to continue',
};

export function report(result: JoinResult, program: string, layout: Layout): string[] {
  const { line } = layout;
  const { participant, key, federation, reason, rounds, base, passes, test, privacy, state } = result;
  const own =
    base > 0 ? `last accepted in round ${base}, ${count(passes)} local passes` : 'none accepted yet';
  return [
    line('Participant', federation ? `${participant}, federation ${federation.name}` : participant),
    line('Training', `${count(rounds)} rounds: ${REASONS[reason]}`),
    ...(result.participants === undefined
      ? []
      : [line('Took part', tookPart(result.participants, result.missing ?? 0))]),
    line('Own part', own),
    ...agreedLines(result).map(([name, text]) => line(name, text)),
    ...columnLines(result.columns ?? [], '--json', layout),
    ...(test ? [line('Test', testText(test))] : []),
    ...privacyLines(privacy, line),
    ...(key === undefined ? [] : [line('Key', key)]),
    line('State', state),
    ...(base > 0 ? [line('Predict', commandLine(program, 'predict', '--model', state, 'new.csv'))] : []),
  ];
}

/** What the federation has agreed on about targets. */
function agreedLines({ classes, target }: Pick<JoinResult, 'classes' | 'target'>): [string, string][] {
  if (classes) return [['Classes', classesText(classes)]];
  if (!target) return [];
  const { shift, scale } = target;
  return [
    [
      'Target',
      `centred at ${significant(shift)}, in units of ${significant(scale)} (mean and standard deviation of all)`,
    ],
  ];
}

function tookPart(participants: number, missing: number): string {
  const everybody = `${count(participants)} participant${participants === 1 ? '' : 's'}`;
  if (missing === 0) return everybody;
  return `${everybody}; the certificate does not cover ${count(missing)} that stopped answering`;
}

function testText(test: NonNullable<JoinResult['test']>): string {
  const { rows, errorRate, balancedAccuracy, r2, rmse, logLoss } = test;
  const chances = logLoss === undefined ? '' : `, log loss ${decimals(logLoss)}`;
  return errorRate === undefined
    ? `${count(rows)} rows: RMSE ${significant(rmse)}, R2 ${decimals(r2)}`
    : `${count(rows)} rows: error ${percent(errorRate)}, balanced accuracy ${decimals(balancedAccuracy)}${chances}`;
}
