/** Long curves as short text: relative moves in tenths of a pixel. */

type Place = readonly [number, number];

/** The `d` of a path through the points. Places are rounded before they are subtracted, so errors do not add up. */
export function pathData(places: readonly Place[]): string {
  let d = '';
  let [x, y] = [0, 0];
  for (const [i, place] of places.entries()) {
    const [toX, toY] = [Math.round(place[0] * 10), Math.round(place[1] * 10)];
    const [dx, dy] = [toX - x, toY - y];
    if (i === 0) d = `M${toX / 10} ${toY / 10}`;
    else if (dy === 0 && dx !== 0) d += `h${tenths(dx)}`;
    else if (dx === 0 && dy !== 0) d += `v${tenths(dy)}`;
    else if (dx !== 0) d += `l${tenths(dx)}${dy < 0 ? '' : ' '}${tenths(dy)}`;
    [x, y] = [toX, toY];
  }
  return d;
}

/** A value holds until the next one; what repeats it adds nothing. */
export function staircase(places: readonly Place[]): Place[] {
  const last = places.length - 1;
  const changes = places.filter((place, i) => i === 0 || i === last || place[1] !== places[i - 1][1]);
  return changes.flatMap((to, i): Place[] => (i === 0 ? [to] : [[to[0], changes[i - 1][1]], to]));
}

function tenths(value: number): string {
  return String(value / 10).replace(/^(-?)0\./, '$1.');
}
