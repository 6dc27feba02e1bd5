/** axe-core on a page as it is, in both themes: what keeps people from using it. */
import axe from 'axe-core';
import type { Page } from 'playwright-core';
import { expect } from 'vitest';

/** How wide the screens are on which pages are checked: a desk's, and the narrowest phone's. */
export const WIDTHS = [1280, 360] as const;
const SERIOUS = new Set(['serious', 'critical']);

/** In the theme that it has. One line for each rule that is broken seriously, with the elements. */
export async function seriousFindings(page: Page): Promise<string[]> {
  // What fades in has no contrast yet.
  await page.evaluate(() =>
    Promise.all(
      document
        .getAnimations()
        .filter(({ effect }) => effect?.getComputedTiming().iterations === 1)
        .map(({ finished }) => finished.catch(() => {})),
    ).then(() => undefined),
  );
  // By the debugger: the page's own policy lets no script in.
  await page.evaluate(axe.source);
  const { violations } = await page.evaluate(async () => {
    const { axe } = globalThis as unknown as { axe: typeof import('axe-core') };
    return await axe.run(document, { resultTypes: ['violations'] });
  });
  return violations
    .filter(({ impact }) => SERIOUS.has(impact ?? ''))
    .map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html.slice(0, 200)).join(' | ')}`);
}

/** Whether something stands out to the right: the page should never scroll sideways. */
export function isWiderThanScreen(page: Page): Promise<boolean> {
  return page.evaluate(() => document.documentElement.scrollWidth > document.documentElement.clientWidth);
}

/** A state of the page is set up once and looked at in both themes. */
export async function expectAccessible(page: Page, state: string): Promise<void> {
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
    // The colours of the other theme are gone with the next frame.
    await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => setTimeout(done, 300))));
    expect(await seriousFindings(page), `${state}, ${colorScheme}`).toEqual([]);
  }
  expect(await isWiderThanScreen(page), `${state}: wider than the screen`).toBe(false);
}
