import { childBoxes, readBoxes, writeBox, writeU16, writeU32 } from './boxes.ts';

/** Bytes of the fields of a visual sample entry before its first inner box (ISO 14496-12 section 12.1.3). */
export const VISUAL_FIELDS_BYTES = 78;

/**
 * Creates a visual sample entry (ISO 14496-12 section 12.1.3) that contains `boxes`, with the codec configuration
 * first.
 */
export function visualEntry(
  type: string,
  { widthPx, heightPx }: { widthPx: number; heightPx: number },
  ...boxes: readonly Buffer[]
): Buffer {
  const compressorName = Buffer.alloc(32);
  return writeBox(
    type,
    Buffer.alloc(6),
    writeU16(1),
    Buffer.alloc(16),
    writeU16(widthPx, heightPx),
    writeU32(0x480000, 0x480000, 0),
    writeU16(1),
    compressorName,
    writeU16(24, 0xffff),
    ...boxes,
  );
}

/**
 * Returns the payload of the first box in a visual sample entry, its codec configuration. Returns an empty buffer if
 * there is none.
 */
export function configurationOf(visual: Buffer): Buffer {
  const [entry] = readBoxes(visual);
  const [box] = entry === undefined ? [] : childBoxes(entry, VISUAL_FIELDS_BYTES);
  return box === undefined ? Buffer.alloc(0) : visual.subarray(box.payloadStart, box.end);
}
