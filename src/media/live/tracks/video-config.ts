import { writeBox } from '../../bmff/boxes.ts';
import { BrokenMedia } from '../../bmff/broken-media.ts';
import { visualEntry } from '../../bmff/sample-entry.ts';
import { type TrackConfig, VIDEO_TIMESCALE } from './access-unit.ts';
import { readAv1Size } from './av1-size.ts';
import { normalizeAvcRecord } from './avc-record.ts';
import { readAvcSize } from './avc-size.ts';
import { readHevcSize } from './hevc-size.ts';

/** Maximum bytes of a decoder configuration. */
export const MAX_DESCRIPTION = 16_384;

/** Returns the H.264 configuration of an AVCDecoderConfigurationRecord (ISO 14496-15 section 5.3.3). */
export function avcConfig(record: Buffer, frameRate: number): TrackConfig {
  const size = readAvcSize(checked(record, 7));
  return videoConfig(normalizeAvcRecord(record), { entry: 'avc1', box: 'avcC', frameRate, size });
}

/** Returns the HEVC configuration of an HEVCDecoderConfigurationRecord (ISO 14496-15 section 8.3.3). */
export function hevcConfig(record: Buffer, frameRate: number): TrackConfig {
  return videoConfig(checked(record, 23), { entry: 'hvc1', box: 'hvcC', frameRate, size: readHevcSize(record) });
}

/** Returns the AV1 configuration of an AV1CodecConfigurationRecord (AV1 in ISOBMFF section 2.3). */
export function av1Config(record: Buffer, frameRate: number): TrackConfig {
  return videoConfig(checked(record, 4), { entry: 'av01', box: 'av1C', frameRate, size: readAv1Size(record) });
}

type Described = { entry: string; box: string; frameRate: number; size: { widthPx: number; heightPx: number } };

function videoConfig(record: Buffer, { entry, box, frameRate, size }: Described): TrackConfig {
  const description = writeBox(box, record);
  return {
    kind: 'video',
    timescale: VIDEO_TIMESCALE,
    sampleEntry: visualEntry(entry, size, description),
    ...size,
    frameRate,
    frameTicks: 0,
    silence: null,
  };
}

function checked(record: Buffer, leastBytes: number): Buffer {
  if (record.length >= leastBytes && record.length <= MAX_DESCRIPTION) return record;
  throw new BrokenMedia(
    `Expected a decoder configuration of ${leastBytes} to ${MAX_DESCRIPTION} bytes, got ${record.length}.`,
  );
}
