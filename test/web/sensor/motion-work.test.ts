import { describe, expect, test } from 'vitest';
import { readCsv } from '../../../src/data/csv.ts';
import { FEATURES } from '../../../src/data/motion-features.ts';
import { ACTIVITIES, GeneratedPerson, type Place } from '../../../src/data/motion-signals.ts';
import { KEPT, LEARNT, RECORDING, WINDOW } from '../../../src/data/motion-windows.ts';
import { modelFromJson } from '../../../src/methods/model.ts';
import { motionWork } from '../../../src/web/sensor/motion-work.ts';

const SEED = 1;

function recordings(number: number, place: Place, take = 0) {
  const person = new GeneratedPerson(SEED, number, place);
  return ACTIVITIES.map((activity) => ({ activity, samples: person.signal(activity, take, RECORDING) }));
}

function meanOf(values: Float64Array): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}

describe('generated people', () => {
  test('are made from their seed, and differ', () => {
    const signal = (seed: number, number: number, take: number) =>
      new GeneratedPerson(seed, number).signal('walking', take, 100);
    expect(signal(1, 1, 0)).toEqual(signal(1, 1, 0));
    for (const other of [signal(2, 1, 0), signal(1, 2, 0), signal(1, 1, 1)])
      expect(other).not.toEqual(signal(1, 1, 0));
  });

  test('feel gravity, and move as much as their activity says', () => {
    for (let number = 1; number <= 10; number++) {
      const person = new GeneratedPerson(SEED, number);
      const sizes = ACTIVITIES.map((activity) => {
        const samples = person.signal(activity, 0, RECORDING);
        const of = (axis: number) =>
          Float64Array.from({ length: RECORDING }, (_, i) => samples[3 * i + axis]);
        const means = [0, 1, 2].map((axis) => meanOf(of(axis)));
        const gravity = Math.hypot(...means);
        expect(gravity).toBeGreaterThan(8.5);
        expect(gravity).toBeLessThan(11.5);
        const spread = [0, 1, 2].map((axis) => meanOf(of(axis).map((value) => (value - means[axis]) ** 2)));
        return Math.sqrt(spread[0] + spread[1] + spread[2]);
      });
      const [walking, standing, sitting, shaking] = sizes;
      expect(shaking).toBeGreaterThan(walking);
      expect(walking).toBeGreaterThan(5 * standing);
      expect(sitting).toBeLessThan(0.5);
    }
  });
});

describe('the shared model and one of one’s own', () => {
  const work = motionWork();
  const { people, windows } = work.prepare(SEED);

  test('is trained on what it says', () => {
    expect(windows).toBe(people * ACTIVITIES.length * 2 * (LEARNT + KEPT));
  });

  test('before anything is recorded there is only the shared one', () => {
    expect(work.learn([])).toBeUndefined();
    const [{ samples }] = recordings(102, 'trouser pocket');
    const { shared, own } = work.guess(samples.slice(0, 3 * WINDOW));
    expect(shared.activity).toBe('walking');
    expect(shared.decisions.indexOf(Math.max(...shared.decisions))).toBe(ACTIVITIES.indexOf('walking'));
    expect(own).toBeUndefined();
  });

  test('somebody who carries the phone in a jacket: the shared one takes sitting for standing, the own one does not', () => {
    const checked = work.learn(recordings(101, 'jacket pocket'))!;
    expect(checked.windows).toBe(ACTIVITIES.length * KEPT);
    expect(checked.shared).toBeLessThan(0.9);
    expect(checked.own).toBe(1);
    let [shared, own, all] = [0, 0, 0];
    for (const { activity, samples } of recordings(101, 'jacket pocket', 5)) {
      const guess = work.guess(samples.slice(0, 3 * WINDOW));
      all++;
      if (guess.shared.activity === activity) shared++;
      if (guess.own!.activity === activity) own++;
    }
    expect(own).toBe(all);
    expect(shared).toBeLessThan(own);
  });

  test('one recording is enough for a model of one’s own, and to forget it gives the shared one back', () => {
    expect(work.learn(recordings(103, 'hand').slice(0, 1))).toMatchObject({ windows: KEPT, own: 1 });
    work.learn([]);
    expect(work.guess(recordings(103, 'hand')[0].samples.slice(0, 3 * WINDOW)).own).toBeUndefined();
  });

  test('what was recorded can be taken along: rows for a federation, and a model', () => {
    work.learn(recordings(101, 'jacket pocket'));
    const table = readCsv(new TextEncoder().encode(work.rowsFile()), 'motion.csv', {
      ...{ task: 'task', label: 'y', drop: [], need: 'task and label' },
    });
    expect(table.features).toEqual(FEATURES);
    expect(table.n).toBe(ACTIVITIES.length * (LEARNT + KEPT));
    expect(new Set(table.targets)).toEqual(new Set(ACTIVITIES));
    expect(modelFromJson(work.modelFile(), 'model.json').personal.has('you')).toBe(true);
  });
});
