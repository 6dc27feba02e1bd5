/** The page as a whole: what it shows, and what people can do in it. Components draw it, the library takes part. */
import { missingFeatures } from '../../browser/features.ts';
import { joinFederation, stateName } from '../../browser/join.ts';
import type { MissingFeature } from '../../browser/page-types.ts';
import { removeState, savedStates } from '../../browser/states.ts';
import { type ApiFailure, ask, federationPath } from '../shared/api.ts';
import { Cell } from '../shared/cell.ts';
import type { Remote } from '../shared/worker-calls.ts';
import { DataDesk, type ReadRows } from './data-desk.ts';
import { forgetInvitation, type InvitationLink, rememberName } from './link.ts';
import { type Problem, problemOf } from './problems.ts';
import type { RowsWork } from './rows-work.ts';
import { Run } from './run.ts';
import { deleteJoin, findJoin, type SavedJoin } from './saved.ts';
import type { Announcement } from './seen.ts';
import { SPLIT } from './test-rows.ts';

export type View =
  | { readonly type: 'loading' }
  /** The address names no federation. */
  | { readonly type: 'nowhere' }
  | { readonly type: 'unavailable'; readonly problem: Problem }
  | { readonly type: 'setup'; readonly setup: Setup }
  | { readonly type: 'run'; readonly run: Run };

export interface Setup {
  readonly announcement: Announcement;
  readonly desk: DataDesk;
  readonly isJoining: boolean;
  /** Why it did not work the last time. */
  readonly problem: Problem | undefined;
}

export interface JoinPageOptions {
  readonly rows: Remote<RowsWork>;
  readonly federation: string | undefined;
  readonly link: InvitationLink;
}

const RETRY_MS = 4000;

export class JoinPage {
  readonly view = new Cell<View>({ type: 'loading' });
  readonly missing: readonly MissingFeature[] = missingFeatures();
  readonly name: Cell<string>;
  readonly invitation: Cell<string | undefined>;
  /** Nobody reports anything by default. */
  readonly reportTests = new Cell(false);
  readonly link: InvitationLink;
  readonly federation: string;
  private readonly rows: Remote<RowsWork>;
  private isNameChosen: boolean;
  private retry: ReturnType<typeof setTimeout> | undefined;

  constructor({ rows, federation, link }: JoinPageOptions) {
    this.rows = rows;
    this.link = link;
    this.federation = federation ?? '';
    this.name = new Cell(link.name ?? '');
    this.isNameChosen = link.name !== undefined;
    this.invitation = new Cell(link.invitation);
    if (federation === undefined) this.view.set({ type: 'nowhere' });
    else void this.open();
  }

  /** Goes on with what this device has, or asks what the federation is. */
  async open(): Promise<void> {
    clearTimeout(this.retry);
    const saved = await findJoin(this.federation, this.link.name).catch(() => undefined);
    if (saved) return this.resume(saved);
    try {
      const announcement = await ask<Announcement>(federationPath(this.federation, '/announcement'));
      this.showSetup(announcement, undefined);
    } catch (error) {
      const { code, message } = error as ApiFailure;
      this.view.set({ type: 'unavailable', problem: problemOf(code, message) });
      if (code === 'OFFLINE') this.retry = setTimeout(() => void this.open(), RETRY_MS);
    }
  }

  private showSetup(announcement: Announcement, problem: Problem | undefined): void {
    const desk = new DataDesk(this.rows, announcement.objective);
    this.view.set({ type: 'setup', setup: { announcement, desk, isJoining: false, problem } });
    const { demo } = this.link;
    if (demo) void desk.takeDemo(demo, this.nameOr(`demo-${demo.person}`));
  }

  /** Somebody has chosen it. */
  setName(name: string): void {
    this.isNameChosen = true;
    this.name.set(name);
  }

  /** The name that was chosen, or else this one until there is a better suggestion. */
  nameOr(suggested: string): string {
    if (!this.isNameChosen || this.name.value.trim() === '') this.name.set(suggested);
    return this.name.value.trim();
  }

