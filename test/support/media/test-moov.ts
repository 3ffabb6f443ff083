/** Parts of a handwritten moov for tests. Each table box may be replaced. */
export type TestMoov = {
  mvhd?: Buffer;
  edts?: Buffer;
  stsd?: Buffer;
  stts?: Buffer;
  ctts?: Buffer;
  stss?: Buffer;
  sizes?: Buffer;
  stsc?: Buffer;
  chunks?: Buffer;
  matrix?: readonly number[];
  /** Boxes to insert before mvhd and between other boxes. */
  padding?: Buffer;
};

const UPRIGHT = [0x10000, 0, 0, 0, 0x10000, 0, 0, 0, 0x40000000];
const SPS = Buffer.from('67640028acd9', 'hex');
const PPS = Buffer.from('68ebecb2', 'hex');

/** Returns 32-bit integers as bytes. */
export function words(...values: readonly number[]): Buffer {
  const bytes = Buffer.alloc(values.length * 4);
  for (const [index, value] of values.entries()) bytes.writeUInt32BE(value >>> 0, index * 4);
  return bytes;
}

export function testBox(type: string, ...parts: readonly Uint8Array[]): Buffer {
  const payload = Buffer.concat(parts);
  return Buffer.concat([words(payload.length + 8), Buffer.from(type, 'latin1'), payload]);
}

/** Creates the same box with a 64-bit size. */
export function wideBox(type: string, ...parts: readonly Uint8Array[]): Buffer {
  const payload = Buffer.concat(parts);
  return Buffer.concat([words(1), Buffer.from(type, 'latin1'), words(0, payload.length + 16), payload]);
}

/** A sample entry of `type` with parameter sets in avcC. */
export function sampleEntry(type = 'avc1', ...extra: readonly Buffer[]): Buffer {
  const fields = Buffer.alloc(78);
  fields.writeUInt16BE(1, 6);
  fields.writeUInt16BE(320, 24);
  fields.writeUInt16BE(180, 26);
  const set = (unit: Buffer) => Buffer.concat([Buffer.of(0, unit.length), unit]);
  const avcC = testBox('avcC', Buffer.of(1, 100, 0, 40, 0xff, 0xe1), set(SPS), Buffer.of(1), set(PPS));
  return testBox(type, fields, avcC, ...extra);
}

/**
 * Creates a moov with four samples of 100 bytes at 1000, 1100, 5000 and 5100 in two chunks, with 10 ticks each at
 * timescale 1000 (movie 100). All but the last two samples are shown in file order. The first is a sync sample.
 */
export function makeMoov(parts: TestMoov = {}): Buffer {
  const stbl = testBox(
    'stbl',
    parts.stsd ?? testBox('stsd', words(0, 1), sampleEntry()),
    parts.stts ?? testBox('stts', words(0, 1, 4, 10)),
    parts.ctts ?? testBox('ctts', words(0, 3, 2, 10, 1, 20, 1, 0)),
    parts.stss ?? testBox('stss', words(0, 1, 1)),
    parts.sizes ?? testBox('stsz', words(0, 0, 4, 100, 100, 100, 100)),
    parts.stsc ?? testBox('stsc', words(0, 1, 1, 2, 1)),
    parts.chunks ?? testBox('stco', words(0, 2, 1000, 5000)),
  );
  const dinf = testBox('dinf', testBox('dref', words(0, 1), testBox('url ', words(1))));
  const mdhd = testBox('mdhd', words(0, 0, 0, 1000, 40, 0));
  const hdlr = testBox('hdlr', words(0, 0), Buffer.from('vide'), words(0, 0, 0, 0));
  const mdia = testBox('mdia', mdhd, hdlr, testBox('minf', dinf, stbl));
  const tkhd = testBox(
    'tkhd',
    words(3, 0, 0, 7, 0, 40, 0, 0, 0, 0, ...(parts.matrix ?? UPRIGHT), 320 << 16, 180 << 16),
  );
  const padding = parts.padding ?? Buffer.alloc(0);
  const trak = testBox('trak', tkhd, padding, parts.edts ?? Buffer.alloc(0), mdia);
  const mvhd = parts.mvhd ?? testBox('mvhd', words(0, 0, 0, 100, 4), Buffer.alloc(80));
  return testBox('moov', padding, mvhd, padding, trak);
}
