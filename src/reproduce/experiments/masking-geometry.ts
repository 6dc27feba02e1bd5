/** The paper's figure 4: what masks do to an update, in the plane. The update is that of a real solve of a few rows. */
import { stream } from '../../base/random.ts';
import { type Arrow, COLOURS, type Panel } from '../../charts/figure.ts';
import { Arena } from '../../math/arena.ts';
import { drawMask } from '../../privacy/masks.ts';
import type { MaskSettings } from '../../settings/wire.ts';
import { LocalSolve } from '../../solver/local-solve.ts';
import { newMember } from '../../solver/member.ts';
import { Shard } from '../../solver/shard.ts';
import { experiment } from '../experiment.ts';

const ROWS = 6;
/** So small a C1 that every row has a part in the update. */
const SETTINGS = { objective: 'classification', c1: 0.25, c2: 1, epsilon: 0 } as const;

/** (change of beta_i) x_i for every row of a small problem. */
function partsOfUpdate(): [number, number][] {
  const random = stream(4, 'geometry');
  const y = Float64Array.from({ length: ROWS }, (_, i) => (i % 2 ? 1 : -1));
  const x = Array.from({ length: ROWS }, (_, i) => [
    0.6 * y[i] + 0.7 * random.normal(),
    0.6 * y[i] + 0.7 * random.normal(),
  ]);
  const shard = new Shard(new Arena(), SETTINGS, { n: ROWS, d: 2, y, write: (i, row) => row.set(x[i]) });
  const { beta: start } = newMember(shard);
  shard.load(start, new Float64Array(2));
  new LocalSolve(shard, { sigma: 1, tolerance: 1e-6, seed: 3 }).runPasses(3);
  return Array.from(shard.beta, (beta, i) => [beta * x[i][0], beta * x[i][1]]);
}

/** Head to tail, and their sum. */
function chained(
  parts: readonly (readonly [number, number])[],
  factors: ArrayLike<number>,
  sum: Arrow['name'],
) {
  const arrows: Arrow[] = [];
  let at: readonly [number, number] = [0, 0];
  for (const [i, [dx, dy]] of parts.entries()) {
    const to = [at[0] + factors[i] * dx, at[1] + factors[i] * dy] as const;
    if (factors[i] > 0 && (dx !== 0 || dy !== 0)) arrows.push({ from: at, to, colour: '#7a7a7a' });
    at = to;
  }
  return { arrows, sum: { from: [0, 0] as const, to: at, colour: COLOURS.mtl, name: sum } };
}

export const maskingGeometry = experiment({
  title: 'Masking in the plane',
  paper: 'section 6.2',
  tunings: () => ({}),
  jobs: () => ({}),
  outcome: () => {
    const parts = partsOfUpdate();
    const whole = chained(parts, new Float64Array(ROWS).fill(1), 'update');
    const masked = (title: string, mask: MaskSettings, seed: number): Panel => {
      const { arrows, sum } = chained(parts, drawMask(mask, ROWS, stream(seed, 'geometry mask')), 'sent');
      const truth = { ...whole.sum, colour: COLOURS.mocha, dash: '5 3' };
      return { kind: 'vectors', title, arrows: [...arrows, truth, sum] };
    };
    return {
      text: [
        `A participant with ${ROWS} rows of two features: grey arrows are the contributions of the rows, head to tail; the blue one is what is sent.`,
      ],
      figures: [
        {
          id: 'masking-geometry',
          title: 'An update and its masked versions',
          caption:
            'Left: the update is the sum of the contributions of the rows. Middle: a discrete mask leaves some rows out. Right: a continuous mask shortens each contribution by a random factor; what is sent stays closer to the update (dashed).',
          columns: 3,
          panels: [
            { kind: 'vectors', title: 'no masking', arrows: [...whole.arrows, whole.sum] },
            masked('Bernoulli, p = 0.5', { kind: 'bernoulli', keep: 0.5, semantics: 'paper' }, 6),
            masked('Beta(2, 0.5)', { kind: 'beta', a: 2, b: 0.5, unmasked: 0, semantics: 'paper' }, 2),
          ],
        },
      ],
      tables: [],
      findings: {},
    };
  },
});
