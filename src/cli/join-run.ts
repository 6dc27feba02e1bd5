/** What `kindred join` does. */
import { inputError, KindredError } from '../base/errors.ts';
import type { JoinEvent, JoinResult, JoinStatus } from '../client/participation-options.ts';
import { classesText } from '../data/agreed-classes.ts';
import type { TlsOptions } from '../node/admin/post-json.ts';
import { joinFederation } from '../node/client/join.ts';
import { hasLeft, leaveFor } from '../node/client/leave.ts';
import { RunRecorder } from '../node/run-log.ts';
import { commandLine } from './command-line.ts';
import { invitationFrom } from './invitation.ts';
import { type Io, note } from './io.ts';
import { type JoinFlags, readJoinData } from './join-data.ts';
import { readPolicy } from './join-policy.ts';
import { type Layout, writeResult } from './layout.ts';
import { count, decimals, duration, percent, significant } from './number-text.ts';
import { printable } from './printable.ts';
import { privacyLines } from './privacy-lines.ts';
import { Progress } from './progress.ts';
import { readTls } from './tls-files.ts';

const REFRESH_MS = 250;
/** Others may be about to come. */
const NOTE_AFTER_MS = 2000;

export async function runJoin(io: Io, url: string, flags: JoinFlags): Promise<void> {
  if (flags.once && flags.forever)
    throw inputError('BAD_OPTION', 'option --forever: expected --forever or --once, got both');
  const tls = await readTls(flags);
  if (flags.leave) return await leave(io, url, flags, tls);
  const invitation = await invitationFrom(io, flags);
  const { participant, table, columns } = await readJoinData(io, flags);
  const { state, positive, testFraction, seed, probabilities, slowdown } = flags;
  const policy = await readPolicy(flags);
  // Whoever asks for sums is one to be summed.
  const secure = flags.secure ?? (policy.require.includes('secure') || undefined);
  if (hasLeft(state)) await note(io, 'this participant had left the federation; it joins again');
  const progress = new Progress(io);
  const record = flags.record === undefined ? undefined : new RunRecorder(flags.record);
  const participation = joinFederation({
    url,
    data: { table, columns },
    participant,
    stateFolder: state,
    ...{ positive, invitation, testFraction, seed, probabilities, slowdown, secure, policy, tls, record },
    keepGoing: flags.forever ?? false,
    onEvent: reporter(io, flags, progress),
  });
  const takeBack = io.onInterrupt?.(() => void participation.close());
  const waits = waitingNote(io);
  const refresh = setInterval(() => {
    const { status } = participation;
    if (!flags.verbose) progress.show(progressLine(status));
    if (!io.stderr.isTerminal) waits(status);
  }, REFRESH_MS);
  try {
    const result = await participation.done;
    progress.clear();
    await writeResult(io, flags, result, (layout) => report(result, io.program, layout));
    checkAccepted(result, participation.status.awaited);
    if (probabilities && !result.calibration)
      await note(io, 'no probabilities: they need classification, --method mtl and a model from training');
  } finally {
    clearInterval(refresh);
    progress.clear();
    takeBack?.();
    record?.close();
  }
}

async function leave(io: Io, url: string, flags: JoinFlags, tls: TlsOptions | undefined): Promise<void> {
  const left = await leaveFor({ url, stateFolder: flags.state, tls });
  const { participant, federation, base } = left;
  await writeResult(io, flags, { ...left, left: true, state: flags.state }, () => [
    `${participant} has left federation ${federation.name}`,
  ]);
  if (base > 0 && !flags.json)
    await note(io, 'its contribution stays in the model until the operator forgets it');
}

/** Where nobody sees a line that changes: says once, after a while, that it waits for others. */
function waitingNote(io: Io): (status: JoinStatus) => void {
  const startedMs = io.now();
  let isSaid = false;
  return ({ awaited = 0, participant }) => {
    if (isSaid || awaited === 0 || io.now() - startedMs < NOTE_AFTER_MS) return;
    isSaid = true;
    void note(io, `${participant}: ${waitingFor(awaited)}`);
  };
}

