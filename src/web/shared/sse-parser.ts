/** Server-sent events from pieces of text as they arrive, cut anywhere (HTML standard, 9.2.6). */
export interface ServerEvent {
  readonly type: string;
  readonly data: string;
  readonly id: string;
}

export class SseParser {
  private readonly onEvent: (event: ServerEvent) => void;
  /** Of a line that is not complete, in the pieces it came in: joined once. */
  private readonly pieces: string[] = [];
  private endedWithReturn = false;
  private type = '';
  private data: string[] = [];
  private id = '';

  constructor(onEvent: (event: ServerEvent) => void) {
    this.onEvent = onEvent;
  }

  push(text: string): void {
    let from = this.endedWithReturn && text.startsWith('\n') ? 1 : 0;
    // They are rare: text without any is not searched for them line by line.
    const hasReturns = text.includes('\r');
    if (text.length > 0) this.endedWithReturn = false;
    for (;;) {
      const end = hasReturns ? lineEnd(text, from) : text.indexOf('\n', from);
      if (end < 0) break;
      this.pieces.push(text.slice(from, end));
      this.line(this.pieces.length === 1 ? this.pieces[0] : this.pieces.join(''));
      this.pieces.length = 0;
      from = end + 1;
      if (text[end] !== '\r') continue;
      if (text[from] === '\n') from++;
      else if (from === text.length) this.endedWithReturn = true;
    }
    if (from < text.length) this.pieces.push(text.slice(from));
  }

  private line(line: string): void {
    if (line === '') {
      this.dispatch();
      return;
    }
    const colon = line.indexOf(':');
    if (colon === 0) return;
    const field = colon < 0 ? line : line.slice(0, colon);
    const start = line[colon + 1] === ' ' ? colon + 2 : colon + 1;
    const value = colon < 0 ? '' : line.slice(start);
    if (field === 'event') this.type = value;
    else if (field === 'data') this.data.push(value);
    else if (field === 'id' && !value.includes('\0')) this.id = value;
  }

  private dispatch(): void {
    const { type, data, id } = this;
    this.type = '';
    this.data = [];
    if (data.length > 0) this.onEvent({ type: type || 'message', data: data.join('\n'), id });
  }
}

function lineEnd(text: string, from: number): number {
  const feed = text.indexOf('\n', from);
  const back = text.indexOf('\r', from);
  return back >= 0 && (feed < 0 || back < feed) ? back : feed;
}
