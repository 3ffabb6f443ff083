import { type Box, childBoxes, readBoxes, readFields, readVersion } from '../bmff/boxes.ts';
import { BrokenMedia } from '../bmff/broken-media.ts';

/**
 * One frame of a track. Times are in ticks of the track's timescale. The presentation time is the decode time plus the
 * offset.
 */
export type Sample = { durationTicks: number; sizeBytes: number; compositionOffsetTicks: number; isSync: boolean };

/** A movie fragment of one track. `payload` is a view of the samples' bytes from `payloadOffset` on. */
export type Fragment = {
  sequence: number;
  trackId: number;
  /** Decode time of the first sample (tfdt). */
  baseTick: number;
  samples: Sample[];
  payloadOffset: number;
  payload: Buffer;
};

/** Sample defaults for values that neither the run nor the fragment has (trex, ISO 14496-12 section 8.8.3). */
export type SampleDefaults = { durationTicks: number; sizeBytes: number; flags: number };

/** Maximum number of samples of a fragment. The fragment table stores the count in 16 bits. */
export const MAX_FRAGMENT_SAMPLES = 0xffff;

const NO_DEFAULTS: SampleDefaults = { durationTicks: 0, sizeBytes: 0, flags: 0 };
const NON_SYNC = 0x10000;

type RunState = { samples: Sample[]; payloadOffset: number; payloadBytes: number };
type TrackHead = { trackId: number; defaults: SampleDefaults };

/**
 * Reads one fragment: a moof and its mdat. Skips other boxes before or between them (ISO 14496-12 section 8.8). Throws
 * BrokenMedia for several tracks, an absolute data offset, runs that are not contiguous, samples outside the mdat and
 * more than 65535 samples.
 */
export function readFragment(bytes: Buffer, defaults: SampleDefaults = NO_DEFAULTS): Fragment {
  const boxes = readBoxes(bytes);
  const moof = only(boxes, 'moof', 'the fragment');
  const mdat = only(boxes, 'mdat', 'the fragment');
  const moofBoxes = childBoxes(moof);
  const trafBoxes = childBoxes(only(moofBoxes, 'traf', 'moof'));
  const { trackId, defaults: own } = readTrackHead(only(trafBoxes, 'tfhd', 'traf'), defaults);
  const run: RunState = { samples: [], payloadOffset: -1, payloadBytes: 0 };
  for (const trun of trafBoxes.filter((box) => box.type === 'trun')) readRun(trun, moof, own, run);
  const payloadOffset = run.payloadOffset === -1 ? mdat.payloadStart : run.payloadOffset;
  const payloadEnd = payloadOffset + run.payloadBytes;
  if (payloadOffset < mdat.payloadStart || payloadEnd > mdat.end) {
    throw new BrokenMedia(
      `Expected samples within bytes ${mdat.payloadStart} to ${mdat.end} (mdat), got ${payloadOffset} to ` +
        `${payloadEnd}.`,
    );
  }
  return {
    sequence: readSequence(only(moofBoxes, 'mfhd', 'moof')),
    trackId,
    baseTick: readBaseTick(only(trafBoxes, 'tfdt', 'traf')),
    samples: run.samples,
    payloadOffset,
    payload: bytes.subarray(payloadOffset, payloadEnd),
  };
}

function only(boxes: readonly Box[], type: string, parent: string): Box {
  const [found, second] = boxes.filter((box) => box.type === type);
  if (found !== undefined && second === undefined) return found;
  throw new BrokenMedia(`Expected exactly one ${type} in ${parent}, got ${found === undefined ? 'none' : 'several'}.`);
}

function readSequence(mfhd: Box): number {
  const fields = readFields(mfhd);
  readVersion(fields);
  return fields.u32();
}

function readBaseTick(tfdt: Box): number {
  const fields = readFields(tfdt);
  return readVersion(fields).version === 0 ? fields.u32() : fields.u64();
}

function readTrackHead(tfhd: Box, defaults: SampleDefaults): TrackHead {
  const fields = readFields(tfhd);
  const { flags } = readVersion(fields);
  const trackId = fields.u32();
  // A fragment is read without its file, so an offset from the start of the file is meaningless.
  if (flags & 0x01) throw new BrokenMedia('Expected offsets from the moof, got an absolute base data offset in tfhd.');
  if (flags & 0x02) fields.skip(4);
  return {
    trackId,
    defaults: {
      durationTicks: flags & 0x08 ? fields.u32() : defaults.durationTicks,
      sizeBytes: flags & 0x10 ? fields.u32() : defaults.sizeBytes,
      flags: flags & 0x20 ? fields.u32() : defaults.flags,
    },
  };
}

function readRun(trun: Box, moof: Box, defaults: SampleDefaults, run: RunState): void {
  const fields = readFields(trun);
  const { version, flags } = readVersion(fields);
  const count = fields.u32();
  if (count > MAX_FRAGMENT_SAMPLES - run.samples.length) {
    throw new BrokenMedia(`Expected at most ${MAX_FRAGMENT_SAMPLES} samples in a fragment, got ${count} in one run.`);
  }
  placeRun(run, flags & 0x01 ? moof.start + fields.i32() : null);
  const firstFlags = flags & 0x04 ? fields.u32() : null;
  for (let index = 0; index < count; index += 1) {
    const durationTicks = flags & 0x100 ? fields.u32() : defaults.durationTicks;
    const sizeBytes = flags & 0x200 ? fields.u32() : defaults.sizeBytes;
    const ownFlags = flags & 0x400 ? fields.u32() : defaults.flags;
    const compositionOffsetTicks = flags & 0x800 ? (version === 0 ? fields.u32() : fields.i32()) : 0;
    const sampleFlags = index === 0 && firstFlags !== null ? firstFlags : ownFlags;
    run.samples.push({ durationTicks, sizeBytes, compositionOffsetTicks, isSync: (sampleFlags & NON_SYNC) === 0 });
    run.payloadBytes += sizeBytes;
  }
}

/** A run without an offset continues at the end of the previous one. */
function placeRun(run: RunState, offset: number | null): void {
  if (run.payloadOffset === -1) {
    if (offset === null) throw new BrokenMedia('Expected a data offset in the first run of a fragment, got none.');
    run.payloadOffset = offset;
    return;
  }
  const expected = run.payloadOffset + run.payloadBytes;
  if (offset === null || offset === expected) return;
  throw new BrokenMedia(`Expected the next run's samples at byte ${expected}, got ${offset}.`);
}
