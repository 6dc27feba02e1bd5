/** Pages in a real Chromium, driven by playwright-core: one browser for a test file, a context of its own for each test. */
import {
  type Browser,
  type BrowserContext,
  type BrowserContextOptions,
  chromium as driver,
} from 'playwright-core';
import { afterAll, afterEach } from 'vitest';
import { chromium } from './chromium.ts';

const FLAGS = [
  ...['--no-sandbox', '--disable-gpu', '--no-first-run', '--disable-background-networking'],
  ...['--disable-component-update', '--disable-sync', '--disable-quic'],
];

/** Registers its own clean-up. Only for tests that are skipped where there is no Chromium. */
export class PageTest {
  private browser: Promise<Browser> | undefined;
  private readonly contexts: BrowserContext[] = [];

  constructor() {
    afterEach(async () => {
      for (const context of this.contexts.splice(0)) await context.close();
    });
    afterAll(async () => {
      await (await this.browser)?.close();
    });
  }

  /** Storage, tabs and permissions of its own, as of another person. Closed after the test. */
  async context(options: BrowserContextOptions = {}): Promise<BrowserContext> {
    this.browser ??= driver.launch({ executablePath: chromium!, args: FLAGS });
    const context = await (await this.browser).newContext({ serviceWorkers: 'allow', ...options });
    this.contexts.push(context);
    return context;
  }
}
