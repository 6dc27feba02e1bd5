/** A finished SVG document inside another one: its ids and its style sheet must not meet those of others. */
import { element } from '../../sim/svg.ts';

export interface Embedded {
  readonly width: number;
  readonly height: number;
  /** What was inside the root element. */
  readonly content: string;
}

/** Undefined for what is no SVG document. */
export function embedded(svg: string, id: string): Embedded | undefined {
  const root = svg.match(/<svg\b([^>]*)>([\s\S]*)<\/svg>\s*$/);
  if (root === null) return undefined;
  const [, attributes, body] = root;
  const box = attributes
    .match(/\bviewBox="\s*([^"]+)"/)?.[1]
    .trim()
    .split(/[\s,]+/)
    .map(Number);
  const side = (name: string) => Number(attributes.match(new RegExp(`\\s${name}="([0-9.]+)(?:px)?"`))?.[1]);
  const [left, top, width, height] = box?.length === 4 ? box : [0, 0, side('width'), side('height')];
  if (![left, top].every(Number.isFinite) || !(width > 0 && height > 0 && width + height < 1e6))
    return undefined;
  const moved = left === 0 && top === 0 ? {} : { transform: `translate(${-left} ${-top})` };
  return { width, height, content: element('g', { id, ...moved }, ownNames(body, id)) };
}

function ownNames(body: string, id: string): string {
  return body
    .replace(/(\s)id="([^"]+)"/g, (_, space, name) => `${space}id="${id}-${name}"`)
    .replace(/url\(#([^)]+)\)/g, (_, name) => `url(#${id}-${name})`)
    .replace(/href="#([^"]+)"/g, (_, name) => `href="#${id}-${name}"`)
    .replace(/(<style[^>]*>)([\s\S]*?)(<\/style>)/g, (_, open, css, close) => open + scoped(css, id) + close);
}

/** Every rule for the inside of that element only. Flat style sheets, as charts have them. */
function scoped(css: string, id: string): string {
  return css.replace(/([^{}]+)\{/g, (_, selectors: string) => {
    if (selectors.trim().startsWith('@')) return `${selectors}{`;
    return `${selectors
      .split(',')
      .map((each) => `#${id} ${each.trim()}`)
      .join(',')}{`;
  });
}
