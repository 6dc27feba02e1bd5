/** WebSocket frames in a stream of bytes: after the HTTP head of an upgrade, one whole frame after the other. */

const HEAD_END = Buffer.from('\r\n\r\n');
const UPGRADE = /\r\nupgrade: *websocket/i;

export interface Piece {
  readonly bytes: Buffer;
  readonly isFrame: boolean;
}

/** One direction. What is not of a WebSocket comes out as it goes in, once its head is complete. */
export class FrameCutter {
  private mode: 'head' | 'frames' | 'plain' = 'head';
  private rest = Buffer.alloc(0);

  cut(data: Buffer): Piece[] {
    if (this.mode === 'plain') return [{ bytes: data, isFrame: false }];
    this.rest = Buffer.concat([this.rest, data]);
    return this.mode === 'head' ? this.cutHead() : this.cutFrames();
  }

  private cutHead(): Piece[] {
    const { rest } = this;
    const head = rest.indexOf(HEAD_END);
    if (head < 0) return [];
    const isUpgrade = UPGRADE.test(rest.subarray(0, head).toString('latin1'));
    this.mode = isUpgrade ? 'frames' : 'plain';
    const end = isUpgrade ? head + HEAD_END.length : rest.length;
    this.rest = rest.subarray(end);
    return [{ bytes: rest.subarray(0, end), isFrame: false }, ...this.cutFrames()];
  }

  private cutFrames(): Piece[] {
    const pieces: Piece[] = [];
    for (let size = frameSize(this.rest); size > 0 && size <= this.rest.length; size = frameSize(this.rest)) {
      pieces.push({ bytes: this.rest.subarray(0, size), isFrame: true });
      this.rest = this.rest.subarray(size);
    }
    return pieces;
  }
}

/** Of the WebSocket frame at the start; 0: not all of its head is there. */
function frameSize(bytes: Buffer): number {
  const head = headSize(bytes);
  if (head === 0) return 0;
  const short = bytes[1] & 0x7f;
  if (short < 126) return head + short;
  return head + (short === 126 ? bytes.readUInt16BE(2) : Number(bytes.readBigUInt64BE(2)));
}

/** With the mask; 0: not all of it is there. */
function headSize(bytes: Buffer): number {
  if (bytes.length < 2) return 0;
  const short = bytes[1] & 0x7f;
  const size = (short < 126 ? 2 : short === 126 ? 4 : 10) + (bytes[1] & 0x80 ? 4 : 0);
  return bytes.length < size ? 0 : size;
}

/** Text, binary or a part of one; not a ping, a pong or a close. */
export function isData(frame: Buffer): boolean {
  return (frame[0] & 0x0f) <= 2;
}

/** What is in a whole frame, without its mask. */
export function frameContent(frame: Buffer): Uint8Array {
  const head = headSize(frame);
  const content = Uint8Array.from(frame.subarray(head));
  if (frame[1] & 0x80) for (let i = 0; i < content.length; i++) content[i] ^= frame[head - 4 + (i & 3)];
  return content;
}
