/**
 * Screenshots of the pages, from real servers with real participants, in Chromium:
 *
 *     npm run build && node scripts/screenshots.mjs --out screenshots [part...]
 *
 * Every file of scripts/screenshots/ is a part; it exports `shoot({ browser, take, views })`.
 */
import { mkdirSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { chromium } from 'playwright-core';

const { values, positionals } = parseArgs({
  options: {
    /** Only views whose name has this: desktop, dark, phone-light. */
    view: { type: 'string', default: '' },
    out: { type: 'string', default: 'screenshots' },
    chromium: { type: 'string', default: process.env.CHROMIUM ?? '/usr/bin/chromium' },
  },
  allowPositionals: true,
});

/** Every state is shown in each of them. */
const VIEWS = ['desktop', 'phone'].flatMap((device) =>
  ['light', 'dark'].map((colorScheme) => ({
    name: `${device}-${colorScheme}`,
    options: {
      colorScheme,
      viewport: device === 'desktop' ? { width: 1280, height: 800 } : { width: 360, height: 780 },
      deviceScaleFactor: 2,
      ...(device === 'phone' && { isMobile: true, hasTouch: true }),
    },
  })),
);

mkdirSync(values.out, { recursive: true });
const folder = new URL('screenshots/', import.meta.url);
const parts = readdirSync(folder)
  .filter((name) => name.endsWith('.mjs'))
  .map((name) => name.replace(/\.mjs$/, ''));
const wanted = positionals.length > 0 ? positionals : parts;
const views = VIEWS.filter(({ name }) => name.includes(values.view));
const browser = await chromium.launch({
  executablePath: values.chromium,
  args: ['--no-sandbox', '--disable-gpu'],
});
try {
  for (const part of wanted) {
    if (!parts.includes(part)) throw new Error(`part: expected some of ${parts.join(', ')}, got ${part}`);
    const { shoot } = await import(new URL(`${part}.mjs`, folder));
    await shoot({ browser, take, views });
  }
} finally {
  await browser.close();
}

async function take(page, name) {
  const path = join(values.out, `${name}.png`);
  await page.screenshot({ path, animations: 'disabled' });
  console.log(path);
}
