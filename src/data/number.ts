/**
 * Decimal numbers from bytes and from text. One grammar for every reader: digits with an optional sign, point and
 * exponent. Hexadecimal, `Infinity`, `NaN`, `1_000` and the empty text are not numbers here, whatever `Number` thinks.
 */
import { inputError, type KindredError } from '../base/errors.ts';

/** Features are computed in single precision: a larger value could not be represented there. */
export const LARGEST_FEATURE = 3e38;

/** Powers of ten that a double holds exactly. */
const EXACT_POWERS = [
  1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19,
  1e20, 1e21, 1e22,
];

const DECIMAL = /^[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?$/;
/** A decimal comma, as in 1,5 and -2,5e3. */
export const DECIMAL_COMMA = /^[+-]?\d*,\d+(?:[eE][+-]?\d+)?$/;
const MISSING = new Set(['', 'na', 'n/a', '#n/a', 'nan', '+nan', '-nan', 'null', 'none', '?']);
const INFINITE = /^[+-]?(?:inf|infinity|1\.#inf)$/i;

/** The value of a decimal number, or NaN where the text is none. Text without surrounding space. */
export function parseDecimal(text: string): number {
  return DECIMAL.test(text) ? Number(text) : Number.NaN;
}

/** Empty, NA, NaN, null, None, ?: the usual ways to write that a value is not known. */
export function isMissing(text: string): boolean {
  return text.length <= 4 && MISSING.has(text.toLowerCase());
}

/** Text that is neither a number, however large or written, nor missing. */
export function isText(text: string): boolean {
  return !isMissing(text) && !DECIMAL.test(text) && !DECIMAL_COMMA.test(text) && !INFINITE.test(text);
}

/**
 * Reads short decimals straight from bytes. Where the digits form an integer up to 2^53 and the power of ten is one of
 * the exact ones, a single multiplication or division rounds correctly (Clinger 1990), so the result equals
 * `Number(text)` to the bit. Anything else is left to the caller, who takes the slow way.
 */
export class DecimalScanner {
  /** The number last read. */
  value = 0;

  /** Position behind the number at `at`, or -1 where there is none that can be read the fast way. */
  scan(bytes: Uint8Array, at: number, end: number): number {
    let p = at;
    const sign = bytes[p];
    if (sign === 0x2d || sign === 0x2b) p++;
    let mantissa = 0;
    const whole = p;
    let c = 0;
    while (p < end && (c = bytes[p] - 48) >= 0 && c <= 9) {
      mantissa = mantissa * 10 + c;
      p++;
    }
    let digits = p - whole;
    let exponent = 0;
    if (p < end && bytes[p] === 0x2e) {
      const fraction = ++p;
      while (p < end && (c = bytes[p] - 48) >= 0 && c <= 9) {
        mantissa = mantissa * 10 + c;
        p++;
      }
      exponent = fraction - p;
      digits -= exponent;
    }
    // Growth is monotonous: a mantissa that is still small was exact at every step.
    if (digits === 0 || mantissa > Number.MAX_SAFE_INTEGER) return -1;
    if (p < end && (bytes[p] | 0x20) === 0x65) {
      const behind = this.exponent(bytes, p + 1, end);
      if (behind < 0) return -1;
      exponent += this.value;
      p = behind;
    }
    if (exponent < -22 || exponent > 22) return -1;
    const size = exponent < 0 ? mantissa / EXACT_POWERS[-exponent] : mantissa * EXACT_POWERS[exponent];
    this.value = sign === 0x2d ? -size : size;
    return p;
  }

  /** Leaves the exponent in `value`; -1 where there is none. */
  private exponent(bytes: Uint8Array, at: number, end: number): number {
    let p = at;
    const sign = bytes[p];
    if (sign === 0x2d || sign === 0x2b) p++;
    const first = p;
    let size = 0;
    let c = 0;
    while (p < end && (c = bytes[p] - 48) >= 0 && c <= 9) {
      size = size * 10 + c;
      p++;
    }
    this.value = sign === 0x2d ? -size : size;
    return p === first ? -1 : p;
  }
}

/** What is wrong with a text that should have been a feature. `where` names source, line and column; `columns`: what can be dropped. */
export function badFeature(where: string, text: string, ...columns: readonly string[]): KindredError {
  const remedy = columns.length === 0 ? '' : dropHint(...columns);
  if (isMissing(text)) {
    const got = `the value is missing (got ${shown(text)})`;
    return inputError('MISSING_VALUE', `${where}: expected a number, ${got}${remedy}`);
  }
  if (INFINITE.test(text)) {
    return inputError('NOT_FINITE', `${where}: expected a finite number, got ${shown(text)}${remedy}`);
  }
  if (Number.isNaN(parseDecimal(text))) {
    const hint = DECIMAL_COMMA.test(text) ? '; --decimal comma reads decimal commas' : remedy;
    return inputError('NOT_A_NUMBER', `${where}: expected a number, got ${shown(text)}${hint}`);
  }
  return inputError(
    'NUMBER_TOO_LARGE',
    `${where}: expected a number between -3e38 and 3e38, got ${shown(text)}${remedy}`,
  );
}

/** What can be done about columns that hold no numbers. */
export function dropHint(...columns: readonly string[]): string {
  const names = columns.join(',');
  const what = columns.length === 1 ? 'column' : 'columns';
  return `; --drop ${optionWord(names)} leaves the ${what} out`;
}

/** Names as they are typed behind an option. */
export function optionWord(names: string): string {
  return /^[\w.,-]+$/.test(names) ? names : shown(names);
}

/** A text in quotes for an error: short, and with nothing that could break the line. */
export function shown(text: string): string {
  return JSON.stringify(text.length > 40 ? `${text.slice(0, 40)}...` : text);
}

/** The first few of a list, and how many more there are. */
export function listed(items: readonly string[], most = 8): string {
  const few = items.slice(0, most).join(', ');
  return items.length > most ? `${few} and ${items.length - most} more` : few;
}
