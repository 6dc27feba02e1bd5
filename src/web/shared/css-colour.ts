/** Colours of the style sheet for canvases, in the theme that is shown. */
let probe: HTMLElement | undefined;

/** `name` without the two dashes. */
export function cssColour(name: string): string {
  if (!probe) {
    probe = document.createElement('span');
    probe.hidden = true;
    document.body.append(probe);
  }
  probe.style.color = `var(--${name})`;
  return getComputedStyle(probe).color;
}

/** The same, with so much of what is below shining through. */
export function translucent(colour: string, alpha: number): string {
  return colour.replace(/^rgb\((.*)\)$/, `rgba($1, ${alpha})`);
}
