/** The made-up people of `kindred demo`: phone sensor data after the manner of UCI HAR, or motion as the page of a participant records it. */
import { makeHarLike, makeHarPerson } from '../data/generate-har.ts';
import { makeMotion, makeMotionPerson, ROWS_PER_TAKE } from '../data/generate-motion.ts';
import type { Table } from '../data/table.ts';

export const DEMO_DATA = ['har', 'motion'] as const;
export type DemoDataName = (typeof DEMO_DATA)[number];

export interface DemoData {
  /** What is predicted, in a sentence. */
  readonly title: string;
  readonly table: Table;
  /** About twice the rows of a person, by number from 1 on; the first ones are those of the table. */
  more(person: number): Table;
  /** How a link names the rows of a person to the page; undefined: whoever takes part records their own. */
  linkOf(person: number): string | undefined;
}

const HAR_ROWS = 345;
const TAKES = 4;

export function demoData(name: DemoDataName, participants: number, seed: number): DemoData {
  if (name === 'motion')
    return {
      title: 'Walking, standing, sitting or shaking? Generated phone motion that never leaves its owners.',
      table: makeMotion({ participants, seed, takes: TAKES }),
      more: (person) => makeMotionPerson(person, { seed, takes: 2 * TAKES }),
      linkOf: () => undefined,
    };
  return {
    title: 'Is this person sitting? Generated phone sensor data that never leave their owners.',
    table: makeHarLike({ participants, seed }),
    more: (person) => makeHarPerson(person, { seed, rowsPerParticipant: 2 * HAR_ROWS }),
    linkOf: (person) => `har:${seed}:${person}`,
  };
}

/** At a time, when somebody has new ones. */
export const NEW_ROWS = ROWS_PER_TAKE;