function waitingFor(awaited: number): string {
  return `waiting for ${count(awaited)} more participant${awaited === 1 ? '' : 's'}; training starts when they have joined`;
}

/** Nobody has learnt from these rows: that is not success, whatever the reason. */
function checkAccepted({ participant, reason, base }: JoinResult, awaited = 0): void {
  if (base > 0 || reason === 'left') return;
  const what = `participant "${participant}": none of its answers was accepted`;
  const because =
    reason !== 'closed'
      ? `before training ended (${REASONS[reason]}), so its rows are not in the model; run the same command again, and ask the operator to reopen the federation if that does not help`
      : awaited > 0
        ? `while it was ${waitingFor(awaited)}; run the same command again, and let others join`
        : 'before it was stopped; run the same command again to continue';
  throw new KindredError('NOT_ACCEPTED', `${what} ${because}`, 'run');
}

/** What is reported on stderr: every event with --verbose, otherwise only a lost connection. */
function reporter(io: Io, { verbose }: JoinFlags, progress: Progress): (event: JoinEvent) => void {
  let isFirstTry = true;
  return (event) => {
    const isWaiting = event.type === 'phase' && event.waitingFor !== undefined;
    if (event.type === 'rows changed' || isWaiting) {
      progress.clear();
      void note(io, lineFor(event));
    } else if (verbose) {
      void io.stderr.write(`${printable(lineFor(event))}\n`);
    } else if (event.type === 'lost' && isFirstTry) {
      progress.clear();
      void note(io, `${event.why}; trying again until it answers`);
    }
    if (event.type === 'connected' || event.type === 'lost') isFirstTry = false;
  };
}

function lineFor(event: JoinEvent): string {
  switch (event.type) {
    case 'connected':
      return `connected to federation ${event.federation.name} (${event.federation.id})`;
    case 'lost':
      return `not connected: ${event.why}; trying again in ${duration(event.retryMs)}`;
    case 'phase':
      return event.waitingFor === undefined
        ? `round ${event.round}: ${event.phase}`
        : `training waits for ${event.waitingFor}`;
    case 'solved':
      return `round ${event.round}: solved with ${event.passes} passes in ${duration(event.computeMs)}`;
    case 'bad frame':
      return `ignored an invalid frame: ${event.message}`;
    case 'finished':
      return `training rests after round ${event.round}: ${REASONS[event.reason]}`;
    case 'rows changed': {
      const fitted = event.isPersonalised ? 'your model is now fitted to them, and ' : '';
      const { added, gone, kept } = event;
      return `training rows since the last start: ${count(added)} new, ${count(gone)} gone, ${count(kept)} kept; ${fitted}the federation is asked to train with them`;
    }
  }
}

function progressLine(status: JoinStatus): string {
  const { participant, phase, round, passes, solveMs, isConnected } = status;
  const solved = solveMs === undefined ? '' : `, last solve ${duration(solveMs)}`;
  const link = isConnected ? 'connected' : 'not connected';
  if (status.awaited) return `${participant}: ${waitingFor(status.awaited)}, ${link}`;
  return `${participant}: ${phase}, round ${round}, ${count(passes)} passes${solved}, ${link}`;
}

const REASONS: Readonly<Record<JoinResult['reason'], string>> = {
  gap: 'the relative duality gap is below its target',
  stall: 'no more progress',
  rounds: 'the maximum number of rounds was reached',
  time: 'the time limit was reached',
  operator: 'the operator ended the training',
  budget: 'the privacy budget is spent',
  left: 'this participant has left',
  closed: 'stopped; the state is saved, run the same command to continue',
};

function report(result: JoinResult, program: string, { line }: Layout): string[] {
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
