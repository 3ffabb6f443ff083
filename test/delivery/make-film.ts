import { createAacSegmenter } from '../../src/media/cmaf/aac.ts';
import { buildChunk, type Chunk } from '../../src/media/cmaf/chunk.ts';
import { normaliseInit, readInitSegment } from '../../src/media/cmaf/init-segment.ts';
import type { Segment } from '../../src/media/cmaf/segment.ts';
import { createVideoSegmenter, type Segmenter } from '../../src/media/cmaf/segmenter.ts';
import type { CutList } from '../../src/media/timeline/cut-list.ts';
import { encode, FRAGMENTED, splitStream } from '../support/media/read-test-media.ts';

/** One rendition's init segment and chunks, as an encode would publish them. */
export type FilmTrack = {
  kind: 'video' | 'audio';
  init: Buffer;
  codecString: string;
  timescale: number;
  widthPx: number | null;
  heightPx: number | null;
  chunks: Chunk[];
};

export type Film = { cutList: CutList; videos: FilmTrack[]; audio: FilmTrack; frames: number };

const RATE = { num: 24_000, den: 1001 };
const SEGMENT_FRAMES = 96;
const SEGMENTS_PER_CHUNK = 2;

/**
 * Encodes a real film of `frames` frames at 24000/1001 in the given heights, with audio, cut on one grid. With
 * `ratesBps`, each height has about that constant bit rate.
 */
export async function makeFilm(
  frames: number,
  heightsPx: readonly number[],
  ratesBps: readonly number[] = [],
): Promise<Film> {
  const cutList = frameGrid(frames);
  const videos = await Promise.all(
    heightsPx.map((heightPx, index) => makeVideo(cutList, frames, { heightPx, rateBps: ratesBps[index] ?? null })),
  );
  const audio = await makeAudio((frames * RATE.den) / RATE.num);
  return { cutList, videos, audio, frames };
}

function frameGrid(frames: number): CutList {
  const count = Math.ceil(frames / SEGMENT_FRAMES);
  return {
    timescale: RATE.num,
    startTicks: Array.from({ length: count }, (_, index) => index * SEGMENT_FRAMES * RATE.den),
    endTicks: frames * RATE.den,
    grid: { kind: 'frames', rate: RATE, segmentFrames: SEGMENT_FRAMES, totalFrames: frames },
  };
}

async function makeVideo(
  cutList: CutList,
  frames: number,
  { heightPx, rateBps }: { heightPx: number; rateBps: number | null },
): Promise<FilmTrack> {
  // Adds noise, so that the encode reaches its bitrate.
  const noise = rateBps === null ? '' : ',noise=alls=40:allf=t';
  const source = `testsrc2=s=${(heightPx * 16) / 9}x${heightPx}:r=${RATE.num}/${RATE.den}${noise}`;
  const constant =
    rateBps === null ? [] : ['-b:v', '-minrate', '-maxrate', '-bufsize'].flatMap((name) => [name, `${rateBps}`]);
  const codec = ['-c:v', 'libx264', '-preset', 'ultrafast', '-bf', '2', '-g', '48', '-keyint_min', '48'];
  const rate = ['-sc_threshold', '0', '-threads', '1', '-video_track_timescale', `${RATE.num}`, '-pix_fmt', 'yuv420p'];
  const input = ['-f', 'lavfi', '-i', source, '-frames:v', `${frames}`];
  return cutStream(await encode([...input, ...codec, ...constant, ...rate, ...FRAGMENTED]), () =>
    createVideoSegmenter({ cutList, firstSegment: 0 }),
  );
}

async function makeAudio(durationSec: number): Promise<FilmTrack> {
  const input = ['-f', 'lavfi', '-i', `sine=440:r=48000:d=${durationSec}`, '-ac', '2', '-c:a', 'aac', '-b:a', '128k'];
  const output = ['-f', 'mp4', '-movflags', 'empty_moov+default_base_moof', '-frag_duration', '2000000'];
  return cutStream(await encode([...input, ...output]), () =>
    createAacSegmenter({ sampleRateHz: 48_000, firstSegment: 0, primingFrames: 1 }),
  );
}

function cutStream(bytes: Buffer, start: () => Segmenter): FilmTrack {
  const { init, fragments } = splitStream(bytes);
  const segmenter = start();
  const segments = [...fragments.flatMap((fragment) => segmenter.push(fragment)), ...segmenter.end()];
  const facts = readInitSegment(init);
  return {
    kind: facts.handler,
    init: normaliseInit(init),
    codecString: facts.codecString,
    timescale: facts.timescale,
    widthPx: facts.widthPx,
    heightPx: facts.heightPx,
    chunks: inChunks(segments),
  };
}

function inChunks(segments: readonly Segment[]): Chunk[] {
  const chunks: Chunk[] = [];
  for (let first = 0; first < segments.length; first += SEGMENTS_PER_CHUNK) {
    chunks.push(buildChunk(segments.slice(first, first + SEGMENTS_PER_CHUNK), first));
  }
  return chunks;
}
