/**
 * Writes subtitles like those of discs (Presentation Graphic Stream, a `.sup` file): one small image from second 1 to
 * 2.
 */
export function writeDiscSubtitles(): Buffer {
  const position = [u16(0), u8(0), u8(0), u16(10), u16(100)];
  const shown = [u16(160), u16(120), u8(0x10), u16(0), u8(0x80), u8(0), u8(0), u8(1), ...position];
  const hidden = [u16(160), u16(120), u8(0x10), u16(1), u8(0), u8(0), u8(0), u8(0)];
  const window = [u8(1), u8(0), u16(10), u16(100), u16(8), u16(2)];
  const palette = [u8(0), u8(0), u8(1), u8(235), u8(128), u8(128), u8(255)];
  // Two lines of eight pixels in colour 1.
  const lines = Buffer.from('00880100000088010000', 'hex');
  const object = [u16(0), u8(0), u8(0xc0), u8(0), u16(lines.length + 4), u16(8), u16(2), lines];
  return Buffer.concat([
    segment(1, 0x16, shown),
    segment(1, 0x17, window),
    segment(1, 0x14, palette),
    segment(1, 0x15, object),
    segment(1, 0x80, []),
    segment(2, 0x16, hidden),
    segment(2, 0x80, []),
  ]);
}

function segment(atSec: number, type: number, parts: readonly Buffer[]): Buffer {
  const payload = Buffer.concat(parts);
  const clock = Buffer.alloc(8);
  clock.writeUInt32BE(atSec * 90_000);
  clock.writeUInt32BE(atSec * 90_000, 4);
  return Buffer.concat([Buffer.from('PG'), clock, u8(type), u16(payload.length), payload]);
}

function u8(value: number): Buffer {
  return Buffer.of(value);
}

function u16(value: number): Buffer {
  return Buffer.of(value >> 8, value & 0xff);
}
