import type { ChunkIndex } from '../cmaf/idx.ts';
import { TRACK_ID } from '../cmaf/init-segment.ts';
import { writeFragmentHead } from '../cmaf/write-fragment.ts';

/**
 * One sync sample of a chunk, shown until the next one. Ticks of the rendition's timescale; `startByte` to
 * `endByte`, both included, are the sample's own bytes in the chunk object; `sample` is its number there.
 */
export type IFrame = {
  startTick: number;
  durationTicks: number;
  startByte: number;
  endByte: number;
  sample: number;
};

const MAX_SEQUENCE = 0xffffffff;
/** All heads with a presentation delay are equally long: one sample, all but its offset in tfhd. */
const HEAD_BYTES = writeIFrameHead({ startTick: 0, durationTicks: 1, startByte: 0, endByte: 0, sample: 0 }, 1).length;

/**
 * Lists the pictures of a chunk that stand alone, in order of time. The last one is shown to the end of the
 * chunk: the next chunk opens with another. A sync sample shown at the same time as the one before is left out.
 */
export function listIFrames(index: ChunkIndex): IFrame[] {
  const frames = locateSyncs(index).sort((left, right) => left.startTick - right.startTick);
  const endTick = index.startTick + index.durationTicks;
  return frames
    .map((frame, number) => ({ ...frame, durationTicks: (frames[number + 1]?.startTick ?? endTick) - frame.startTick }))
    .filter((frame) => frame.durationTicks > 0);
}

/** Finds the picture that starts exactly at a tick, as its address names it; null when none does. */
export function findIFrame(index: ChunkIndex, startTick: number): IFrame | null {
  return listIFrames(index).find((frame) => frame.startTick === startTick) ?? null;
}

/**
 * Makes the moof and mdat header of an I-frame segment (RFC 8216 section 4.3.3.6): one sample, decoded when it
 * is shown. The picture's bytes follow it, and the rendition's own init segment opens it. It takes the place of a
 * byte range of the stored fragment, whose moof promises more samples than would follow. `delayTicks` is the
 * presentation delay of that init segment (`InitFacts`).
 */
export function writeIFrameHead(frame: IFrame, delayTicks: number): Buffer {
  const sample = {
    durationTicks: frame.durationTicks,
    sizeBytes: frame.endByte - frame.startByte + 1,
    compositionOffsetTicks: delayTicks,
    isSync: true,
  };
  // Any number that rises with time serves as a sequence.
  const sequence = (frame.startTick % MAX_SEQUENCE) + 1;
  return writeFragmentHead({ sequence, baseTick: frame.startTick, trackId: TRACK_ID, samples: [sample] });
}

/** Bytes of an I-frame segment, head and picture; without a presentation delay it has 4 less. */
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
