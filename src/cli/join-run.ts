/** What `kindred join` does. */
import { inputError, KindredError } from '../base/errors.ts';
import type { JoinResult, JoinStatus, Participation } from '../client/participation-options.ts';
import type { Table } from '../data/table.ts';
import type { TlsOptions } from '../node/admin/post-json.ts';
import { joinFederation } from '../node/client/join.ts';
import { hasLeft, leaveFor } from '../node/client/leave.ts';
import { RunRecorder } from '../node/run-log.ts';
import { invitationFrom } from './invitation.ts';
import { type Io, note } from './io.ts';
import { type JoinFlags, type JoinRows, readJoinData, readUnlearned } from './join-data.ts';
import { readPolicy } from './join-policy.ts';
import { progressLine, REASONS, report, reporter, waitingFor } from './join-report.ts';
import { checkWatchable, WatchedRows } from './join-watch.ts';
import { writeResult } from './layout.ts';
import { Progress } from './progress.ts';
import { readTls } from './tls-files.ts';

const REFRESH_MS = 250;
/** Others may be about to come. */
const NOTE_AFTER_MS = 2000;

export async function runJoin(io: Io, url: string, flags: JoinFlags): Promise<void> {
  if (flags.once && (flags.forever || flags.watch)) {
    const other = flags.watch ? '--watch' : '--forever';
    throw inputError('BAD_OPTION', `option ${other}: expected ${other} or --once, got both`);
  }
  const tls = await readTls(flags);
  if (flags.leave) return await leave(io, url, flags, tls);
  const invitation = await invitationFrom(io, flags);
  if (flags.watch) await checkWatchable(flags);
  const watched = flags.watch ? new WatchedRows(io, flags) : undefined;
  const rows = await readJoinData(io, flags);
  const unlearn = await readUnlearned(io, flags, rows);
  const { state, positive, testFraction, seed, reportTests, probabilities, slowdown, waitForUpgrade } = flags;
  const policy = await readPolicy(flags);
  // Whoever asks for sums is one to be summed.
  const secure = flags.secure ?? (policy.require.includes('secure') || undefined);
  if (hasLeft(state)) await note(io, 'this participant had left the federation; it joins again');
  const progress = new Progress(io);
  const record = flags.record === undefined ? undefined : new RunRecorder(flags.record);
  const { env } = io;
  const start = ({ participant, table, columns }: JoinRows, unlearn?: Table) =>
    joinFederation({
      url,
      data: { table, columns },
      participant,
      stateFolder: state,
      ...{
        positive,
        invitation,
        testFraction,
        seed,
        reportTests,
        probabilities,
        slowdown,
        waitForUpgrade,
        secure,
        policy,
        tls,
        env,
        record,
        unlearn,
      },
      keepGoing: flags.forever ?? flags.watch ?? false,
      onEvent: reporter(io, flags, progress),
    });
  let running = start(rows, unlearn);
  let isStopped = false;
  const takeBack = io.onInterrupt?.(() => {
    isStopped = true;
    void running.close();
  });
  const waits = waitingNote(io);
  const refresh = setInterval(() => {
    const { status } = running;
    if (!flags.verbose) progress.show(progressLine(status));
    if (!io.stderr.isTerminal) waits(status);
  }, REFRESH_MS);
  try {
    watched?.begin(rows);
    for (let next = await endOrRows(running, watched); next; next = await endOrRows(running, watched)) {
      // As if it had been stopped and started with the new rows: whatever happens in between, that is well tested.
      await running.close();
      if (isStopped) break;
      running = start(next);
    }
    const result = await running.done;
    progress.clear();
    await writeResult(io, flags, result, (layout) => report(result, io.program, layout));
    checkAccepted(result, running.status.awaited);
    if (probabilities && !result.calibration)
      await note(io, 'no probabilities: they need classification, --method mtl and a model from training');
  } finally {
    watched?.end();
    clearInterval(refresh);
    progress.clear();
    takeBack?.();
    record?.close();
  }
}

/** Other rows than those that it takes part with; undefined: it has come to its end. */
async function endOrRows(
  { done }: Participation,
  watched: WatchedRows | undefined,
): Promise<JoinRows | undefined> {
  const ended = done.then(() => undefined);
  return watched ? Promise.race([ended, watched.next()]) : ended;
}

async function leave(io: Io, url: string, flags: JoinFlags, tls: TlsOptions | undefined): Promise<void> {
  const left = await leaveFor({ url, stateFolder: flags.state, tls, env: io.env });
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
