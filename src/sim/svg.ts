/** Just enough SVG for charts: elements as text, numbers with few digits, axes with round ticks. */

/** `<name a="1">content</name>`; what is undefined is left out. */
export function element(
  name: string,
  attributes: Readonly<Record<string, string | number | undefined>>,
  content = '',
): string {
  const list = Object.entries(attributes)
    .filter(([, value]) => value !== undefined)
    .map(([key, value]) => ` ${key}="${typeof value === 'number' ? short(value) : escaped(value!)}"`)
    .join('');
  return content === '' ? `<${name}${list}/>` : `<${name}${list}>${content}</${name}>`;
}

export function text(x: number, y: number, words: string, attributes: Record<string, string | number> = {}) {
  return element('text', { x, y, ...attributes }, escaped(words));
}

export function line(
  from: readonly [number, number],
  to: readonly [number, number],
  attributes: Record<string, string | number | undefined> = {},
): string {
  return element('line', { x1: from[0], y1: from[1], x2: to[0], y2: to[1], ...attributes });
}

/** Points joined by straight lines. */
export function path(
  points: readonly (readonly [number, number])[],
  attributes: Record<string, string | number>,
) {
  const d = points.map(([x, y], i) => `${i === 0 ? 'M' : 'L'}${short(x)} ${short(y)}`).join('');
  return element('path', { d, ...attributes });
}

export function document(
  width: number,
  height: number,
  title: string,
  parts: readonly string[],
  style = '',
): string {
  const css = `text{font:12px system-ui,sans-serif;fill:#222}.axis{stroke:#888;stroke-width:1}.grid{stroke:#e4e4e4;stroke-width:1}.small{font-size:10px;fill:#555}.title{font-size:15px;font-weight:600}${style}`;
  const body = [
    element('title', {}, escaped(title)),
    element('style', {}, css),
    element('rect', { width, height, fill: '#fff' }),
    ...parts,
  ];
  const attributes = {
    xmlns: 'http://www.w3.org/2000/svg',
    width,
    height,
    viewBox: `0 0 ${width} ${height}`,
  };
  return `${element('svg', attributes, `\n${body.join('\n')}\n`)}\n`;
}

export function escaped(words: string): string {
  return words
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;');
}

/** Two decimals at most: finer is not seen. */
export function short(value: number): string {
  return String(Math.round(value * 100) / 100);
}

/** Five or so round numbers that cover a range. */
export function ticks(low: number, high: number, wanted = 5): number[] {
  if (!(high > low)) return [low];
  const rough = (high - low) / wanted;
  let step = 1;
  while (step > rough) step /= 10;
  while (step * 10 <= rough) step *= 10;
  step *= rough / step >= 5 ? 5 : rough / step >= 2 ? 2 : 1;
  const list: number[] = [];
  for (let k = Math.ceil(low / step - 1e-9); k * step <= high + 1e-9 * step; k++)
    list.push(Number((k * step).toPrecision(12)));
  return list;
}

export interface Frame {
  readonly left: number;
  readonly top: number;
  readonly width: number;
  readonly height: number;
}

export interface Range {
  readonly low: number;
  readonly high: number;
}

/** Axes of a chart with numbers on both sides, and the way from values to places. */
export function axes(frame: Frame, x: Range & { title: string }, y: Range & { title: string }) {
  const { left, top, width, height } = frame;
  const across = (value: number) => left + (width * (value - x.low)) / (x.high - x.low || 1);
  const up = (value: number) => top + height - (height * (value - y.low)) / (y.high - y.low || 1);
  const parts: string[] = [];
  for (const tick of ticks(y.low, y.high)) {
    parts.push(line([left, up(tick)], [left + width, up(tick)], { class: 'grid' }));
    parts.push(text(left - 8, up(tick) + 4, String(tick), { 'text-anchor': 'end', class: 'small' }));
  }
  for (const tick of ticks(x.low, x.high, 8)) {
    parts.push(line([across(tick), top + height], [across(tick), top + height + 4], { class: 'axis' }));
    parts.push(
      text(across(tick), top + height + 17, String(tick), { 'text-anchor': 'middle', class: 'small' }),
    );
  }
  parts.push(line([left, top + height], [left + width, top + height], { class: 'axis' }));
  parts.push(line([left, top], [left, top + height], { class: 'axis' }));
  parts.push(text(left + width / 2, top + height + 36, x.title, { 'text-anchor': 'middle' }));
  parts.push(text(left, top - 10, y.title));
  return { across, up, parts };
}
