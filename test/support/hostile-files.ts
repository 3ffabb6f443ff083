import { execFile } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { crc32, deflateSync } from 'node:zlib';

const run = promisify(execFile);

/**
 * Returns a Matroska file that lists `count` tracks and contains nothing else (RFC 9559). It is small, but a prober
 * allocates memory for each track.
 */
export function manyTracks(count: number): Buffer {
  const head = element('1a45dfa3', element('4282', Buffer.from('matroska')));
  const tracks = Array.from({ length: count }, (_, index) => {
    const number = unsigned(index + 1);
    const parts = [element('d7', number), element('73c5', number), element('83', unsigned(2))];
    return element('ae', Buffer.concat([...parts, element('86', Buffer.from('A_VORBIS'))]));
  });
  const info = element('1549a966', element('2ad7b1', unsigned(1_000_000)));
  return Buffer.concat([head, element('18538067', Buffer.concat([info, element('1654ae6b', Buffer.concat(tracks))]))]);
}

function element(idHex: string, body: Buffer): Buffer {
  const size = Buffer.alloc(8);
  size.writeBigUInt64BE(BigInt(body.length) | (1n << 56n));
  return Buffer.concat([Buffer.from(idHex, 'hex'), size, body]);
}

function unsigned(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(value);
  return bytes;
}

/** Returns a complete black PNG image with sides of `sidePx` pixels, one bit per pixel, in few bytes. */
function hugePicture(sidePx: number): Buffer {
  const rows = Buffer.alloc(sidePx * (1 + sidePx / 8));
  const header = Buffer.alloc(13);
  header.writeUInt32BE(sidePx, 0);
  header.writeUInt32BE(sidePx, 4);
  header.writeUInt8(1, 8);
  const signature = Buffer.from('89504e470d0a1a0a', 'hex');
  const chunks = [pngChunk('IHDR', header), pngChunk('IDAT', deflateSync(rows)), pngChunk('IEND', Buffer.alloc(0))];
  return Buffer.concat([signature, ...chunks]);
}

function pngChunk(type: string, body: Buffer): Buffer {
  const typed = Buffer.concat([Buffer.from(type), body]);
  const [length, sum] = [unsigned(body.length), unsigned(crc32(typed))];
  return Buffer.concat([length, typed, sum]);
}

/** Writes a Matroska video whose only frame has sides of `sidePx` pixels. */
export async function writeHugeFrame(file: string, sidePx: number): Promise<void> {
  const picture = path.join(path.dirname(file), 'huge.png');
  await writeFile(picture, hugePicture(sidePx));
  await run('ffmpeg', ['-nostdin', '-v', 'error', '-y', '-i', picture, '-c', 'copy', '-f', 'matroska', file]);
}
