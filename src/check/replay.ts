/** Runs the inputs of a log through the very machines again, and compares their effects. No I/O. */
import type { CoordinatorInput } from '../coordinator/effects.ts';
import { step as stepCoordinator } from '../coordinator/machine.ts';
import { beginCoordinator } from '../coordinator/stored.ts';
import type { ParticipantInput } from '../participant/effects.ts';
import { step as stepParticipant } from '../participant/machine.ts';
import { secureSide } from '../participant/secure.ts';
import { newParticipant } from '../participant/state.ts';
import { noblePrimitives, type Primitives } from '../privacy/secure/keys.ts';
import { digestOf, type LogRecord } from './run-log.ts';

export interface Replayed {
  /** Starts of the machine, as the JSON of `kindred replay` has always called them. */
  readonly lives: number;
  readonly inputs: number;
  readonly effects: number;
  /** The last record was cut short by a crash. */
  readonly torn: boolean;
  /** Absent: all effects were the same. What comes after it was not run. */
  readonly firstDifference?: Difference;
}

interface Difference {
  /** Starts are counted from 1, and so are the steps after each. */
  readonly life: number;
  readonly step: number;
  /** Type of the input. */
  readonly input: string;
  /** Digests of the effects; or what the machine threw. */
  readonly expected: string;
  readonly got: string;
}

type StepRecord = Extract<LogRecord, { type: 'step' }>;
type Machine = (input: StepRecord['input']) => readonly unknown[];

/** The primitives of secure aggregation may be others than those of the run: all of them give the same bytes. */
export function replay(records: Iterable<LogRecord>, primitives: Primitives = noblePrimitives): Replayed {
  let machine: Machine = () => [];
  const counts = { lives: 0, inputs: 0, effects: 0 };
  let step = 0;
  for (const record of records) {
    if (record.type === 'torn') return { ...counts, torn: true };
    if (record.type === 'start') {
      machine = machineOf(record.start, primitives);
      counts.lives++;
      step = 0;
      continue;
    }
    counts.inputs++;
    step++;
    const { got, effects } = outcomeOf(machine, record);
    counts.effects += effects;
    if (got === record.effects) continue;
    const where = { life: counts.lives, step, input: record.input.type };
    return { ...counts, torn: false, firstDifference: { ...where, expected: record.effects, got } };
  }
  return { ...counts, torn: false };
}

function machineOf(start: Extract<LogRecord, { type: 'start' }>['start'], primitives: Primitives): Machine {
  if (start.machine === 'coordinator') {
    const state = beginCoordinator(start);
    return (input) => stepCoordinator(state, input as CoordinatorInput, primitives);
  }
  const state = newParticipant(start.profile, start.stored);
  const side = secureSide(primitives);
  return (input) => stepParticipant(state, input as ParticipantInput, side);
}

/** A machine that throws differs: in the run its effects were written down. */
function outcomeOf(machine: Machine, { input }: StepRecord): { got: string; effects: number } {
  try {
    const effects = machine(input);
    return { got: digestOf(effects), effects: effects.length };
  } catch (error) {
    return { got: `an error: ${(error as Error).message}`, effects: 0 };
  }
}
