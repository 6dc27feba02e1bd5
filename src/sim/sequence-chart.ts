/**
 * A message sequence chart of some rounds: time runs down, one lifeline for the coordinator and each participant, an
 * arrow for each message from where it is sent to where it arrives, a bar for each solve. The time axis has the right
 * order and the right numbers, but not one scale: where much happens at once it is stretched.
 */
import { document, element, line, text } from '../charts/svg.ts';
import { COORDINATOR } from './coordinator-node.ts';
import { type Arrow, arrowsOf, type Bar, barsOf, type ChartWindow, type Span, windowOf } from './sequence.ts';
import { CRASHES, type TranscriptEntry } from './transcript.ts';

const LEFT = 150;
const LEGEND_WIDTH = 640;
const TOP = 92;
const SAME_TIME_GAP = 15;
const LEAST_GAP = 19;
const MOST_GAP = 90;
const STYLE =
  'text{font:12px system-ui,sans-serif;fill:#222}.axis{stroke:#888;stroke-width:1}.small{font-size:10px;fill:#555}.title{font-size:15px;font-weight:600}.life{stroke:#999;stroke-width:1}.arrow{stroke:#33475b;stroke-width:1.1}.late{stroke:#b4530a;stroke-width:1.1;stroke-dasharray:5 3}.lost{stroke:#b00020;stroke-width:1.1;stroke-dasharray:2 3}.label{font-size:10px;paint-order:stroke;stroke:#fff;stroke-width:3px}.band{fill:#f4f6f9}.who{font-weight:600;text-anchor:middle}';

export function sequenceChart(
  title: string,
  transcript: readonly TranscriptEntry[],
  participants: readonly string[],
  rounds: ChartWindow,
): string {
  const span = windowOf(transcript, rounds);
  const lane = participants.length <= 6 ? 140 : 104;
  const places = places1D(transcript, span);
  const x = (node: string) => LEFT + (node === COORDINATOR ? 0 : lane * (1 + participants.indexOf(node)));
  const bottom = places.bottom + 24;
  const width = Math.max(LEGEND_WIDTH, LEFT + lane * participants.length + 80);
  const nodes = [COORDINATOR, ...participants];
  const arrows = arrowsOf(transcript).filter((arrow) => arrow.sent >= span.first && arrow.sent < span.end);
  const drawn = { x, lane, y: places.y, span };
  const parts = [
    text(20, 28, title, { class: 'title' }),
    ...legend(),
    ...bands(transcript, span, places, width),
    ...nodes.flatMap((node) => [
      text(x(node), TOP - 20, node, { class: 'who' }),
      line([x(node), TOP - 12], [x(node), bottom], { class: 'life' }),
    ]),
    ...timeLabels(transcript, places),
    ...barsOf(transcript, span).map((bar) => drawBar(bar, drawn)),
    ...arrows.map((arrow) => drawArrow(arrow, drawn)),
    ...noteMarks(transcript, span, drawn),
  ];
  return document(width, bottom + 20, title, STYLE, [element('defs', {}, ...heads()), ...parts]);
}

interface Drawn {
  readonly x: (node: string) => number;
  readonly lane: number;
  readonly y: (entry: number) => number;
  readonly span: Span;
}

/** Heights of all entries of the window: equal where the same kind of thing happens at the same moment. */
function places1D(transcript: readonly TranscriptEntry[], { first, end }: Span) {
  const heights = new Map<number, number>();
  const from = transcript[first]?.atMs ?? 0;
  const total = Math.max(1e-9, (transcript[end - 1]?.atMs ?? 0) - from);
  let y = TOP + 8;
  for (let e = first; e < end; e++) {
    const entry = transcript[e];
    const before = e > first ? transcript[e - 1] : undefined;
    if (before && before.atMs !== entry.atMs) {
      const gap = (800 * (entry.atMs - before.atMs)) / total;
      y += Math.min(MOST_GAP, Math.max(LEAST_GAP, gap));
    } else if (before && (before.kind !== entry.kind || sender(before) !== sender(entry))) {
      y += SAME_TIME_GAP;
    }
    heights.set(e, y);
  }
  return { bottom: y, y: (e: number) => (e < first ? TOP - 4 : (heights.get(e) ?? y + 14)), heights };
}

const sender = (entry: TranscriptEntry) => entry.from === COORDINATOR;

/** Every second round stands on a tinted ground. */
function bands(
  transcript: readonly TranscriptEntry[],
  { first, end }: Span,
  places: ReturnType<typeof places1D>,
  width: number,
): string[] {
  const starts: { round: number; y: number }[] = [];
  for (let e = first; e < end; e++) {
    const { kind, from, about } = transcript[e];
    const opens = kind === 'sent' && from === COORDINATOR && about?.kind === 'round';
    if (opens && about.round > (starts.at(-1)?.round ?? 0))
      starts.push({ round: about.round, y: places.y(e) });
  }
  return starts.flatMap(({ round, y }, i) => {
    const until = starts[i + 1]?.y ?? places.bottom + 24;
    const ground =
      i % 2 === 0 ? [element('rect', { class: 'band', x: 0, y: y - 8, width, height: until - y })] : [];
    return [...ground, text(14, y + 4, `round ${round}`, { 'font-weight': 600 })];
  });
}

