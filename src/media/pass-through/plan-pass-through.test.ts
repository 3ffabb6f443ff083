import { readFile, writeFile } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  encodeClip,
  makeClipFolder,
  openSource,
  probeFacts,
  REAL_CLIP,
  runFfmpeg,
} from '../../../test/support/media/run-test-clips.ts';
import { tryPassThrough } from '../../../test/support/media/run-test-pass-through.ts';
import type { CutHead } from './cut-head.ts';
import { cutSamples } from './cuts.ts';
import { type Mp4Index, parseMp4Index } from './mp4-index.ts';
import { planPassThrough } from './plan-pass-through.ts';

const PICTURE = 'testsrc2=s=320x180:r=24:d=10';
const SHORT = 'testsrc2=s=320x180:r=24:d=1';

let folder: Awaited<ReturnType<typeof makeClipFolder>>;
let closed: string;

beforeAll(async () => {
  folder = await makeClipFolder();
  closed = await encodeClip(
    PICTURE,
    ['-bf', '3', '-g', '240', '-force_key_frames', '0,2.5,3,6,9.5'],
    folder.path('closed.mp4'),
  );
});

afterAll(async () => {
  await folder.remove();
});

async function copyClip(name: string, before: readonly string[], after: readonly string[]): Promise<string> {
  await runFfmpeg(...before, '-i', closed, ...after, '-c:v', 'copy', folder.path(name));
  return folder.path(name);
}

describe('a source that passes through', () => {
  test('is cut at keyframes at least 2 s apart, without a last segment under 1 s', async () => {
    const { answer } = await tryPassThrough(closed);
    expect(answer).toMatchObject({
      kind: 'accepted',
      plan: {
        cutList: { timescale: 12288, startTicks: [0, 30720, 73728], endTicks: 122880, grid: { kind: 'source' } },
        codecString: expect.stringMatching(/^avc1\.4d40[0-9a-f]{2}$/),
        widthPx: 320,
        heightPx: 180,
        holdTicks: 0,
      },
    });
  });

  test('has the same plan with moov first, moov last and as MOV', async () => {
    const { answer } = await tryPassThrough(closed);
    const first = await tryPassThrough(await copyClip('first.mp4', [], ['-movflags', '+faststart']));
    const mov = await tryPassThrough(await copyClip('quicktime.mov', [], []));
    expect(first.answer).toEqual(answer);
    expect(mov.answer).toEqual(answer);
    expect(first.index.offsets[0]).not.toBe(mov.index.offsets[0]);
  });

  test('has the exact bytes and rates of the real clip', async () => {
    const { answer } = await tryPassThrough(REAL_CLIP);
    if (answer.kind === 'refused') throw new Error(`Expected the clip to have a plan, got ${answer.message}`);
    // The first two keyframes are more than 10 s apart.
    expect(answer).toMatchObject({ kind: 'temporary', reasons: ['long-gap'] });
    const { cutList, segments, averageBps, peakSegmentBps, codecString } = answer.plan;
    expect(cutList.startTicks.map((tick) => (tick / cutList.timescale).toFixed(3))).toEqual([
      '0.000',
      '10.417',
      '15.750',
      '23.042',
    ]);
    expect(cutList.endTicks / cutList.timescale).toBe(30);
    expect(segments.map((segment) => segment.endSample - segment.firstSample)).toEqual([250, 128, 175, 167]);
    expect(segments.reduce((sum, segment) => sum + segment.durationTicks, 0)).toBe(cutList.endTicks);
    expect({ averageBps, peakSegmentBps, codecString }).toEqual({
      averageBps: 5_863_445,
      peakSegmentBps: 9_733_009,
      codecString: 'avc1.640028',
    });
  });
});

describe('an unusual source that passes through', () => {
  test('extends its first frame if the video starts late', async () => {
    const late = folder.path('late.mp4');
    await runFfmpeg(
      '-f',
      'lavfi',
      '-i',
      'sine=d=10',
      '-itsoffset',
      '0.5',
      '-i',
      closed,
      '-map',
      '0:a',
      '-map',
      '1:v',
      '-c:v',
      'copy',
      late,
    );
    const { answer } = await tryPassThrough(late);
    expect(answer).toMatchObject({
      kind: 'accepted',
      plan: { holdTicks: 6144, cutList: { startTicks: [0, 36864, 79872], endTicks: 129024 } },
    });
  });

  test('may have only keyframes', async () => {
    const { answer } = await tryPassThrough(await encodeClip(PICTURE, ['-g', '1'], folder.path('intra.mp4')));
    expect(answer).toMatchObject({
      kind: 'accepted',
      plan: { cutList: { startTicks: [0, 24576, 49152, 73728, 98304], endTicks: 122880 } },
    });
  });

  test('keeps 24000/1001 fps in exact ticks', async () => {
    const film = 'testsrc2=s=320x180:r=24000/1001:d=8';
    const { answer } = await tryPassThrough(await encodeClip(film, ['-bf', '3', '-g', '60'], folder.path('film.mp4')));
    expect(answer).toMatchObject({
      kind: 'accepted',
      plan: { cutList: { timescale: 24000, startTicks: [0, 60060, 120120], endTicks: 192192 } },
    });
  });
});

