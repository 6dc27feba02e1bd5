/** A free place for a name near a point. */
import type { Frame } from '../../sim/svg.ts';

/** An area that should stay uncovered, and how much that matters. */
export interface Box extends Frame {
  readonly weight: number;
}

type Place = readonly [number, number];

const DIRECTIONS = 16;
const RINGS = 5;

/** Of places around the point, the one that covers least; straight on in the given direction where that is free. */
export function freeBox(
  at: Place,
  direction: Place,
  size: { width: number; height: number },
  frame: Frame,
  obstacles: readonly Box[],
): Frame {
  const length = Math.sqrt(direction[0] ** 2 + direction[1] ** 2) || 1;
  const ahead: Place = [direction[0] / length, direction[1] / length];
  let best: Frame = { left: at[0], top: at[1], ...size };
  let least = Number.POSITIVE_INFINITY;
  for (let i = 0; i < RINGS * DIRECTIONS; i++) {
    const angle = (2 * Math.PI * i) / DIRECTIONS;
    const away: Place = [Math.cos(angle), Math.sin(angle)];
    const gap = 6 + 8 * Math.floor(i / DIRECTIONS);
    const box = kept(centred(at, away, gap, size), frame);
    const turned = 1 - (away[0] * ahead[0] + away[1] * ahead[1]);
    const cost = 100 * covered(box, obstacles) + turned + gap / 8;
    // Rounded, so that ties do not hang on the last bit of a cosine.
    if (Math.round(cost * 1e3) < Math.round(least * 1e3)) [best, least] = [box, cost];
  }
  return best;
}

/** A box whose border lies `gap` away from the point. */
function centred(
  at: Place,
  away: Place,
  gap: number,
  { width, height }: { width: number; height: number },
): Frame {
  const x = at[0] + away[0] * (gap + width / 2);
  const y = at[1] + away[1] * (gap + height / 2);
  return { left: x - width / 2, top: y - height / 2, width, height };
}

function kept(box: Frame, frame: Frame): Frame {
  const left = Math.max(frame.left, Math.min(frame.left + frame.width - box.width, box.left));
  const top = Math.max(frame.top, Math.min(frame.top + frame.height - box.height, box.top));
  return { ...box, left, top };
}

function covered(box: Frame, obstacles: readonly Box[]): number {
  let sum = 0;
  for (const other of obstacles) {
    const apart =
      other.left > box.left + box.width + 2 ||
      other.left + other.width + 2 < box.left ||
      other.top > box.top + box.height + 1 ||
      other.top + other.height + 1 < box.top;
    if (!apart) sum += other.weight;
  }
  return sum;
}
