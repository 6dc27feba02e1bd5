/** What `kindred join` does. */
import { inputError } from '../base/errors.ts';
import type { JoinEvent, JoinResult, JoinStatus } from '../client/participation-options.ts';
import { joinFederation } from '../node/client/join.ts';
import { RunRecorder } from '../node/run-log.ts';
import { oneLine } from './failure.ts';
import { type Io, note } from './io.ts';
import { type JoinFlags, readJoinData } from './join-data.ts';
import { readPolicy } from './join-policy.ts';
import { type Layout, quoted, writeResult } from './layout.ts';
import { count, decimals, duration, percent, significant } from './number-text.ts';
import { Progress } from './progress.ts';
import { readTls } from './tls-files.ts';

const REFRESH_MS = 250;

export async function runJoin(io: Io, url: string, flags: JoinFlags): Promise<void> {
  if (flags.once && flags.forever)
    throw inputError('BAD_OPTION', 'option --forever: expected it without --once, got both');
  const tls = await readTls('--', flags);
  const { participant, table, columns } = await readJoinData(io, flags);
  const { state, positive, invitation, testFraction, seed, slowdown } = flags;
  const policy = await readPolicy(flags);
  // Whoever asks for sums is one to be summed.
  const secure = flags.secure ?? (policy.require.includes('secure') || undefined);
  const progress = new Progress(io);
  const record = flags.record === undefined ? undefined : new RunRecorder(flags.record);
  const participation = joinFederation({
    url,
    data: { table, columns },
    participant,
    stateFolder: state,
    ...{ positive, invitation, testFraction, seed, slowdown, secure, policy, tls, record },
    keepGoing: flags.forever ?? false,
    onEvent: reporter(io, flags, progress),
  });
  const takeBack = io.onInterrupt?.(() => void participation.close());
  const refresh = setInterval(() => {
    if (!flags.verbose) progress.show(progressLine(participation.status));
  }, REFRESH_MS);
  try {
    const result = await participation.done;
    progress.clear();
    await writeResult(io, flags, result, (layout) => report(result, io.program, layout));
  } finally {
    clearInterval(refresh);
    progress.clear();
    takeBack?.();
    record?.close();
  }
}

/** What is reported on stderr: every event with --verbose, otherwise only a lost connection. */
function reporter(io: Io, { verbose }: JoinFlags, progress: Progress): (event: JoinEvent) => void {
  let isFirstTry = true;
  return (event) => {
    if (event.type === 'rows changed') {
      progress.clear();
      void note(io, lineFor(event));
    } else if (verbose) {
      void io.stderr.write(`${oneLine(lineFor(event))}\n`);
    } else if (event.type === 'lost' && isFirstTry) {
      progress.clear();
      void note(io, oneLine(`${event.why}; trying again until it answers`));
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
      return `round ${event.round}: ${event.phase}`;
    case 'solved':
      return `round ${event.round}: solved with ${event.passes} passes in ${duration(event.computeMs)}`;
    case 'bad frame':
      return `a frame that is not valid was ignored: ${event.message}`;
    case 'finished':
      return `training rests after round ${event.round}: ${REASONS[event.reason]}`;
    case 'rows changed': {
      const fitted = event.isPersonalised ? 'your model is fitted to them now, and ' : '';
      return `the training rows are others than at the last start: ${fitted}the federation is asked to train with them`;
    }
  }
}

function progressLine(status: JoinStatus): string {
  const { participant, phase, round, passes, solveMs, isConnected } = status;
  const solved = solveMs === undefined ? '' : `, last solve ${duration(solveMs)}`;
  const link = isConnected ? 'connected' : 'not connected';
  return `${oneLine(participant)}: ${phase}, round ${round}, ${count(passes)} passes${solved}, ${link}`;
}

const REASONS: Readonly<Record<JoinResult['reason'], string>> = {
  gap: 'the relative duality gap is below its target',
  stall: 'no more progress',
  rounds: 'out of rounds',
  time: 'out of time',
  operator: 'the operator ended it',
  budget: 'the privacy budget is spent',
  left: 'this participant has left',
  closed: 'stopped; the state is kept, and the same command continues from it',
};

function report(result: JoinResult, program: string, { line }: Layout): string[] {
  const { participant, key, federation, reason, rounds, base, passes, test, state } = result;
  const own = base > 0 ? `last taken in round ${base}, ${count(passes)} local passes` : 'none taken yet';
  return [
    line('Participant', oneLine(federation ? `${participant}, federation ${federation.name}` : participant)),
    line('Training', `${count(rounds)} rounds: ${REASONS[reason]}`),
    line('Own part', own),
    ...(test ? [line('Test', testText(test))] : []),
    ...(key === undefined ? [] : [line('Key', key)]),
    line('State', state),
    ...(base > 0 ? [line('Predict', `${program} predict --model ${quoted(state)} new.csv`)] : []),
  ];
}

function testText({ rows, errorRate, balancedAccuracy, r2, rmse }: NonNullable<JoinResult['test']>): string {
  return errorRate === undefined
    ? `${count(rows)} rows: RMSE ${significant(rmse)}, R2 ${decimals(r2)}`
    : `${count(rows)} rows: error ${percent(errorRate)}, balanced accuracy ${decimals(balancedAccuracy)}`;
}
