/** Numbers, sizes and times as people read them. */

/** In place of a value that is not known. */
export const UNKNOWN = '–';

const whole = new Intl.NumberFormat('en', { maximumFractionDigits: 0 });

export function count(n: number): string {
  return whole.format(n);
}

/** 1 answer, 2 answers. */
export function counted(n: number, one: string, many = `${one}s`): string {
  return `${count(n)} ${n === 1 ? one : many}`;
}

/** 0.9731 as 97.3%. */
export function percent(share: number | null | undefined, digits = 1): string {
  return share === null || share === undefined || !Number.isFinite(share)
    ? UNKNOWN
    : `${(100 * share).toFixed(digits)}%`;
}

/** Of any size, in three digits: 0.012, 1.2e-7. */
export function decimal(value: number | null | undefined, digits = 3): string {
  if (value === null || value === undefined || !Number.isFinite(value)) return UNKNOWN;
  if (value === 0) return '0';
  const size = Math.abs(value);
  if (size < 1e-3 || size >= 1e6) return scientific(value, digits - 1);
  return String(Number(value.toPrecision(digits)));
}

/** 1.2e-4, as the command line writes it. */
export function scientific(value: number | null | undefined, digits = 1): string {
  if (value === null || value === undefined || !Number.isFinite(value)) return UNKNOWN;
  if (value === 0) return '0';
  return value
    .toExponential(digits)
    .replace('e+', 'e')
    .replace(/\.?0+e/, 'e');
}

const UNITS = ['B', 'kB', 'MB', 'GB', 'TB'];

export function bytes(n: number | null | undefined): string {
  if (n === null || n === undefined || !Number.isFinite(n)) return UNKNOWN;
  let unit = 0;
  while (n >= 999.5 && unit < UNITS.length - 1) {
    n /= 1000;
    unit++;
  }
  const digits = unit === 0 || n >= 99.5 ? 0 : n >= 9.95 ? 1 : 2;
  return `${n.toFixed(digits)} ${UNITS[unit]}`;
}

/** 740 ms, 2.4 s, 3 min 20 s, 2 h 5 min, 3 d 4 h. */
export function duration(ms: number | null | undefined): string {
  if (ms === null || ms === undefined || !Number.isFinite(ms)) return UNKNOWN;
  if (ms < 0) return `-${duration(-ms)}`;
  if (ms < 10) return `${Number(ms.toFixed(1))} ms`;
  if (ms < 999.5) return `${Math.round(ms)} ms`;
  if (ms < 59_950) return `${(ms / 1000).toFixed(ms < 9950 ? 1 : 0)} s`;
  const seconds = Math.round(ms / 1000);
  if (seconds < 3600) return parts(Math.floor(seconds / 60), 'min', seconds % 60, 's');
  const minutes = Math.round(seconds / 60);
  if (minutes < 24 * 60) return parts(Math.floor(minutes / 60), 'h', minutes % 60, 'min');
  const hours = Math.round(minutes / 60);
  return parts(Math.floor(hours / 24), 'd', hours % 24, 'h');
}

function parts(large: number, unit: string, small: number, smaller: string): string {
  return small === 0 ? `${large} ${unit}` : `${large} ${unit} ${small} ${smaller}`;
}

/** How long ago, roughly: now, 12 s ago, 3 min ago. */
export function ago(ms: number): string {
  if (ms < 2000) return 'now';
  if (ms < 60_000) return `${Math.floor(ms / 1000)} s ago`;
  if (ms < 3_600_000) return `${Math.floor(ms / 60_000)} min ago`;
  if (ms < 48 * 3_600_000) return `${Math.floor(ms / 3_600_000)} h ago`;
  return `${Math.floor(ms / 86_400_000)} d ago`;
}

const clock = new Intl.DateTimeFormat('en-GB', { hour: '2-digit', minute: '2-digit', second: '2-digit' });
const dated = new Intl.DateTimeFormat('en-GB', {
  day: 'numeric',
  month: 'short',
  year: 'numeric',
  hour: '2-digit',
  minute: '2-digit',
});

export function timeOfDay(ms: number): string {
  return clock.format(ms);
}

export function dateTime(ms: number): string {
  return dated.format(ms);
}
