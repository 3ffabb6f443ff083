import { writeFile } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  encodeClip,
  makeClipFolder,
  packetHash,
  REAL_CLIP,
  readPackets,
  readPictureHashes,
  runFfmpeg,
} from '../../../test/support/media/run-test-clips.ts';
import { planOf, writeAll } from '../../../test/support/media/run-test-pass-through.ts';
import type { Mp4Index } from './mp4-index.ts';
import type { PassThroughPlan } from './plan-pass-through.ts';
import { buildSegment, type PassThroughSegment, passThroughSegments } from './write-segment.ts';

/** Number of frames in 13 s of the real clip, which contain two cuts. */
const REAL_PICTURES = 312;

let folder: Awaited<ReturnType<typeof makeClipFolder>>;
const clips: Record<string, string> = {};

beforeAll(async () => {
  folder = await makeClipFolder();
  const keys = ['-bf', '3', '-g', '240', '-force_key_frames', '0,2.5,3,6'];
  const picture = (rate: string) => `testsrc2=s=320x180:r=${rate}:d=8`;
  clips.closed = await encodeClip(picture('24'), keys, folder.path('closed.mp4'));
  clips.film = await encodeClip(picture('24000/1001'), keys, folder.path('film.mp4'));
  const uneven = ['-vf', "select='not(eq(mod(n,5),3))'", '-fps_mode', 'vfr'];
  clips.uneven = await encodeClip(picture('24'), [...uneven, ...keys], folder.path('uneven.mp4'));
  clips.mov = await encodeClip(picture('30'), keys, folder.path('quicktime.mov'));
  clips.late = folder.path('late.mp4');
  const sound = [
    '-f',
    'lavfi',
    '-i',
    'sine=d=8',
    '-itsoffset',
    '0.5',
    '-i',
    clips.closed,
    '-map',
    '0:a',
    '-map',
    '1:v',
  ];
  await runFfmpeg(...sound, '-c:v', 'copy', clips.late);
});

afterAll(async () => {
  await folder.remove();
});

function clip(name: string): string {
  const path = name === 'real' ? REAL_CLIP : clips[name];
  if (path === undefined) throw new Error(`Expected a clip named ${name}.`);
  return path;
}

function allSegments({ index, plan }: { index: Mp4Index; plan: PassThroughPlan }): PassThroughSegment[] {
  return [...passThroughSegments(index, plan, 0, plan.segments.length)];
}

/** Returns the presentation time of each sample, in file order, computed like a player does. */
function shownTicks(segment: PassThroughSegment): number[] {
  let tick = segment.baseTick;
  return segment.samples.map((sample) => {
    const shown = tick + sample.compositionOffsetTicks;
    tick += sample.durationTicks;
    return shown;
  });
}

describe.each(['real', 'closed', 'film', 'uneven', 'mov', 'late'])('clip %s', (name) => {
  test('has every frame at its time in the source', async () => {
    const planned = await planOf(clip(name));
    const packets = await readPackets(clip(name));
    const expected = packets.map((packet) => packet.pts);
    expected[0] = 0;
    const segments = allSegments(planned);
    expect(segments.flatMap(shownTicks)).toEqual(expected);
    expect(segments.flatMap((segment) => segment.samples.map((sample) => String(sample.sizeBytes)))).toEqual(
      packets.map((packet) => packet.size),
    );
    expect(segments.flatMap((segment) => segment.samples.map((sample) => sample.isSync))).toEqual(
      packets.map((packet) => packet.flags.startsWith('K')),
    );
  });

  test('begins each segment at its cut with a keyframe shown at tfdt and ends it at the next cut', async () => {
    const { index, plan } = await planOf(clip(name));
    const { startTicks, endTicks } = plan.cutList;
    for (const [number, segment] of allSegments({ index, plan }).entries()) {
      expect(segment.baseTick).toBe(startTicks[number]);
      expect(segment.samples[0]).toMatchObject({ isSync: true, compositionOffsetTicks: 0 });
      expect(segment.durationTicks).toBe((startTicks[number + 1] ?? endTicks) - segment.baseTick);
      expect(segment.samples.reduce((sum, sample) => sum + sample.durationTicks, 0)).toBe(segment.durationTicks);
      expect(segment.samples.every((sample) => sample.durationTicks > 0)).toBe(true);
    }
  });

  test('decodes to exactly the frames of the source without warnings, whole and segment by segment', async () => {
    // For the 1080p clip, compare only the first three cuts and their joins, to save time.
    const pictures = name === 'real' ? REAL_PICTURES : 1000;
    const source = await readPictureHashes(clip(name), pictures);
    const { init, segments } = await writeAll(clip(name));
    const decode = async (parts: readonly Buffer[], atMost?: number) => {
      await writeFile(folder.path('part.mp4'), Buffer.concat([init, ...parts]));
      return await readPictureHashes(folder.path('part.mp4'), atMost);
    };
    expect(await decode(segments, pictures)).toEqual({ hashes: source.hashes, warnings: '' });
    // The keyframe and the frames that refer to it.
    const atMost = name === 'real' ? 24 : 1000;
    const ranges = (await planOf(clip(name))).plan.segments;
    for (const [number, segment] of segments.entries()) {
      const { firstSample = 0, endSample = 0 } = ranges[number] ?? {};
      if (firstSample + Math.min(atMost, endSample - firstSample) > pictures) continue;
      const hashes = source.hashes.slice(firstSample, Math.min(endSample, firstSample + atMost));
      expect(await decode([segment], atMost)).toEqual({ hashes, warnings: '' });
      expect((await readPackets(folder.path('part.mp4')))[0]?.flags).toMatch(/^K/);
    }
    expect(source.hashes.length).toBeGreaterThan(100);
  });
});

