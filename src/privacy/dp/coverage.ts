/** What (epsilon, delta) does not cover, in words: said wherever an epsilon is. */
import type { DpSettings } from './settings.ts';

export function notCovered({ honest }: Pick<DpSettings, 'honest'>): string[] {
  return [
    ...(honest === undefined ? ['what the coordinator sees: the clipped step of each participant'] : []),
    'participation, numbers of rows, times',
    'names of classes, unless the operator declares them (--positive, --classes)',
    'a participant that is forgotten: w before and after differ by its contribution',
    'tuning of clip, bounds, C1, C2 or rounds on the same data',
  ];
}
