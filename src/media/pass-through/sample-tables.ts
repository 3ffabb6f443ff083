import { getU64, tableOf, versionOf, viewOf } from '../bmff/box-tables.ts';
import { type Box, findBox, requireBox } from '../bmff/boxes.ts';
import { BrokenMedia } from '../bmff/broken-media.ts';
import { Mp4Fault } from './mp4-fault.ts';

/** Expanded sample tables of one track, in decoding order. Times are in ticks of the track's timescale. */
export type SampleTables = {
  sizesBytes: Uint32Array;
  /** File offset of each sample. */
  offsets: Float64Array;
  /** Presentation times before any edit: decoding time plus composition offset. */
  mediaTicks: Float64Array;
  /** Ascending numbers of the file's sync samples, from 0. */
  syncSamples: Uint32Array;
  /** Duration of the last sample in `stts`. It may be 0 or implausible. */
  lastDurationTicks: number;
};

/** Maximum number of samples of a track: 92 hours at 60 fps. */
export const MAX_SAMPLES = 20_000_000;

// Minimum bytes of a sample: a length field of one byte and a NAL header. The file size limits the sum of sizes, so
// this also limits the memory that a forged constant size can cause to be allocated.
const MIN_SAMPLE_BYTES = 2;
const MAX_DELTA_TICKS = 2 ** 31;
const MAX_MEDIA_TICKS = 2 ** 52;

/**
 * Expands stsz/stz2, stts, ctts (versions 0 and 1, both read as signed because writers confuse them), stss, stsc and
 * stco/co64 of a sample table box (ISO 14496-12 sections 8.6 and 8.7). Throws Mp4Fault if a count does not fit its box,
 * the tables disagree on the number of samples, or a sample is outside `fileBytes`.
 */
export function expandSampleTables(stbl: Box, fileBytes: number): SampleTables {
  const sizesBytes = expandSizes(stbl, fileBytes);
  const offsets = expandOffsets(stbl, sizesBytes, fileBytes);
  const { mediaTicks, lastDurationTicks } = expandTimes(requireBox(stbl, 'stts'), sizesBytes.length);
  const ctts = findBox(stbl, 'ctts');
  if (ctts !== null) addCompositionOffsets(ctts, mediaTicks);
  const syncSamples = expandSyncSamples(findBox(stbl, 'stss'), sizesBytes.length);
  return { sizesBytes, offsets, mediaTicks, syncSamples, lastDurationTicks };
}

function expandSizes(stbl: Box, fileBytes: number): Uint32Array {
  const stsz = findBox(stbl, 'stsz');
  const sizesBytes = stsz === null ? expandCompactSizes(requireBox(stbl, 'stz2')) : expandPlainSizes(stsz, fileBytes);
  let sum = 0;
  for (const size of sizesBytes) {
    if (size < MIN_SAMPLE_BYTES)
      throw new BrokenMedia(`Expected samples of at least ${MIN_SAMPLE_BYTES} bytes, got one of ${size}.`);
    sum += size;
  }
  if (sum > fileBytes) {
    throw new Mp4Fault(
      'truncated',
      `Expected samples of at most ${fileBytes} bytes in total, the size of the file, got ${sum}.`,
    );
  }
  return sizesBytes;
}

function expandPlainSizes(stsz: Box, fileBytes: number): Uint32Array {
  const head = viewOf(stsz, 4, 8);
  const constantBytes = head.getUint32(0);
  const count = checkedCount(head.getUint32(4));
  if (constantBytes !== 0) {
    if (constantBytes < MIN_SAMPLE_BYTES || constantBytes * count > fileBytes) {
      throw new BrokenMedia(
        `Expected samples that fit a file of ${fileBytes} bytes, got ${count} samples of ${constantBytes} bytes.`,
      );
    }
    return new Uint32Array(count).fill(constantBytes);
  }
  const { rows } = tableOf(stsz, 4, 8);
  const sizesBytes = new Uint32Array(count);
  for (let sample = 0; sample < count; sample += 1) sizesBytes[sample] = rows.getUint32(sample * 4);
  return sizesBytes;
}

function expandCompactSizes(stz2: Box): Uint32Array {
  const head = viewOf(stz2, 4, 8);
  const bits = head.getUint8(3);
  const count = checkedCount(head.getUint32(4));
  if (bits !== 4 && bits !== 8 && bits !== 16) {
    throw new BrokenMedia(`Expected sizes of 4, 8 or 16 bits in stz2, got ${bits}.`);
  }
  const rows = viewOf(stz2, 12, Math.ceil((count * bits) / 8));
  const sizesBytes = new Uint32Array(count);
  for (let sample = 0; sample < count; sample += 1) {
    if (bits === 16) sizesBytes[sample] = rows.getUint16(sample * 2);
    else if (bits === 8) sizesBytes[sample] = rows.getUint8(sample);
    else sizesBytes[sample] = (rows.getUint8(sample >> 1) >> (sample % 2 === 0 ? 4 : 0)) & 15;
  }
  return sizesBytes;
}

function checkedCount(count: number): number {
  if (count === 0) throw new BrokenMedia('The H.264 track has no samples.');
  if (count > MAX_SAMPLES)
    throw new Mp4Fault('too-many-samples', `Expected at most ${MAX_SAMPLES} samples, got ${count}.`);
  return count;
}

