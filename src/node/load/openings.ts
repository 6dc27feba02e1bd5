/** When rounds open, as the first of many participants receives them. */
interface Opening {
  readonly round: number;
  readonly atMs: number;
}

export class Openings {
  /** Newest round. */
  round = 0;
  private readonly listeners: ((opening: Opening) => void)[] = [];

  next(): Promise<Opening> {
    return new Promise((resolve) => this.listeners.push(resolve));
  }

  opened(round: number): void {
    this.round = round;
    if (this.listeners.length === 0) return;
    const opening = { round, atMs: performance.now() };
    for (const notify of this.listeners.splice(0)) notify(opening);
  }
}
