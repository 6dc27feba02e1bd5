/**
 * Walks through a document as a new user would: runs every command that it shows, in order, in an empty folder, and compares what they
 * print with what the document shows.
 *
 *     node scripts/readme-walk.mjs [--document README.md] [--clone] [--only words] [--print] [--keep]
 *
 * The folder has links to everything in this one; with --clone it is a fresh clone of the last commit, after `npm ci`. Commands are the
 * lines of indented blocks that begin with "$ ", one shell runs them all; what follows a command is what it prints, and a line of "..." stands for any
 * lines. Programs in ```js blocks are run, too. Times, sizes of rounding errors and names of temporary folders may differ, nothing else.
 */
import { spawn, spawnSync } from 'node:child_process';
import {
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';

const root = fileURLToPath(new URL('..', import.meta.url));
const { values: flags } = parseArgs({
  options: {
    document: { type: 'string', default: 'README.md' },
    clone: { type: 'boolean', default: false },
    only: { type: 'string', default: '' },
    keep: { type: 'boolean', default: false },
    print: { type: 'boolean', default: false },
  },
});

const LONGEST_MS = 10 * 60_000;

/** Commands and programs of a document, in order: { line, command, shown } or { line, program }. */
function stepsOf(text) {
  const steps = [];
  let program;
  for (const [i, line] of text.split('\n').entries()) {
    if (program) {
      if (line.startsWith('```')) program = undefined;
      else program.program += `${line}\n`;
    } else if (line.startsWith('```js')) {
      program = { line: i + 1, program: '' };
      steps.push(program);
    } else if (line.startsWith('    $ ')) {
      steps.push({ line: i + 1, command: line.slice(6), shown: [] });
    } else if (line.startsWith('    ') && steps.at(-1)?.shown && !steps.at(-1).isOver) {
      const step = steps.at(-1);
      // A command that goes on in the next line.
      if (step.shown.length === 0 && step.command.endsWith('\\')) step.command += `\n${line}`;
      else step.shown.push(line.slice(4));
    } else if (line.trim() !== '' && steps.at(-1)?.shown) {
      steps.at(-1).isOver = true;
    }
  }
  return steps;
}

/** What may differ from run to run is written alike. */
function normalised(line) {
  return line
    .replace(/\S*kindred-(demo|walk)-\w+/g, '<folder>')
    .replace(/\d[\d,.]*(e-?\d+)? ?(ms|s|min|minutes|seconds)\b/g, '<time>')
    .replace(/\b\d(\.\d+)?e-1\d\b/g, '<rounding>')
    .replace(/\s+/g, ' ')
    .trim();
}

const isAnything = (line) => line.trim() === '...';

/** The first line that was shown and not printed in its place, or printed and not shown; undefined: none. */
function difference(shown, printed) {
  const wanted = shown.filter((line) => line.trim() !== '');
  const got = printed.filter((line) => line.trim() !== '');
  let at = 0;
  let isFree = false;
  for (const line of wanted) {
    if (isAnything(line)) {
      isFree = true;
      continue;
    }
    const places = isFree ? got.length : Math.min(got.length, at + 1);
    const from = at;
    while (at < places && normalised(got[at]) !== normalised(line)) at++;
    if (at >= places) return { expected: line, got: got[from] ?? 'nothing more' };
    at++;
    isFree = false;
  }
  return at < got.length && !isFree && wanted.length > 0
    ? { expected: 'nothing more', got: got[at] }
    : undefined;
}

function newFolder() {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'kindred-walk-')));
  if (!flags.clone) {
    const hidden = new Set(['.git', 'kindred.db']);
    for (const name of readdirSync(root))
      if (!hidden.has(name)) symlinkSync(join(root, name), join(folder, name));
    return folder;
  }
  for (const args of [
    ['git', 'clone', '--quiet', root, folder],
    ['npm', 'ci', '--no-audit', '--no-fund', '--silent'],
  ]) {
    const { status } = spawnSync(args[0], args.slice(1), {
      cwd: folder,
      stdio: ['ignore', 'inherit', 'inherit'],
    });
    if (status !== 0) throw new Error(`${args.join(' ')}: exit code ${status}`);
  }
  return folder;
}

/** One shell for all commands, so that jobs in its background live on. */
class Shell {
  constructor(cwd) {
    this.process = spawn('bash', ['--noprofile', '--norc'], {
      cwd,
      detached: true,
      env: { ...process.env, NO_COLOR: '1', COLUMNS: '160' },
      stdio: ['pipe', 'pipe', 'inherit'],
    });
    this.output = '';
    this.process.stdout.setEncoding('utf8').on('data', (text) => {
      this.output += text;
      this.look?.();
    });
    this.process.stdin.write('exec 2>&1\n');
  }

  run(command) {
    const mark = `walked-${Math.random().toString(36).slice(2)}`;
    const marked = new RegExp(`^${mark} (\\d+)\\n`, 'm');
    return new Promise((resolve, reject) => {
      const late = setTimeout(
        () => reject(new Error(`no end after ${LONGEST_MS / 60_000} minutes`)),
        LONGEST_MS,
      );
      this.look = () => {
        const found = marked.exec(this.output);
        if (!found) return;
        clearTimeout(late);
        const printed = this.output.slice(0, found.index).split('\n');
        this.output = this.output.slice(found.index + found[0].length);
        resolve({ printed, code: Number(found[1]) });
      };
      this.process.stdin.write(`${command}\nprintf '\\n${mark} %d\\n' $?\n`);
    });
  }

  close() {
    try {
      process.kill(-this.process.pid, 'SIGTERM');
    } catch {
      // It has ended by itself.
    }
  }
}

const document = readFileSync(join(root, flags.document), 'utf8');
const steps = stepsOf(document).filter(({ command = 'program' }) => command.includes(flags.only));
const folder = newFolder();
const shell = new Shell(folder);
let failed = 0;
for (const step of steps) {
  const started = performance.now();
  if (step.program) writeFileSync(join(folder, 'program.mjs'), step.program);
  const command = step.command ?? 'node program.mjs';
  const { printed, code } = await shell.run(command);
  const differs = step.shown && difference(step.shown, printed);
  const seconds = ((performance.now() - started) / 1000).toFixed(1);
  const isGood = code === 0 && !differs;
  console.log(
    `${isGood ? 'ok    ' : 'FAILED'} ${flags.document}:${step.line} (${seconds} s) ${command.split('\n')[0]}`,
  );
  if (isGood && flags.print) console.log(printed.map((line) => `    | ${line}`).join('\n'));
  if (isGood) continue;
  failed++;
  if (code !== 0) console.log(`    exit code ${code}`);
  if (differs) console.log(`    shown:   ${differs.expected}\n    printed: ${differs.got}`);
  console.log(printed.map((line) => `    | ${line}`).join('\n'));
}
shell.close();
if (flags.keep) console.log(`everything is in ${folder}`);
else rmSync(folder, { recursive: true, force: true });
console.log(`${steps.length - failed} passed, ${failed} failed`);
process.exitCode = failed > 0 ? 1 : 0;
