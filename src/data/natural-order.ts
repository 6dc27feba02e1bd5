/**
 * Natural order: numbers by value before all text, text by code units (never by locale: the order must be the same on
 * every machine). Equal numbers written differently ("1", "1.0") stay apart and are ordered as text.
 */
import { parseDecimal } from './number.ts';

export function naturallySorted(items: Iterable<string>): string[] {
  // The numbers are read once, not at every comparison.
  const keyed = Array.from(items, (text) => ({ text, value: parseDecimal(text) }));
  keyed.sort((a, b) => {
    const aIsText = Number.isNaN(a.value);
    const bIsText = Number.isNaN(b.value);
    if (aIsText !== bIsText) return aIsText ? 1 : -1;
    if (!aIsText && a.value !== b.value) return a.value < b.value ? -1 : 1;
    return a.text < b.text ? -1 : a.text > b.text ? 1 : 0;
  });
  return keyed.map((item) => item.text);
}
