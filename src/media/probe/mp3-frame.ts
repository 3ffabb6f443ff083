/** Bytes of a frame header (ISO 11172-3 section 2.4.1.3). */
export const FRAME_HEAD_BYTES = 4;
/**
 * Number of consecutive frames required to accept the first one as a frame. In other data, even two in succession are
 * rare.
 */
const RUN = 4;
/** Maximum bytes of a frame: layer II at 384 kbit/s and 32 kHz, with a padding byte. */
const MAX_FRAME_BYTES = 1729;
/** Bytes needed to decide whether audio begins at a position. */
export const RUN_BYTES = RUN * MAX_FRAME_BYTES;

/**
 * Bit rates in kbit/s by index, for MPEG-1 layers I, II and III, then for MPEG-2 and 2.5 layer I, and layers II and
 * III.
 */
const BITRATES: Readonly<Record<'1-1' | '1-2' | '1-3' | '2-1' | '2-2' | '2-3', readonly number[]>> = {
  '1-1': [0, 32, 64, 96, 128, 160, 192, 224, 256, 288, 320, 352, 384, 416, 448],
  '1-2': [0, 32, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320, 384],
  '1-3': [0, 32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320],
  '2-1': [0, 32, 48, 56, 64, 80, 96, 112, 128, 144, 160, 176, 192, 224, 256],
  '2-2': [0, 8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160],
  '2-3': [0, 8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160],
};
const SAMPLE_RATES_HZ = [44_100, 48_000, 32_000];
/** Bits that all frames of a stream share: sync word, version, layer and sample rate. */
const COMMON_BITS = 0xfffe0c00;

/**
 * Finds the start of the MPEG audio (MP3) frames: the first position followed by four consecutive frames of one stream.
 * Returns null if no such run ends within `bytes`.
 */
export function findFirstFrame(bytes: Buffer, from = 0): number | null {
  for (let at = bytes.indexOf(0xff, from); at >= 0; at = bytes.indexOf(0xff, at + 1)) {
    if (beginsRun(bytes, at)) return at;
  }
  return null;
}

/** Returns the size of the ID3v2 tag (including its footer) at the start of `head`, or 0 if there is none. */
export function id3Bytes(head: Buffer): number {
  if (head.length < 10 || head.toString('latin1', 0, 3) !== 'ID3') return 0;
  const size = head.subarray(6, 10).reduce((value, byte) => value * 128 + (byte & 0x7f), 0);
  const hasFooter = ((head[5] ?? 0) & 0x10) !== 0;
  return 10 + size + (hasFooter ? 10 : 0);
}

function beginsRun(bytes: Buffer, at: number): boolean {
  let [next, first] = [at, -1];
  for (let frame = 0; frame < RUN; frame += 1) {
    if (next + FRAME_HEAD_BYTES > bytes.length) return false;
    const head = bytes.readUInt32BE(next);
    const length = frameBytes(head);
    if (length === null || (frame > 0 && ((head ^ first) & COMMON_BITS) !== 0)) return false;
    if (frame === 0) first = head;
    next += length;
  }
  return true;
}

/** Returns the length of a frame from its header, or null if the header is invalid or has the free format. */
function frameBytes(head: number): number | null {
  const [version, layerBits] = [(head >>> 19) & 3, (head >>> 17) & 3];
  const [bitrateIndex, rateIndex, padding] = [(head >>> 12) & 15, (head >>> 10) & 3, (head >>> 9) & 1];
  if (head >>> 21 !== 0x7ff || version === 1 || layerBits === 0) return null;
  const layer = (4 - layerBits) as 1 | 2 | 3;
  const kbps = BITRATES[`${version === 3 ? 1 : 2}-${layer}`][bitrateIndex] ?? 0;
  const fullHz = SAMPLE_RATES_HZ[rateIndex];
  if (kbps === 0 || fullHz === undefined) return null;
  const hz = version === 3 ? fullHz : version === 2 ? fullHz / 2 : fullHz / 4;
  if (layer === 1) return (Math.floor((12_000 * kbps) / hz) + padding) * 4;
  const samples = layer === 3 && version !== 3 ? 72_000 : 144_000;
  return Math.floor((samples * kbps) / hz) + padding;
}
