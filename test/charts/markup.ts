/** A small reader of XML: enough to say that a document is well formed, and which ids it has. */

const NAME = '[A-Za-z][\\w:.-]*';
const TAG = new RegExp(`^<(/?)(${NAME})((?:\\s+${NAME}="[^"<]*")*)\\s*(/?)>`);
const ENTITY = /&(?!(?:amp|lt|gt|quot|#\d+|#x[0-9a-fA-F]+);)/;

/** What is wrong first, or undefined. */
export function fault(xml: string): string | undefined {
  const open: string[] = [];
  let rest = xml.replace(/^<!doctype html>/, '');
  while (rest !== '') {
    const next = rest.indexOf('<');
    const words = next < 0 ? rest : rest.slice(0, next);
    if (ENTITY.test(words)) return `bare ampersand in ${JSON.stringify(words.slice(0, 80))}`;
    if (next < 0) break;
    rest = rest.slice(next);
    const tag = TAG.exec(rest);
    if (tag === null) return `no tag: ${rest.slice(0, 80)}`;
    const [whole, closing, name, attributes, empty] = tag;
    const names = [...attributes.matchAll(/\s([\w:.-]+)="/g)].map((match) => match[1]);
    if (new Set(names).size < names.length) return `attribute twice: ${whole}`;
    if (ENTITY.test(attributes)) return `bare ampersand in ${whole}`;
    if (closing && open.pop() !== name) return `</${name}> closes something else`;
    if (!closing && !empty) open.push(name);
    rest = rest.slice(whole.length);
  }
  return open.length > 0 ? `not closed: ${open.join(' ')}` : undefined;
}

export function idsOf(xml: string): string[] {
  return [...xml.matchAll(/\sid="([^"]*)"/g)].map((match) => match[1]);
}

/** Ids that are pointed at: `href="#x"`, `url(#x)`. */
export function targetsOf(xml: string): string[] {
  return [...xml.matchAll(/(?:href="#|url\(#)([^")]*)/g)].map((match) => match[1]);
}

/** Numbers that no drawing may contain, where numbers stand: in attributes. */
export function badNumbers(xml: string): string[] {
  return [...xml.matchAll(/\s(?:d|x|y|x1|x2|y1|y2|cx|cy|r|width|height|points|transform|viewBox)="([^"]*)"/g)]
    .map((match) => match[1])
    .filter((value) => /NaN|Infinity|undefined|null|e[+-]?\d/.test(value));
}