describe('a source passes through temporarily', () => {
  test('if keyframes are more than 6 s apart, but not at exactly 6 s', async () => {
    const encode = (frames: string) =>
      encodeClip('testsrc2=s=320x180:r=24:d=8', ['-g', frames], folder.path(`${frames}.mp4`));
    expect((await tryPassThrough(await encode('144'))).answer).toMatchObject({ kind: 'accepted' });
    expect((await tryPassThrough(await encode('145'))).answer).toMatchObject({
      kind: 'temporary',
      reasons: ['long-gap'],
      plan: { cutList: { startTicks: [0, 74240] } },
    });
  });

  test('if its average bitrate is above 1.5 times the cap of the rung', async () => {
    const { answer: plain } = await tryPassThrough(closed);
    const averageBps = 'plan' in plain ? plain.plan.averageBps : 0;
    expect(await tryPassThrough(closed, averageBps / 1.49)).toMatchObject({ answer: { kind: 'accepted' } });
    const { answer } = await tryPassThrough(closed, averageBps / 1.51);
    expect(answer).toMatchObject({ kind: 'temporary', reasons: ['bitrate'] });
  });

  test('if the edit list shortens its first frame', async () => {
    const bytes = await readFile(closed);
    const mediaTimeAt = bytes.indexOf('elst') + 16;
    bytes.writeUInt32BE(bytes.readUInt32BE(mediaTimeAt) + 200, mediaTimeAt);
    await writeFile(folder.path('clipped.mp4'), bytes);
    const { answer } = await tryPassThrough(folder.path('clipped.mp4'));
    expect(answer).toMatchObject({
      kind: 'temporary',
      reasons: ['trimmed-picture'],
      plan: { cutList: { startTicks: [0, 30520, 73528] } },
    });
  });
});

describe('a source is refused', () => {
  test('if it has open GOPs, which only the NAL types show', async () => {
    const open = ['-bf', '3', '-x264-params', 'open-gop=1:scenecut=0:keyint=48:min-keyint=48'];
    const { answer } = await tryPassThrough(await encodeClip(PICTURE, open, folder.path('open.mp4')));
    expect(answer).toMatchObject({ kind: 'refused', reason: 'open-gop', message: '4 of 5 cuts are not IDR pictures.' });
  });

  test('if its edit list starts within a GOP', async () => {
    const { answer } = await tryPassThrough(await copyClip('edit.mp4', ['-ss', '7.3'], []));
    expect(answer).toMatchObject({ kind: 'refused', reason: 'edit-inside-gop' });
  });

  test('if it is rotated', async () => {
    const { answer } = await tryPassThrough(await copyClip('turned.mp4', [], ['-metadata:s:v', 'rotate=90']));
    expect(answer).toMatchObject({ kind: 'refused', reason: 'rotation' });
  });

  test.each([
    { reason: 'bit-depth', args: ['-pix_fmt', 'yuv420p10le'] },
    { reason: 'chroma', args: ['-pix_fmt', 'yuv444p'] },
    { reason: 'pixel-aspect', args: ['-vf', 'setsar=4/3'] },
    { reason: 'interlaced', args: ['-flags', '+ilme+ildct', '-x264-params', 'tff=1'] },
  ])('because of its $reason', async ({ reason, args }) => {
    const { answer } = await tryPassThrough(await encodeClip(SHORT, args, folder.path(`${reason}.mp4`)));
    expect(answer).toMatchObject({ kind: 'refused', reason });
  });

  test('from the index alone if the source is HEVC or fragmented', async () => {
    const hevc = await encodeClip(
      SHORT,
      ['-c:v', 'libx265', '-x265-params', 'log-level=error'],
      folder.path('hevc.mp4'),
    );
    await expect(tryPassThrough(hevc)).rejects.toThrow('no-h264-track');
    const pieces = await copyClip('pieces.mp4', [], ['-movflags', 'frag_keyframe+empty_moov']);
    await expect(tryPassThrough(pieces)).rejects.toThrow('fragmented');
  });
});

test('a flipped bit in the moov of a real file never makes reading or planning throw', async () => {
  const file = await openSource(closed);
  const bytes = await file.readRange(0, file.sizeBytes);
  await file.close();
  const moovAt = bytes.lastIndexOf('moov') - 4;
  const moovBytes = bytes.readUInt32BE(moovAt);
  const facts = await probeFacts(closed);
  const kinds = new Set<string>();
  for (let bit = 64; bit < moovBytes * 8; bit += 7) {
    const broken = Buffer.from(bytes.subarray(moovAt, moovAt + moovBytes));
    broken.writeUInt8(broken.readUInt8(bit >> 3) ^ (1 << (bit & 7)), bit >> 3);
    const answer = parseMp4Index(broken, bytes.length);
    kinds.add(answer.kind === 'refused' ? answer.reason : planKind(answer.index));
  }
  expect(kinds).toContain('corrupt');
  expect(kinds).toContain('accepted');

  function planKind(index: Mp4Index): string {
    const heads = cutSamples(index).map(
      (sample): CutHead => ({ sample, picture: 'idr', hasOtherParameterSets: false }),
    );
    return planPassThrough(index, facts, heads, 5_000_000).kind;
  }
});
