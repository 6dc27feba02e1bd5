/** Text that has to fit: widths are estimated, since there is no font to ask, and rather too wide than too narrow. */

const NARROW = new Set("iljtfrI.,:;'|!()[]{} -/`");
const WIDE = new Set('mwMW@%&—');

/** What bold letters take more. */
export const BOLD = 1.12;

/** Width in pixels of words in a wide sans-serif face of that size. */
export function textWidth(words: string, size: number): number {
  let em = 0;
  for (const letter of words) {
    if (NARROW.has(letter)) em += 0.4;
    else if (WIDE.has(letter)) em += 0.97;
    else if (letter >= 'A' && letter <= 'Z') em += 0.72;
    else em += letter.codePointAt(0)! < 0x2e80 ? 0.62 : 1.05;
  }
  return em * size;
}

/** Lines no wider than `width`, at most `most` of them; what does not fit ends in an ellipsis. */
export function wrapped(words: string, width: number, size: number, most: number): string[] {
  const lines: string[] = [];
  let line = '';
  for (const word of words.split(/\s+/).filter((part) => part !== '')) {
    const longer = line === '' ? word : `${line} ${word}`;
    if (line === '' || textWidth(longer, size) <= width || lines.length === most - 1) line = longer;
    else {
      lines.push(line);
      line = word;
    }
  }
  if (line !== '') lines.push(line);
  return lines.map((each) => shortened(each, width, size));
}

export function shortened(words: string, width: number, size: number): string {
  if (textWidth(words, size) <= width) return words;
  const letters = [...words];
  while (letters.length > 1 && textWidth(`${letters.join('')}…`, size) > width) letters.pop();
  return `${letters.join('').trimEnd()}…`;
}
