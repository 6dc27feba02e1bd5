/**
 * `line-search`: one step theta in [0, 1] for everybody, the best one along the summed direction du = sum_k du_k:
 *
 *   D(theta) = D(0) + theta (sum ds - w.du - sum u_k.du_k / C2) - theta^2/2 (|du|^2 + sum |du_k|^2 / C2)
 *
 * For regression s is concave along the step, so this is a lower bound and the step is still safe. Only sums of what
 * participants send are used, so the rule also works where the coordinator may see nothing else.
 */
import { type AggregationRule, sumOfChanges } from './aggregation-rule.ts';
import { dot } from './vector.ts';

export const lineSearchRule: AggregationRule = {
  atoms: 1,
  // Half of what would be safe without the search; steadier than any adaptive choice that was tried.
  startSigma: (participants) => Math.max(1, participants / 2),
  weigh: (w, c2, updates, blocks) => {
    const du = sumOfChanges(updates);
    let slope = -dot(w, du);
    let curvature = dot(du, du);
    for (const update of updates) {
      slope += update.ds - update.uDotDu / c2;
      curvature += update.duNorm2 / c2;
    }
    const step = curvature > 0 ? Math.min(1, Math.max(0, slope / curvature)) : 0;
    for (const { weights } of blocks) {
      weights[0] = 1 - step;
      weights[1] = step;
    }
  },
};
