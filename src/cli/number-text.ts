/** Numbers for people. JSON has them in full. */
import { count } from '../data/memory.ts';
import type { Table } from '../data/table.ts';

export { count };

/** What is not there is a dash. */
function orDash(value: number | null | undefined, text: (value: number) => string): string {
  return value === undefined || value === null || !Number.isFinite(value) ? '-' : text(value);
}

export function percent(value: number | undefined): string {
  return orDash(value, (v) => `${(100 * v).toFixed(2)}%`);
}

export function decimals(value: number | null | undefined, digits = 4): string {
  return orDash(value, (v) => v.toFixed(digits));
}

/** Six significant digits. */
export function significant(value: number | null | undefined): string {
  return orDash(value, (v) => String(Number(v.toPrecision(6))));
}

/** Two significant digits, where the order of magnitude is what matters: 0.035, 8.3e-4. */
export function scientific(value: number | null | undefined): string {
  return orDash(value, (v) => {
    const plain = v === 0 || (Math.abs(v) >= 0.01 && Math.abs(v) < 100);
    return plain ? String(Number(v.toPrecision(2))) : v.toExponential(1).replace('.0e', 'e');
  });
}

export function duration(ms: number): string {
  return ms < 1000 ? `${Math.round(ms)} ms` : `${(ms / 1000).toFixed(2)} s`;
}

export function megabytes(bytes: number): string {
  return `${(bytes / 1e6).toFixed(1)} MB`;
}

/** Milliseconds in a document: finer than this they mean nothing. */
export function roundMs(ms: number): number {
  return Math.round(ms * 1000) / 1000;
}

interface DataSize {
  readonly participants: number;
  readonly rows: number;
  readonly features: number;
}

export function sizeOf({ participants, n, features }: Table): DataSize {
  return { participants: participants.length, rows: n, features: features.length };
}

export function sizeText({ participants, rows, features }: DataSize): string {
  return `${count(participants)} participants, ${count(rows)} rows, ${count(features)} features`;
}