function timeLabels(
  transcript: readonly TranscriptEntry[],
  { heights }: ReturnType<typeof places1D>,
): string[] {
  const labels: string[] = [text(LEFT - 62, TOP - 20, 'time, ms', { 'text-anchor': 'end', class: 'small' })];
  let last = Number.NEGATIVE_INFINITY;
  let time = Number.NaN;
  for (const [e, y] of heights) {
    const { atMs } = transcript[e];
    if (atMs === time || y - last < 12) continue;
    time = atMs;
    last = y;
    labels.push(text(LEFT - 14, y + 3, atMs.toFixed(1), { 'text-anchor': 'end', class: 'small' }));
    labels.push(line([LEFT - 10, y], [LEFT - 4, y], { class: 'axis' }));
  }
  return labels;
}

const BAR_FILL = {
  answered: '#7fb58a',
  interrupted: '#e9c9a8',
  crashed: '#e2a0a6',
  open: '#cfd8e3',
} as const;

function drawBar(bar: Bar, { x, y }: Drawn): string {
  const top = y(bar.from);
  const fill = BAR_FILL[bar.end];
  const height = Math.max(3, y(bar.to) - top);
  const title = element('title', {}, `round ${bar.round}: ${bar.end}`);
  return element('rect', { x: x(bar.node) - 5, y: top, width: 10, height, fill, stroke: '#667' }, title);
}

/** The label stands in the last stretch before the participant: there no other message to the same moment goes. */
function drawArrow(arrow: Arrow, { x, y, lane, span }: Drawn): string {
  const down = arrow.from === COORDINATOR;
  const outer = down ? arrow.to : arrow.from;
  const start = [x(arrow.from) + (down ? 0 : -5), y(arrow.sent)] as const;
  const whole = [x(arrow.to) + (down ? -5 : 0), y(arrow.delivered ?? arrow.sent)] as const;
  const away = arrow.delivered !== undefined && arrow.delivered >= span.end;
  const reach = arrow.fate === 'lost' ? 0.62 : away ? 0.5 : 1;
  const to = [
    start[0] + reach * (whole[0] - start[0]),
    arrow.fate === 'lost' ? whole[1] + 9 : start[1] + reach * (whole[1] - start[1]),
  ] as const;
  const at = x(outer) - lane / 2;
  const slope = (to[1] - start[1]) / (to[0] - start[0] || 1);
  const inside = arrow.fate === 'lost' && down ? Math.min(at, to[0] - 34) : at;
  const label = text(inside, start[1] + slope * (inside - start[0]) - 3, arrow.label, {
    class: 'label',
    'text-anchor': 'middle',
  });
  const head = away ? undefined : `url(#${arrow.fate === 'lost' ? 'cross' : arrow.fate})`;
  const style = { taken: 'arrow', late: 'late', lost: 'lost' }[arrow.fate];
  return line(start, to, { class: style, 'marker-end': head }) + label;
}

function noteMarks(transcript: readonly TranscriptEntry[], { first, end }: Span, { x, y }: Drawn): string[] {
  const marks: string[] = [];
  for (let e = first; e < end; e++) {
    const entry = transcript[e];
    if (entry.kind !== 'note') continue;
    const [cx, cy] = [x(entry.from), y(e)];
    const stroke = { stroke: '#b00020', 'stroke-width': 2.5 };
    if (entry.text === CRASHES)
      marks.push(
        line([cx - 7, cy - 7], [cx + 7, cy + 7], stroke),
        line([cx - 7, cy + 7], [cx + 7, cy - 7], stroke),
      );
    marks.push(text(cx + 12, cy + 4, entry.text, { class: 'label', style: 'fill:#b00020' }));
  }
  return marks;
}

function heads(): string[] {
  const size = { viewBox: '0 0 8 8', refY: 4, markerWidth: 8, markerHeight: 8, orient: 'auto' };
  const arrow = (fill: string) => element('path', { d: 'M0 1L8 4L0 7z', fill });
  const cross = element('path', { d: 'M1 1L7 7M7 1L1 7', stroke: '#b00020', 'stroke-width': 1.5 });
  return [
    element('marker', { id: 'taken', refX: 7, ...size }, arrow('#33475b')),
    element('marker', { id: 'late', refX: 7, ...size }, arrow('#b4530a')),
    element('marker', { id: 'cross', refX: 4, ...size }, cross),
  ];
}

function legend(): string[] {
  const arrow = (style: string, head: string) => (x: number) =>
    line([x, 46], [x + 34, 46], { class: style, 'marker-end': `url(#${head})` });
  const bar = (fill: string) => (x: number) =>
    element('rect', { x, y: 41, width: 10, height: 10, fill, stroke: '#667' });
  const items = [
    { name: 'message', width: 40, draw: arrow('arrow', 'taken') },
    { name: 'late or duplicate: acknowledged, not used', width: 40, draw: arrow('late', 'late') },
    { name: 'lost', width: 40, draw: arrow('lost', 'cross') },
    { name: 'solve', width: 15, draw: bar(BAR_FILL.answered) },
    { name: 'solve interrupted', width: 15, draw: bar(BAR_FILL.interrupted) },
  ];
  let x = 20;
  return items.flatMap(({ name, width, draw }) => {
    const parts = [draw(x), text(x + width, 50, name, { class: 'small' })];
    x += width + 6 * name.length + 20;
    return parts;
  });
}
