// The measurements of docs/stragglers.md: straggler policies against the share of participants that answer in time.
//   node scripts/stragglers.mjs [data.csv.gz]      (needs a build; without a file: the embedded HAR-like data)
// Prints the tables and writes docs/figures/stragglers-*.svg.
import { writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { readTable } from 'kindred';
import { runScenario } from '../dist/sim/run.js';
import { parseScenario } from '../dist/sim/scenario.js';
import { computeModel, generatedTable } from '../dist/sim/scenario-plan.js';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const SEEDS = [1, 2, 3];
const SHARES = [1, 0.45, 0.25, 0.1];
const POLICIES = ['restart', 'resume', 'anytime'];
const COLOURS = { restart: '#c4561b', resume: '#8a6d00', anytime: '#1f5fa8' };
const TARGET = 0.97;

const [file] = process.argv.slice(2);
const common = {
  name: 'stragglers',
  passes: 5,
  c1: 1,
  c2: 1,
  gap: 1e-4,
  rounds: 150,
  targets: [TARGET],
  testFraction: 0.3,
};
const table = file
  ? await readTable(file, { drop: ['activity'] })
  : generatedTable(parseScenario('here', common));

const median = (values) => [...values].sort((a, b) => a - b)[values.length >> 1];

function measure(hardware, share, straggler) {
  const scenario = parseScenario('here', {
    ...common,
    hardware,
    straggler,
    ...(share < 1 && { responders: share, minResponses: 1 }),
  });
  const records = SEEDS.map((seed) =>
    runScenario(
      scenario,
      { source: 'here', table, compute: computeModel(scenario) },
      { seed, transcript: 'off' },
    ),
  );
  const times = records.map(({ summary }) => summary.metric.reached[0].atMs ?? Number.POSITIVE_INFINITY);
  return {
    seconds: median(times) / 1000,
    reached: times.filter(Number.isFinite).length,
    responders: median(records.map(({ summary }) => summary.responders.observed)),
    final: median(records.map(({ summary }) => summary.metric.mean)),
    gap: median(records.map(({ summary }) => summary.certificate.relativeGap)),
    rows: records[0].rows,
  };
}

const shown = (seconds) => (Number.isFinite(seconds) ? seconds.toFixed(2) : 'never');

for (const hardware of ['equal', 'rising']) {
  console.log(`\n${hardware} hardware, ${table.participants.length} participants\n`);
  console.log(
    '| wanted share | policy | answered in time | time to BA 0.97, s | BA at the end | gap at the end |',
  );
  console.log('| --- | --- | --- | --- | --- | --- |');
  const curves = [];
  for (const share of SHARES) {
    for (const policy of POLICIES) {
      const run = measure(hardware, share, policy);
      curves.push({ share, policy, rows: run.rows });
      console.log(
        `| ${share * 100}% | ${policy} | ${(100 * run.responders).toFixed(0)}% | ${shown(run.seconds)}${run.reached < SEEDS.length ? ` (${run.reached} of ${SEEDS.length})` : ''} | ${run.final.toFixed(4)} | ${run.gap.toExponential(1)} |`,
      );
    }
  }
  writeFileSync(join(root, `docs/figures/stragglers-${hardware}.svg`), chart(hardware, curves));
}

/** Small multiples: one panel per share, one line per policy, balanced accuracy over virtual time. */
function chart(hardware, curves) {
  const [width, height, left, top] = [220, 190, 56, 84];
  const seconds = Math.max(...curves.map(({ rows }) => rows.at(-1).atMs)) / 1000;
  const low = 0.8;
  const panels = SHARES.map((share, p) => {
    const x0 = left + p * (width + 24);
    const x = (ms) => x0 + (width * Math.min(seconds, ms / 1000)) / seconds;
    const y = (value) => top + height * (1 - (Math.max(low, value) - low) / (1 - low));
    const lines = curves
      .filter((curve) => curve.share === share)
      .map(({ policy, rows }) => {
        const kept = rows.filter((row) => row.atMs / 1000 <= seconds);
        const d = kept
          .map((row, i) => `${i ? 'L' : 'M'}${x(row.atMs).toFixed(1)} ${y(row.metric.mean).toFixed(1)}`)
          .join('');
        return `<path d="${d}" fill="none" stroke="${COLOURS[policy]}" stroke-width="1.8"/>`;
      });
    const grid = [0.8, 0.85, 0.9, 0.95, 1].map(
      (value) =>
        `<path d="M${x0} ${y(value)}h${width}" stroke="#ccc"/>${p === 0 ? `<text x="${x0 - 6}" y="${y(value) + 4}" text-anchor="end">${value}</text>` : ''}`,
    );
    const goal = `<path d="M${x0} ${y(TARGET)}h${width}" stroke="#555" stroke-dasharray="3 3"/>`;
    const ticks = [0, seconds / 2, seconds].map(
      (s) => `<text x="${x(1000 * s)}" y="${top + height + 16}" text-anchor="middle">${s.toFixed(1)}</text>`,
    );
    const title = share === 1 ? 'everybody is waited for' : `T_wait for ${share * 100}%`;
    return `<g>${grid.join('')}${goal}${lines.join('')}${ticks.join('')}<text x="${x0}" y="${top - 8}" font-weight="600">${title}</text></g>`;
  });
  const all = left + SHARES.length * (width + 24);
  const legend = POLICIES.map(
    (policy, i) =>
      `<path d="M${left + 120 * i} 36h24" stroke="${COLOURS[policy]}" stroke-width="3"/><text x="${left + 30 + 120 * i}" y="40">${policy}</text>`,
  ).join('');
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${all} ${top + height + 48}" font-family="system-ui, sans-serif" font-size="12" fill="#222"><rect width="100%" height="100%" fill="#fff"/><text x="${left}" y="20" font-size="15" font-weight="600">Mean balanced accuracy over virtual time, ${hardware} hardware</text>${legend}${panels.join('')}<text x="${left}" y="${top + height + 36}">virtual time, s (one seed shown; dashed: 0.97)</text></svg>\n`;
}
