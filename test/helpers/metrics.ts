/** Numbers of /metrics. */

/** A counter or gauge with all of these labels; 0 where there is none. */
export function metric(text: string, name: string, labels: Readonly<Record<string, string>> = {}): number {
  for (const line of text.split('\n')) {
    const [, found, inside = '', value] = /^(\w+)(?:\{(.*)\})? (\S+)$/.exec(line) ?? [];
    if (found !== name) continue;
    if (Object.entries(labels).every(([key, wanted]) => inside.includes(`${key}="${wanted}"`)))
      return Number(value);
  }
  return 0;
}
