/** The log of the server on stderr: JSON lines for machines, one short line for people. */
import { type Logger, pino } from 'pino';
import type { Io } from '../io.ts';
import { printable, printableJson } from '../printable.ts';

export const LOG_LEVELS = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'] as const;
type LogLevel = (typeof LOG_LEVELS)[number];
type LogFormat = 'pretty' | 'json';

/** Whatever is logged one day, these are not. */
const SECRETS = ['authorization', 'token', 'ticket', 'invitation', 'signature', 'challenge'];
const redact = SECRETS.flatMap((name) => [name, `*.${name}`, `req.headers.${name}`]);

export function newLog(io: Io, level: LogLevel, format: LogFormat): Logger {
  const write = (line: string) => {
    void io.stderr.write(format === 'json' ? printableJson(line) : prettyLine(line));
  };
  return pino({ level, redact, base: null }, { write });
}

/** 12:34:56 info  default: round closed, round 3, relativeGap 0.01 */
export function prettyLine(line: string): string {
  const { level, time, msg, federation, err, ...rest } = JSON.parse(line) as Record<string, unknown>;
  const clock = new Date(time as number).toTimeString().slice(0, 8);
  const word = (pino.levels.labels[level as number] ?? '').padEnd(5);
  const where = federation === undefined ? '' : `${federation}: `;
  const details = Object.entries(rest).map(([name, value]) => `, ${name} ${shown(value)}`);
  const why = err === undefined ? '' : `: ${(err as { message: string }).message}`;
  return `${printable(`${clock} ${word} ${where}${msg}${details.join('')}${why}`)}\n`;
}

function shown(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}
