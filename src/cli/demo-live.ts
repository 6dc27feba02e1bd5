/**
 * `kindred demo` on a terminal: the federation goes on until ctrl-c, for whoever watches it on the dashboard or takes part in a browser. Now and
 * then one of the people has new rows, so that there are rounds to watch.
 */
import { isLoopback } from '../node/server/addresses.ts';
import type { DemoData } from './demo-data.ts';
import { DemoFederation, type DemoSetting, type Trained } from './demo-federation.ts';
import { NewRows } from './demo-new-rows.ts';
import { type Compared, comparison, nextSteps, verdict } from './demo-report.ts';
import { Interruption } from './interruption.ts';
import type { Io } from './io.ts';
import { type Layout, layoutFor, writeLines } from './layout.ts';
import { scientific } from './number-text.ts';
import { AT_ONCE, Progress } from './progress.ts';
import { qrLines } from './qr-code.ts';

const REFRESH_MS = 1000;

type Compare = (trained: Trained) => readonly Compared[];

export async function runLiveDemo(
  io: Io,
  data: DemoData,
  setting: DemoSetting,
  compare: Compare,
): Promise<void> {
  const interruption = new Interruption(io);
  const federation = await DemoFederation.start(data.table, setting);
  interruption.onAgain(() => federation.kill());
  const live = new LiveDemo(io, data, setting, federation);
  try {
    const running = live.run(compare, interruption.signal);
    // Once interrupted, what it stumbles over is that everything stops.
    running.catch(() => {});
    await Promise.race([interruption.first, running]);
  } finally {
    live.end();
    await federation.stop();
    interruption.release();
  }
  await live.reportEnd();
}

class LiveDemo {
  private readonly io: Io;
  private readonly data: DemoData;
  private readonly setting: DemoSetting;
  private readonly federation: DemoFederation;
  private readonly layout: Layout;
  private readonly progress: Progress;
  private timer: NodeJS.Timeout | undefined;
  private newRows: NewRows | undefined;
  /** How many have been invited, and how many have come. */
  private invited = 0;
  private guests = 0;
  private isTrained = false;

  constructor(io: Io, data: DemoData, setting: DemoSetting, federation: DemoFederation) {
    this.io = io;
    this.data = data;
    this.setting = setting;
    this.federation = federation;
    this.layout = layoutFor(io);
    this.progress = new Progress(io, AT_ONCE);
  }

  /** Never ends by itself, but in an error. */
  async run(compare: Compare, signal: AbortSignal): Promise<void> {
    const { io, layout, federation } = this;
    const { line } = layout;
    await writeLines(io, [
      line('Dashboard', federation.dashboard),
      line(
        '',
        `Open it in a browser: ${this.data.table.participants.length} people are joining a federation.`,
      ),
      '',
    ]);
    const trained = await this.progress.during(() => federation.train((text) => this.progress.show(text)));
    const lines = comparison(this.data, trained, compare(trained), layout);
    if (signal.aborted) return;
    this.isTrained = true;
    await writeLines(io, lines);
    this.newRows = new NewRows(federation, this.data);
    await writeLines(io, [
      layout.bold(
        'The federation stays up: everybody is connected, and from time to time somebody has new rows.',
      ),
      line('Dashboard', federation.dashboard),
    ]);
    await this.inviteNext();
    await writeLines(io, [line('Stop', 'ctrl-c')]);
    await this.watch(signal);
  }

  end(): void {
    clearTimeout(this.timer);
    this.newRows?.end();
    this.progress.clear();
  }

  /** When everything has stopped. */
  async reportEnd(): Promise<void> {
    const { io, data, federation, setting, layout } = this;
    const { table } = data;
    if (!this.isTrained) return await writeLines(io, ['', 'Stopped before training had ended.']);
    const people = table.participants.length;
    // Their states are in their browsers.
    const checked =
      this.guests > 0
        ? `Not verified: ${this.guests} took part in a browser, which keeps their state.`
        : verdict(await federation.verify(), people);
    const { store, states } = federation;
    const files = { folder: setting.folder, store, states };
    await writeLines(io, [
      '',
      `Stopped. ${checked}`,
      ...nextSteps(io.program, table.participants[0], files, layout),
    ]);
  }

  /** A line that changes, and a new link whenever somebody has used the last one. */
  private async watch(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      await new Promise((resolve) => {
        this.timer = setTimeout(resolve, REFRESH_MS);
      });
      const { phase, round, relativeGap, participants } = await this.federation.state();
      if (signal.aborted) return;
      const { connected, joined } = participants;
      const doing = phase === 'finished' ? `resting after round ${round}` : `round ${round}`;
      this.progress.show(`${connected} connected, ${doing}, relative gap ${scientific(relativeGap)}`);
      this.guests = Math.max(this.guests, joined - this.data.table.participants.length);
      if (this.guests >= this.invited) await this.inviteNext();
    }
  }

  private async inviteNext(): Promise<void> {
    const { io, federation, data, layout } = this;
    const isFirst = this.invited === 0;
    this.invited = this.guests + 1;
    const name = `guest-${this.invited}`;
    const link = await federation.link(name, data.linkOf(data.table.participants.length + this.invited));
    const { hostname, protocol } = new URL(link);
    const isOwn = isLoopback(hostname.replace(/^\[|\]$/g, ''));
    this.progress.clear();
    const lines = isOwn ? [] : await qrLines(link, this.colours());
    await writeLines(io, [
      layout.line(isFirst ? 'Take part' : 'Next guest', link),
      layout.line('', whereText(isOwn, protocol)),
    ]);
    if (lines.length > 0) await io.stdout.write(`${lines.join('\n')}\n`);
  }

  private colours(): 'black and white' | 'none' {
    const { env } = this.io;
    return env.NO_COLOR || env.TERM === 'dumb' ? 'none' : 'black and white';
  }
}

function whereText(isOwn: boolean, protocol: string): string {
  if (isOwn)
    return 'Good for one person, in another tab of this machine. For a phone: --host 0.0.0.0 --tls-self-signed';
  const trust = 'Good for one person. docs/server.md says how a phone trusts the certificate.';
  return protocol === 'https:'
    ? trust
    : 'Good for one person. Without --tls-self-signed phones withhold motion sensors.';
}
