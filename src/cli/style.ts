/** Bold and dim, where a terminal shows them and its user has not asked for none. */
import type { Io } from './io.ts';

export interface Style {
  bold(text: string): string;
  dim(text: string): string;
}

export const PLAIN: Style = { bold: (text) => text, dim: (text) => text };

const COLOURED: Style = {
  bold: (text) => `\x1b[1m${text}\x1b[22m`,
  dim: (text) => `\x1b[2m${text}\x1b[22m`,
};

/** https://no-color.org: any value but the empty one counts. */
export function styleOf(io: Io): Style {
  return io.stdout.isTerminal && !io.env.NO_COLOR && io.env.TERM !== 'dumb' ? COLOURED : PLAIN;
}
