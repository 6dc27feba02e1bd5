/**
 * Labelled motion of made-up people, as the sensor demo of the page records it: acceleration of a phone (motion-signals.ts), cut into windows
 * (motion-windows.ts), each described by numbers (motion-features.ts). The target is the activity.
 */
import { inputError } from '../base/errors.ts';
import { type ParticipantRows, tableFrom } from './arrays.ts';
import { FEATURES, featuresOf } from './motion-features.ts';
import { ACTIVITIES, type Activity, GeneratedPerson } from './motion-signals.ts';
import { KEPT, LEARNT, RECORDING, recordingWindows } from './motion-windows.ts';
import type { Table } from './table.ts';

export interface MotionOptions {
  /** Default 20. */
  readonly participants?: number;
  /** How often everybody does each activity, for ten seconds (default 4). */
  readonly takes?: number;
  readonly seed?: number;
}

/** Rows of one take of every activity. */
export const ROWS_PER_TAKE = ACTIVITIES.length * (LEARNT + KEPT);

/** Samples of ten seconds of one activity, x 3. */
export interface Recording {
  readonly activity: Activity;
  readonly samples: Float64Array;
}

export function makeMotion(options: MotionOptions = {}): Table {
  const { participants = 20, ...rest } = options;
  checkCount('participants', participants);
  return rowsOfPeople(
    Array.from({ length: participants }, (_, k) => k + 1),
    rest,
  );
}

/** One person of `makeMotion` with the same options, by number from 1 on. With more takes the first rows are the same. */
export function makeMotionPerson(person: number, options: Omit<MotionOptions, 'participants'> = {}): Table {
  checkCount('person', person);
  return rowsOfPeople([person], options);
}

function rowsOfPeople(people: readonly number[], { takes = 4, seed = 1 }: MotionOptions): Table {
  checkCount('takes', takes);
  const rows = people.map((number) => motionRows(String(number), recordingsOf(seed, number, takes), 'both'));
  return tableFrom(rows, { features: FEATURES, source: 'motion of made-up people' });
}

function checkCount(name: string, value: number): void {
  if (Number.isInteger(value) && value >= 1) return;
  throw inputError(
    'GENERATOR_OPTION',
    `makeMotion: expected ${name} to be a whole number of at least 1, got ${value}`,
  );
}

/** All that one person records: every activity, again and again. */
function recordingsOf(seed: number, number: number, takes: number): Recording[] {
  const person = new GeneratedPerson(seed, number);
  return Array.from({ length: takes }, (_, take) =>
    ACTIVITIES.map((activity) => ({ activity, samples: person.signal(activity, take, RECORDING) })),
  ).flat();
}

/** A row for each window. `learnt` and `kept` share no sample. */
export function motionRows(
  id: string,
  recordings: readonly Recording[],
  which: 'learnt' | 'kept' | 'both',
): Required<Pick<ParticipantRows, 'id' | 'x' | 'y'>> {
  const x: number[] = [];
  const y: string[] = [];
  for (const { activity, samples } of recordings) {
    const { learnt, kept } = recordingWindows(samples);
    for (const window of which === 'learnt' ? learnt : which === 'kept' ? kept : [...learnt, ...kept]) {
      x.push(...featuresOf(window));
      y.push(activity);
    }
  }
  return { id, x, y };
}
