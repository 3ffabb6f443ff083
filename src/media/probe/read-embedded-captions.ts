import { open } from 'node:fs/promises';

/** Number of bytes at the start of a file that are searched: several seconds of most videos. */
const MAX_SEARCHED_BYTES = 8 * 1024 * 1024;
/** Identifier of ATSC captions in user data of MPEG-2, H.264 and HEVC, and the type of their data (ATSC A/53). */
const CAPTION_DATA = Buffer.from('GA94\x03', 'latin1');
const TRIPLET_BYTES = 3;
/** Byte after the last triplet (`marker_bits`). */
const END = 0xff;

/** Message for a file with captions in its video frames. */
export const EMBEDDED_CAPTIONS =
  'The video frames contain captions (CEA-608 or CEA-708) that players cannot show. Extract them, ' +
  'for example with CCExtractor, and add them as a SubRip or WebVTT file.';

/**
 * Returns a message if the first frames of a file contain captions. Many encoders write empty captions into every
 * frame, which do not count.
 */
export async function readEmbeddedCaptions(path: string): Promise<string[]> {
  const file = await open(path, 'r');
  try {
    const { size } = await file.stat();
    const buffer = Buffer.alloc(Math.min(size, MAX_SEARCHED_BYTES));
    const { bytesRead } = await file.read(buffer, 0, buffer.length, 0);
    return hasCaptions(buffer.subarray(0, bytesRead)) ? [EMBEDDED_CAPTIONS] : [];
  } finally {
    await file.close();
  }
}

function hasCaptions(bytes: Buffer): boolean {
  for (let at = bytes.indexOf(CAPTION_DATA); at !== -1; at = bytes.indexOf(CAPTION_DATA, at + 1)) {
    if (hasText(bytes.subarray(at + CAPTION_DATA.length))) return true;
  }
  return false;
}

/**
 * Returns whether caption data (CEA-708 section 4.3) contains more than padding. Headers of MPEG-TS packets may
 * interrupt the data of a frame, and would look like text. Such data is not well-formed, so it does not count.
 */
function hasText(data: Buffer): boolean {
  const [flags = 0] = data;
  const isProcessed = (flags & 0x40) !== 0;
  const start = 2;
  const end = start + (isProcessed ? flags & 0x1f : 0) * TRIPLET_BYTES;
  if (data[end] !== END) return false;
  let isText = false;
  for (let at = start; at < end; at += TRIPLET_BYTES) {
    const [head = 0, first = 0, second = 0] = data.subarray(at, at + TRIPLET_BYTES);
    if ((head & 0xf8) !== 0xf8) return false;
    const isValid = (head & 0x04) !== 0;
    // Bit 7 is the parity of CEA-608 characters.
    isText ||= isValid && ((first & 0x7f) !== 0 || (second & 0x7f) !== 0);
  }
  return isText;
}
