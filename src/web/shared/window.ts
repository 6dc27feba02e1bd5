/** Which rows of a long table are drawn: those in view, and a few beyond. */
export interface Shown {
  /** First row, and the one after the last. */
  readonly from: number;
  readonly to: number;
}

const BEYOND = 6;

export function rowsInView(count: number, rowHeight: number, scrollTop: number, height: number): Shown {
  // A filter may have left fewer rows than were scrolled past.
  const top = Math.max(0, Math.min(scrollTop, count * rowHeight - height));
  const from = Math.max(0, Math.floor(top / rowHeight) - BEYOND);
  const to = Math.min(count, Math.ceil((top + height) / rowHeight) + BEYOND);
  return { from, to };
}

/** Where the table has to be scrolled to for a row to be in view; undefined: it is. */
export function scrollFor(
  row: number,
  rowHeight: number,
  scrollTop: number,
  height: number,
): number | undefined {
  const top = row * rowHeight;
  if (top < scrollTop) return top;
  if (top + rowHeight > scrollTop + height) return top + rowHeight - height;
  return undefined;
}
