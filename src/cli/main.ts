/** The command line: one file per command, and here what they have in common. */
import { type Command, CommanderError } from 'commander';
import { nearestName } from '../data/columns.ts';
import { packageVersion } from '../node/package-version.ts';
import { reportFailure } from './failure.ts';
import type { Io } from './io.ts';
import { KindredCommand, nearestFlag } from './kindred-command.ts';
import { processIo } from './process-io.ts';

type AddCommand = (program: Command, io: Io, loadAll: () => Promise<Command>) => void;

/** In the order of the help. What a command needs is loaded when it is called for: a join should not wait for figures to load. */
const COMMANDS: Readonly<Record<string, () => Promise<AddCommand>>> = {
  demo: async () => (await import('./demo.ts')).addDemo,
  train: async () => (await import('./train.ts')).addTrain,
  tune: async () => (await import('./tune.ts')).addTune,
  predict: async () => (await import('./predict.ts')).addPredict,
  evaluate: async () => (await import('./evaluate.ts')).addEvaluate,
  personalise: async () => (await import('./personalise.ts')).addPersonalise,
  explain: async () => (await import('./explain.ts')).addExplain,
  export: async () => (await import('./export.ts')).addExport,
  serve: async () => (await import('./serve.ts')).addServe,
  gateway: async () => (await import('./gateway.ts')).addGateway,
  aggregate: async () => (await import('./aggregate.ts')).addAggregate,
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
  work: async () => (await import('./work.ts')).addWork,
  audit: async () => (await import('./audit.ts')).addAudit,
  settings: async () => (await import('./settings.ts')).addSettingsCommand,
  data: async () => (await import('./data.ts')).addData,
  bench: async () => (await import('./bench.ts')).addBench,
  completion: async () => (await import('./completion.ts')).addCompletion,
};

/** Runs one command line, without the program's name, and gives the exit code. Never throws. */
export async function runCli(argv: readonly string[], io: Io): Promise<number> {
  // Help and version only: commander writes them before it stops by throwing.
  let text = '';
  let program: Command | undefined;
  try {
    // The one that is called for; all of them where none is, for the help and for what was mistyped.
    const called = Object.hasOwn(COMMANDS, argv[0] ?? '') ? [argv[0]] : Object.keys(COMMANDS);
    program = await programWith(called, io, (more) => {
      text += more;
    });
    await program.parseAsync(argv, { from: 'user' });
    return 0;
  } catch (error) {
    try {
      if (text !== '') await io.stdout.write(text);
      const suggested = error instanceof CommanderError && program ? suggestionFor(error, program, argv) : '';
      return await reportFailure(error, io, suggested);
    } catch {
      // Nobody reads stderr either.
      return 1;
    }
  }
}

/** Commands that solve in this process or its threads, sooner than the engine finds out what is worth compiling well. */
const SOLVING = new Set(
  'demo train tune join simulate replay calibrate reproduce work audit bench'.split(' '),
);

/** What the launcher calls. The process ends by itself, once all output is out. */
export async function runProcess(): Promise<void> {
  if (SOLVING.has(process.argv[2])) (await import('./compile-kernels.ts')).compileKernelsFully();
  process.exitCode = await runCli(process.argv.slice(2), processIo());
}

async function programWith(
  names: readonly string[],
  io: Io,
  write: (text: string) => void,
): Promise<KindredCommand> {
  const program = newProgram(write);
  const loadAll = () => programWith(Object.keys(COMMANDS), io, write);
  for (const add of await Promise.all(names.map((name) => COMMANDS[name]()))) add(program, io, loadAll);
  program.addConfigOption();
  return program;
}

/** "; did you mean ...?" for a command or an option that there is not. */
function suggestionFor(error: CommanderError, program: Command, argv: readonly string[]): string {
  const outer = program.commands.find((command) => command.name() === argv[0]);
  const called = outer?.commands.find((command) => command.name() === argv[1]) ?? outer ?? program;
  const [, typed = ''] = /'([^']*)'/.exec(error.message) ?? [];
  const names = called.commands.map((command) => command.name());
  const near =
    error.code === 'commander.unknownOption'
      ? nearestFlag(called, typed)
      : error.code === 'commander.unknownCommand'
        ? nearestName(typed, names)
        : undefined;
  return near === undefined ? '' : `; did you mean ${near}?`;
}

function newProgram(write: (text: string) => void): KindredCommand {
  const program = new KindredCommand('kindred', Object.keys(COMMANDS));
  program
    .description('Personalised linear models across participants that may not share their data.')
    .version(packageVersion(), '-V, --version', 'print the version')
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
  return program;
}
