/** The page of a participant as a person uses it: opens a link, gives a file, presses buttons, reads what is written. */

import type { BrowserContext, Locator, Page } from 'playwright-core';
import { expect } from 'vitest';
import { rowsOfParticipant } from '../../src/data/participants.ts';
import type { Table } from '../../src/data/table.ts';
import { writeCsv } from '../../src/data/write-csv.ts';

/** What takes so long is broken; other test files may keep the machine busy. */
export const PATIENCE_MS = 50_000;

export class JoinTab {
  readonly page: Page;
  /** Errors of its scripts, and violations of its policy. */
  readonly errors: string[] = [];

  private constructor(page: Page) {
    this.page = page;
    page.setDefaultTimeout(PATIENCE_MS);
    page.on('pageerror', (error) => this.errors.push(error.message));
    page.on('console', (message) => {
      // The browser's own words about requests that were refused, which is what is being tested.
      if (message.type() === 'error' && !/Failed to load resource|WebSocket connection/.test(message.text()))
        this.errors.push(message.text());
    });
  }

  /** `link`: from the name of the federation on, with its fragment. */
  static async open(context: BrowserContext, url: string, link = 'default'): Promise<JoinTab> {
    const tab = new JoinTab(await context.newPage());
    await tab.page.goto(`${url}/join/${link}`);
    return tab;
  }

  heading(name: string | RegExp): Locator {
    return this.page.getByRole('heading', { level: 1, name });
  }

  text(text: string | RegExp): Locator {
    return this.page.getByText(text).first();
  }

  button(name: string | RegExp): Locator {
    return this.page.getByRole('button', { name, exact: true });
  }

  /** What is wrong, as the page says it. */
  async alert(): Promise<string> {
    const alert = this.page.getByRole('alert').first();
    await alert.waitFor();
    return alert.innerText();
  }

  async giveFile(name: string, content: string | Uint8Array): Promise<void> {
    const buffer = Buffer.from(content);
    await this.page.locator('input[type=file]').setInputFiles({ name, mimeType: '', buffer });
  }

  async name(name: string): Promise<void> {
    await this.page.getByLabel('Name', { exact: true }).fill(name);
  }

  /** With rows of a table, as a file, under the participant's own name. */
  async join(table: Table, id: string): Promise<void> {
    await this.giveFile(`${id}.csv`, csvOf(table, id));
    await this.text('Columns to learn from').waitFor();
    await this.name(id);
    await this.button('Join').click();
  }

  async ready(): Promise<void> {
    await this.heading('Your model is ready').waitFor();
    expect(this.errors).toEqual([]);
  }

  /** As the counter of the page has it. */
  async sentBytes(): Promise<number> {
    return Number(await this.page.locator('[data-sent-bytes]').getAttribute('data-sent-bytes'));
  }

  /** The file that the button gives, and its name. */
  async download(): Promise<{ readonly name: string; readonly text: string }> {
    const coming = this.page.waitForEvent('download');
    await this.button('Download').click();
    const download = await coming;
    const chunks: Buffer[] = [];
    for await (const chunk of await download.createReadStream()) chunks.push(chunk as Buffer);
    return { name: download.suggestedFilename(), text: Buffer.concat(chunks).toString() };
  }

  async leave(): Promise<void> {
    await this.button('Leave').click();
    await this.page.getByRole('dialog').getByRole('button', { name: 'Leave' }).click();
    await this.heading('You have left').waitFor();
  }
}

/** The rows of one participant, as a file of theirs: without a column that says whose they are. */
export function csvOf(table: Table, id: string): string {
  const own = rowsOfParticipant(table, id)!;
  const lines = [...writeCsv(own)].join('').trimEnd().split('\n');
  return `${lines.map((line) => line.slice(line.indexOf(',') + 1)).join('\n')}\n`;
}
