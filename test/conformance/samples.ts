import { crc32, deflateSync } from 'node:zlib';

/** A small grey image. */
export const PICTURE = makePng(64, 36);

export const CAPTIONS = '1\n00:00:01,000 --> 00:00:02,000\nHello\n';

/** Writes a grey image as PNG (RFC 2083): 8 bits per pixel, no filter. */
function makePng(widthPx: number, heightPx: number): Buffer {
  const head = Buffer.alloc(13);
  head.writeUInt32BE(widthPx, 0);
  head.writeUInt32BE(heightPx, 4);
  head[8] = 8;
  const rows = Buffer.alloc((widthPx + 1) * heightPx, 127);
  for (let row = 0; row < heightPx; row += 1) rows[row * (widthPx + 1)] = 0;
  const signature = Buffer.from('\x89PNG\r\n\x1a\n', 'latin1');
  return Buffer.concat([
    signature,
    chunk('IHDR', head),
    chunk('IDAT', deflateSync(rows)),
    chunk('IEND', Buffer.alloc(0)),
  ]);
}

function chunk(type: string, data: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(type), data]);
  const [length, sum] = [Buffer.alloc(4), Buffer.alloc(4)];
  length.writeUInt32BE(data.length);
  sum.writeUInt32BE(crc32(body));
  return Buffer.concat([length, body, sum]);
}
