import { describe, expect, test } from 'vitest';
import { makeMotion, ROWS_PER_TAKE } from '../../src/data/generate-motion.ts';
import { rowsOfParticipant } from '../../src/data/participants.ts';
import { train } from '../../src/methods/train.ts';
import { run } from '../cli/helpers.ts';

describe('motion of made-up people', () => {
  test('everybody does everything, and more people do not change the first', () => {
    const few = makeMotion({ participants: 2, takes: 1 });
    const more = makeMotion({ participants: 3, takes: 1 });
    expect([few.n, few.features.length, new Set(few.targets).size]).toEqual([2 * ROWS_PER_TAKE, 18, 4]);
    expect(rowsOfParticipant(more, '2')!.x).toEqual(rowsOfParticipant(few, '2')!.x);
    expect(rowsOfParticipant(few, '1')!.x).not.toEqual(rowsOfParticipant(few, '2')!.x);
    expect(makeMotion({ participants: 2, takes: 1, seed: 2 }).x).not.toEqual(few.x);
  });

  test('a shared model with personal parts is better than one for all and than one each', () => {
    const table = makeMotion({ participants: 12, takes: 2, seed: 5 });
    const errorOf = (method: 'mtl' | 'local' | 'global') => train(table, { method, c1: 10 }).mean.errorRate!;
    const [mtl, local, shared] = [errorOf('mtl'), errorOf('local'), errorOf('global')];
    expect(mtl).toBeLessThanOrEqual(local);
    expect(mtl).toBeLessThan(shared);
  });

  test('kindred data make motion', async () => {
    const { code, stdout } = await run(['data', 'make', 'motion', '--participants', '2', '--rows', '24']);
    expect(code).toBe(0);
    const lines = stdout.trim().split('\n');
    expect(lines).toHaveLength(1 + 2 * ROWS_PER_TAKE);
    expect(lines[0]).toMatch(/^task,y,gravity along x,/);
    const refused = await run(['data', 'make', 'motion', '--features', '3']);
    expect(refused.stderr).toContain('option --features: expected none with data make motion, got 3');
  });
});
