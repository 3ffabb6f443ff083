import { type CutHead, parseCutHead } from './cut-head.ts';
import { headSamples } from './cuts.ts';
import type { Mp4Index } from './mp4-index.ts';
import { type RangeSource, readExactly } from './read-mp4-index.ts';

const READS_AT_ONCE = 16;
// Size of the first read, which suffices for parameter sets and a typical SEI. `LONG_HEAD_BYTES` limits the bytes that
// are read from unusual files.
const SHORT_HEAD_BYTES = 2048;
const LONG_HEAD_BYTES = 64 * 1024;

/**
 * Reads the beginning of every sample at which a segment could begin (`headSamples`) and returns its frame type, in
 * order. Reads at most 64 KiB per sample, mostly 2 KiB, with at most 16 concurrent reads. Stops at the first failed
 * read or an abort, and rethrows the error.
 */
export async function readCutHeads(index: Mp4Index, source: RangeSource, signal: AbortSignal): Promise<CutHead[]> {
  const samples = headSamples(index);
  const heads: CutHead[] = [];
  let next = 0;
  let failed = false;
  const task = async (): Promise<void> => {
    while (!failed && next < samples.length) {
      signal.throwIfAborted();
      const slot = next++;
      heads[slot] = await readCutHead(index, source, samples[slot] ?? 0);
    }
  };
  const workers = Array.from({ length: Math.min(READS_AT_ONCE, samples.length) }, () =>
    task().catch((error: unknown) => {
      failed = true;
      throw error;
    }),
  );
  // Wait for all workers, so that no read continues after this function has thrown.
  const ends = await Promise.allSettled(workers);
  const fault = ends.find((end) => end.status === 'rejected');
  if (fault !== undefined) throw fault.reason;
  return heads;
}

async function readCutHead(index: Mp4Index, source: RangeSource, number: number): Promise<CutHead> {
  const sizeBytes = index.sizesBytes[number] ?? 0;
  const offset = index.offsets[number] ?? 0;
  const look = async (length: number): Promise<CutHead> => {
    const head = await readExactly(source.readRange, offset, Math.min(length, sizeBytes));
    return parseCutHead(head, { number, sizeBytes }, index.description);
  };
  const short = await look(SHORT_HEAD_BYTES);
  const isEnough = short.picture !== 'unknown' && !short.hasOtherParameterSets;
  return isEnough || sizeBytes <= SHORT_HEAD_BYTES ? short : await look(LONG_HEAD_BYTES);
}
