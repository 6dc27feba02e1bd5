/** A finished SVG document inside another one: its ids and its style sheet must not meet those of others. */
import { element } from './svg.ts';

interface Embedded {
  readonly width: number;
  readonly height: number;
  readonly content: string;
}

/** Undefined for what is not an SVG document with a view box that begins at 0 0. */
export function embedded(svg: string, id: string): Embedded | undefined {
  const root = svg.match(/<svg\b[^>]*\bviewBox="0 0 ([\d.]+) ([\d.]+)"[^>]*>([\s\S]*)<\/svg>\s*$/);
  const [width, height] = [Number(root?.[1]), Number(root?.[2])];
  if (!(width > 0 && height > 0 && width + height < 1e6)) return undefined;
  const body = root![3]
    .replace(/(\sid="|url\(#|href="#)/g, `$1${id}-`)
    .replace(/(<style[^>]*>)([\s\S]*?)(<\/style>)/g, (_, open, css, close) => open + scoped(css, id) + close);
  return { width, height, content: element('g', { id }, body) };
}

/** Every rule for the inside of that element only. Flat style sheets, as charts have them. */
function scoped(css: string, id: string): string {
  const inside = (selectors: string) => selectors.split(',').map((each) => `#${id} ${each.trim()}`);
  return css.replace(/([^{}]+)\{/g, (_, selectors: string) => `${inside(selectors).join(',')}{`);
}