test('the real clip has 720 frames in 30 s', async () => {
  const segments = allSegments(await planOf(REAL_CLIP));
  expect(segments.flatMap((segment) => segment.samples).length).toBe(720);
  expect(segments.reduce((sum, segment) => sum + segment.durationTicks, 0) / 12288).toBe(30);
});

test('the first frame of late video is shown from 0 until the second frame', async () => {
  const segment = allSegments(await planOf(clip('late')))[0];
  expect(segment?.baseTick).toBe(0);
  expect(segment?.samples[0]?.durationTicks).toBe(6144 + 512);
});

test('segments have their planned sizes and consistent entries and runs', async () => {
  const { index, plan } = await planOf(clip('closed'));
  const written = (await writeAll(clip('closed'))).segments;
  for (const [number, segment] of allSegments({ index, plan }).entries()) {
    expect(written[number]?.length).toBe(plan.segments[number]?.sizeBytes);
    const [entry] = segment.fragmentEntries;
    const runs = segment.fragments.flatMap((fragment) => fragment.runs);
    expect(entry).toMatchObject({ startsSegment: true, samples: segment.samples.length });
    expect(runs.reduce((sum, run) => sum + run.length, 0)).toBe(entry?.payloadBytes);
    expect(entry?.prefixBytes).toBe(segment.fragments[0]?.prefix.length);
  }
});

test('adjacent samples in the source form one run, and interleaved samples form several', async () => {
  const runsOf = async (name: string) => {
    const { index, plan } = await planOf(clip(name));
    return buildSegment(index, plan, 0).fragments.flatMap((fragment) => fragment.runs).length;
  };
  expect(await runsOf('closed')).toBe(1);
  expect(await runsOf('late')).toBeGreaterThan(1);
});

test('the payload is the source bytes of each sample', async () => {
  const packets = await readPackets(clip('late'));
  const { index, plan } = await planOf(clip('late'));
  const { segments } = await writeAll(clip('late'));
  const hashes: string[] = [];
  for (const [number, bytes] of segments.entries()) {
    let at = buildSegment(index, plan, number).fragmentEntries[0]?.prefixBytes ?? 0;
    for (const sample of buildSegment(index, plan, number).samples) {
      hashes.push(packetHash(bytes.subarray(at, at + sample.sizeBytes)));
      at += sample.sizeBytes;
    }
  }
  expect(hashes).toEqual(packets.map((packet) => packet.data_hash));
});

test('a segment of more than 32,000 samples becomes several consecutive fragments', async () => {
  const dense = folder.path('dense.mp4');
  const source = 'color=s=32x32:r=12000:d=3';
  await encodeClip(source, ['-g', '36000', '-video_track_timescale', '12000'], dense);
  const { index, plan } = await planOf(dense);
  const segments = allSegments({ index, plan });
  expect(segments.map((segment) => segment.fragmentEntries.map((entry) => entry.samples))).toEqual([[32_000, 4000]]);
  expect(segments[0]?.fragmentEntries.map((entry) => entry.startsSegment)).toEqual([true, false]);
  const { init, segments: written } = await writeAll(dense);
  expect(written[0]?.length).toBe(plan.segments[0]?.sizeBytes);
  await writeFile(folder.path('part.mp4'), Buffer.concat([init, ...written]));
  const packets = await readPackets(folder.path('part.mp4'));
  expect(packets.map((packet) => packet.pts)).toEqual(Array.from({ length: 36_000 }, (_, index) => index));
});

test('throws for a segment outside the plan', async () => {
  const { index, plan } = await planOf(clip('closed'));
  expect(() => buildSegment(index, plan, 3)).toThrow('Expected a segment below 3, got 3.');
});
