import { BrokenMedia } from '../../bmff/broken-media.ts';
import { type AvcConfiguration, type ParameterSets, readParameterSet } from './h264-parameter-sets.ts';
import { measureSliceHeader } from './slice-header.ts';
import { createSubsampleList, type Subsample, type SubsampleRules } from './subsample.ts';

/** Divides the samples of one fragment, in decode order. */
export type SampleDivider = (sample: Buffer) => Subsample[];

const NAL_SLICE = 1;
const NAL_IDR = 5;
const NAL_SPS = 7;
const NAL_PPS = 8;
/** NAL types of data partitions and of scalable, multiview and 3D slices, which plain H.264 players ignore. */
const FOREIGN_SLICES = new Set([2, 3, 4, 20, 21]);
/** Maximum bytes of a NAL header, as in a multiview slice. */
const FOREIGN_HEADER_BYTES = 4;
/** Bytes left clear if a slice header cannot be parsed. Except in very unusual streams, slice headers are shorter. */
const UNREAD_HEADER_BYTES = 64;

/**
 * Opens a divider of H.264 samples. The NAL length, NAL header and slice header of each slice stay clear, and so do all
 * NAL units that are not slices (ISO 23001-7 section 9.5.2, ISO 23000-19 section 8). Parameter sets within the fragment
 * apply to the slices after them. If a slice header cannot be parsed, the first 64 bytes of the slice stay clear.
 * Throws BrokenMedia for a damaged sample.
 */
export function openH264Divider({ nalLengthBytes, sets }: AvcConfiguration, rules: SubsampleRules): SampleDivider {
  const known: ParameterSets = { sequences: new Map(sets.sequences), pictures: new Map(sets.pictures) };
  return (sample) => {
    const list = createSubsampleList(rules);
    let at = 0;
    while (at < sample.length) {
      const start = at + nalLengthBytes;
      const end = start > sample.length ? start : start + sample.readUIntBE(at, nalLengthBytes);
      if (end > sample.length) {
        throw new BrokenMedia(`Expected a NAL unit within a sample of ${sample.length} bytes, got one up to ${end}.`);
      }
      const clearBytes = measureClear(sample.subarray(start, end), known);
      list.add(nalLengthBytes + clearBytes, end - start - clearBytes);
      at = end;
    }
    return list.end();
  };
}

function measureClear(nal: Buffer, known: ParameterSets): number {
  const type = (nal[0] ?? 0) & 0x1f;
  if (type === NAL_SLICE || type === NAL_IDR) return measureSlice(nal, known);
  if (FOREIGN_SLICES.has(type)) return Math.min(nal.length, FOREIGN_HEADER_BYTES);
  if (type === NAL_SPS || type === NAL_PPS) readParameterSet(nal, known);
  return nal.length;
}

/**
 * Returns the clear bytes of a slice. A frame damaged in the source is passed on unchanged, because one bad slice must
 * not make a segment fail.
 */
function measureSlice(nal: Buffer, known: ParameterSets): number {
  try {
    return measureSliceHeader(nal, known);
  } catch (error) {
    if (!(error instanceof BrokenMedia)) throw error;
    return Math.min(nal.length, UNREAD_HEADER_BYTES);
  }
}
