import { mkdtemp, open, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { runTool } from '../../../test/support/media/read-test-media.ts';
import {
  decodeHashes,
  fragmentedFile,
  makeAudio,
  makeVideo,
  readVirtual,
  type TestRendition,
} from '../../../test/support/media/run-test-renditions.ts';
import { planVirtualMp4, type VirtualMp4Plan } from './plan-virtual-mp4.ts';

const CLIP_SEC = 10;
const REPEATS = 3600;
const FOUR_GIB = 2 ** 32;
const neverAborted = new AbortController().signal;
const rate = { num: 24, den: 1 };

let folder: string;
let video: TestRendition;
let audio: TestRendition;
let plan: VirtualMp4Plan;

/** Repeats the same chunks with later times. */
function repeat<Part extends { startTick: number }>(parts: readonly Part[], clipTicks: number): Part[] {
  return Array.from({ length: REPEATS }, (_, round) =>
    parts.map((part) => ({ ...part, startTick: part.startTick + round * clipTicks })),
  ).flat();
}

function longTrack({ init, chunks, facts }: TestRendition) {
  const clipTicks = facts.reduce((sum, it) => sum + it.durationTicks, 0);
  const keys = chunks.map((chunk) => chunk.storageKey);
  const indexes = repeat(
    chunks.map((chunk) => chunk.index),
    clipTicks,
  );
  const stored = indexes.flatMap((index, number) => {
    const storageKey = keys[number % keys.length];
    return storageKey === undefined ? [] : [{ storageKey, index }];
  });
  return { init, language: null, chunks: stored };
}

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'long-movie-'));
  const pictures = ['-f', 'lavfi', '-i', `testsrc2=s=320x180:r=24:d=${CLIP_SEC}`];
  [video, audio] = await Promise.all([
    makeVideo({ input: pictures, rate, frames: CLIP_SEC * 24, filter: 'noise=alls=40:allf=t' }),
    makeAudio(['-f', 'lavfi', '-i', `sine=d=${CLIP_SEC}`]),
  ]);
  plan = await planVirtualMp4({ video: longTrack(video), audio: longTrack(audio) }, neverAborted);
});

afterAll(() => rm(folder, { recursive: true }));

/**
 * Writes a sparse file with the header and the media of the given extent ranges. Each pair is the first extent
 * (inclusive) and the end (exclusive).
 */
async function writeSparse(path: string, ranges: readonly (readonly [number, number])[]): Promise<void> {
  const objects = new Map([...video.objects, ...audio.objects]);
  const file = await open(path, 'w');
  await file.truncate(plan.sizeBytes);
  await file.write(plan.head, 0, plan.head.length, 0);
  for (const [from, to] of ranges) {
    const start = plan.extents.offsets[from] ?? 0;
    const media = readVirtual(plan, objects, [start, (plan.extents.offsets[to] ?? plan.sizeBytes) - 1]);
    await file.write(media, 0, media.length, start);
  }
  await file.close();
}

describe('the virtual MP4 of ten hours', () => {
  test('ends with a box of 64-bit size', () => {
    expect(plan.sizeBytes).toBeGreaterThan(FOUR_GIB);
    expect(plan.head.subarray(-16).toString('latin1', 4, 8)).toBe('mdat');
    expect(plan.head.readBigUInt64BE(plan.head.length - 8)).toBe(BigInt(plan.sizeBytes - plan.head.length + 16));
  });

  test('shows the correct frame above 4 GiB without warnings', async () => {
    const { hashes } = await decodeHashes(await saved('clip.mp4', fragmentedFile(video)), 'v:0');
    const path = join(folder, 'sparse.mp4');
    const extents = plan.extents.offsets.length;
    const from = Math.floor(extents * 0.971);
    expect(plan.extents.offsets[from]).toBeGreaterThan(FOUR_GIB);
    // ffmpeg also reads the first frames before it seeks.
    await writeSparse(path, [
      [0, 20],
      [from, Math.floor(extents * 0.974)],
    ]);
    const seek = ['-nostdin', '-v', 'warning', '-ss', '35001.5', '-i', path, '-map', '0:v'];
    const { stdout, stderr } = await runTool('ffmpeg', [...seek, '-frames:v', '1', '-f', 'framemd5', '-']);
    expect(stderr).toBe('');
    expect(stdout.toString().trim().split(',').at(-1)?.trim()).toBe(hashes[36]);
  });
});

async function saved(name: string, bytes: Buffer): Promise<string> {
  const path = join(folder, name);
  const file = await open(path, 'w');
  await file.write(bytes, 0, bytes.length, 0);
  await file.close();
  return path;
}
