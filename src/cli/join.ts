/** kindred join: takes part in a federation with rows that stay here. What it runs is loaded when it runs. */
import type { Command } from 'commander';
import { number } from '../settings/kinds.ts';
import { POLICY } from '../settings/policy.ts';
import { RUN } from '../settings/problem.ts';
import { ROWS } from '../settings/training.ts';
import { DATA_ARGUMENT, decimalOption, maxBytesOption, separatorOption } from './data-options.ts';
import { addSettings, finish, nameList, valued } from './flags.ts';
import type { Io } from './io.ts';
import type { JoinFlags } from './join-data.ts';
import { addTlsOptions } from './tls-files.ts';

export function addJoin(program: Command, io: Io): void {
  const command = program
    .command('join')
    .description('Take part in a federation with rows of your own, which stay where they are.')
    .argument('<url>', 'of the server: http, https, ws or wss; its path names the federation')
    .requiredOption('--state <folder>', 'folder for keys and state; made where there is none')
    .action(async (url: string, flags: JoinFlags) => {
      const { runJoin } = await import('./join-run.ts');
      await runJoin(io, url, flags);
    });
  command
    .optionsGroup('Data:')
    .option('--data <data>', DATA_ARGUMENT)
    .option('--task <value>', 'whose rows: a value of the participant column, or all')
    .option('--task-column <column>', 'participant column', 'task')
    .option('--label <column>', 'target column', 'y')
    .option('--drop <a,b>', 'columns to leave out (default: none)', nameList)
    .addOption(separatorOption())
    .addOption(decimalOption())
    .option('--no-header', 'the first line is a row: columns are called c1, c2, ...')
    .addOption(maxBytesOption())
    .option(
      '--positive <value>',
      'target value that becomes +1; all participants must agree (default: as agreed from all labels)',
    )
    .addOption(
      valued('--test-fraction <number>', 'share of the rows to keep aside and test on', ROWS.testFraction, 0),
    )
    .addOption(valued('--seed <number>', 'seed of the split', RUN.seed, 1));
  command
    .optionsGroup('Federation:')
    .option('--name <id>', 'name in the federation (default: the value of --task, or the name of the file)')
    .option(
      '--invitation-file <file>',
      'file with the invitation that the operator gave, - for stdin (default: KINDRED_INVITATION, if set)',
    )
    .option('--secure', 'take part only where the server sees nothing but sums')
    .option('--once', 'end when training ends (default)')
    .option('--forever', 'stay connected when training rests, and take part when it continues')
    .option('--leave', 'leave for good, and end; needs no data. What was learnt stays in the model');
  addTlsOptions(command)
    .addOption(valued('--slowdown <factor>', 'pretend to be this many times slower', number({ min: 1 }), 1))
    .optionsGroup('Policy:')
    .option('--policy <file>', 'what this participant accepts, JSON; the flags below override it');
  addSettings(command, POLICY)
    .optionsGroup('Options:')
    .option('--record <file>', 'keep a log for kindred replay; as private as the state')
    .option('--verbose', 'report every event on stderr');
  finish(
    command,
    'kindred join http://host:7070 --data mine.csv --task all --name ada --state ada',
    'kindred join http://host:7070 --state ada --leave',
    "kindred join https://host --data mine.csv --task all --state me --require 'secure,dp:eps<=4'",
    'kindred join https://host/wards --data wards.csv --task 7 --state ward-7 --test-fraction 0.3',
  );
}
