/** The dashboard in a real browser: a view of it, signed in or not, with everything that the browser complains about. */
import type { BrowserContext, BrowserContextOptions, Page } from 'playwright-core';
import { expect } from 'vitest';
import type { CoordinatorServer } from '../../src/node/server/server.ts';
import type { PageTest } from './pages.ts';

/** Time that only a failure, or a machine with much else to do, takes. */
export const PATIENCE = { timeout: 30_000 };

/** For a test. */
export const LONG = { timeout: 180_000 };

export interface Viewer {
  readonly page: Page;
  readonly context: BrowserContext;
  /** Errors and violations of the policy, but for requests that a server refused or did not answer. */
  readonly complaints: string[];
}

/** `hash`: the view. `token`: signed in with it. */
export async function view(
  pages: PageTest,
  server: Pick<CoordinatorServer, 'url'>,
  { hash = '#/', token, ...options }: { hash?: string; token?: string } & BrowserContextOptions = {},
): Promise<Viewer> {
  const context = await pages.context({ acceptDownloads: true, ...options });
  if (token !== undefined) {
    // Once: signing out lasts over a reload.
    await context.addInitScript((value) => {
      if (sessionStorage.getItem('test.signed-in')) return;
      sessionStorage.setItem('test.signed-in', 'yes');
      sessionStorage.setItem('kindred.token', value);
    }, token);
  }
  const page = await context.newPage();
  page.setDefaultTimeout(PATIENCE.timeout);
  const complaints: string[] = [];
  page.on('console', (message) => {
    if (message.type() === 'error' && !message.text().startsWith('Failed to load resource'))
      complaints.push(message.text());
  });
  page.on('pageerror', (error) => complaints.push(error.message));
  await page.goto(`${server.url}/${hash}`);
  return { page, context, complaints };
}

/** Waits until it is shown. */
export async function sees(page: Page, text: string | RegExp): Promise<void> {
  await page.getByText(text).first().waitFor(PATIENCE);
}

/** The value of a number at the top of a federation. */
export function statOf(page: Page, label: string): Promise<string> {
  return page.locator('.stat', { hasText: label }).locator('.stat-value').first().innerText();
}

/** How many rows the numbers of a chart have: the table says so, also of rows that are not drawn. */
export async function rowsOfChart(page: Page, title: string): Promise<number> {
  const card = page.locator('.card', { has: page.getByRole('heading', { name: title }) });
  const table = card.locator('table');
  if ((await table.count()) === 0) await card.getByRole('button', { name: 'show as a table' }).click();
  return Number(await table.getAttribute('aria-rowcount')) - 1;
}

export async function choose(page: Page, item: string): Promise<void> {
  await page.getByRole('button', { name: 'More actions' }).click();
  await page.getByRole('menuitem', { name: item }).click();
}

export async function expectToast(page: Page, text: string | RegExp): Promise<void> {
  await page.locator('.toast', { hasText: text }).first().waitFor(PATIENCE);
}

export function expectQuiet({ complaints }: Viewer): void {
  expect(complaints).toEqual([]);
}
