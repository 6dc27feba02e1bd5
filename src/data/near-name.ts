/** "Did you mean ...?": the existing name nearest to a mistyped one, if any is near. */

export function nearestName(wanted: string, names: readonly string[]): string | undefined {
  const plain = simplified(wanted);
  let best: string | undefined;
  // A third of the letters may differ; below that a suggestion is more often wrong than right.
  let bestDistance = Math.floor(plain.length / 3) + 1;
  for (const name of names.slice(0, 10_000)) {
    const distance = editDistance(plain, simplified(name), bestDistance);
    if (distance < bestDistance) {
      best = name;
      bestDistance = distance;
    }
  }
  return best;
}

function simplified(name: string): string {
  return name.toLowerCase().replace(/[\s_-]/g, '');
}

/** Insertions, deletions and substitutions (Levenshtein); `limit` or more is as good as infinite. */
function editDistance(a: string, b: string, limit: number): number {
  if (Math.abs(a.length - b.length) >= limit) return limit;
  let previous = Array.from({ length: b.length + 1 }, (_, j) => j);
  for (let i = 1; i <= a.length; i++) {
    const row = [i];
    for (let j = 1; j <= b.length; j++) {
      const same = a[i - 1] === b[j - 1] ? 0 : 1;
      row.push(Math.min(previous[j] + 1, row[j - 1] + 1, previous[j - 1] + same));
    }
    previous = row;
  }
  return previous[b.length];
}
