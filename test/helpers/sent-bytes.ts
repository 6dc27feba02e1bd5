/** Every byte that leaves a browser for a server, as it passes a proxy; WebSocket frames without their masks. */
import type { FaultyProxy } from './faulty-proxy.ts';
import { frameContent, isData } from './frame-cutter.ts';

export class SentBytes {
  private readonly pieces: Buffer[] = [];
  /** Of messages of WebSocket. */
  messageBytes = 0;

  constructor(proxy: FaultyProxy) {
    proxy.onPiece = (_, from, { bytes, isFrame }) => {
      if (from !== 'client') return;
      const content = isFrame ? Buffer.from(frameContent(bytes)) : Buffer.from(bytes);
      if (isFrame && isData(bytes)) this.messageBytes += content.length;
      this.pieces.push(content);
    };
  }

  get all(): Buffer {
    return Buffer.concat(this.pieces);
  }

  /** Of requests, as their heads say. */
  get bodyBytes(): number {
    const heads = this.all.toString('latin1').matchAll(/\r\ncontent-length: *(\d+)\r\n/gi);
    return [...heads].reduce((sum, [, size]) => sum + Number(size), 0);
  }

  /** Which of these numbers are in it: as text, or as bytes of a double or a single, little-endian as on the wire or big-endian. */
  find(values: readonly number[]): string[] {
    const { all } = this;
    return values.flatMap((value) =>
      Object.entries(forms(value)).flatMap(([form, bytes]) =>
        all.includes(bytes) ? [`${value} as ${form}`] : [],
      ),
    );
  }
}

function forms(value: number): Record<string, Buffer> {
  const [little64, big64] = [Buffer.alloc(8), Buffer.alloc(8)];
  const [little32, big32] = [Buffer.alloc(4), Buffer.alloc(4)];
  little64.writeDoubleLE(value);
  big64.writeDoubleBE(value);
  little32.writeFloatLE(value);
  big32.writeFloatBE(value);
  const text = Buffer.from(String(value).replace(/^(-?)0\./, '$1.'));
  return {
    text,
    'little-endian double': little64,
    'big-endian double': big64,
    'little-endian single': little32,
    'big-endian single': big32,
  };
}
