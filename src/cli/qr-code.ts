/** A QR code for a terminal: two modules in one character, one above the other. */

/** Empty space around the code, in modules; readers ask for four, and find codes with two. */
const QUIET = 2;
/** By the upper and the lower module, 1 for light. */
const HALVES = [' ', '▄', '▀', '█'];
/** White on black, whatever the colours of the terminal are. */
const [COLOURED, PLAIN] = ['\x1b[38;5;231;48;5;16m', '\x1b[0m'];

/** `colours`: none where a terminal is not to be sent any; then light text on a dark ground is taken for granted. */
export async function qrLines(text: string, colours: 'black and white' | 'none'): Promise<string[]> {
  const { generate } = await import('lean-qr');
  const code = generate(text);
  const lines: string[] = [];
  for (let y = -QUIET; y < code.size + QUIET; y += 2) {
    let line = '';
    for (let x = -QUIET; x < code.size + QUIET; x++) {
      // Below the last row there is nothing.
      const [upper, lower] = [!code.get(x, y), y + 1 < code.size + QUIET && !code.get(x, y + 1)];
      line += HALVES[2 * Number(upper) + Number(lower)];
    }
    lines.push(colours === 'none' ? line : `${COLOURED}${line}${PLAIN}`);
  }
  return lines;
}
