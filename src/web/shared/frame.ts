/** Many changes, one repaint: what is asked for any number of times happens once in the next frame. */
export class Frame {
  private readonly act: () => void;
  private pending: number | undefined;

  constructor(act: () => void) {
    this.act = act;
  }

  request(): void {
    this.pending ??= requestAnimationFrame(() => {
      this.pending = undefined;
      this.act();
    });
  }

  cancel(): void {
    if (this.pending !== undefined) cancelAnimationFrame(this.pending);
    this.pending = undefined;
  }
}
