import { writeBox, writeU16, writeU32 } from '../bmff/boxes.ts';
import type { HdrMetadata } from '../probe/hdr-metadata.ts';

/**
 * Writes the HDR brightness boxes of a visual sample entry: `mdcv` (ISO 14496-12 section 12.1.8) and `clli` (section
 * 12.1.6). Returns no boxes without metadata.
 */
export function writeHdrBoxes(metadata: HdrMetadata | undefined): Buffer[] {
  const boxes: Buffer[] = [];
  if (metadata?.mastering) {
    const { red, green, blue, white, maxLuminance, minLuminance } = metadata.mastering;
    // Green, blue, red is the order of SMPTE ST 2086.
    const points = writeU16(...green, ...blue, ...red, ...white);
    boxes.push(writeBox('mdcv', points, writeU32(maxLuminance, minLuminance)));
  }
  if (metadata?.light) boxes.push(writeBox('clli', writeU16(metadata.light.maxContent, metadata.light.maxAverage)));
  return boxes;
}
