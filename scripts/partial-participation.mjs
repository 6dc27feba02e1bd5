// Rounds to a certified relative gap of 1e-2 when a share of the participants answers in time and the others start again (docs/training.md).
//   node scripts/partial-participation.mjs [uci-har.csv.gz] [parkinsons.csv.gz]      (needs a build; without files: generated data)
import { readTable } from 'kindred';
import { runScenario } from '../dist/sim/run.js';
import { parseScenario } from '../dist/sim/scenario.js';
import { computeModel, generatedTable } from '../dist/sim/scenario-plan.js';

const SHARES = [0.5, 0.25, 0.1];
const COMMON = { straggler: 'restart', passes: 20, rounds: 250, gap: 0.01, link: { delayMs: 5 } };
const [har, parkinsons] = process.argv.slice(2);
const regression = { generator: 'regression', heterogeneity: 'diverse' };

const people = har && (await readTable(har, { drop: ['activity'] }));
const patients = parkinsons && (await readTable(parkinsons, { drop: ['motor_updrs'] }));
const settings = [
  ...(people
    ? [
        ['UCI HAR (1, 1)', { c1: 1, c2: 1 }, people],
        ['UCI HAR (10, 1)', { c1: 10, c2: 1 }, people],
        ['UCI HAR (1, 0.1)', { c1: 1, c2: 0.1 }, people],
        ['UCI HAR (10, 0.1)', { c1: 10, c2: 0.1 }, people],
        ['UCI HAR (10, 3), center', { c1: 10, c2: 3, scale: 'center' }, people],
      ]
    : []),
  ['generated HAR (1, 1)', { c1: 1, c2: 1 }],
  ['generated HAR (10, 1)', { c1: 10, c2: 1 }],
  ['generated regression (1, 0.1)', { c1: 1, c2: 0.1, data: regression }],
  ['generated regression (1, 1)', { c1: 1, c2: 1, data: regression }],
  ...(patients ? [['Parkinsons (1, 1)', { c1: 1, c2: 1, objective: 'regression' }, patients]] : []),
];

console.log(`| data (C1, C2) | ${SHARES.map((share) => `${100 * share}% answer`).join(' | ')} |`);
console.log(`| --- |${' --- |'.repeat(SHARES.length)}`);
for (const [name, options, table] of settings) {
  const cells = SHARES.map((responders) => {
    const scenario = parseScenario(name, { name, ...COMMON, ...options, responders });
    const inputs = {
      source: name,
      table: table ?? generatedTable(scenario),
      compute: computeModel(scenario),
    };
    const { summary } = runScenario(scenario, inputs, { seed: 1, transcript: 'off' });
    const { aggregated, certifying } = summary.rounds;
    return summary.stopped === 'gap' ? String(aggregated + certifying) : `> ${aggregated}`;
  });
  console.log(`| ${name} | ${cells.join(' | ')} |`);
}
