/** SVG (and HTML, which is written as XML too) as text: elements, numbers with few digits, ids and words that are safe in it. */

export type Place = readonly [x: number, y: number];
type Attributes = Readonly<Record<string, string | number | undefined>>;

export interface Frame {
  readonly left: number;
  readonly top: number;
  readonly width: number;
  readonly height: number;
}

/** `<name a="1">content</name>`; attributes that are undefined are left out. Without content: `<name a="1"/>`. */
export function element(name: string, attributes: Attributes, ...content: string[]): string {
  const list = Object.entries(attributes)
    .filter(([, value]) => value !== undefined)
    .map(([key, value]) => ` ${key}="${typeof value === 'number' ? short(value) : escaped(value!)}"`)
    .join('');
  return content.length === 0 ? `<${name}${list}/>` : `<${name}${list}>${content.join('')}</${name}>`;
}

export function text(x: number, y: number, words: string, attributes: Attributes = {}): string {
  return element('text', { x, y, ...attributes }, escaped(words));
}

export function line(from: Place, to: Place, attributes: Attributes = {}): string {
  return element('line', { x1: from[0], y1: from[1], x2: to[0], y2: to[1], ...attributes });
}

export function document(
  width: number,
  height: number,
  title: string,
  style: string,
  parts: readonly string[],
): string {
  const size = { width, height, viewBox: `0 0 ${width} ${height}` };
  const body = [
    element('title', {}, escaped(title)),
    element('style', {}, style),
    element('rect', { width, height, fill: '#fff' }),
    ...parts,
  ];
  return printable(
    `${element('svg', { xmlns: 'http://www.w3.org/2000/svg', ...size }, `\n${body.join('\n')}\n`)}\n`,
  );
}

export function escaped(words: string): string {
  return words
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;');
}

/** Two decimals at most: finer is not seen. */
function short(value: number): string {
  return String(Math.round(value * 100) / 100);
}

/** Control characters and halves of pairs are not valid in XML, not even escaped. */
export function printable(xml: string): string {
  return xml.replace(/[\p{Cs}\uFFFE\uFFFF]|[^\P{Cc}\t\n\r]/gu, '');
}

/**
 * An id made of letters that need no quoting; different texts give different ids. After an underscore comes a hexadecimal
 * digit: with any other letter there a suffix can be added that no text leads to.
 */
export function idOf(words: string): string {
  return words.replace(/[^A-Za-z0-9-]/gu, (letter) => `_${letter.codePointAt(0)!.toString(16)}_`);
}
