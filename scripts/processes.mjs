/** Commands of this program as processes, for the other scripts. */
import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const KINDRED = fileURLToPath(new URL('../bin/kindred.js', import.meta.url));

/** Its output is in reach. */
export function start(args, errors = 'pipe') {
  return spawn(process.execPath, [KINDRED, ...args], { stdio: ['ignore', 'pipe', errors] });
}

/** Runs a command to its end. */
export function run(args) {
  return new Promise((resolve) => {
    const child = start(args);
    let [out, errors] = ['', ''];
    child.stdout.on('data', (data) => {
      out += data;
    });
    child.stderr.on('data', (data) => {
      errors += data;
    });
    child.on('exit', (code) => resolve({ code, out, errors }));
  });
}

/** What it wrote; throws where it failed. */
export async function outputOf(args) {
  const { code, out, errors } = await run(args);
  if (code !== 0) throw new Error(`${args[0]}: ${errors}`);
  return out;
}
