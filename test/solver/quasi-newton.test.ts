import fc from 'fast-check';
import { expect, test } from 'vitest';
import { stream } from '../../src/base/random.ts';
import { QuasiNewton } from '../../src/solver/next-query.ts';
import { addScaled, dot, norm, plusScaled } from '../../src/solver/vector.ts';

/** 1/2 (w - w*).A (w - w*) with A = 1 + sum_k c_k a_k a_k^T, as P is where no answer meets a kink. */
function quadratic(d: number, seed: number, spread: number) {
  const random = stream(seed, 'quadratic');
  const vector = () => Float64Array.from({ length: d }, () => random.normal() / Math.sqrt(d));
  const terms = Array.from({ length: d }, () => ({ a: vector(), c: spread * random.uniform() }));
  const minimiser = vector();
  const times = (v: Float64Array) => {
    const out = v.slice();
    for (const { a, c } of terms) addScaled(out, c * dot(a, v), a);
    return out;
  };
  return { vector, minimiser, times, gradient: (w: Float64Array) => times(plusScaled(w, -1, minimiser)) };
}

const quadratics = fc.record({
  d: fc.integer({ min: 1, max: 9 }),
  seed: fc.nat(),
  spread: fc.constantFrom(0.1, 3, 100),
});

test('with exact line searches a quadratic of d variables is solved in d + 1 steps', () => {
  fc.assert(
    fc.property(quadratics, ({ d, seed, spread }) => {
      const { vector, gradient, times, minimiser } = quadratic(d, seed, spread);
      const newton = new QuasiNewton();
      let w: Float64Array = vector();
      const far = norm(gradient(w));
      for (let step = 0; step <= d; step++) {
        const slope = gradient(w);
        if (norm(slope) < 1e-13 * far) break;
        newton.learn(w, slope);
        const move = plusScaled(newton.step(w, slope, 1), -1, w);
        w = plusScaled(w, -dot(slope, move) / dot(move, times(move)), move);
      }
      expect(norm(plusScaled(w, -1, minimiser))).toBeLessThanOrEqual(1e-6);
    }),
  );
});

test('every step goes downhill, whatever was learnt, and the last pair is met exactly', () => {
  fc.assert(
    fc.property(quadratics, fc.integer({ min: 0, max: 25 }), ({ d, seed, spread }, points) => {
      const { vector, gradient } = quadratic(d, seed, spread);
      const newton = new QuasiNewton();
      const random = stream(seed, 'points');
      let last: { s: Float64Array; y: Float64Array } | undefined;
      let before: Float64Array = vector();
      newton.learn(before, gradient(before));
      for (let i = 0; i < points; i++) {
        const w = vector();
        // Now and then a gradient that no convex function has.
        const wrong = random.uniform() < 0.2;
        const s = plusScaled(w, -1, before);
        const y = wrong ? s.map((value) => -value) : plusScaled(gradient(w), -1, gradient(before));
        newton.forgetLast();
        newton.learn(before, gradient(before));
        newton.learn(w, plusScaled(gradient(before), 1, y));
        if (!wrong) last = { s, y };
        before = w;
      }
      const [w, slope] = [vector(), vector()];
      const move = plusScaled(newton.step(w, slope, 0.3), -1, w);
      expect(dot(slope, move)).toBeLessThan(0);
      if (!last) return;
      const met = plusScaled(newton.step(w, last.y, 0.3), -1, plusScaled(w, -1, last.s));
      expect(norm(met)).toBeLessThanOrEqual(1e-9 * (1 + norm(last.s)));
    }),
  );
});

test('before anything is learnt, and after all is cleared, a step is one down the gradient', () => {
  const newton = new QuasiNewton();
  const [w, slope] = [Float64Array.of(1, 2), Float64Array.of(4, -8)];
  const plain = [0, 4];
  expect([...newton.step(w, slope, 0.25)]).toEqual(plain);
  newton.learn(Float64Array.of(0, 0), Float64Array.of(0, 0));
  newton.learn(Float64Array.of(1, 1), Float64Array.of(2, 5));
  expect([...newton.step(w, slope, 0.25)]).not.toEqual(plain);
  newton.clear();
  expect([...newton.step(w, slope, 0.25)]).toEqual(plain);
  // Nor does a single gradient teach anything, nor two that are not to be compared.
  newton.learn(Float64Array.of(0, 0), Float64Array.of(0, 0));
  newton.forgetLast();
  newton.learn(Float64Array.of(1, 1), Float64Array.of(2, 5));
  expect([...newton.step(w, slope, 0.25)]).toEqual(plain);
});
