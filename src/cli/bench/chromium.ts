/** Headless Chromium, where the machine has it: neither it nor playwright-core is a part of an installation. */
import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';
import type { Browser } from 'playwright-core';

/** `missing`: why there is none, for people. */
export async function launchChromium(): Promise<Browser | { readonly missing: string }> {
  const executablePath = chromiumPath();
  if (!executablePath) return { missing: 'no Chromium or Chrome among the programs of this machine' };
  let driver: typeof import('playwright-core');
  try {
    driver = await import('playwright-core');
  } catch {
    return { missing: 'playwright-core is not installed (npm install --no-save playwright-core)' };
  }
  try {
    return await driver.chromium.launch({ executablePath, args: ['--no-sandbox', '--disable-gpu'] });
  } catch (error) {
    return { missing: `Chromium did not start: ${(error as Error).message.split('\n')[0]}` };
  }
}

function chromiumPath(): string | undefined {
  const folders = (process.env.PATH ?? '').split(delimiter);
  const paths = ['chromium', 'chromium-browser', 'google-chrome', 'chrome'].flatMap((name) =>
    folders.map((folder) => join(folder, name)),
  );
  return paths.find((path) => {
    try {
      accessSync(path, constants.X_OK);
      return true;
    } catch {
      return false;
    }
  });
}
