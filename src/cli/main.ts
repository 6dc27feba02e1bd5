/** The command line: one file per command, and here what they have in common. */
import { Command } from 'commander';
import { reportFailure } from './failure.ts';
import type { Io } from './io.ts';
import { processIo } from './process-io.ts';
import { programVersion } from './version.ts';

type AddCommand = (program: Command, io: Io) => void;

/** In the order of the help. What a command needs is loaded when it is called for: a join should not wait for figures to load. */
const COMMANDS: Readonly<Record<string, () => Promise<AddCommand>>> = {
  demo: async () => (await import('./demo.ts')).addDemo,
  train: async () => (await import('./train.ts')).addTrain,
  tune: async () => (await import('./tune.ts')).addTune,
  predict: async () => (await import('./predict.ts')).addPredict,
  evaluate: async () => (await import('./evaluate.ts')).addEvaluate,
  personalise: async () => (await import('./personalise.ts')).addPersonalise,
  serve: async () => (await import('./serve.ts')).addServe,
  join: async () => (await import('./join.ts')).addJoin,
  invite: async () => (await import('./operator.ts')).addInvite,
  revoke: async () => (await import('./operator.ts')).addRevoke,
  token: async () => (await import('./tokens.ts')).addToken,
  'audit-log': async () => (await import('./audit-log.ts')).addAuditLog,
  verify: async () => (await import('./verify.ts')).addVerify,
  simulate: async () => (await import('./simulate.ts')).addSimulate,
  replay: async () => (await import('./replay.ts')).addReplay,
  calibrate: async () => (await import('./calibrate.ts')).addCalibrate,
  reproduce: async () => (await import('./reproduce.ts')).addReproduce,
  audit: async () => (await import('./audit.ts')).addAudit,
  data: async () => (await import('./data.ts')).addData,
  bench: async () => (await import('./bench.ts')).addBench,
};

/** Runs one command line, without the program's name, and gives the exit code. Never throws. */
export async function runCli(argv: readonly string[], io: Io): Promise<number> {
  // Help and version only: commander writes them before it stops by throwing.
  let text = '';
  try {
    const program = newProgram((more) => {
      text += more;
    });
    // The one that is called for; all of them where none is, for the help and for what was mistyped.
    const called = Object.hasOwn(COMMANDS, argv[0] ?? '') ? [COMMANDS[argv[0]]] : Object.values(COMMANDS);
    for (const add of await Promise.all(called.map((load) => load()))) add(program, io);
    await program.parseAsync(argv, { from: 'user' });
    return 0;
  } catch (error) {
    try {
      if (text !== '') await io.stdout.write(text);
      return await reportFailure(error, io);
    } catch {
      // Nobody reads stderr either.
      return 1;
    }
  }
}

/** Commands that solve in this process or its threads, sooner than the engine finds out what is worth compiling well. */
const SOLVING = new Set('demo train tune join simulate replay calibrate reproduce audit bench'.split(' '));

/** What the launcher calls. The process ends by itself, once all output is out. */
export async function runProcess(): Promise<void> {
  if (SOLVING.has(process.argv[2])) (await import('./compile-kernels.ts')).compileKernelsFully();
  process.exitCode = await runCli(process.argv.slice(2), processIo());
}

function newProgram(write: (text: string) => void): Command {
  return new Command('kindred')
    .description('Personalised linear models across participants that may not share their data.')
    .version(programVersion(), '-V, --version', 'print the version')
    .helpOption('-h, --help', 'print this help')
    .helpCommand('help [command]', 'print the help of a command')
    .exitOverride()
    .configureOutput({
      writeOut: write,
      // Commander throws its errors, too: failure.ts reports them.
      writeErr: () => {},
      getOutHelpWidth: () => 100,
    })
    .addHelpText('after', '\nExample:\n  $ kindred demo\n  $ kindred train --help');
}
