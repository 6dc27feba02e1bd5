/** The command line: one file per command, and here what they have in common. */
import { Command } from 'commander';
import { addAudit } from './audit.ts';
import { addBench } from './bench.ts';
import { addCalibrate } from './calibrate.ts';
import { addData } from './data.ts';
import { addDemo } from './demo.ts';
import { addEvaluate } from './evaluate.ts';
import { reportFailure } from './failure.ts';
import { addInvite } from './invite.ts';
import type { Io } from './io.ts';
import { addJoin } from './join.ts';
import { addPredict } from './predict.ts';
import { processIo } from './process-io.ts';
import { addReplay } from './replay.ts';
import { addReproduce } from './reproduce.ts';
import { addRevoke } from './revoke.ts';
import { addServe } from './serve.ts';
import { addSimulate } from './simulate.ts';
import { addTrain } from './train.ts';
import { addTune } from './tune.ts';
import { addVerify } from './verify.ts';
import { programVersion } from './version.ts';

export type { Io, Writer } from './io.ts';

/** In the order of the help. */
const COMMANDS: readonly ((program: Command, io: Io) => void)[] = [
  addDemo,
  addTrain,
  addTune,
  addPredict,
  addEvaluate,
  addServe,
  addJoin,
  addInvite,
  addRevoke,
  addVerify,
  addSimulate,
  addReplay,
  addCalibrate,
  addReproduce,
  addAudit,
  addData,
  addBench,
];

/** Runs one command line, without the program's name, and gives the exit code. Never throws. */
export async function runCli(argv: readonly string[], io: Io): Promise<number> {
  // Help and version only: commander writes them before it stops by throwing.
  let text = '';
  try {
    const program = newProgram((more) => {
      text += more;
    });
    for (const add of COMMANDS) add(program, io);
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

/** What the launcher calls. The process ends by itself, once all output is out. */
export async function runProcess(): Promise<void> {
  process.exitCode = await runCli(process.argv.slice(2), processIo());
}

function newProgram(write: (text: string) => void): Command {
  const program = new Command('kindred')
    .description('Personalised linear models across participants that may not share their data.')
    .version(programVersion(), '-V, --version', 'print the version')
    .helpOption('-h, --help', 'print this help')
    .helpCommand('help [command]', 'print the help of a command')
    .exitOverride()
    .configureOutput({
      writeOut: write,
      // Commander's errors come again as exceptions, and are told in one sentence.
      writeErr: () => {},
      getOutHelpWidth: () => 100,
    })
    .addHelpText('after', '\nExample:\n  $ kindred demo\n  $ kindred train --help');
  return program;
}
