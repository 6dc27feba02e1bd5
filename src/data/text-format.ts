/** How a text file separates its columns, writes its numbers, and whether its first line names the columns. */

export interface TextFormat {
  /** One character, or "auto" (default): by the first line. */
  readonly separator?: string | undefined;
  /** What stands before the decimals (default: point). */
  readonly decimal?: 'point' | 'comma' | undefined;
  /** false: the first line is a row already, and the columns are called c1, c2, ... (default: true). */
  readonly header?: boolean | undefined;
}

/** In the order of preference where a line does not decide. */
const SEPARATORS = [',', ';', '\t', '|'] as const;

const QUOTED = /"(?:[^"]|"")*"?/g;

/**
 * The separator of a file by its first line: the one that makes columns of the names that are asked for, and otherwise the one that
 * occurs most often. Without a header a comma may stand before decimals: it separates only where nothing else can.
 */
export function separatorOf(line: string, wanted: readonly string[], header: boolean): string {
  const text = line.replace(QUOTED, (quoted) => (wanted.includes(quoted.slice(1, -1)) ? quoted : ''));
  const candidates = SEPARATORS.filter((separator) => text.includes(separator));
  let [best = ','] = candidates;
  let bestScore = -1;
  for (const separator of candidates) {
    const fields = text.split(separator).map((field) => field.trim().replace(/^"(.*)"$/, '$1'));
    const found = wanted.filter((name) => fields.includes(name)).length;
    const isDoubtful = !header && separator === ',' && candidates.length > 1;
    const score = isDoubtful ? 0 : (header ? found * 1e6 : 0) + fields.length;
    if (score > bestScore) [best, bestScore] = [separator, score];
  }
  return best;
}

/** c1, c2, ...: columns that have no names of their own. */
export function columnNumbers(count: number): string[] {
  return Array.from({ length: count }, (_, c) => `c${c + 1}`);
}
