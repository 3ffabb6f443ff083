import { readInitSegment } from '../cmaf/init-segment.ts';
import { readTrackTemplate } from '../mp4/track-template.ts';
import type { Rational } from '../probe/source-facts.ts';

const WIDTH_AT = 36;
const HEIGHT_AT = 40;

/**
 * Returns the pixel aspect ratio from an init segment: the size in tkhd (16.16 fixed point, ISO 14496-12 section 8.3.2)
 * divided by the coded size. Returns 1:1 if either is unknown.
 */
export function readSampleAspect(init: Buffer): Rational {
  const { geometry } = readTrackTemplate(init, null);
  const { widthPx, heightPx } = readInitSegment(init);
  const shown = { width: geometry.readUInt32BE(WIDTH_AT), height: geometry.readUInt32BE(HEIGHT_AT) };
  const [num, den] = [shown.width * (heightPx ?? 0), shown.height * (widthPx ?? 0)];
  return num > 0 && den > 0 ? { num, den } : { num: 1, den: 1 };
}
