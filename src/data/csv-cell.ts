/**
 * Cells of CSV files that people open in spreadsheets. A spreadsheet takes a text that begins with = + - @ for a formula and runs it; names of
 * participants come from others. Such a text gets an apostrophe before it, which spreadsheets take for "this is text". Numbers stay as they are.
 */
import { parseDecimal } from './number.ts';

/** Also their full-width forms, and white space that is cut off before the formula is read. */
const FORMULA = /^[\s]*[=+\-@\uff1d\uff0b\uff0d\uff20]|^[\t\r\n]/;

export function cell(text: string): string {
  const isNumber = !Number.isNaN(parseDecimal(text));
  const safe = !isNumber && FORMULA.test(text) ? `'${text}` : text;
  return /[",\r\n]|^\s|\s$/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

/** The text of such a cell, once its quotes are removed. */
export function textOfCell(text: string): string {
  return text.startsWith("'") && FORMULA.test(text.slice(1)) ? text.slice(1) : text;
}
