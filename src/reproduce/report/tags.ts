/** Just enough HTML, written so that it is XML as well: a check of the tags can then find what is not closed. */
import { escaped } from '../../charts/svg.ts';

/** Unlike an SVG element, an HTML element without content still needs its closing tag. */
export function tag(
  name: string,
  attributes: Readonly<Record<string, string | undefined>>,
  ...content: string[]
) {
  const list = Object.entries(attributes)
    .filter(([, value]) => value !== undefined)
    .map(([key, value]) => ` ${key}="${escaped(value!)}"`)
    .join('');
  return `<${name}${list}>${content.join('')}</${name}>`;
}

export { escaped };

/** Ids that no other element of the page has: the second of a name gets a number. */
export class Ids {
  #taken = new Set<string>();

  take(wanted: string): string {
    let id = wanted;
    for (let n = 2; this.#taken.has(id); n++) id = `${wanted}_n${n}`;
    this.#taken.add(id);
    return id;
  }
}
