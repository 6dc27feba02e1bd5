/** A ZIP writer for tests, with every field open to being made wrong. */
import { crc32, deflateRawSync } from 'node:zlib';

export interface ZipFile {
  readonly name: string;
  readonly content: string | Uint8Array;
  readonly method?: number;
  readonly flags?: number;
  readonly mode?: number;
  /** Instead of the right one. */
  readonly crc?: number;
  readonly size?: number;
}

export function makeZip(files: readonly ZipFile[], comment = ''): Uint8Array {
  const locals: Buffer[] = [];
  const centrals: Buffer[] = [];
  let offset = 0;
  for (const file of files) {
    const { local, central } = makeEntry(file, offset);
    locals.push(local);
    centrals.push(central);
    offset += local.length;
  }
  const directory = Buffer.concat(centrals);
  const end = Buffer.alloc(22);
  end.writeUInt32LE(0x06054b50, 0);
  end.writeUInt16LE(files.length, 8);
  end.writeUInt16LE(files.length, 10);
  end.writeUInt32LE(directory.length, 12);
  end.writeUInt32LE(offset, 16);
  end.writeUInt16LE(comment.length, 20);
  return new Uint8Array(Buffer.concat([...locals, directory, end, Buffer.from(comment)]));
}

function makeEntry(file: ZipFile, offset: number): { local: Buffer; central: Buffer } {
  const content = Buffer.from(file.content);
  const { method = 8, flags = 0, mode = 0o100644, crc = crc32(content), size = content.length } = file;
  const packed = method === 8 ? deflateRawSync(content, { level: 1 }) : content;
  const name = Buffer.from(file.name);
  const local = Buffer.alloc(30);
  local.writeUInt32LE(0x04034b50, 0);
  const central = Buffer.alloc(46);
  central.writeUInt32LE(0x02014b50, 0);
  for (const [header, at] of [
    [local, 6],
    [central, 8],
  ] as const) {
    header.writeUInt16LE(flags, at);
    header.writeUInt16LE(method, at + 2);
    header.writeUInt32LE(crc, at + 8);
    header.writeUInt32LE(packed.length, at + 12);
    header.writeUInt32LE(size, at + 16);
    header.writeUInt16LE(name.length, at + 20);
  }
  central.writeUInt16LE(mode, 40);
  central.writeUInt32LE(offset, 42);
  return { local: Buffer.concat([local, name, packed]), central: Buffer.concat([central, name]) };
}
