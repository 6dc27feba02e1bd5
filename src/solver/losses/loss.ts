/**
 * A loss, and all that the rest of the house asks of it. With C = C1 c, the price of a row's loss, and a = x.(w + v), its margin:
 *
 *   P = ... + sum_i C_i loss(y_i, a_i)
 *   D = sum_i s(beta_i) - 1/2 |sum_k u_k|^2 - 1/(2 C2) sum_k |u_k|^2,      s(beta) = min over a of  C loss(y, a) + beta a
 *
 * s is minus the conjugate of C loss at -beta: concave, finite in the box of beta alone, and
 *
 *   C loss(y, a) + beta a >= s(beta)        for all a and all beta (Fenchel), equal where beta is in -C d loss(y, a)/da
 *
 * which is all that the certificate, the cuts and the bounds rest on. A new loss is a file beside this one, an entry in `LOSSES`, and a form of
 * the coordinate step in the kernels if its s is neither linear, quadratic nor an entropy.
 */
import type { StepForm } from '../../math/kernels.ts';
import type { Objective } from '../../settings/losses.ts';

/** What losses of numbers have beside a name; losses of classes have nothing. */
export interface LossShape {
  /** Width of the insensitive tube, of `epsilon-insensitive`. */
  readonly epsilon: number;
  /** Which quantile is learnt, of `quantile`; default: 0.5, the median. */
  readonly quantile?: number | undefined;
}

/** The one-dimensional problem of a row, all others standing still: max over b of  s(b) - margin (b - beta) - h/2 (b - beta)^2. */
interface RowProblem {
  readonly y: number;
  /** C = C1 c. */
  readonly cap: number;
  readonly shape: LossShape;
  readonly beta: number;
  /** x.z at beta. */
  readonly margin: number;
  /** (sigma + 1/C2) |x|^2, above 0: how much the margin moves with beta. */
  readonly h: number;
}

export interface Loss {
  readonly task: Objective;
  /** Whether targets are classes, -1 and +1. */
  readonly classes: boolean;
  /** Ends of what s can be in the box, in units of C. The upper one is the loss at a = 0. */
  readonly dualRange: { readonly least: number; readonly most: number };
  /** Largest second derivative of the loss in a; 0 where it is made of straight lines. */
  readonly curvature: number;
  readonly form: StepForm;
  box(y: number, cap: number, shape: LossShape): { readonly low: number; readonly high: number };
  value(y: number, a: number, shape: LossShape): number;
  /** s(beta), for a beta in the box. */
  conjugate(y: number, beta: number, cap: number, shape: LossShape): number;
  /** The beta in the box that solves a row's problem. */
  step(row: RowProblem): number;
  /** A beta in -C d loss/da, in the box: what a row with this margin calls for. */
  subgradient(y: number, a: number, cap: number, shape: LossShape): number;
}
