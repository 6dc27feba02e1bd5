/** What the worker of the motion demo does: trains the model that everybody shares, personalises it, predicts. */
import { invariant } from '../../base/errors.ts';
import { tableFrom } from '../../data/arrays.ts';
import { makeMotion, motionRows, type Recording } from '../../data/generate-motion.ts';
import { FEATURES, featuresOf } from '../../data/motion-features.ts';
import { ACTIVITIES, type Activity } from '../../data/motion-signals.ts';
import type { Window } from '../../data/motion-windows.ts';
import type { Table } from '../../data/table.ts';
import { writeCsv } from '../../data/write-csv.ts';
import { evaluate } from '../../methods/evaluate.ts';
import { modelToJson } from '../../methods/model.ts';
import { personalise } from '../../methods/personalise.ts';
import { predict } from '../../methods/predict.ts';
import { train } from '../../methods/train.ts';
import type { Model } from '../../solver/model.ts';

/** What everybody is called here. */
const ME = 'you';
const PEOPLE = 16;
const TAKES = 2;
/** Found by trying values on other generated people: rows of one person are few, and its part should count. */
const SETTINGS = { c1: 10, c2: 1 } as const;

export interface SharedModel {
  readonly people: number;
  readonly windows: number;
}

export interface Guess {
  readonly activity: Activity;
  /** By activity, in their order; the largest wins. */
  readonly decisions: readonly number[];
}

export interface Guesses {
  readonly shared: Guess;
  /** Undefined: nothing was recorded yet. */
  readonly own: Guess | undefined;
}

/** Shares of the windows kept for testing that are recognised. */
export interface Checked {
  readonly windows: number;
  readonly shared: number;
  readonly own: number;
}

export function motionWork() {
  let shared: Model | undefined;
  let own: Model | undefined;
  let recorded: readonly Recording[] = [];
  const model = () => {
    invariant(shared, 'the shared model is trained first');
    return shared;
  };
  return {
    /** Trains on generated people; the seed says which. */
    prepare(seed: number): SharedModel {
      const table = makeMotion({ participants: PEOPLE, takes: TAKES, seed });
      shared = train(table, { ...SETTINGS, testFraction: 0, objective: 'classification' }).model;
      own = undefined;
      recorded = [];
      return { people: PEOPLE, windows: table.n };
    },

    /** From all recordings of one's own; none: back to the shared model. */
    learn(recordings: readonly Recording[]): Checked | undefined {
      recorded = recordings;
      own = undefined;
      if (recordings.length === 0) return undefined;
      const learnt = tableOf(recordings, 'learnt');
      own = personalise(model(), learnt).model;
      const kept = tableOf(recordings, 'kept');
      const right = (by: Model) => 1 - evaluate(by, kept).mean.errorRate!;
      return { windows: kept.n, shared: right({ ...model(), personal: new Map() }), own: right(own) };
    },

    guess(window: Window): Guesses {
      const row = [featuresOf(window)];
      return { shared: guessOf(model(), row), own: own && guessOf(own, row) };
    },

    /** Everything recorded, as rows for a federation: features and activity. */
    rowsFile(): string {
      const tables = [tableOf(recorded, 'learnt'), tableOf(recorded, 'kept')];
      return tables
        .map((table, i) => [...writeCsv(table)].join('').replace(i > 0 ? /^.*\n/ : /^$/, ''))
        .join('');
    },

    modelFile(): string {
      invariant(own, 'something is recorded first');
      return modelToJson(own);
    },
  };
}

export type MotionWork = ReturnType<typeof motionWork>;

function tableOf(recordings: readonly Recording[], which: 'learnt' | 'kept'): Table {
  return tableFrom([motionRows(ME, recordings, which)], { features: FEATURES, source: 'your recordings' });
}

/** Decisions come in the order of the model's labels. */
function guessOf(model: Model, row: readonly Float64Array[]): Guess {
  const [{ prediction, decisions }] = predict(model, row, ME);
  const { labels } = model.classes as { readonly labels: readonly string[] };
  return {
    activity: prediction as Activity,
    decisions: ACTIVITIES.map((activity) => decisions![labels.indexOf(activity)]),
  };
}
