/** What is read of a JPEG (ITU-T T.81) without decoding it. Sizes are as stored, before any turning. */
export type JpegFacts = { widthPx: number; heightPx: number; orientation: number };

const START_OF_SCAN = 0xda;
const EXIF = 'Exif\0\0';
const ORIENTATION_TAG = 0x0112;

/** Reads size and EXIF orientation (1 to 8, 1 when absent) from the segments before the picture data; null for no JPEG. */
export function readJpeg(bytes: Buffer): JpegFacts | null {
  if (bytes.length < 4 || bytes.readUInt16BE(0) !== 0xffd8) return null;
  let orientation = 1;
  for (let at = 2; at + 4 <= bytes.length; ) {
    if (bytes[at] !== 0xff) return null;
    const marker = bytes[at + 1] ?? 0;
    // Fill bytes may stand before a marker.
    if (marker === 0xff) {
      at += 1;
      continue;
    }
    const length = bytes.readUInt16BE(at + 2);
    const body = bytes.subarray(at + 4, at + 2 + length);
    if (marker === START_OF_SCAN || length < 2) return null;
    if (marker === 0xe1) orientation = readOrientation(body) ?? orientation;
    if (isFrameHeader(marker) && body.length >= 5) {
      return { heightPx: body.readUInt16BE(1), widthPx: body.readUInt16BE(3), orientation };
    }
    at += 2 + length;
  }
  return null;
}

/** SOF0 to SOF15, without the tables (DHT, JPG, DAC) that share their range. */
function isFrameHeader(marker: number): boolean {
  return marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker);
}

/** The orientation in the first directory of an EXIF block (a TIFF file); null when there is none. */
function readOrientation(body: Buffer): number | null {
  if (body.toString('latin1', 0, 6) !== EXIF || body.length < 20) return null;
  const tiff = body.subarray(6);
  const isLittle = tiff.toString('latin1', 0, 2) === 'II';
  const word = (at: number) => (isLittle ? tiff.readUInt16LE(at) : tiff.readUInt16BE(at));
  const directory = isLittle ? tiff.readUInt32LE(4) : tiff.readUInt32BE(4);
  if (directory + 2 > tiff.length) return null;
  const entries = word(directory);
  for (let entry = 0; entry < entries; entry += 1) {
    const at = directory + 2 + 12 * entry;
    if (at + 12 > tiff.length) return null;
    if (word(at) !== ORIENTATION_TAG) continue;
    const orientation = word(at + 8);
    return orientation >= 1 && orientation <= 8 ? orientation : null;
  }
  return null;
}
