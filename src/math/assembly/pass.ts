// The pass of coordinate ascent, in two forms, for every loss.
import { axpyF32, dotF32 } from './lanes';
import { entropyStep } from './steps';

const ROW_FORM: i32 = 0;
const GRAM_FORM: i32 = 1;

// Places in STEP_FORMS.
const RIDGE: i32 = 2;
const ENTROPY: i32 = 3;

/**
 * One pass of coordinate ascent over order[0..active). `lines` are the rows (row form: `change` is the change of z,
 * per feature) or the Gram matrix (Gram form: `change` is the change of the margins, per row). `step` is a place in
 * STEP_FORMS (../kernels.ts); epsilon is 0 but for the tube.
 */
@inline
function pass(
  form: i32,
  lines: usize,
  stride: i32,
  y: usize,
  low: usize,
  high: usize,
  cap: usize,
  norm: usize,
  beta: usize,
  margin: usize,
  change: usize,
  order: usize,
  active: i32,
  step: i32,
  q: f64,
  epsilon: f64,
  shrink: f64,
  skip: f64,
  report: usize,
): void {
  let worst: f64 = 0;
  let count = active;
  let a: i32 = 0;
  while (a < count) {
    const i = load<u32>(order + ((<usize>a) << 2));
    const i8 = (<usize>i) << 3;
    let h = q * load<f64>(norm + i8);
    if (h == 0) {
      a++;
      continue;
    }
    const line = lines + (<usize>i) * ((<usize>stride) << 2);
    const moved: f64 =
      form == ROW_FORM ? <f64>dotF32(line, change, stride) : <f64>load<f32>(change + ((<usize>i) << 2));
    const target = load<f64>(y + i8);
    const at = load<f64>(margin + i8) + q * moved;
    const b = load<f64>(beta + i8);
    let g = target - at;
    if (step >= RIDGE) {
      const c = load<f64>(cap + i8);
      if (step == ENTROPY) {
        const next = target * entropyStep(target * b, target * at, h, c);
        const delta = next - b;
        const violation = Math.abs(delta) * (h + 4.0 / c);
        if (violation > worst) worst = violation;
        if (violation > skip) {
          store<f64>(beta + i8, next);
          axpyF32(<f32>delta, line, change, stride);
        }
        a++;
        continue;
      }
      const ridge = 0.5 / c;
      g -= ridge * b;
      h += ridge;
    }
    const lo = load<f64>(low + i8);
    const hi = load<f64>(high + i8);
    if (
      (b == hi && g - epsilon > shrink) ||
      (b == lo && g + epsilon < -shrink) ||
      (b == 0 && epsilon > 0 && Math.abs(g) < epsilon - shrink)
    ) {
      count--;
      store<u32>(order + ((<usize>a) << 2), load<u32>(order + ((<usize>count) << 2)));
      store<u32>(order + ((<usize>count) << 2), i);
      continue;
    }
    // At a bound and wanting to go further out: the step would change nothing, and a division takes long.
    if (epsilon == 0 && ((b == hi && g >= 0) || (b == lo && g <= 0))) {
      a++;
      continue;
    }
    let t = b + g / h;
    if (epsilon > 0) {
      const e = epsilon / h;
      t = t > e ? t - e : t < -e ? t + e : 0;
    }
    const clipped = t < lo ? lo : t > hi ? hi : t;
    const delta = clipped - b;
    if (delta != 0) {
      const violation = Math.abs(t - b) * h;
      if (violation > worst) worst = violation;
      if (clipped != t || Math.abs(delta) * h > skip) {
        store<f64>(beta + i8, clipped);
        axpyF32(<f32>delta, line, change, stride);
      }
    }
    a++;
  }
  store<f64>(report, worst);
  store<f64>(report, <f64>count, 8);
}

export function passRows(
  rows: usize,
  stride: i32,
  y: usize,
  low: usize,
  high: usize,
  cap: usize,
  norm: usize,
  beta: usize,
  margin: usize,
  change: usize,
  order: usize,
  active: i32,
  step: i32,
  q: f64,
  epsilon: f64,
  shrink: f64,
  skip: f64,
  report: usize,
): void {
  pass(
    ROW_FORM, rows, stride, y, low, high, cap, norm, beta, margin, change, order, active, step, q, epsilon, shrink, skip, report,
  );
}

export function passGram(
  gram: usize,
  stride: i32,
  y: usize,
  low: usize,
  high: usize,
  cap: usize,
  norm: usize,
  beta: usize,
  margin: usize,
  change: usize,
  order: usize,
  active: i32,
  step: i32,
  q: f64,
  epsilon: f64,
  shrink: f64,
  skip: f64,
  report: usize,
): void {
  pass(
    GRAM_FORM, gram, stride, y, low, high, cap, norm, beta, margin, change, order, active, step, q, epsilon, shrink, skip, report,
  );
}
