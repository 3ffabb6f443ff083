import { writeBox, writeFullBox, writeU16, writeU32 } from '../../bmff/boxes.ts';
import { configurationOf } from '../../bmff/sample-entry.ts';

/** Whether a sample entry is H.264, the only video codec whose samples can be encrypted. */
export function isH264Entry(sampleEntry: Buffer): boolean {
  return /^avc[13]$/.test(sampleEntry.toString('latin1', 4, 8));
}

const DEEP_AVC_PROFILES: readonly number[] = [110, 122, 244];

/**
 * Whether the video has more than 8 bits per sample, as HDR does. Reads avcC and hvcC (ISO 14496-15 sections 5.3.3.1
 * and 8.3.3.1), or av1C (AV1 in ISO BMFF, section 2.3).
 */
export function hasDeepPictures(sampleEntry: Buffer): boolean {
  const record = configurationOf(sampleEntry);
  switch (sampleEntry.toString('latin1', 4, 8)) {
    case 'hvc1':
      return ((record[17] ?? 0) & 7) > 0;
    case 'av01':
      return ((record[2] ?? 0) & 0x40) > 0;
    default:
      return DEEP_AVC_PROFILES.includes(record[1] ?? 0);
  }
}

/** Creates an audio sample entry (ISO 14496-12 section 12.2.3). */
export function audioEntry(type: string, channels: number, sampleRateHz: number, ...boxes: readonly Buffer[]): Buffer {
  // The field is 16.16 fixed point. If the rate does not fit, write 0. Readers then use the timescale.
  const rate = sampleRateHz > 0xffff ? 0 : sampleRateHz * 0x10000;
  return writeBox(
    type,
    Buffer.alloc(6),
    writeU16(1),
    Buffer.alloc(8),
    writeU16(channels, 16),
    writeU32(0, rate),
    ...boxes,
  );
}

/** Creates the `esds` box of AAC (ISO 14496-1 section 7.2.6) with an AudioSpecificConfig. */
export function aacDescriptor(audioSpecificConfig: Buffer): Buffer {
  const specific = descriptor(0x05, audioSpecificConfig);
  const decoder = descriptor(0x04, Buffer.from([0x40, 0x15, 0, 0, 0]), writeU32(0, 0), specific);
  const stream = descriptor(0x03, writeU16(0), Buffer.from([0]), decoder, descriptor(0x06, Buffer.from([0x02])));
  return writeFullBox('esds', 0, 0, stream);
}

function descriptor(tag: number, ...parts: readonly Uint8Array[]): Buffer {
  const body = Buffer.concat(parts);
  if (body.length > 0x7f) throw new Error(`Expected a descriptor of at most 127 bytes, got ${body.length}.`);
  return Buffer.concat([Buffer.from([tag, body.length]), body]);
}
