import { BrokenMedia } from '../../bmff/broken-media.ts';
import { configurationOf } from '../../bmff/sample-entry.ts';
import type { LiveEvent, TrackConfig } from '../tracks/access-unit.ts';
import { type FlvTag, readFlvTag } from './flv-tag.ts';

/** Offset of lengthSizeMinusOne in a decoder configuration record (ISO 14496-15 sections 5.3.3.1 and 8.3.3.1). */
const LENGTH_SIZE_AT: Readonly<Record<string, number>> = { avc1: 4, hvc1: 21 };

/**
 * Reads the tags of one publisher, and checks the NAL units of its frames. Chromium ends playback at an empty NAL unit,
 * and at one that is longer than its frame.
 */
export class FlvTagReader {
  /** Bytes of the length of a NAL unit. Null for AV1, and before the decoder configuration. */
  #lengthBytes: number | null = null;

  /** Reads one tag like `readFlvTag`. Throws BrokenMedia for a frame whose NAL units are damaged. */
  read(tag: FlvTag, frameRate: number): LiveEvent | null {
    const event = readFlvTag(tag, frameRate);
    if (event === null) return null;
    if (event.type === 'config') {
      if (event.config.kind === 'video') this.#lengthBytes = lengthBytesOf(event.config);
      return event;
    }
    const { unit } = event;
    if (unit.kind === 'audio' || this.#lengthBytes === null) return event;
    const bytes = withoutEmptyUnits(unit.bytes, this.#lengthBytes);
    if (bytes === unit.bytes) return event;
    return bytes.length === 0 ? null : { type: 'unit', unit: { ...unit, bytes } };
  }
}

function lengthBytesOf({ sampleEntry }: TrackConfig): number | null {
  const at = LENGTH_SIZE_AT[sampleEntry.toString('latin1', 4, 8)];
  return at === undefined ? null : ((configurationOf(sampleEntry)[at] ?? 3) & 3) + 1;
}

/** Returns the NAL units of a frame without empty ones and without trailing bytes, or the frame itself. */
function withoutEmptyUnits(frame: Buffer, lengthBytes: number): Buffer {
  const units: Buffer[] = [];
  let at = 0;
  let isClean = true;
  while (at + lengthBytes <= frame.length) {
    const length = frame.readUIntBE(at, lengthBytes);
    const end = at + lengthBytes + length;
    if (end > frame.length) {
      const expected = `Expected NAL units with a length of ${lengthBytes} bytes each`;
      throw new BrokenMedia(`${expected}, got a length of ${length} within ${frame.length - at} bytes.`);
    }
    if (length > 0) units.push(frame.subarray(at, end));
    else isClean = false;
    at = end;
  }
  return isClean && at === frame.length ? frame : Buffer.concat(units);
}
