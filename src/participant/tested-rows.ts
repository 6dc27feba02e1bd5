/**
 * Rows kept aside, and how good the models of an answer are on them: what a participant reports that has chosen to. The rows are scaled and mapped
 * once. Measuring costs two products for each row and number of the model, less than half a pass over as many training rows; of more rows than can
 * be measured in an instant an even sample is taken.
 */
import type { Scaling } from '../math/scaling.ts';
import { inTargetUnits } from '../math/target-scaling.ts';
import { type Agreement, headsBy } from '../protocol/agreement.ts';
import { implausibleReport, TEST_METRIC, type TestReport } from '../protocol/test-reports.ts';
import { columnsOf, seededMap } from '../settings/feature-map.ts';
import { type FederationSettings, personalCost } from '../settings/wire.ts';
import { measure } from '../solver/metrics.ts';
import { rowWriter } from '../solver/row-writer.ts';
import { plusScaled } from '../solver/vector.ts';
import type { SolveRequest, SolveResult } from './effects.ts';

/** Of one measurement: about 25 ms. */
const MOST_PRODUCTS = 2e7;

interface Agreed {
  readonly settings: FederationSettings;
  readonly scaling: Scaling;
  readonly agreement: Agreement;
}

interface RawTestRows {
  /** Rows x features, encoded. */
  readonly x: Float64Array;
  /** -1 and +1, numbers of classes, or values in the units of the target. */
  readonly y: Float64Array;
}

export class TestedRows {
  private readonly agreed: Agreed;
  /** Rows x columns, in the precision of rows that are trained on. */
  private readonly rows: Float32Array;
  private readonly y: Float64Array;
  private readonly heads: number;
  private readonly columns: number;

  constructor({ x, y }: RawTestRows, agreed: Agreed) {
    const { settings, scaling, agreement } = agreed;
    const map = seededMap(settings.map, settings.seed);
    const form = { scaling, map, bias: settings.bias };
    this.agreed = agreed;
    this.heads = headsBy(agreement);
    this.columns = columnsOf({ ...form, features: scaling.shift.length });
    const taken = sampled(y.length, Math.floor(MOST_PRODUCTS / (2 * this.heads * this.columns)));
    this.y = Float64Array.from(taken, (i) => y[i]);
    this.rows = new Float32Array(taken.length * this.columns);
    const write = rowWriter(form);
    for (const [r, i] of taken.entries()) write(x, i, this.rows, r * this.columns);
  }

  /** Of the models that an answer is about; undefined: nothing to tell. */
  report({ w, purpose }: SolveRequest, result: SolveResult): TestReport | undefined {
    const { settings } = this.agreed;
    if (this.y.length === 0 || purpose === 'personalise' || settings.dp) return undefined;
    const v = personalPart(settings, result);
    const alone = this.metric(w);
    const own = v ? this.metric(plusScaled(w, 1 / personalCost(settings), v)) : alone;
    // The w that MOCHA sends is the participant's own.
    const report = { own, shared: settings.method === 'mocha' ? undefined : alone };
    return implausibleReport(settings.objective, report) ? undefined : report;
  }

  private metric(model: Float64Array): number {
    const { objective } = this.agreed.settings;
    return measure(objective, this.y, this.decisions(model), this.heads)[TEST_METRIC[objective]]!;
  }

  private decisions(model: Float64Array): Float64Array {
    const { rows, heads, columns, y } = this;
    const { target } = this.agreed.agreement;
    const decisions = new Float64Array(heads * y.length);
    for (let i = 0; i < decisions.length; i++) {
      const at = Math.floor(i / heads) * columns;
      const from = (i % heads) * columns;
      decisions[i] = inTargetUnits(product(rows, at, model, from, columns), target);
    }
    return decisions;
  }
}

/** In four sums, so that no addition waits for the one before it. */
function product(rows: Float32Array, at: number, model: Float64Array, from: number, columns: number): number {
  let [a, b, c, d] = [0, 0, 0, 0];
  const whole = columns & ~3;
  for (let j = 0; j < whole; j += 4) {
    a += rows[at + j] * model[from + j];
    b += rows[at + j + 1] * model[from + j + 1];
    c += rows[at + j + 2] * model[from + j + 2];
    d += rows[at + j + 3] * model[from + j + 3];
  }
  for (let j = whole; j < columns; j++) a += rows[at + j] * model[from + j];
  return a + b + (c + d);
}

/** C2 times the own part that goes with w: the answer, or with steps what was accepted before; undefined: the method has none. */
function personalPart(
  { method, training }: FederationSettings,
  { own, solution, committed }: SolveResult,
): Float64Array | undefined {
  if (method !== 'mtl') return undefined;
  return training === 'answers' ? (own ?? solution.u) : committed.u;
}

/** Places of at most so many of n rows, evenly spread. */
function sampled(n: number, most: number): Uint32Array {
  const taken = Math.min(n, Math.max(1, most));
  return Uint32Array.from({ length: taken }, (_, i) => Math.floor((i * n) / taken));
}