function expandOffsets(stbl: Box, sizesBytes: Uint32Array, fileBytes: number): Float64Array {
  const wide = findBox(stbl, 'co64');
  const chunks = tableOf(wide ?? requireBox(stbl, 'stco'), wide === null ? 4 : 8);
  const runs = tableOf(requireBox(stbl, 'stsc'), 12);
  const offsets = new Float64Array(sizesBytes.length);
  let sample = 0;
  for (let run = 0; run < runs.count; run += 1) {
    const firstChunk = runs.rows.getUint32(run * 12) - 1;
    const nextChunk = run + 1 < runs.count ? runs.rows.getUint32(run * 12 + 12) - 1 : chunks.count;
    const perChunk = runs.rows.getUint32(run * 12 + 4);
    if ((run === 0 && firstChunk !== 0) || nextChunk <= firstChunk || nextChunk > chunks.count) {
      throw new BrokenMedia(
        `Expected ascending chunks up to ${chunks.count} in stsc, got ${firstChunk} to ${nextChunk} in row ${run}.`,
      );
    }
    if (perChunk * (nextChunk - firstChunk) > sizesBytes.length - sample) {
      throw new BrokenMedia(`Expected ${sizesBytes.length} samples in stsc, as in stsz, got more.`);
    }
    for (let chunk = firstChunk; chunk < nextChunk; chunk += 1) {
      let offset = wide === null ? chunks.rows.getUint32(chunk * 4) : getU64(chunks.rows, chunk * 8);
      const endSample = sample + perChunk;
      for (; sample < endSample; sample += 1) {
        offsets[sample] = offset;
        offset += sizesBytes[sample] ?? 0;
      }
      if (offset > fileBytes) {
        throw new Mp4Fault(
          'truncated',
          `Expected chunk ${chunk} within a file of ${fileBytes} bytes, got an end at byte ${offset}.`,
        );
      }
    }
  }
  if (sample !== sizesBytes.length) {
    throw new BrokenMedia(`Expected ${sizesBytes.length} samples in stsc, as in stsz, got ${sample}.`);
  }
  return offsets;
}

function expandTimes(stts: Box, count: number): { mediaTicks: Float64Array; lastDurationTicks: number } {
  const runs = tableOf(stts, 8);
  const mediaTicks = new Float64Array(count);
  let sample = 0;
  let tick = 0;
  let delta = 0;
  for (let run = 0; run < runs.count; run += 1) {
    const length = runs.rows.getUint32(run * 8);
    if (length === 0) continue;
    if (length > count - sample) throw new BrokenMedia(`Expected ${count} samples in stts, as in stsz, got more.`);
    delta = runs.rows.getUint32(run * 8 + 4);
    if (delta >= MAX_DELTA_TICKS || tick + length * delta > MAX_MEDIA_TICKS) {
      throw new BrokenMedia(
        `Expected decode times below 2^53 ticks, got ${length} samples of ${delta} ticks in row ${run} of stts.`,
      );
    }
    for (const end = sample + length; sample < end; sample += 1) {
      mediaTicks[sample] = tick;
      tick += delta;
    }
  }
  if (sample !== count) throw new BrokenMedia(`Expected ${count} samples in stts, as in stsz, got ${sample}.`);
  return { mediaTicks, lastDurationTicks: delta };
}

function addCompositionOffsets(ctts: Box, mediaTicks: Float64Array): void {
  if (versionOf(ctts) > 1) throw new BrokenMedia(`Expected ctts version 0 or 1, got ${versionOf(ctts)}.`);
  const runs = tableOf(ctts, 8);
  let sample = 0;
  for (let run = 0; run < runs.count; run += 1) {
    const length = runs.rows.getUint32(run * 8);
    if (length > mediaTicks.length - sample) {
      throw new BrokenMedia(`Expected ${mediaTicks.length} samples in ctts, as in stsz, got more.`);
    }
    const offset = runs.rows.getInt32(run * 8 + 4);
    for (const end = sample + length; sample < end; sample += 1)
      mediaTicks[sample] = (mediaTicks[sample] ?? 0) + offset;
  }
  if (sample !== mediaTicks.length) {
    throw new BrokenMedia(`Expected ${mediaTicks.length} samples in ctts, as in stsz, got ${sample}.`);
  }
}

function expandSyncSamples(stss: Box | null, count: number): Uint32Array {
  // Without the table, every sample is a sync sample.
  if (stss === null) return new Uint32Array(count).map((_, sample) => sample);
  const table = tableOf(stss, 4);
  if (table.count > count) throw new BrokenMedia(`Expected at most ${count} sync samples in stss, got ${table.count}.`);
  const syncSamples = new Uint32Array(table.count);
  let before = -1;
  for (let row = 0; row < table.count; row += 1) {
    const sample = table.rows.getUint32(row * 4) - 1;
    if (sample <= before || sample >= count) {
      throw new BrokenMedia(
        `Expected ascending samples up to ${count} in stss, got ${sample + 1} after ${before + 1} in row ${row}.`,
      );
    }
    syncSamples[row] = sample;
    before = sample;
  }
  return syncSamples;
}
