/**
 * Is this person stressed? Twelve people wear sensors, bodies differ, and each person has labelled only 20 minutes.
 * Kindred gives each of them a model `w + v`: w is shared, v is personal. The data are generated, in one process.
 *
 *     npm run build && node examples/classification.mjs [model.json]
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { evaluate, modelFor, modelFromJson, modelToJson, predict, tableFrom, train } from 'kindred';

const SENSORS = ['heart', 'breath', 'skin', 'sweat'];
const FEATURES = SENSORS.flatMap((name) =>
  ['mean', 'spread', 'low', 'high', 'slope'].map((of) => `${name} ${of}`),
);
const PEOPLE = ['Ada', 'Ben', 'Cleo', 'Dan', 'Eva', 'Finn', 'Gwen', 'Hugo', 'Ines', 'Jon', 'Kim', 'Leo'];

// 1. Rows as typed arrays, one set per person: x row by row, y as any two words or numbers.
const typicalAnswer = FEATURES.map(() => 0.4 * normal());
const bodies = [...PEOPLE, 'Mia'].map(makeBody);
const labelled = tableFrom(
  PEOPLE.map((id, k) => ({ id, ...observe(bodies[k], 20) })),
  { features: FEATURES },
);
const later = tableFrom(
  PEOPLE.map((id, k) => ({ id, ...observe(bodies[k], 500) })),
  { features: FEATURES },
);

// 2. Three ways to train on the labelled minutes, all tested on 500 later minutes of each person. By default train holds
//    out 30% of the rows for testing; here there are other rows for that. C1 and C2 have their defaults (see tune).
console.log('error on later minutes     mean   worst person');
for (const method of /** @type {const} */ (['global', 'local', 'mtl'])) {
  const { model } = train(labelled, { method, positive: 'stressed', testFraction: 0 });
  const { mean, participants } = evaluate(model, later);
  const worst = Math.max(...participants.map(({ errorRate }) => errorRate ?? 0));
  console.log(`  ${method.padEnd(20)} ${percent(mean.errorRate ?? 0)}   ${percent(worst)}`);
}

// 3. The certificate: the distance from the optimum at which training stopped, and a check that no answer was lost.
const result = train(labelled, { positive: 'stressed', testFraction: 0 });
const { certificate, conservation, rounds, notes } = result;
console.log(`\n${notes[0]}`);
console.log(`${rounds} rounds, relative gap ${certificate?.relativeGap.toExponential(1)}`);
console.log(`w = C2 * sum of v to ${conservation?.relativeError.toExponential(0)} relative`);

// 4. A person's model is a plain vector, one weight per feature and a bias at the end.
console.log('\nweights          shared     Ada     Ben');
const models = [result.model.w, modelFor(result.model, 'Ada'), modelFor(result.model, 'Ben')];
for (const name of ['heart mean', 'breath slope', 'sweat high', 'bias']) {
  const j = [...FEATURES, 'bias'].indexOf(name);
  console.log(`  ${name.padEnd(13)} ${models.map((vector) => vector[j].toFixed(2).padStart(7)).join(' ')}`);
}

// 5. A newcomer has no v yet, and uses w alone.
const mia = tableFrom([{ id: 'Mia', ...observe(bodies[12], 500) }], { features: FEATURES });
console.log(
  `\nMia is new and labelled nothing: error ${percent(evaluate(result.model, mia).mean.errorRate ?? 0)}`,
);

// 6. The model is one JSON file, and reading it gives the same bits.
const file = process.argv[2] ?? join(tmpdir(), 'kindred-example.json');
writeFileSync(file, modelToJson(result.model));
const restored = modelFromJson(readFileSync(file, 'utf8'), file);
const before = predict(result.model, mia);
const same = predict(restored, mia).every(({ decision }, i) => decision === before[i].decision);
console.log(`saved and read back: ${same ? 'the same decisions' : 'DIFFERENT decisions'}`);

/** A body at rest, and its response to stress: similar for all people, but not the same. */
function makeBody() {
  return typicalAnswer.map((answer) => ({
    rest: 50 + 6 * normal(),
    stress: 10 * (answer + 0.2 * normal()),
  }));
}

/** The given number of minutes of one person. */
function observe(body, minutes) {
  const x = new Float64Array(minutes * FEATURES.length);
  const y = [];
  for (let i = 0; i < minutes; i++) {
    const stressed = random() < 0.5;
    y.push(stressed ? 'stressed' : 'calm');
    for (const [j, { rest, stress }] of body.entries()) {
      x[i * body.length + j] = rest + (stressed ? stress : -stress) + 10 * normal();
    }
  }
  return { x, y };
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

function percent(share) {
  return `${(100 * share).toFixed(1)}%`.padStart(6);
}
