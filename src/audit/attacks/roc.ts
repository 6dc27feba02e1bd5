/** How well a score separates two groups: the curve of hits against false alarms, and the area under it. */
export interface Roc {
  /** From (0, 0) to (1, 1), by falling threshold. */
  readonly points: readonly { readonly falseAlarms: number; readonly hits: number }[];
  /** Probability that one of the group scores above one of the others; ties count half. 0.5: chance. */
  readonly auc: number;
  /** Hits before the first false alarm. */
  readonly surely: number;
  /** 95%, by Hanley and McNeil (1982). */
  readonly interval: readonly [number, number];
}

/** `inside`: scores of the group, higher meaning more likely; `outside`: of the others. */
export function rocOf(inside: ArrayLike<number>, outside: ArrayLike<number>): Roc {
  const all = [
    ...Array.from(inside, (score) => ({ score, hit: 1 })),
    ...Array.from(outside, (score) => ({ score, hit: 0 })),
  ].sort((a, b) => b.score - a.score);
  const points = [{ falseAlarms: 0, hits: 0 }];
  let [hits, falseAlarms, auc] = [0, 0, 0];
  for (let at = 0; at < all.length; ) {
    const before = points[points.length - 1];
    const { score } = all[at];
    for (; at < all.length && all[at].score === score; at++) {
      if (all[at].hit) hits++;
      else falseAlarms++;
    }
    const point = { falseAlarms: falseAlarms / outside.length, hits: hits / inside.length };
    auc += ((point.falseAlarms - before.falseAlarms) * (point.hits + before.hits)) / 2;
    points.push(point);
  }
  const surely = points.findLast((point) => point.falseAlarms === 0)!.hits;
  return { points, auc, surely, interval: intervalOf(auc, inside.length, outside.length) };
}

function intervalOf(auc: number, inside: number, outside: number): [number, number] {
  const q1 = auc / (2 - auc);
  const q2 = (2 * auc * auc) / (1 + auc);
  const spread = auc * (1 - auc) + (inside - 1) * (q1 - auc * auc) + (outside - 1) * (q2 - auc * auc);
  const half = 1.96 * Math.sqrt(Math.max(0, spread) / (inside * outside));
  return [Math.max(0, auc - half), Math.min(1, auc + half)];
}
