import { writeU32 } from '../../bmff/boxes.ts';
import { type InitFacts, readInitSegment, writeInitSegment } from '../../cmaf/init-segment.ts';
import type { TrackConfig } from '../tracks/access-unit.ts';

/** Language "und", packed as in mdhd. */
const UNDETERMINED = 0x55c4;
const MATRIX = writeU32(0x10000, 0, 0, 0, 0x10000, 0, 0, 0, 0x40000000);

/** Returns the init segment of a track and its properties. */
export function buildLiveInit(config: TrackConfig): { init: Buffer; facts: InitFacts } {
  const size = writeU32(config.widthPx * 0x10000, config.heightPx * 0x10000);
  const init = writeInitSegment({
    timescale: config.timescale,
    handler: config.kind,
    language: UNDETERMINED,
    geometry: Buffer.concat([MATRIX, size]),
    sampleEntry: config.sampleEntry,
    delayTicks: 0,
  });
  return { init, facts: readInitSegment(init) };
}

/** Returns the name of a codec in this project, from its sample entry. */
export function codecNameOf({ sampleEntry }: TrackConfig): string {
  const type = sampleEntry.toString('latin1', 4, 8);
  return { avc1: 'h264', hvc1: 'hevc', av01: 'av1', mp4a: 'aac' }[type] ?? type;
}
