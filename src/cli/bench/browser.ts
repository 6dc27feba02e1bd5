/**
 * A pass in a page of headless Chromium against the same pass in this process, over the same rows, and what a page has to load.
 * Needs Chromium and playwright-core, which is no part of an installation: without them it says so and measures the sizes alone.
 */
import { passOver } from '../../reproduce/measured-pass.ts';
import { median } from '../../reproduce/statistics.ts';
import { openPage, type PageOfDist } from './browser-page.ts';
import { type LoadSize, loadSizes } from './load-sizes.ts';
import { ms, part, times } from './part.ts';

const SHAPE = { objective: 'classification', n: 5000, d: 562 } as const;
const REPEATS = 9;
/** Clocks of pages are coarse. */
const PASSES = 10;

interface PassResult {
  readonly rows: number;
  readonly features: number;
  readonly pageMs: number;
  readonly nodeMs: number;
  readonly ratio: number;
  /** Whether the duals have the same bits. */
  readonly isEqual: boolean;
}

interface BrowserResult {
  readonly pass: PassResult | { readonly skipped: string };
  readonly sizes: readonly LoadSize[];
}

export const browser = part<BrowserResult>(
  async ({ now }) => {
    const opened = await openPage();
    if ('missing' in opened) return { pass: { skipped: opened.missing }, sizes: loadSizes() };
    try {
      return { pass: await comparePasses(now, opened), sizes: loadSizes() };
    } finally {
      await opened.close();
    }
  },
  ({ pass, sizes }, { table }) => [
    'Browser: one pass over the rows in a page of headless Chromium, against Node',
    ...('skipped' in pass ? [`  skipped: ${pass.skipped}`] : [passLine(pass)]),
    ...table(
      ['a page loads', 'gzip', 'brotli'],
      sizes.map(({ what, gzipBytes, brotliBytes }) => [what, kilobytes(gzipBytes), kilobytes(brotliBytes)]),
    ),
  ],
);

async function comparePasses(now: () => number, page: PageOfDist): Promise<PassResult> {
  const pass = passOver(SHAPE);
  await page.run(`const { passOver } = await import('/reproduce/measured-pass.js');
    globalThis.pass = passOver(${JSON.stringify(SHAPE)});`);
  const times = { node: [] as number[], page: [] as number[] };
  for (let r = 0; r <= REPEATS; r++) {
    const started = now();
    for (let p = 0; p < PASSES; p++) pass();
    const nodeMs = (now() - started) / PASSES;
    const pageMs = await page.run<number>(`const started = performance.now();
      for (let p = 0; p < ${PASSES}; p++) pass();
      return (performance.now() - started) / ${PASSES};`);
    // The first round warms up.
    if (r === 0) continue;
    times.node.push(nodeMs);
    times.page.push(pageMs);
  }
  const here = pass();
  const there = await page.run<number[]>('return [...pass()];');
  const [nodeMs, pageMs] = [median(times.node), median(times.page)];
  const isEqual = here.length === there.length && here.every((beta, i) => Object.is(beta, there[i]));
  return { rows: SHAPE.n, features: SHAPE.d, pageMs, nodeMs, ratio: pageMs / nodeMs, isEqual };
}

function passLine({ rows, features, pageMs, nodeMs, ratio, isEqual }: PassResult): string {
  const bits = isEqual ? 'the same bits' : 'OTHER BITS';
  return `  ${rows} x ${features}: ${ms(pageMs)} against ${ms(nodeMs)}, ${times(ratio)} the time, ${bits}`;
}

function kilobytes(bytes: number): string {
  return `${(bytes / 1000).toFixed(1)} kB`;
}
