/**
 * How much energy will heating take tomorrow? Fifteen houses have two weeks of meter readings each. Weather affects all
 * houses alike, but walls, windows and habits differ. The houses are generated, in one process.
 *
 *     npm run build && node examples/regression.mjs
 */
import { evaluate, predict, tableFrom, train, tune } from 'kindred';

const FEATURES = [
  'outside',
  'wind',
  'sun',
  'rain',
  'people at home',
  'weekend',
  'outside yesterday',
  'humidity',
];

// 1. Rows as typed arrays, one set per house; y in kWh per day.
const houses = Array.from({ length: 15 }, (_, k) => ({ id: `house ${k + 1}`, ...makeHouse() }));
const metered = tableOf(houses, 14);
const later = tableOf(houses, 200);

// 2. How much should the loss weigh (C1), and how much should it cost to differ from the others (C2)?
// Chosen by cross-validation within houses.
//    Errors up to epsilon cost nothing: the meter is read to half a kWh, so smaller errors mean nothing.
const options = /** @type {const} */ ({ objective: 'regression', epsilon: 0.5, testFraction: 0 });
const grid = { c1: [1, 3, 10, 30, 100], c2: [0.03, 0.1, 0.3, 1], scale: /** @type {const} */ (['standard']) };
const { best, metric, folds } = tune(metered, { ...options, grid });
const { c1 = 1, c2 = 1 } = best;
console.log(`best of ${grid.c1.length * grid.c2.length} by ${folds}-fold ${metric}: C1 = ${c1}, C2 = ${c2}`);

// 3. Train with the choice and print the certificate: no model can have a primal value below the dual one.
const history = [];
const result = train(metered, { ...options, c1, c2 }, { onRound: ({ row }) => history.push(row) });
console.log('\nround   primal     dual   relative gap');
for (const { round, primal, dual, relativeGap } of history) {
  if (round % 5 !== 0 && round !== result.rounds) continue;
  const numbers = [primal, dual ?? 0].map((value) => value.toFixed(1).padStart(8));
  console.log(`${String(round).padStart(5)} ${numbers.join(' ')}   ${(relativeGap ?? 0).toExponential(1)}`);
}

// 4. Compare with the two simple methods, each with its own best C1.
console.log('\nlater days            R2   RMSE in kWh');
report('mtl', result.model, later);
for (const method of /** @type {const} */ (['local', 'global'])) {
  const { best: own } = tune(metered, { ...options, method, grid });
  report(method, train(metered, { ...options, method, c1: own.c1 ?? 1 }).model, later);
}

// 5. A new house: first with the shared part alone, then after it has five days of readings and has joined.
const newcomer = { id: 'house 16', ...makeHouse() };
const itsDays = tableOf([newcomer], 200);
const joined = tableFrom([...houses.map((house) => daysOf(house, 14)), daysOf(newcomer, 5)], {
  features: FEATURES,
});
console.log('\na new house');
report('w alone', result.model, itsDays);
report('after 5 days', train(joined, { ...options, c1, c2 }).model, itsDays);

// 6. A prediction is a number: kWh for a cold, windy day at house 1, whose target is not known yet.
const tomorrow = tableFrom([{ id: 'house 1', x: Float64Array.of(-5, 8, 0.1, 0, 3, 0, -2, 0.6) }], {
  features: FEATURES,
});
console.log(
  `\nhouse 1 on a day of -5 degrees: ${predict(result.model, tomorrow)[0].decision.toFixed(1)} kWh`,
);

function report(name, model, table) {
  const { r2 = 0, rmse = 0 } = evaluate(model, table).mean;
  console.log(`  ${name.padEnd(14)} ${r2.toFixed(3).padStart(8)} ${rmse.toFixed(2).padStart(9)}`);
}

/** A house: kWh per unit of each feature, near the typical values, and its base load. */
function makeHouse() {
  const typical = [-2, 0.8, -6, 2, 1.5, 3, -1, 4];
  return { base: 45 + 6 * normal(), effect: typical.map((value) => value * (1 + 0.35 * normal())) };
}

/** The given number of days of one house: weather, and the meter reading. */
function daysOf({ id, base, effect }, days) {
  const x = new Float64Array(days * FEATURES.length);
  const y = new Float64Array(days);
  for (let i = 0; i < days; i++) {
    const outside = 5 + 6 * normal();
    const weekend = random() < 2 / 7 ? 1 : 0;
    const people = Math.floor(5 * random());
    const day = [
      outside,
      5 * random(),
      random(),
      random(),
      people,
      weekend,
      outside + 3 * normal(),
      random(),
    ];
    x.set(day, i * FEATURES.length);
    y[i] = base + 2 * normal();
    for (const [j, value] of day.entries()) y[i] += effect[j] * value;
  }
  return { id, x, y };
}

function tableOf(some, days) {
  return tableFrom(
    some.map((house) => daysOf(house, days)),
    { features: FEATURES },
  );
}

/** A seeded generator (Park and Miller), so that every run prints the same numbers. */
function random() {
  random.state = ((random.state ?? 20261115) * 48271) % 2147483647;
  return random.state / 2147483647;
}

/** Nearly standard normal: the sum of twelve uniforms. */
function normal() {
  let sum = -6;
  for (let i = 0; i < 12; i++) sum += random();
  return sum;
}