  async join(setup: Setup): Promise<void> {
    const { source } = setup.desk.state.value;
    if (!source || setup.isJoining) return;
    const joining = { ...setup, isJoining: true, problem: undefined };
    this.view.set({ type: 'setup', setup: joining });
    const participant = this.name.value.trim();
    try {
      const read = await setup.desk.read(source, participant);
      const { federation, announcement } = { ...this, ...setup };
      const canReport = read.summary.testRows > 0 && !announcement.dp;
      const saved = {
        ...{ federation, participant, source, announcement, savedMs: Date.now() },
        ...(canReport && this.reportTests.value && { reportTests: true as const }),
      };
      this.start(saved, read, joining);
    } catch (error) {
      const { code, message } = error as { readonly code?: string; readonly message: string };
      this.view.set({ type: 'setup', setup: { ...setup, problem: problemOf(code, message) } });
    }
  }

  private async resume(saved: SavedJoin): Promise<void> {
    try {
      const { source, participant, announcement } = saved;
      this.name.set(participant);
      const desk = new DataDesk(this.rows, announcement.objective);
      this.start(saved, await desk.read(source, participant), {
        announcement,
        desk,
        isJoining: true,
        problem: undefined,
      });
    } catch (error) {
      // The file is gone: browsers keep it, but what is on a drive that was taken out is not there.
      const { code, message } = error as { readonly code?: string; readonly message: string };
      this.view.set({ type: 'unavailable', problem: problemOf(code, message) });
    }
  }

  private start(saved: SavedJoin, { summary, table, columns }: ReadRows, setup: Setup): void {
    const { federation, participant, announcement } = saved;
    const run = new Run({
      saved,
      summary,
      rows: this.rows,
      start: saved.left
        ? undefined
        : (onEvent) =>
            joinFederation({
              url: addressOf(federation),
              worker: startWorker,
              data: { table, columns },
              participant,
              invitation: this.invitation.value,
              ...SPLIT,
              secure: announcement.secure,
              keepGoing: true,
              reportTests: saved.reportTests,
              // A server of another version has another page, too.
              waitForUpgrade: false,
              onEvent: (event) => {
                if (event.type === 'connected') rememberName(federation, participant);
                onEvent(event);
              },
            }),
      onRefused: (problem) => this.refused(setup, problem),
    });
    this.view.set({ type: 'run', run });
  }

  /** Before anything was learnt: what was chosen stays, so that one thing can be changed. */
  private async refused(setup: Setup, problem: Problem): Promise<void> {
    await this.forgetStranger();
    if (problem.code === 'INVITATION_INVALID') {
      this.invitation.set(undefined);
      forgetInvitation(this.federation);
    }
    this.view.set({ type: 'setup', setup: { ...setup, isJoining: false, problem } });
  }

  /** A state that the server has never seen would only hold on to the columns of the wrong file. */
  private async forgetStranger(): Promise<void> {
    const name = stateName(addressOf(this.federation), this.name.value.trim());
    const states = await savedStates().catch(() => []);
    const state = states.find((one) => one.name === name);
    if (state && !state.federation) await removeState(name);
  }

  /** After leaving: under the same name, with the same data. */
  async joinAgain(run: Run): Promise<void> {
    this.view.set({ type: 'loading' });
    const { left: _, history: __, ...saved } = run.saved;
    await this.resume({ ...saved, savedMs: Date.now() });
  }

  /** Tries again with what is there. */
  async again(run: Run): Promise<void> {
    this.view.set({ type: 'loading' });
    await run.close();
    await this.resume(run.saved);
  }

  /** With other data, or under another name. */
  async chooseAgain(run: Run): Promise<void> {
    await run.close();
    const { end } = run.state.value;
    this.showSetup(run.saved.announcement, end?.type === 'stopped' ? end.problem : undefined);
  }

  /** Deletes all that this device has of it, and begins anew. */
  async startOver(run: Run | undefined): Promise<void> {
    await run?.close();
    const join = run?.saved ?? { federation: this.federation, participant: this.name.value };
    await removeState(stateName(addressOf(join.federation), join.participant));
    await deleteJoin(join);
    location.reload();
  }
}

function addressOf(federation: string): string {
  return `${location.origin}/${encodeURIComponent(federation)}`;
}

/** Under a name that the bundler gives it. */
function startWorker(): Worker {
  return new Worker(new URL('../../browser/participant-worker.ts', import.meta.url), {
    type: 'module',
    name: 'kindred',
  });
}
