/** A curve of positive numbers in one line of ASCII: the darker, the larger, on a logarithmic scale. */

const RAMP = '.:-=+*#%@';

export function sparkline(values: readonly (number | null)[], width = 48): string {
  const positive = values.filter((value): value is number => value !== null && value > 0 && value < Infinity);
  if (positive.length === 0) return '';
  const logs = fitted(positive, width).map(Math.log10);
  const low = Math.min(...logs);
  const span = Math.max(...logs) - low;
  const level = (log: number) => (span === 0 ? 0 : Math.round(((log - low) / span) * (RAMP.length - 1)));
  return logs.map((log) => RAMP[level(log)]).join('');
}

/** At most `width` of them, evenly spread, first and last included. */
function fitted(values: readonly number[], width: number): number[] {
  if (values.length <= width) return [...values];
  const step = (values.length - 1) / (width - 1);
  return Array.from({ length: width }, (_, c) => values[Math.round(c * step)]);
}
