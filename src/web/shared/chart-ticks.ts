/** Where an axis has its marks. */
import { duration } from './format.ts';

/** In seconds. */
export const elapsedSteps: number[] = [
  ...[0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 30, 60, 120, 300, 600, 1200, 1800],
  ...[1, 2, 4, 6, 12, 24, 48, 168, 336, 720, 2160, 8760].map((hours) => hours * 3600),
];

export function elapsedText(seconds: number): string {
  if (seconds === 0) return '0';
  // Steps below a second.
  if (Math.abs(seconds) < 60) return `${Number(seconds.toFixed(2))} s`;
  return duration(seconds * 1000);
}

/** Powers of ten within [least, most], `room` of them at the most. */
export function powersOfTen(least: number, most: number, room: number): number[] {
  const from = Math.ceil(Math.log10(least) - 1e-9);
  const to = Math.floor(Math.log10(most) + 1e-9);
  const step = Math.max(1, Math.ceil((to - from + 1) / room));
  const powers: number[] = [];
  for (let e = to; e >= from; e -= step) powers.unshift(Number(`1e${e}`));
  return powers;
}
