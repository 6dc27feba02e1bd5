/**
 * Text from data, files and peers on its way to a terminal. Names may hold characters that a terminal obeys instead of showing them:
 * escape sequences, and marks that change the order of what is read. Everything that this program prints comes through here.
 */

/** Control and format characters, bidirectional marks among them, line and paragraph separators, halves of characters. */
const UNSAFE = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu;
const WHITE = /[\t\n\v\f\r]+/g;
/** The program's own styles (layout.ts). */
// biome-ignore lint/suspicious/noControlCharactersInRegex: the escape character is what is looked for
const STYLES = /(\x1b\[(?:1|2|22)m)/;

/** On one line; what is unsafe is written as \u202e. */
export function printable(text: string): string {
  return text.replace(WHITE, ' ').replace(UNSAFE, escaped);
}

/** The same, and the program's own bold and dim stay. */
export function printableStyled(line: string): string {
  return line
    .split(STYLES)
    .map((part, i) => (i % 2 === 1 ? part : printable(part)))
    .join('');
}

/** JSON that means the same: outside of its texts there are none of these but line ends. */
export function printableJson(json: string): string {
  return json.replace(UNSAFE, (character) => (character === '\n' ? character : escaped(character)));
}

/** Lines stay lines: for text that is data itself. */
export function printableLines(text: string): string {
  return text.split('\n').map(printable).join('\n');
}

function escaped(character: string): string {
  return Array.from({ length: character.length }, (_, i) => {
    const digits = character.charCodeAt(i).toString(16).padStart(4, '0');
    return `\\u${digits}`;
  }).join('');
}
