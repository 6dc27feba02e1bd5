/**
 * One colour for each method in the whole report. Taken near the Okabe-Ito set, which readers with red-green blindness can
 * tell apart, and moved so that lightness differs too: grey print keeps the order paper, mtl, mocha, global, local.
 */
export const COLOURS = {
  mtl: '#14539a',
  local: '#e5a100',
  global: '#1aa27c',
  mocha: '#c23b22',
  paper: '#262626',
} as const;

export type Method = keyof typeof COLOURS;

/** Dark enough for words on white; a colour that is not written as #rrggbb gives the colour of all other words. */
export function darker(colour: string): string {
  const parts = /^#([0-9a-f]{2})([0-9a-f]{2})([0-9a-f]{2})$/i.exec(colour);
  if (parts === null) return '#1a1f26';
  return hex(parts.slice(1).map((part) => 0.6 * Number.parseInt(part, 16)));
}

/** Dark to light along viridis, cut before it gets too light for white paper. */
const RAMP = [
  [68, 1, 84],
  [65, 68, 135],
  [42, 120, 142],
  [34, 168, 132],
  [122, 209, 81],
] as const;

/** The colour of level `i` of `n`: the order of the levels can be read from the lightness alone. */
export function levelColour(i: number, n: number): string {
  const share = n > 1 ? Math.min(1, Math.max(0, i / (n - 1))) : 0.25;
  const at = (Number.isFinite(share) ? share : 0) * (RAMP.length - 1);
  const from = Math.min(RAMP.length - 2, Math.floor(at));
  const mixed = RAMP[from].map((value, c) => value + (at - from) * (RAMP[from + 1][c] - value));
  return hex(mixed);
}

function hex(parts: readonly number[]): string {
  return `#${parts.map((part) => Math.round(part).toString(16).padStart(2, '0')).join('')}`;
}
