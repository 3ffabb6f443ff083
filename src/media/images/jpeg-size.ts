/** Stored size of a JPEG, before any rotation. */
export type JpegSize = { widthPx: number; heightPx: number };

const START_OF_SCAN = 0xda;

/**
 * Reads the size from the frame header of a JPEG (ITU-T T.81 annex B.2.2) without decoding it. Returns null if the
 * bytes are not a JPEG.
 */
export function readJpegSize(bytes: Buffer): JpegSize | null {
  if (bytes.length < 4 || bytes.readUInt16BE(0) !== 0xffd8) return null;
  for (let at = 2; at + 4 <= bytes.length; ) {
    if (bytes[at] !== 0xff) return null;
    const marker = bytes[at + 1] ?? 0;
    const length = bytes.readUInt16BE(at + 2);
    const body = bytes.subarray(at + 4, at + 2 + length);
    if (marker === START_OF_SCAN || length < 2) return null;
    if (isFrameHeader(marker) && body.length >= 5) {
      return { heightPx: body.readUInt16BE(1), widthPx: body.readUInt16BE(3) };
    }
    at += 2 + length;
  }
  return null;
}

/** Whether a marker is one of SOF0 to SOF15. The markers DHT, JPG and DAC in that range are not. */
function isFrameHeader(marker: number): boolean {
  return marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker);
}
