/** Checksums by zlib from here on: half of what a frame takes to write or to check is its checksum. */
import { crc32 } from 'node:zlib';
import { useCrc32 } from '../base/crc32.ts';

useCrc32(crc32);
