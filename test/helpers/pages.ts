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
  // A page that a test makes up itself counts as one from the internet, which may not connect to this machine.
  '--disable-features=LocalNetworkAccessChecks',
  // A name that is not this machine's own: on plain http browsers withhold from it what they give to localhost.
  '--host-resolver-rules=MAP lan.example 127.0.0.1',
];

/** Registers its own clean-up. Only for tests that are skipped where there is no Chromium. */
export class PageTest {
  private browser: Promise<Browser> | undefined;
  private readonly contexts: BrowserContext[] = [];

  private readonly flags: readonly string[];

  /** `flags`: of the browser, beside the usual ones. */
  constructor(flags: readonly string[] = []) {
    this.flags = flags;
    afterEach(async () => {
      for (const context of this.contexts.splice(0)) await context.close();
    });
    afterAll(async () => {
      await (await this.browser)?.close();
    });
  }

  /** Storage, tabs and permissions of its own, as of another person. Closed after the test. */
  async context(options: BrowserContextOptions = {}): Promise<BrowserContext> {
    this.browser ??= driver.launch({ executablePath: chromium!, args: [...FLAGS, ...this.flags] });
    const context = await (await this.browser).newContext({ serviceWorkers: 'allow', ...options });
    this.contexts.push(context);
    return context;
  }
}
