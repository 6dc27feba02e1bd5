// The measurements of docs/dp-and-defence.md: accuracy against epsilon on the embedded HAR-like data.
//   node scripts/privacy-curve.mjs      (needs a build; about five minutes)
import { simulate } from '../dist/sim/run.js';

const SEEDS = [1, 2, 3];
const EPSILONS = [0.5, 1, 2, 4, 8, Number.POSITIVE_INFINITY];
const CASES = [
  { participants: 200, rows: 40, scale: 'none', c2: 0.1, clip: 0.0005, rounds: 40 },
  { participants: 200, rows: 40, scale: 'standard', bounds: [-1, 1], c2: 0.1, clip: 0.002, rounds: 40 },
  { participants: 20, rows: 345, scale: 'none', c2: 0.01, clip: 0.001, rounds: 20 },
];

const meanOf = (values) => values.reduce((sum, value) => sum + value, 0) / values.length;

for (const { participants, rows, scale, bounds, c2, clip, rounds } of CASES) {
  console.log(
    `${participants} participants x ${rows} rows, scale ${scale}, C2 ${c2}, clip ${clip}, ${rounds} rounds`,
  );
  for (const epsilon of EPSILONS) {
    // Infinity: so little noise that only the clipping is seen.
    const noise = epsilon === Number.POSITIVE_INFINITY ? { noiseMultiplier: 1e-6 } : { epsilon };
    const data = { generator: 'har', participants, rows };
    const dp = { clip, delta: 1e-5, ...noise, ...(bounds && { bounds }) };
    const scenario = { data, scale, c2, rounds, passes: 20, dp };
    const runs = SEEDS.map((seed) => simulate(scenario, { seed }).summary);
    const mean = meanOf(runs.map(({ metric }) => metric.mean));
    const worst = meanOf(runs.map(({ metric }) => metric.worst));
    const { noiseMultiplier } = runs[0].privacy.settings;
    console.log(
      `  epsilon ${epsilon}: ${mean.toFixed(3)}, worst ${worst.toFixed(2)} (noise ${noiseMultiplier.toFixed(1)})`,
    );
  }
}
