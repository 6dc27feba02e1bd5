// The measurements of docs/dp-and-defence.md: accuracy against epsilon on the embedded HAR-like data.
//   node scripts/privacy-curve.mjs      (needs a build; about five minutes)
import { privacyCurve } from '../dist/sim/privacy-curve.js';
import { parseScenario } from '../dist/sim/scenario.js';
import { computeModel, generatedTable } from '../dist/sim/scenario-plan.js';

const SEEDS = [1, 2, 3];
const EPSILONS = [0.5, 1, 2, 4, 8, Number.POSITIVE_INFINITY];
const CASES = [
  { participants: 200, rows: 40, scale: 'standard', c2: 0.1, clip: 0.01, rounds: 40 },
  { participants: 200, rows: 40, scale: 'standard', c2: 0.1, clip: 0.005, rounds: 40 },
  { participants: 200, rows: 40, scale: 'none', c2: 0.1, clip: 0.0005, rounds: 40 },
  { participants: 20, rows: 345, scale: 'standard', c2: 0.01, clip: 0.01, rounds: 20 },
  { participants: 20, rows: 345, scale: 'standard', c2: 0.1, clip: 0.02, rounds: 40 },
];

for (const { participants, rows, scale, c2, clip, rounds } of CASES) {
  const scenario = parseScenario('privacy curve', {
    data: { generator: 'har', participants, rows },
    scale,
    c2,
    rounds,
    passes: 20,
    dp: { clip, epsilon: 1 },
  });
  const inputs = { source: 'here', table: generatedTable(scenario), compute: computeModel(scenario) };
  console.log(
    `${participants} participants x ${rows} rows, scale ${scale}, C2 ${c2}, clip ${clip}, ${rounds} rounds`,
  );
  for (const { epsilon, noiseMultiplier, mean, worst } of privacyCurve(scenario, inputs, EPSILONS, SEEDS))
    console.log(
      `  epsilon ${epsilon}: ${mean.toFixed(3)}, worst ${worst.toFixed(2)} (noise ${noiseMultiplier.toFixed(1)})`,
    );
}
