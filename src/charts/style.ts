/**
 * The look of all charts. Style sheets inside inline SVG hold for the whole page, so every class has a prefix of its own and
 * says all it needs.
 */
const FONT = "system-ui,-apple-system,'Segoe UI',Roboto,'Helvetica Neue',Arial,sans-serif";

export const SIZE = { heading: 15, panel: 13, name: 12, tick: 11 } as const;

export const BAND_OPACITY = 0.17;

/** Of ticks across bars. */
export const MARK_COLOUR = '#1a1f26';

export const CHART_STYLE = [
  `.kc-heading{font:600 ${SIZE.heading}px ${FONT};fill:#1a1f26}`,
  `.kc-panel{font:600 ${SIZE.panel}px ${FONT};fill:#1a1f26}`,
  `.kc-name{font:${SIZE.name}px ${FONT};fill:#262c35}`,
  `.kc-tick{font:${SIZE.tick}px ${FONT};fill:#4a5360;font-variant-numeric:tabular-nums}`,
  `.kc-unit{font:${SIZE.tick}px ${FONT};fill:#4a5360}`,
  `.kc-none{font:italic ${SIZE.name}px ${FONT};fill:#6b7480}`,
  `.kc-tag{font:600 ${SIZE.name}px ${FONT};fill:#1a1f26;paint-order:stroke;stroke:#fff;stroke-width:4px;stroke-linejoin:round}`,
  `.kc-cell{font:600 ${SIZE.name}px ${FONT};font-variant-numeric:tabular-nums}`,
  `.kc-cell-note{font:${SIZE.tick}px ${FONT};font-variant-numeric:tabular-nums}`,
  '.kc-axis{stroke:#7b8592;stroke-width:1;fill:none}',
  '.kc-grid{stroke:#e3e7ec;stroke-width:1}',
  '.kc-fine{stroke:#f0f2f5;stroke-width:1}',
  '.kc-line{fill:none;stroke-width:1.9;stroke-linejoin:round;stroke-linecap:butt}',
  `.kc-band{fill-opacity:${BAND_OPACITY};stroke:none}`,
  '.kc-whisker{stroke-width:1.5;fill:none}',
  '.kc-dot{stroke:#fff;stroke-width:.8}',
  '.kc-shade{fill:#f5f7f9}',
].join('');
