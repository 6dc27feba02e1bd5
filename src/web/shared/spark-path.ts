/** A line through values, in a box of 100 x 30 with room for its stroke. Empty where there are fewer than two. */
export function sparkPath(values: readonly (number | null)[], scale: 'linear' | 'log'): string {
  const heights = values.flatMap((value) => {
    if (value === null || !Number.isFinite(value) || (scale === 'log' && value <= 0)) return [];
    return [scale === 'log' ? Math.log(value) : value];
  });
  if (heights.length < 2) return '';
  const least = Math.min(...heights);
  const span = Math.max(...heights) - least || 1;
  const points = heights.map((height, i) => {
    const x = (100 * i) / (heights.length - 1);
    const y = 28 - (26 * (height - least)) / span;
    return `${round(x)} ${round(y)}`;
  });
  return `M${points.join('L')}`;
}

function round(value: number): number {
  return Math.round(value * 10) / 10;
}
