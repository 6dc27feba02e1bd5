/**
 * kindred bench dashboard: the page of a federation with 1,000 participants at two rounds a second, in headless Chromium: frames a second, tasks that
 * hold up the page, and its memory over time. The server is real and in a process of its own; the participants are those of `bench network`, which
 * pretend to solve for up to half a second.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type { Browser, Page } from 'playwright-core';
import { ServedCoordinator } from '../../node/admin/served.ts';
import { LoadFleet } from '../../node/load/load-fleet.ts';
import { median } from '../../reproduce/statistics.ts';
import { launchChromium } from './chromium.ts';
import { part } from './part.ts';

const PARTICIPANTS = 1000;
const FEATURES = 20;
const PERIOD_MS = 500;
const EXTENTS = { usual: 20_000, full: 600_000 } as const;
const WARM_UP_MS = 5000;
const LONGEST_LOAD_MS = 120_000;
/** Memory is looked at so many times, each time after a forced collection: every minute of a long run. */
const LOOKS = 10;
const TARGET_FRAMES = 50;

interface Seen {
  /** Frames of each whole second. */
  readonly frames: readonly number[];
  readonly longTasks: number;
  readonly longestTaskMs: number;
}

interface Look {
  readonly atMs: number;
  readonly heapBytes: number;
  readonly nodes: number;
}

type Result =
  | { readonly skipped: string }
  | {
      readonly participants: number;
      readonly seconds: number;
      readonly roundsPerSecond: number;
      readonly framesPerSecond: { readonly median: number; readonly least: number };
      readonly longTasks: number;
      readonly longestTaskMs: number;
      readonly memory: readonly Look[];
    };

export const dashboard = part<Result>(
  async ({ show, extent }) => {
    const browser = await launchChromium();
    if ('missing' in browser) return { skipped: browser.missing };
    const folder = mkdtempSync(join(tmpdir(), 'kindred-bench-'));
    try {
      return await measured(browser, join(folder, 'kindred.db'), EXTENTS[extent], show);
    } finally {
      await browser.close();
      rmSync(folder, { recursive: true, force: true });
    }
  },
  (result, { table }) => {
    if ('skipped' in result) return ['Dashboard', `  skipped: ${result.skipped}`];
    const { participants, seconds, roundsPerSecond, framesPerSecond, longTasks, longestTaskMs, memory } =
      result;
    const [first] = memory;
    const last = memory[memory.length - 1];
    return [
      `Dashboard: ${participants} participants, ${seconds.toFixed(0)} s in headless Chromium`,
      ...table(
        ['<measured', 'value', '<target'],
        [
          ['rounds a second', roundsPerSecond.toFixed(2), '2'],
          ['frames a second, median', framesPerSecond.median.toFixed(0), `${TARGET_FRAMES}`],
          ['frames a second, least', framesPerSecond.least.toFixed(0), ''],
          ['tasks above 50 ms', `${longTasks}`, ''],
          ['longest task, ms', longestTaskMs.toFixed(0), ''],
          ...memory
            .filter(isShown)
            .map((look) => [`memory after ${afterOf(look)}, MB`, megabytes(look), 'flat']),
          ['nodes at the end', `${last.nodes}`, `${first.nodes} at the start`],
        ],
      ),
    ];
  },
);

/** Of the ten minutes of a long run: the beginning, the first, the fifth and the last one. */
function isShown(_look: Look, at: number): boolean {
  return at <= 1 || at === LOOKS / 2 || at === LOOKS;
}

function afterOf({ atMs }: Look): string {
  return atMs < 55_000 ? `${Math.round(atMs / 1000)} s` : `${Math.round(atMs / 60_000)} min`;
}

const megabytes = ({ heapBytes }: Look) => (heapBytes / 1e6).toFixed(1);

