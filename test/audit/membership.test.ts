import { describe, expect, test } from 'vitest';
import {
  type LabelledRow,
  membershipByMargin,
  membershipBySpan,
} from '../../src/audit/attacks/membership.ts';
import { recoverPersonal } from '../../src/audit/attacks/recover-personal.ts';
import { type Roc, rocOf } from '../../src/audit/attacks/score.ts';
import { stream } from '../../src/base/random.ts';
import { plusScaled } from '../../src/solver/vector.ts';
import { tableOf } from '../helpers/tables.ts';
import { MASKS, type MaskName, ruleFor, type Scene, type Watched, watch } from './federation.ts';

/** 12 people with 12 rows of 24 features to train on and labels that are mostly noise: models learn them by heart. */
function overfitted(mask: MaskName): Scene {
  const random = stream(7, 'labels');
  const target = (x: Float64Array) => (x[0] + x[1] + 2 * random.normal() > 0 ? 1 : -1);
  const table = tableOf({ participants: 12, rows: 24, d: 24, target });
  return watch({ table, passes: 5, rounds: 60, c2: 0.1, aggregation: ruleFor(mask), mask: MASKS[mask] });
}

function rocBy({ watched }: Scene, score: (who: Watched, rows: readonly LabelledRow[]) => Float64Array): Roc {
  const inside = watched.flatMap((who) => [...score(who, who.truth.rows)]);
  const outside = watched.flatMap((who) => [...score(who, who.truth.fresh)]);
  return rocOf(inside, outside);
}

const byModel = (scene: Scene) =>
  rocBy(scene, ({ observation }, rows) =>
    membershipByMargin(plusScaled(scene.w, 1, recoverPersonal(observation)), rows),
  );

describe('the curve', () => {
  test('of perfect, useless and tied scores', () => {
    expect(rocOf([3, 4], [1, 2])).toMatchObject({ auc: 1, surely: 1 });
    expect(rocOf([1, 2], [3, 4])).toMatchObject({ auc: 0, surely: 0 });
    expect(rocOf([1, 1], [1, 1]).auc).toBe(0.5);
    expect(rocOf([3, 1], [2, 0])).toMatchObject({ auc: 0.75, surely: 0.5 });
  });
});

describe('membership', () => {
  test('shows in the margins of an overfitted model', () => {
    const { auc, interval } = byModel(overfitted('none'));
    expect(auc).toBeGreaterThan(0.75);
    expect(interval[0]).toBeGreaterThan(0.7);
  });

  test('shows less in w alone, and not at all in a random model', () => {
    const scene = overfitted('none');
    const shared = rocBy(scene, (_who, rows) => membershipByMargin(scene.w, rows));
    expect(shared.auc).toBeLessThan(0.62);
    const random = stream(3, 'model');
    const model = scene.w.map(() => random.normal());
    const { interval } = rocBy(scene, (_who, rows) => membershipByMargin(model, rows));
    expect(interval[0]).toBeLessThan(0.5);
    expect(interval[1]).toBeGreaterThan(0.5);
  });

  test("the paper's masks take some of it away", () => {
    expect(byModel(overfitted('Bernoulli, paper')).auc).toBeLessThan(0.7);
  });

  test.each(Object.keys(MASKS) as MaskName[])(
    'shows in the span of the changes, whatever the masks: %s',
    (mask) => {
      const roc = rocBy(overfitted(mask), ({ observation }, rows) => membershipBySpan(observation, rows));
      expect(roc.auc).toBeGreaterThan(0.95);
      expect(roc.surely).toBeGreaterThan(0.85);
    },
  );
});
