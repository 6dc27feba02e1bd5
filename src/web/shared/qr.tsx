/** A QR code, black on white in either theme: scanners expect that. */
import { generate } from 'lean-qr';

export function Qr({ text, label }: { readonly text: string; readonly label: string }) {
  const code = generate(text);
  const { size } = code;
  let path = '';
  for (let y = 0; y < size; y++) {
    for (let x = 0; x < size; x++) {
      let run = 0;
      while (code.get(x + run, y)) run++;
      if (run > 0) path += `M${x} ${y}h${run}v1h-${run}z`;
      x += run;
    }
  }
  return (
    <svg
      class="qr"
      viewBox={`0 0 ${size} ${size}`}
      role="img"
      aria-label={label}
      shape-rendering="crispEdges"
    >
      <path d={path} fill="#000" />
    </svg>
  );
}
