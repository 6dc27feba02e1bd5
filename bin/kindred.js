#!/usr/bin/env node
import { existsSync } from 'node:fs';

const main = new URL('../dist/cli/main.js', import.meta.url);
if (existsSync(main)) {
  const { runProcess } = await import(main.href);
  await runProcess();
} else {
  process.stderr.write('kindred: it is not built yet; run npm run build first [NOT_BUILT]\n');
  process.exitCode = 1;
}
