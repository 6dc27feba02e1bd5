/** Lanes over time on a canvas: it moves with every frame while a round is open. */
import { useEffect, useRef } from 'preact/hooks';
import type { OpenRound } from '../../../node/server/live.ts';
import { useCell } from '../../shared/cell.ts';
import { cssColour } from '../../shared/css-colour.ts';
import { duration } from '../../shared/format.ts';
import { scheme } from '../../shared/theme.ts';
import { type Lane, type LaneKind, type Lanes, spanOf } from '../data/lanes.ts';
import type { LiveFederation } from '../data/live-federation.ts';

interface TimelineProps {
  readonly live: LiveFederation;
  readonly open: OpenRound;
  readonly lanes: Lanes;
  /** For whoever does not see it. */
  readonly label: string;
}

/** Of all lanes together, without the axis. */
const LANES = 150;
const AXIS = 20;
/** Few enough for a name on each. */
const MOST_NAMED = 14;
const NAMED = 17;

type Colours = Readonly<Record<LaneKind | 'text' | 'line' | 'back', string>>;

export function Timeline({ live, open, lanes, label }: TimelineProps) {
  const canvas = useRef<HTMLCanvasElement>(null);
  const shown = useCell(scheme);
  const height = heightFor(lanes.lanes.length);
  const drawn = useRef({ open, lanes, height });
  drawn.current = { open, lanes, height };
  const moves = open.openedMs !== null && !open.paused && open.phase !== 'finished';

  useEffect(() => {
    const element = canvas.current!;
    const context = element.getContext('2d')!;
    const colours = coloursNow();
    let frame = 0;
    let width = 0;
    const draw = () => {
      width = sized(element, context, { width, height });
      if (width > 0) paint(context, width, colours, drawn.current, live.serverNow());
    };
    const isStill = !moves || matchMedia('(prefers-reduced-motion: reduce)').matches;
    const tick = () => {
      draw();
      frame = requestAnimationFrame(tick);
    };
    const timer = isStill ? setInterval(draw, 1000) : undefined;
    if (isStill) draw();
    else tick();
    const observer = new ResizeObserver(draw);
    observer.observe(element.parentElement!);
    return () => {
      cancelAnimationFrame(frame);
      clearInterval(timer);
      observer.disconnect();
    };
  }, [moves, shown, live, height]);

  return (
    <div class="timeline" style={{ height: `${height}px` }}>
      <canvas ref={canvas} role="img" aria-label={label} />
    </div>
  );
}

function coloursNow(): Colours {
  return {
    answered: cssColour('ok'),
    solving: cssColour('accent'),
    late: cssColour('warn'),
    before: cssColour('text-3'),
    text: cssColour('text-3'),
    line: cssColour('border-strong'),
    back: cssColour('surface-2'),
  };
}

/** Changes seldom: the page below must not jump with every answer. */
function heightFor(lanes: number): number {
  return AXIS + (lanes <= MOST_NAMED ? NAMED * Math.max(4, 2 * Math.ceil(lanes / 2)) : LANES);
}

/** As many pixels as the screen has; gives the width in those of the page. */
function sized(
  element: HTMLCanvasElement,
  context: CanvasRenderingContext2D,
  before: { readonly width: number; readonly height: number },
): number {
  const ratio = devicePixelRatio;
  const width = element.parentElement!.clientWidth;
  const pixels = Math.round(before.height * ratio);
  if (element.width === Math.round(width * ratio) && element.height === pixels) return width;
  element.width = Math.round(width * ratio);
  element.height = pixels;
  context.setTransform(ratio, 0, 0, ratio, 0, 0);
  return width;
}

interface Drawn {
  readonly height: number;
  readonly open: OpenRound;
  readonly lanes: Lanes;
}

function paint(
  context: CanvasRenderingContext2D,
  width: number,
  colours: Colours,
  { open, lanes: { lanes, longestMs }, height: whole }: Drawn,
  nowMs: number,
): void {
  const { openedMs, deadlineMs } = open;
  const isOpen = openedMs !== null && open.phase !== 'finished';
  const passedMs = isOpen ? Math.max(0, nowMs - openedMs) : 0;
  const until = isOpen && deadlineMs !== null ? deadlineMs - openedMs : null;
  const span = spanOf(passedMs, until, longestMs);
  const x = (ms: number) => Math.min(width, (ms / span) * width);
  context.clearRect(0, 0, width, whole);
  const height = whole - AXIS;
  context.fillStyle = colours.back;
  context.fillRect(0, 0, width, height);
  paintLanes(context, lanes, height, colours, ({ endMs }) => x(endMs ?? passedMs));
  paintAxis(context, width, colours, { span, until, isOpen, height, now: x(passedMs) });
}

function nameOf({ id }: Lane): string {
  return id.slice(0, 40);
}

function paintLanes(
  context: CanvasRenderingContext2D,
  lanes: readonly Lane[],
  height: number,
  colours: Colours,
  endOf: (lane: Lane) => number,
): void {
  const step = Math.min(NAMED, height / Math.max(1, lanes.length));
  const gap = step >= 4 ? Math.min(3, step / 4) : 0;
  // Of many, one for each line of pixels: they are sorted.
  const stride = Math.max(1, Math.floor(1 / step));
  context.font = '11px system-ui, sans-serif';
  context.textBaseline = 'middle';
  context.textAlign = 'left';
  // Inside the bars, or behind them all where one is too short for its name.
  const isNamed = step >= NAMED - 1;
  const isInside =
    isNamed && lanes.every((lane) => context.measureText(nameOf(lane)).width + 14 < endOf(lane));
  for (let i = 0; i < lanes.length; i += stride) {
    const lane = lanes[i];
    const end = Math.max(2, endOf(lane));
    context.globalAlpha = lane.kind === 'before' ? 0.45 : isNamed ? 0.32 : 0.7;
    context.fillStyle = colours[lane.kind];
    context.fillRect(0, i * step, end, Math.max(1, step * stride - gap));
    context.globalAlpha = 1;
    if (isNamed) {
      context.fillRect(end - 2, i * step, 2, step - gap);
      context.fillStyle = colours.text;
      context.fillText(nameOf(lane), isInside ? 6 : end + 6, i * step + (step - gap) / 2);
    }
  }
  context.globalAlpha = 1;
}

interface AxisDrawn {
  /** Of the lanes. */
  readonly height: number;
  readonly span: number;
  readonly until: number | null;
  readonly isOpen: boolean;
  readonly now: number;
}

function paintAxis(
  context: CanvasRenderingContext2D,
  width: number,
  colours: Colours,
  { span, until, isOpen, now, height }: AxisDrawn,
): void {
  context.fillStyle = colours.line;
  if (isOpen) context.fillRect(Math.min(width - 1, now), 0, 1, height);
  const isShown = until !== null && until <= span + 1;
  if (isShown) {
    context.fillStyle = colours.late;
    context.fillRect(Math.min(width - 2, (until / span) * width), 0, 2, height);
  }
  context.fillStyle = colours.text;
  context.font = '11px system-ui, sans-serif';
  context.textBaseline = 'bottom';
  context.textAlign = 'left';
  context.fillText('0', 0, height + AXIS);
  context.textAlign = 'right';
  context.fillText(isShown ? `deadline ${duration(until)}` : duration(span), width, height + AXIS);
}
