/** The live curve of the three axes, on a canvas. */
import { useEffect, useRef } from 'preact/hooks';
import { useCell } from '../shared/cell.ts';
import { cssColour } from '../shared/css-colour.ts';
import { scheme } from '../shared/theme.ts';
import { Trace } from './trace.ts';

const AXES = ['series-1', 'series-2', 'series-3'] as const;
/** At least what gravity takes, in m/s². */
const RANGE = 12;

export function TraceView({ trace, label }: { readonly trace: Trace; readonly label: string }) {
  const canvas = useRef<HTMLCanvasElement>(null);
  const shown = useCell(scheme);
  useEffect(() => {
    const element = canvas.current!;
    const colours = AXES.map(cssColour);
    const line = cssColour('border');
    let frame = requestAnimationFrame(function draw() {
      drawTrace(element, trace, colours, line);
      frame = requestAnimationFrame(draw);
    });
    return () => cancelAnimationFrame(frame);
  }, [trace, shown]);
  return (
    <figure class="trace">
      <canvas ref={canvas} role="img" aria-label={label} />
      <figcaption aria-hidden="true">
        {['x', 'y', 'z'].map((axis, a) => (
          <span key={axis} data-axis={a}>
            {axis}
          </span>
        ))}
        <span class="trace-unit">m/s², last 5 s</span>
      </figcaption>
    </figure>
  );
}

function drawTrace(canvas: HTMLCanvasElement, trace: Trace, colours: readonly string[], line: string): void {
  const ratio = devicePixelRatio || 1;
  const [width, height] = [canvas.clientWidth * ratio, canvas.clientHeight * ratio].map(Math.round);
  if (canvas.width !== width || canvas.height !== height) Object.assign(canvas, { width, height });
  const context = canvas.getContext('2d');
  if (!context || width === 0) return;
  context.clearRect(0, 0, width, height);
  context.strokeStyle = line;
  context.lineWidth = ratio;
  context.beginPath();
  context.moveTo(0, height / 2);
  context.lineTo(width, height / 2);
  context.stroke();
  const { count } = trace;
  const range = Math.max(RANGE, 1.1 * trace.largest);
  const from = Trace.length - count;
  context.lineWidth = 1.5 * ratio;
  context.lineJoin = 'round';
  for (let axis = 0; axis < 3; axis++) {
    context.strokeStyle = colours[axis];
    context.beginPath();
    for (let i = 0; i < count; i++) {
      const x = ((from + i) / (Trace.length - 1)) * width;
      const y = height / 2 - (trace.value(i, axis) / range) * (height / 2);
      if (i === 0) context.moveTo(x, y);
      else context.lineTo(x, y);
    }
    context.stroke();
  }
}
