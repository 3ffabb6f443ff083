import type { ChunkIndex } from '../cmaf/idx.ts';
import { TRACK_ID } from '../cmaf/init-segment.ts';
import { writeFragmentHead } from '../cmaf/write-fragment.ts';

/**
 * A sync sample of a chunk, shown until the next one. Times are in ticks of the rendition's timescale. `startByte` to
 * `endByte`, both inclusive, are the sample's bytes in the chunk object. `sample` is its index there.
 */
export type IFrame = {
  startTick: number;
  durationTicks: number;
  startByte: number;
  endByte: number;
  sample: number;
};

const MAX_SEQUENCE = 0xffffffff;
/** All headers with a presentation delay have the same length: one sample, with everything but its offset in tfhd. */
const HEAD_BYTES = writeIFrameHead({ startTick: 0, durationTicks: 1, startByte: 0, endByte: 0, sample: 0 }, 1).length;

/**
 * Lists the I-frames of a chunk in order of time. The last one is shown until the end of the chunk, because the next
 * chunk begins with an I-frame. Omits a sync sample with the same time as the previous one.
 */
export function listIFrames(index: ChunkIndex): IFrame[] {
  const frames = locateSyncs(index).sort((left, right) => left.startTick - right.startTick);
  const endTick = index.startTick + index.durationTicks;
  return frames
    .map((frame, number) => ({ ...frame, durationTicks: (frames[number + 1]?.startTick ?? endTick) - frame.startTick }))
    .filter((frame) => frame.durationTicks > 0);
}

/** Returns the I-frame that starts exactly at a tick, as in its URL, or null if there is none. */
export function findIFrame(index: ChunkIndex, startTick: number): IFrame | null {
  return listIFrames(index).find((frame) => frame.startTick === startTick) ?? null;
}

/**
 * Writes the moof and mdat header of an I-frame segment (RFC 8216 section 4.3.3.6): one sample, decoded when it is
 * shown. The bytes of the frame follow the header, and the rendition's own init segment precedes it. A byte range of
 * the stored fragment is not suitable, because its moof declares more samples. `delayTicks` is the presentation delay
 * of that init segment (`InitFacts`).
 */
export function writeIFrameHead(frame: IFrame, delayTicks: number): Buffer {
  const sample = {
    durationTicks: frame.durationTicks,
    sizeBytes: frame.endByte - frame.startByte + 1,
    compositionOffsetTicks: delayTicks,
    isSync: true,
  };
  // Any number that increases with time is a valid sequence number.
  const sequence = (frame.startTick % MAX_SEQUENCE) + 1;
  return writeFragmentHead({ sequence, baseTick: frame.startTick, trackId: TRACK_ID, samples: [sample] });
}

/** Returns the size of an I-frame segment, header and frame. Without a presentation delay, it has 4 bytes less. */
export function iFrameSizeBytes(frame: IFrame): number {
  return HEAD_BYTES + frame.endByte - frame.startByte + 1;
}

function locateSyncs(index: ChunkIndex): Omit<IFrame, 'durationTicks'>[] {
  const frames: Omit<IFrame, 'durationTicks'>[] = [];
  let tick = index.startTick;
  let byte = 0;
  let sample = 0;
  for (const { samples, prefixBytes } of index.fragments) {
    byte += prefixBytes;
    for (const end = sample + samples; sample < end; sample += 1) {
      const sizeBytes = index.sampleSizesBytes[sample] ?? 0;
      if (index.syncs[sample] === 1 && sizeBytes > 0) {
        const startTick = tick + (index.compositionOffsetsTicks[sample] ?? 0);
        frames.push({ startTick, startByte: byte, endByte: byte + sizeBytes - 1, sample });
      }
      byte += sizeBytes;
      tick += index.sampleDurationsTicks[sample] ?? 0;
    }
  }
  return frames;
}
