/** Files for whoever has none at hand: a model of made-up people who move with a phone, and the rows of one who was not among them. */
import { makeMotion } from '../../data/generate-motion.ts';
import { rowsOfParticipant } from '../../data/participants.ts';
import { writeCsv } from '../../data/write-csv.ts';
import { modelToJson } from '../../methods/model.ts';
import { train } from '../../methods/train.ts';

export interface ExampleFiles {
  readonly model: Blob;
  readonly rows: Blob;
}

const PEOPLE = 16;
/** Whose last person is one that the shared model serves badly: it takes standing for something else. */
const SEED = 8;

export function exampleFiles(): ExampleFiles {
  const options = { takes: 3, seed: SEED };
  const others = makeMotion({ participants: PEOPLE, ...options });
  const { model } = train(others, { c1: 10, c2: 1, testFraction: 0 });
  const columns = { task: 'task', label: 'y', drop: [] };
  const newcomer = rowsOfParticipant(makeMotion({ participants: PEOPLE + 1, ...options }), `${PEOPLE + 1}`)!;
  const recorded = { ...model, options: { ...model.options, columns } };
  return {
    model: new Blob([modelToJson(recorded)], { type: 'application/json' }),
    rows: new Blob([...writeCsv({ ...newcomer, participants: ['you'] })], { type: 'text/csv' }),
  };
}
