/** What `kindred demo` does: the real programs, the real network, and then the comparison. */
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { makeHarLike } from '../data/generate-har.ts';
import type { Table } from '../data/table.ts';
import { type TrainResult, train } from '../methods/train.ts';
import type { MethodName } from '../solver/model.ts';
import { type Federated, federate } from './demo-federation.ts';
import { type Io, writeJson, writeLines } from './io.ts';
import { count, decimals, duration, percent, scientific } from './number-text.ts';
import { Progress } from './progress.ts';
import { styleOf } from './style.ts';
import { type Column, textTable } from './text-table.ts';

export interface DemoFlags {
  readonly seed: number;
  readonly participants: number;
  readonly json?: true;
}

/** The slowest device takes this many times as long as the fastest. */
const SLOWEST = 10;
const TEST_FRACTION = 0.3;

/** One line of the comparison. */
interface Compared {
  readonly method: MethodName;
  readonly meaning: string;
  readonly errorRate: number;
  readonly balancedAccuracy: number;
  readonly worst: { readonly id: string; readonly balancedAccuracy: number };
  readonly rounds: number;
  readonly relativeGap: number | undefined;
}

export async function runDemo(io: Io, { seed, participants, json }: DemoFlags): Promise<void> {
  const table = makeHarLike({ participants, seed });
  const folder = mkdtempSync(join(tmpdir(), 'kindred-demo-'));
  const progress = new Progress(io);
  const setting = { folder, seed, testFraction: TEST_FRACTION, slowest: SLOWEST };
  const federated = await federate(table, setting, (text) => progress.show(text)).finally(() =>
    progress.clear(),
  );
  const alone = (['local', 'global'] as const).map((method) =>
    train(table, { method, seed, testFraction: TEST_FRACTION }),
  );
  const compared = [ofFederation(federated), ...alone.map(ofTraining)];
  if (json) await writeJson(io, documentOf(table, seed, compared, federated));
  else await writeLines(io, lines(io, table, compared, federated));
}

const MEANING = {
  mtl: 'shared part + personal part',
  local: 'one model per person',
  global: 'one model for everybody',
} as const;

function ofFederation({ people, rounds, relativeGap }: Federated): Compared {
  const measured = people.map(({ participant, test }) => ({ id: participant, ...test }));
  return { method: 'mtl', meaning: MEANING.mtl, ...averaged(measured), rounds, relativeGap };
}

function ofTraining({ method, participants, rounds, certificate }: TrainResult): Compared {
  const meaning = MEANING[method as keyof typeof MEANING];
  return { method, meaning, ...averaged(participants), rounds, relativeGap: certificate?.relativeGap };
}

type Tested = {
  readonly id: string;
  readonly errorRate?: number | undefined;
  readonly balancedAccuracy?: number | undefined;
};

function averaged(people: readonly Tested[]): Pick<Compared, 'errorRate' | 'balancedAccuracy' | 'worst'> {
  const mean = (of: (one: Tested) => number | undefined) => {
    const values = people.map(of).filter((value) => value !== undefined);
    return values.reduce((sum, value) => sum + value, 0) / values.length;
  };
  let worst = { id: '', balancedAccuracy: Number.POSITIVE_INFINITY };
  for (const { id, balancedAccuracy = Number.POSITIVE_INFINITY } of people) {
    if (balancedAccuracy < worst.balancedAccuracy) worst = { id, balancedAccuracy };
  }
  return {
    errorRate: mean((one) => one.errorRate),
    balancedAccuracy: mean((one) => one.balancedAccuracy),
    worst,
  };
}

function documentOf(table: Table, seed: number, compared: readonly Compared[], federated: Federated) {
  const { folder, store, states, rounds, trainingMs, conservation, verified } = federated;
  return {
    data: { participants: table.participants.length, rows: table.n, features: table.features.length },
    seed,
    methods: compared.map(({ method, errorRate, balancedAccuracy, worst, ...rest }) => ({
      method,
      mean: { errorRate, balancedAccuracy },
      worst,
      rounds: rest.rounds,
      relativeGap: rest.relativeGap,
    })),
    federation: { folder, store, states, rounds, trainingMs, slowest: SLOWEST, conservation, verified },
  };
}

function lines(io: Io, table: Table, compared: readonly Compared[], federated: Federated): string[] {
  const style = styleOf(io);
  const people = table.participants.length;
  const size = `${people} people, ${count(table.n)} rows, ${count(table.features.length)} features`;
  const titles = ['mean error', 'mean BA', 'worst BA', 'rounds', 'gap'];
  const columns: Column[] = [
    { title: 'method', align: 'left' },
    { title: '', align: 'left' },
    ...titles.map((title): Column => ({ title, align: 'right' })),
  ];
  const rows = compared.map((one) => [
    one.method,
    one.meaning,
    percent(one.errorRate),
    decimals(one.balancedAccuracy),
    decimals(one.worst.balancedAccuracy),
    String(one.rounds),
    scientific(one.relativeGap),
  ]);
  const { folder, store, states, rounds, trainingMs, conservation, verified } = federated;
  const { program } = io;
  return [
    style.bold('Is this person sitting? Made-up phone sensor data that never leave their owners.'),
    `${size}; 30% of the rows of each are kept for testing.`,
    `One coordinator and ${people} participants, each a process of its own; the slowest is ${SLOWEST} times as slow as the fastest.`,
    `They trained for ${rounds} rounds over the network of this machine, in ${duration(trainingMs)}.`,
    '',
    ...textTable(columns, rows, style),
    '',
    style.dim('  BA: balanced accuracy, worst: of the person served worst, gap: distance to the optimum'),
    style.dim(
      '  mtl: by the participants, over the network; local and global: in this process, on the same rows',
    ),
    '',
    ...lesson(compared),
    '',
    `${verified ? 'Nothing was lost' : 'SOMETHING WAS LOST'}: the answers of all ${people} participants add up to what the coordinator has, to ${scientific(conservation)} (kindred verify).`,
    '',
    `Everything is in ${folder}. Look at it:`,
    `  ${program} predict --model ${states[0]} ${join(folder, `${table.participants[0]}.csv`)}`,
    `  ${program} verify ${store} ${join(folder, 'state')}/*`,
    style.bold('Next, your own:'),
    `  ${program} serve`,
    `  ${program} join http://127.0.0.1:7070 --data mine.csv --task all --name ada --state ada`,
  ];
}

/** Said from the numbers, so that it stays true for every seed. */
function lesson(compared: readonly Compared[]): string[] {
  const [mtl, local, globally] = compared.map(({ errorRate }) => errorRate);
  const best = mtl <= Math.min(local, globally);
  return [
    `People differ, yet have much in common: a personal model on top of a shared one errs on ${percent(mtl)} of`,
    `new rows, ${best ? 'against' : 'beside'} ${percent(local)} for everybody on their own and ${percent(globally)} for one model that serves all.`,
  ];
}