async function measured(
  browser: Browser,
  store: string,
  lengthMs: number,
  show: (what: string) => void,
): Promise<Result> {
  const endless = ['--gap', '0', '--rounds', '1000000000', '--passes', '2', '--wait', 'all'];
  const server = await ServedCoordinator.start(store, ['--min-participants', `${PARTICIPANTS}`, ...endless]);
  const fleet = new LoadFleet(server.url, PARTICIPANTS, FEATURES);
  try {
    show(`dashboard: ${PARTICIPANTS} participants join`);
    await fleet.connect();
    fleet.slowestMs = PERIOD_MS / 2;
    fleet.start();
    const stop = keepPace(fleet);
    const page = await (await browser.newContext({ viewport: { width: 1280, height: 800 } })).newPage();
    // A busy machine delivers it late; what is measured comes after.
    page.setDefaultTimeout(LONGEST_LOAD_MS);
    await page.goto(`${server.url}/#/federations/default`);
    await page.waitForSelector('.table-name');
    await pause(WARM_UP_MS);
    const from = { round: fleet.openings.round, atMs: performance.now() };
    const { memory, seen } = await watched(page, lengthMs, show);
    const seconds = (performance.now() - from.atMs) / 1000;
    stop();
    return {
      participants: PARTICIPANTS,
      seconds,
      roundsPerSecond: (fleet.openings.round - from.round) / seconds,
      framesPerSecond: { median: median([...seen.frames]), least: Math.min(...seen.frames) },
      longTasks: seen.longTasks,
      longestTaskMs: seen.longestTaskMs,
      memory,
    };
  } finally {
    fleet.close();
    await server.stop();
  }
}

/** What a round takes beside solving depends on the machine: the slowest solves for the rest of the period. */
function keepPace(fleet: LoadFleet): () => void {
  let isOver = false;
  const run = async () => {
    for (let last = await fleet.openings.next(); !isOver; ) {
      const next = await fleet.openings.next();
      const tookMs = (next.atMs - last.atMs) / (next.round - last.round);
      fleet.slowestMs = Math.min(PERIOD_MS, Math.max(0, fleet.slowestMs + (PERIOD_MS - tookMs) / 4));
      last = next;
    }
  };
  void run();
  return () => {
    isOver = true;
  };
}

async function watched(page: Page, lengthMs: number, show: (what: string) => void) {
  const session = await page.context().newCDPSession(page);
  await session.send('Performance.enable');
  const started = performance.now();
  const look = async (): Promise<Look> => {
    await session.send('HeapProfiler.collectGarbage');
    const { metrics } = await session.send('Performance.getMetrics');
    const value = (name: string) => metrics.find((metric) => metric.name === name)?.value ?? Number.NaN;
    return { atMs: performance.now() - started, heapBytes: value('JSHeapUsedSize'), nodes: value('Nodes') };
  };
  const memory = [await look()];
  await page.evaluate(countFrames);
  for (let i = 1; i <= LOOKS; i++) {
    await pause((i * lengthMs) / LOOKS - (performance.now() - started));
    show(`dashboard: ${Math.round((performance.now() - started) / 1000)} of ${lengthMs / 1000} s`);
    // Only at the end of a short run: a collection is a pause of its own.
    if (i === LOOKS || lengthMs > 60_000) memory.push(await look());
  }
  const seen = await page.evaluate(() => (globalThis as unknown as { seen: () => Seen }).seen());
  return { memory, seen };
}

/** Runs in the page. */
function countFrames(): void {
  const frames: number[] = [];
  let [longTasks, longestTaskMs] = [0, 0];
  new PerformanceObserver((list) => {
    for (const { duration } of list.getEntries()) {
      longTasks++;
      longestTaskMs = Math.max(longestTaskMs, duration);
    }
  }).observe({ type: 'longtask' });
  const began = performance.now();
  const tick = () => {
    const second = Math.floor((performance.now() - began) / 1000);
    frames[second] = (frames[second] ?? 0) + 1;
    requestAnimationFrame(tick);
  };
  requestAnimationFrame(tick);
  const seen = (): Seen => {
    // The last one is not over yet; a second without a frame has left a hole.
    const whole = Array.from({ length: Math.max(1, frames.length - 1) }, (_, i) => frames[i] ?? 0);
    return { frames: whole, longTasks, longestTaskMs };
  };
  Object.assign(globalThis, { seen });
}
