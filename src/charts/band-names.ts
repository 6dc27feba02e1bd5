/** Names below bands of equal width, side by side. */
import { SIZE } from './style.ts';
import { type Frame, text } from './svg.ts';
import { shortened, textWidth, wrapped } from './text-width.ts';

const NAME_LINE = 14;
const MOST_LINES = 3;
const SLANT = 35;
const SLANTED_WIDTH = 180;

/** Each under its band, in lines; slanted when a single word is wider than its band. */
export function bandNames(all: readonly string[], { left, top, width, height }: Frame) {
  const band = width / Math.max(1, all.length);
  const words = all.flatMap((name) => name.split(/\s+/));
  const slanted = words.some((word) => textWidth(word, SIZE.tick) > band - 6);
  const [centre, y] = [(g: number) => left + (g + 0.5) * band, top + height + 16];
  if (!slanted) {
    const lines = all.map((name) => wrapped(name, band - 6, SIZE.tick, MOST_LINES));
    const parts = lines.flatMap((each, g) =>
      each.map((words, i) =>
        text(centre(g), y + NAME_LINE * i, words, { class: 'kc-unit', 'text-anchor': 'middle' }),
      ),
    );
    return { parts, height: 12 + NAME_LINE * Math.max(1, ...lines.map((each) => each.length)) };
  }
  // A slanted name must not run out of the panel on the left.
  const names = all.map((name, g) => shortened(name, Math.min(SLANTED_WIDTH, centre(g) / 0.85), SIZE.tick));
  const parts = names.map((name, g) => {
    const x = centre(g) + 4;
    const transform = `rotate(-${SLANT} ${Math.round(x)} ${Math.round(y)})`;
    return text(x, y, name, { class: 'kc-unit', 'text-anchor': 'end', transform });
  });
  const longest = Math.max(...names.map((name) => textWidth(name, SIZE.tick)));
  return { parts, height: Math.ceil(20 + 0.6 * longest) };
}
