/** kindred join: takes part in a federation with rows that stay here. What it runs is loaded when it runs. */
import type { Command } from 'commander';
import { number } from '../settings/kinds.ts';
import { POLICY } from '../settings/policy.ts';
import { RUN } from '../settings/problem.ts';
import { ROWS } from '../settings/training.ts';
import {
  addColumnOptions,
  DATA_ARGUMENT,
  decimalOption,
  maxBytesOption,
  separatorOption,
} from './data-options.ts';
import { addSettings, finish, nameList, valued } from './flags.ts';
import type { Io } from './io.ts';
import type { JoinFlags } from './join-data.ts';
import { addTlsOptions } from './tls-files.ts';

export function addJoin(program: Command, io: Io): void {
  const command = program
    .command('join')
    .description('Take part in a federation with your own rows, which stay on this machine.')
    .argument('<url>', 'address of the server (http, https, ws or wss); the path names the federation')
    .requiredOption('--state <folder>', 'folder for keys and state; created if missing')
    .action(async (url: string, flags: JoinFlags) => {
      const { runJoin } = await import('./join-run.ts');
      await runJoin(io, url, flags);
    });
  command
    .optionsGroup('Data:')
    .option('--data <data>', DATA_ARGUMENT)
    .option('--task <value>', 'rows to use: a value of the participant column, or all')
    .option('--task-column <column>', 'participant column', 'task')
    .option('--label <column>', 'target column', 'y')
    .option('--drop <a,b>', 'columns to leave out (default: none)', nameList)
    .addOption(separatorOption())
    .addOption(decimalOption())
    .option('--no-header', 'the file has no header; columns are named c1, c2, ...')
    .addOption(maxBytesOption());
  addColumnOptions(command)
    .optionsGroup('Data:')
    .option(
      '--positive <value>',
      'target value of the positive class (+1), the same for all participants (default: agreed on from all labels)',
    )
    .addOption(valued('--test-fraction <number>', 'share of the rows kept for testing', ROWS.testFraction, 0))
    .addOption(valued('--seed <number>', 'random seed of the split', RUN.seed, 1))
    .option(
      '--report-tests',
      'send with each answer how good the models are on the test rows (balanced accuracy or RMSE); needs --test-fraction',
    )
    .option(
      '--probabilities',
      'calibrate probabilities for predict --probabilities when training ends; nothing of it is sent',
    );
  command
    .optionsGroup('Federation:')
    .option('--name <id>', 'name in the federation (default: the value of --task, or the name of the file)')
    .option(
      '--invitation-file <file>',
      'file with the invitation, - for stdin (default: the environment variable KINDRED_INVITATION, if set)',
    )
    .option('--secure', 'require secure aggregation: the server sees only sums')
    .option(
      '--no-wait-for-upgrade',
      'exit if the server speaks another protocol version (default: wait, and try again until the versions fit)',
    )
    .option('--once', 'exit when training ends (default)')
    .option('--forever', 'stay connected while training rests, and take part when it continues')
    .option(
      '--watch',
      'read the data again when the file changes, and train with the new rows; stays connected, as with --forever',
    )
    .option(
      '--unlearn <rows>',
      'rows to unlearn: their numbers in the data, from 1 (17,23), or a file with them; they stay out from now on',
    )
    .option(
      '--leave',
      'leave the federation for good and exit; needs no data. Contributions stay in the model',
    );
  addTlsOptions(command)
    .addOption(valued('--slowdown <factor>', 'pretend to be this many times slower', number({ min: 1 }), 1))
    .optionsGroup('Policy:')
    .option('--policy <file>', 'policy of this participant, JSON; the flags below override it');
  addSettings(command, POLICY)
    .optionsGroup('Options:')
    .option('--record <file>', 'write a run log for kindred replay; as confidential as the state')
    .option('--verbose', 'report every event on stderr');
  command.addHelpText(
    'after',
    '\nHTTPS_PROXY, HTTP_PROXY, ALL_PROXY and NO_PROXY are honoured; all connections are outbound.',
  );
  finish(
    command,
    'kindred join http://host:7070 --data mine.csv --task all --name ada --state ada',
    'kindred join http://host:7070 --data mine.csv --task all --name ada --state ada --watch',
    'kindred join http://host:7070 --data mine.csv --task all --state mine --unlearn 17,23',
    'kindred join http://host:7070 --state ada --leave',
    "kindred join https://host --data mine.csv --task all --state me --require 'secure,dp:eps<=4'",
    'kindred join https://host/wards --data wards.csv --task 7 --state ward-7 --test-fraction 0.3',
  );
}
