/** kindred demo: a whole federation on this machine, in seconds and without any data at hand. */
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Command } from 'commander';
import type { Table } from '../data/table.ts';
import { train } from '../methods/train.ts';
import { choice, whole } from '../settings/kinds.ts';
import { DEMO_DATA, type DemoData, type DemoDataName, demoData } from './demo-data.ts';
import { DemoFederation, type DemoSetting, type Trained } from './demo-federation.ts';
import { runLiveDemo } from './demo-live.ts';
import { averaged, type Compared, comparison, nextSteps, SLOWEST, verdict } from './demo-report.ts';
import { finish, valued } from './flags.ts';
import type { Io } from './io.ts';
import { writeResult } from './layout.ts';
import { sizeOf } from './number-text.ts';
import { Progress } from './progress.ts';

interface Flags {
  readonly seed: number;
  readonly participants: number;
  readonly data: DemoDataName;
  readonly exit?: true;
  readonly port: number;
  readonly host?: string;
  readonly tlsSelfSigned?: true;
  readonly json?: true;
}

const TEST_FRACTION = 0.3;

export function addDemo(program: Command, io: Io): void {
  const command = program
    .command('demo')
    .description(
      'Run a coordinator and 20 participants as separate processes on built-in activity data, and compare with training alone and with one model for all. On a terminal it then keeps serving, with a dashboard and a page for one more person, until ctrl-c.',
    )
    .addOption(valued('--seed <number>', 'random seed of the generated people', whole(0), 1))
    .addOption(valued('--participants <number>', 'number of people', whole(2), 20))
    .addOption(
      valued('--data <what>', 'har, or motion: for phones that record theirs', choice(...DEMO_DATA), 'har'),
    )
    .option('--exit', 'exit when training has ended, also on a terminal')
    .addOption(valued('--port <number>', 'port to listen on; 0: any free port', whole(0, 65_535), 0))
    .option('--host <address>', 'address to listen on; 0.0.0.0: all interfaces, for a phone')
    .option('--tls-self-signed', 'make a certificate for this machine: browsers need one for motion sensors')
    .action((flags: Flags) => runDemo(io, flags));
  finish(
    command,
    'kindred demo',
    'kindred demo --host 0.0.0.0 --tls-self-signed',
    'kindred demo --data motion --host 0.0.0.0 --tls-self-signed',
  );
}

async function runDemo(io: Io, flags: Flags): Promise<void> {
  const { seed, participants } = flags;
  const data = demoData(flags.data, participants, seed);
  const isLive = io.isInteractive === true && !flags.exit && !flags.json;
  const setting: DemoSetting = {
    folder: mkdtempSync(join(tmpdir(), 'kindred-demo-')),
    ...{ seed, testFraction: TEST_FRACTION, slowest: SLOWEST },
    afterTraining: isLive ? 'stay' : 'exit',
    serve: serveFlags(flags),
  };
  if (isLive) await runLiveDemo(io, data, setting, (trained) => comparedWith(trained, data.table, setting));
  else await runToTheEnd(io, data, setting, flags);
}

function serveFlags({ port, host, tlsSelfSigned }: Flags): string[] {
  return [
    ...['--port', `${port}`],
    ...(host === undefined ? [] : ['--host', host]),
    ...(tlsSelfSigned ? ['--tls-self-signed'] : []),
  ];
}

async function runToTheEnd(io: Io, data: DemoData, setting: DemoSetting, flags: Flags): Promise<void> {
  const { table } = data;
  const { folder, seed } = setting;
  const progress = new Progress(io);
  const { federation, trained, verification } = await progress.during(async () => {
    const federation = await DemoFederation.start(table, setting);
    try {
      const trained = await federation.train((text) => progress.show(text));
      await federation.stop();
      progress.show('verifying');
      return { federation, trained, verification: await federation.verify() };
    } finally {
      await federation.stop();
    }
  });
  const { store, states } = federation;
  const { rounds, trainingMs } = trained;
  const { conservation, ok: verified } = verification;
  const methods = comparedWith(trained, table, setting);
  const document = {
    data: sizeOf(table),
    seed,
    methods,
    federation: {
      ...{ folder, store, states, rounds, trainingMs, slowest: SLOWEST },
      conservation: conservation.relativeError,
      verified,
    },
  };
  await writeResult(io, flags, document, (layout) => [
    ...comparison(data, trained, methods, layout),
    verdict(verification, table.participants.length),
    ...nextSteps(io.program, table.participants[0], { folder, store, states }, layout),
  ]);
}

/** The federation's models, and those of two other methods on the same rows. */
function comparedWith(
  { people, rounds, relativeGap }: Trained,
  table: Table,
  { seed, testFraction }: DemoSetting,
): Compared[] {
  return [
    { method: 'mtl', ...averaged(people), rounds, relativeGap },
    ...(['local', 'global'] as const).map((method) => {
      const { participants, rounds, certificate } = train(table, { method, seed, testFraction });
      return { method, ...averaged(participants), rounds, relativeGap: certificate?.relativeGap };
    }),
  ];
}
