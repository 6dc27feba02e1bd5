/** A page of headless Chromium that can import every built file of this package. */
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join, normalize } from 'node:path';
import { fileURLToPath } from 'node:url';
import { launchChromium } from './chromium.ts';

/** From src/ and from dist/ alike. */
export const DIST = fileURLToPath(new URL('../../../dist/', import.meta.url));

export interface PageOfDist {
  /** The body of an asynchronous function; what it returns comes back as JSON does. */
  run<T>(body: string): Promise<T>;
  close(): Promise<void>;
}

export async function openPage(): Promise<PageOfDist | { readonly missing: string }> {
  const browser = await launchChromium();
  if ('missing' in browser) return browser;
  const files = await serveFiles();
  const close = async () => {
    await browser.close();
    files.close();
  };
  try {
    const page = await browser.newPage();
    await page.goto(files.url);
    return { run: (body) => page.evaluate(`(async () => { ${body} })()`), close };
  } catch (error) {
    await close();
    throw error;
  }
}

async function serveFiles(): Promise<{ readonly url: string; close(): void }> {
  const server = createServer((request, response) => {
    const path = normalize(new URL(request.url ?? '/', 'http://localhost').pathname);
    if (path === '/') {
      response.writeHead(200, { 'content-type': 'text/html' }).end('<!doctype html><title>kindred</title>');
      return;
    }
    try {
      const script = readFileSync(join(DIST, path));
      response.writeHead(200, { 'content-type': 'text/javascript' }).end(script);
    } catch {
      response.writeHead(404).end();
    }
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}/`, close: () => server.close() };
}
