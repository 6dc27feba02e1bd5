/**
 * Draws docs/figures/personalised.svg, the picture of the README: what one model per person, one model for all and
 * Kindred's shared + personal models reach for each of 20 people, on rows that nobody trained with.
 *
 *     npm run build && node scripts/readme-figure.mjs
 *
 * The data are the embedded ones (seed 1) and every option has its default, so the file comes out the same to the byte.
 * Colours are of middle brightness: the picture has no background and must read on white and on black.
 */
import { mkdirSync, writeFileSync } from 'node:fs';
import { makeHarLike, train } from 'kindred';

const PARTICIPANTS = 20;
const METHODS = [
  { name: 'global', says: 'global: one model for all', colour: '#4a90d9', mark: diamond },
  { name: 'local', says: 'local: one model each', colour: '#e0871b', mark: square },
  { name: 'mtl', says: 'mtl: shared + personal part', colour: '#1f9d74', mark: disc },
];

const WIDTH = 900;
const HEIGHT = 470;
const PLOT = { left: 72, right: WIDTH - 16, top: 104, bottom: HEIGHT - 62 };
const GREY = '#7d8590';

const people = measurePeople();
const floor = Math.floor(Math.min(...people.flatMap((person) => person.scores)) * 20) / 20;
const x = (column) => PLOT.left + ((column + 0.5) * (PLOT.right - PLOT.left)) / people.length;
const y = (score) => PLOT.bottom - ((score - floor) / (1 - floor)) * (PLOT.bottom - PLOT.top);

const folder = new URL('../docs/figures/', import.meta.url);
mkdirSync(folder, { recursive: true });
writeFileSync(new URL('personalised.svg', folder), drawing());
for (const [m, { name }] of METHODS.entries()) console.log(`${name.padEnd(7)} ${meanOf(m).toFixed(4)}`);

/** Balanced accuracy of every person under every method, the worst served on their own first. */
function measurePeople() {
  const table = makeHarLike({ participants: PARTICIPANTS, seed: 1 });
  const results = METHODS.map(({ name }) => train(table, { method: name, seed: 1 }).participants);
  const all = results[0].map(({ id }, k) => ({ id, scores: results.map((of) => of[k].balancedAccuracy) }));
  const [globally, local] = [0, 1];
  return all.sort((a, b) => a.scores[local] - b.scores[local] || a.scores[globally] - b.scores[globally]);
}

function meanOf(method) {
  return people.reduce((sum, { scores }) => sum + scores[method], 0) / people.length;
}

function drawing() {
  const lines = [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${HEIGHT}" width="${WIDTH}" height="${HEIGHT}" role="img" aria-labelledby="title about" font-family="system-ui, -apple-system, 'Segoe UI', Helvetica, Arial, sans-serif">`,
    '<title id="title">Balanced accuracy for each of 20 people, by method</title>',
    `<desc id="about">${METHODS.map(({ says }, m) => `${says}: mean ${meanOf(m).toFixed(3)}`).join('; ')}.</desc>`,
    ...heading(),
    ...axes(),
    ...people.flatMap(column),
    '</svg>',
  ];
  return `${lines.join('\n')}\n`;
}

function heading() {
  const left = 14;
  const title = '20 people, three ways to train: how well is each of them served?';
  const lines = [text(left, 31, title, { size: 20, weight: 600 })];
  for (const [m, { says, colour, mark }] of METHODS.entries()) {
    const label = `${says} (mean ${meanOf(m).toFixed(3)})`;
    const at = left + 286 * m;
    lines.push(mark(at + 7, 62, colour), text(at + 20, 66.5, label, { size: 13 }));
  }
  return lines;
}

function axes() {
  const lines = [];
  for (let score = floor; score <= 1.0001; score += 0.05) {
    const at = round(y(score));
    lines.push(
      `<path d="M${PLOT.left} ${at}H${PLOT.right}" stroke="${GREY}" stroke-opacity="0.3"/>`,
      text(PLOT.left - 9, at + 4.5, score.toFixed(2), { size: 13, anchor: 'end' }),
    );
  }
  const middle = (PLOT.top + PLOT.bottom) / 2;
  const caption = 'person, sorted by how well their own rows alone serve them (local)';
  lines.push(
    `<g transform="rotate(-90 18 ${middle})">${text(18, middle + 4, 'balanced accuracy on unseen rows', { size: 13, anchor: 'middle' })}</g>`,
    text((PLOT.left + PLOT.right) / 2, HEIGHT - 14, caption, { size: 13, anchor: 'middle' }),
  );
  return lines;
}

/** One person: a stem through the marks; marks that would cover each other stand side by side. */
function column({ id, scores }, k) {
  const heights = scores.map((score) => y(score));
  const [top, bottom] = [Math.min(...heights), Math.max(...heights)].map(round);
  const at = x(k);
  const lines = [text(at, PLOT.bottom + 22, id, { size: 12, anchor: 'middle' })];
  if (bottom > top) {
    lines.push(
      `<path d="M${round(at)} ${top}V${bottom}" stroke="${GREY}" stroke-opacity="0.55" stroke-width="2"/>`,
    );
  }
  for (const [m, { colour, mark }] of METHODS.entries()) {
    lines.push(mark(at + asideOf(heights, m), heights[m], colour));
  }
  return lines;
}

/** How far to the left or right a mark goes to keep clear of those at nearly the same height. */
function asideOf(heights, m) {
  const near = heights.map((_, i) => i).filter((i) => Math.abs(heights[i] - heights[m]) < 9);
  return (near.indexOf(m) - (near.length - 1) / 2) * 11.5;
}

function disc(at, height, colour) {
  return `<circle cx="${round(at)}" cy="${round(height)}" r="6" fill="${colour}"/>`;
}

function square(at, height, colour) {
  return `<rect x="${round(at - 5.2)}" y="${round(height - 5.2)}" width="10.4" height="10.4" rx="1" fill="${colour}"/>`;
}

function diamond(at, height, colour) {
  const [cx, cy] = [round(at), round(height)];
  return `<path d="M${cx} ${round(cy - 6.5)}l6.5 6.5l-6.5 6.5l-6.5 -6.5z" fill="${colour}"/>`;
}

function text(at, height, words, { size, weight = 400, anchor = 'start' }) {
  const bold = weight === 400 ? '' : ` font-weight="${weight}"`;
  return `<text x="${round(at)}" y="${round(height)}" fill="${GREY}" font-size="${size}" text-anchor="${anchor}"${bold}>${words}</text>`;
}

function round(value) {
  return Math.round(value * 10) / 10;
}
