/** Whether two plain values hold the same: numbers to the bit, typed arrays entry by entry; a field that is undefined is as good as none. */
export function sameData(a: unknown, b: unknown): boolean {
  if (Object.is(a, b)) return true;
  if (typeof a !== 'object' || typeof b !== 'object' || !a || !b) return false;
  if (Object.getPrototypeOf(a) !== Object.getPrototypeOf(b)) return false;
  const [one, other] = [a as Readonly<Record<string, unknown>>, b as Readonly<Record<string, unknown>>];
  return Object.keys({ ...one, ...other }).every((name) => sameData(one[name], other[name]));
}
