/** A participant in a tab of a real Chromium: the page is blank, of the server's origin, and uses the plain ES modules of the server. */
import type { BrowserContext, Page } from 'playwright-core';
import type { PageEvent, PageJoinOptions, PageParticipation } from '../../src/browser/page-types.ts';
import type { JoinResult, JoinStatus } from '../../src/client/participation-options.ts';
import { rowsOfParticipant } from '../../src/data/participants.ts';
import type { Table } from '../../src/data/table.ts';

/** What the tab has in its global scope. */
interface TabGlobals {
  kindred: typeof import('../../src/public/browser.ts');
  running: PageParticipation;
  events: PageEvent[];
  outcome: Outcome | undefined;
}

export type Outcome =
  | { readonly result: JoinResult }
  | { readonly code: string | undefined; readonly message: string };

export type TabOptions = Omit<PageJoinOptions, 'data' | 'worker' | 'onEvent' | 'url'> & {
  readonly url?: string;
};

export class Tab {
  readonly page: Page;
  readonly url: string;

  private constructor(page: Page, url: string) {
    this.page = page;
    this.url = url;
  }

  static async open(context: BrowserContext, url: string): Promise<Tab> {
    const page = await context.newPage();
    const tab = new Tab(page, url);
    await tab.load();
    return tab;
  }

  /** A document without a script of its own. */
  async load(): Promise<void> {
    await this.page.goto(`${this.url}/kindred.js`);
    // As text: the test runner would put its own import in its place.
    await this.page.evaluate(`Promise.all([import('/kindred.js'), import('/kindred-models.js')]).then(
      ([page, models]) => { globalThis.kindred = { ...page, ...models }; })`);
  }

  /** Begins to take part with the rows that a table has of the participant. */
  async join(table: Table, options: TabOptions): Promise<void> {
    const own = rowsOfParticipant(table, options.participant)!;
    const [x, y] = [[...own.x], [...(own.targets ?? [])]];
    const features = [...own.features];
    await this.page.evaluate(
      async ({ x, y, features, options }) => {
        const globals = globalThis as unknown as TabGlobals;
        const { joinFederation, tableFrom } = globals.kindred;
        const table = tableFrom([{ id: options.participant, x, y }], { features });
        globals.events = [];
        globals.outcome = undefined;
        globals.running = joinFederation({
          url: location.origin,
          timing: { retryFromMs: 20, retryMostMs: 200 },
          ...options,
          data: { table },
          onEvent: (event: PageEvent) => globals.events.push(event),
        });
        globals.running.done.then(
          (result) => {
            globals.outcome = { result };
          },
          ({ code, message }) => {
            globals.outcome = { code, message };
          },
        );
      },
      { x, y, features, options },
    );
  }

  events(): Promise<PageEvent[]> {
    return this.page.evaluate(() => (globalThis as unknown as TabGlobals).events);
  }

  status(): Promise<JoinStatus> {
    return this.page.evaluate(() => (globalThis as unknown as TabGlobals).running.status);
  }

  role(): Promise<PageParticipation['role']> {
    return this.page.evaluate(() => (globalThis as unknown as TabGlobals).running.role);
  }

  traffic(): Promise<PageParticipation['traffic']> {
    return this.page.evaluate(() => (globalThis as unknown as TabGlobals).running.traffic);
  }

  /** Waits until it is over. */
  async outcome(): Promise<Outcome> {
    const timeout = 50_000;
    await this.page.waitForFunction(() => (globalThis as unknown as TabGlobals).outcome, undefined, {
      timeout,
      polling: 50,
    });
    return this.page.evaluate(() => (globalThis as unknown as TabGlobals).outcome!);
  }

  /** As `kindred` writes model files. */
  model(): Promise<string | undefined> {
    return this.page.evaluate(async () => {
      const { kindred, running } = globalThis as unknown as TabGlobals;
      const model = await running.model();
      return model && kindred.modelToJson(model);
    });
  }

  async call(name: 'leave' | 'close'): Promise<void> {
    await this.page.evaluate((call) => (globalThis as unknown as TabGlobals).running[call](), name);
  }

  /** Until the tab's events have one that fits. */
  async seen(type: PageEvent['type'], least = 1): Promise<void> {
    await this.page.waitForFunction(
      ({ type, least }) =>
        ((globalThis as unknown as TabGlobals).events ?? []).filter((event) => event.type === type).length >=
        least,
      { type, least },
      { timeout: 50_000, polling: 20 },
    );
  }
}
