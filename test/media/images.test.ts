import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { MediaKey } from '../../src/catalog/db.ts';
import { createPublicationStore } from '../../src/catalog/publications/publication-store.ts';
import { writeMultivariant } from '../../src/media/hls/multivariant.ts';
import { chooseListedSet } from '../../src/media/presentation/listed-set.ts';
import { checkWhole } from '../jobs/check-video.ts';
import { addLibrary, loadMedia, makeClip, startWorkerFixture, type WorkerFixture } from '../jobs/worker-fixture.ts';
import { checkPlaylist } from '../support/rfc8216/check-playlist.ts';
import { GROUP_LIMIT_SEC, keyOf, requireFinished, type Source, uploadMany } from './many.ts';
import { brightness, fields, firstFile, renditionFiles } from './rendition-file.ts';

const run = promisify(execFile);
const H264 = ['-c:v', 'libx264', '-preset', 'ultrafast', '-pix_fmt', 'yuv420p'];
const FAST = ['-c:v', 'mpeg4', '-q:v', '4'];
const generated = (graph: string) => ['-f', 'lavfi', '-i', graph];

/**
 * The upper half is white before the rotation. `white` is a part that must be white after it. ffmpeg 5.1 writes its tag
 * `rotate` as a counter-clockwise rotation, by `turnDeg`, into the display matrix.
 */
const TURNS = [
  { turnDeg: 90, aspect: '1/1', size: [180, 320], white: 'iw/4:ih:0:0' },
  { turnDeg: 90, aspect: '4/3', size: [180, 427], white: 'iw/4:ih:0:0' },
  { turnDeg: 180, aspect: '4/3', size: [427, 180], white: 'iw:ih/4:0:ih*3/4' },
  { turnDeg: 270, aspect: '4/3', size: [180, 427], white: 'iw/4:ih:iw*3/4:0' },
];
const turnName = (turn: { turnDeg: number; aspect: string }) => `turned by ${turn.turnDeg}, ${turn.aspect}.mp4`;

const SIZES = [
  { name: '321x181.mkv', graph: 'testsrc=s=400x400:d=0.4,format=rgb24,crop=321:181:exact=1', made: '322x182' },
  { name: '1x1.mkv', graph: 'testsrc=s=400x400:d=0.4,format=rgb24,crop=1:1:exact=1', made: '2x2' },
  { name: '270x480.avi', graph: 'testsrc=s=270x480:d=1', made: '240x426' },
  { name: '574x240.avi', graph: 'testsrc=s=574x240:d=1', made: '574x240' },
  { name: '8192x4320.mkv', graph: 'color=s=8192x4320:r=5:d=0.4', made: '426x224' },
];

const FIELDS = 'tinterlace=interleave_top,setfield=tff';
const MPEG2 = ['-c:v', 'mpeg2video', '-q:v', '3', '-flags', '+ilme+ildct', '-top', '1'];
const INTERLACED = [
  {
    name: '720x576 interlaced.ts',
    argv: [...generated('testsrc2=s=720x576:r=50:d=0.6,scroll=horizontal=0.02'), '-vf', FIELDS, ...MPEG2],
  },
];

const RANGES = [
  { name: 'HDR10.mp4', transfer: 'smpte2084', range: 'PQ' },
  { name: 'HLG.mp4', transfer: 'arib-std-b67', range: 'HLG' },
];
const hdrArgv = (transfer: string) => [
  ...generated('gradients=s=320x180:r=25:d=0.4:c0=black:c1=white:x0=0:y0=0:x1=319:y1=179:nb_colors=2:speed=0.00001'),
  ...['-vf', 'format=yuv420p10le', '-c:v', 'libx265', '-preset', 'ultrafast', '-tag:v', 'hvc1', '-x265-params'],
  `log-level=none:colorprim=bt2020:transfer=${transfer}:colormatrix=bt2020nc:range=limited`,
];

let fixture: WorkerFixture;
let keys: Map<string, MediaKey>;
beforeAll(async () => {
  fixture = await startWorkerFixture();
  const plain = await addLibrary(fixture, { encoding: { rungs: [240] } });
  const wide = await addLibrary(fixture, { encoding: { rungs: [240], codecs: ['h264', 'hevc', 'vp9', 'av1'] } });
  const tall = await addLibrary(fixture, { encoding: { rungs: [480] } });
  await fixture.startWorker();
  keys = new Map([
    ...(await uploadMany(fixture, plain, await turnedSources())),
    ...(await uploadMany(fixture, plain, SIZES.map(sizedSource))),
    ...(await uploadMany(fixture, tall, INTERLACED)),
    ...(await uploadMany(
      fixture,
      wide,
      RANGES.map(({ name, transfer }) => ({ name, argv: hdrArgv(transfer) })),
    )),
  ]);
}, GROUP_LIMIT_SEC * 1000);
afterAll(() => fixture.stop());

function sizedSource({ name, graph }: (typeof SIZES)[number]): Source {
  return {
    name,
    argv: [...generated(graph), ...(name.endsWith('avi') ? FAST : name.startsWith('8192') ? H264 : ['-c:v', 'ffv1'])],
  };
}

async function turnedSources(): Promise<Source[]> {
  const sources: Source[] = [];
  for (const aspect of ['1/1', '4/3']) {
    const graph = `color=c=black:s=320x180:r=25:d=0.6,drawbox=c=white:t=fill:h=ih/2,setsar=${aspect}`;
    const flat = await makeClip(fixture, `flat-${aspect.replace('/', '-')}.mp4`, ...generated(graph), ...H264);
    for (const turn of TURNS.filter((one) => one.aspect === aspect)) {
      const argv = ['-i', flat, '-c', 'copy', '-metadata:s:v:0', `rotate=${turn.turnDeg}`];
      sources.push({ name: turnName(turn), argv });
    }
  }
  return sources;
}

async function made(name: string): Promise<{ key: MediaKey; file: string }> {
  const key = keyOf(keys, name);
  await requireFinished(fixture, key);
  await checkWhole(fixture, key);
  return { key, file: await firstFile(fixture, key, 'h264') };
}

test.each(TURNS)(
  'a video rotated by $turnDeg degrees with pixel aspect ratio $aspect is upright and has its displayed size',
  async (turn) => {
    const { key, file } = await made(turnName(turn));
    const [widthPx = 0, heightPx = 0] = turn.size;
    expect(await loadMedia(fixture, key)).toMatchObject({
      width_px: widthPx,
      height_px: heightPx,
      rotation_deg: 360 - turn.turnDeg,
    });
    const even = (px: number) => 2 * Math.round(px / 2);
    expect((await fields(file, 'width', 'height', 'sample_aspect_ratio')).join()).toBe(
      `${even(widthPx)},${even(heightPx)},1:1`,
    );
    const [inside] = await brightness(file, `crop=${turn.white}`);
    const [whole] = await brightness(file);
    expect(inside?.luma).toBeGreaterThan(220);
    expect(Math.abs((whole?.luma ?? 0) - 127)).toBeLessThan(20);
  },
);

test.each(SIZES)(
  '$name becomes $made: with even dimensions, within the source and the rung',
  async ({ name, made: size }) => {
    const { file } = await made(name);
    expect((await fields(file, 'width', 'height')).join('x')).toBe(size);
  },
);

test.each(INTERLACED)('$name becomes progressive frames without combing', async ({ name }) => {
  const { file } = await made(name);
  const { stderr } = await run('ffmpeg', ['-nostdin', '-hide_banner', '-i', file, '-vf', 'idet', '-f', 'null', '-']);
  const seen = /Multi frame detection: TFF:\s*(\d+) BFF:\s*(\d+)/.exec(stderr);
  expect([seen?.[1], seen?.[2]]).toEqual(['0', '0']);
});

test.each(RANGES)(
  '$name becomes SDR in H.264, and stays HDR in the other codecs',
  async ({ name, transfer, range }) => {
    const { key, file } = await made(name);
    const colours = ['pix_fmt', 'color_space', 'color_transfer', 'color_primaries'];
    expect(await fields(file, ...colours)).toEqual(['yuv420p', 'bt709', 'bt709', 'bt709']);
    const kept = (await renditionFiles(fixture, key)).filter(({ row }) => row.codec !== 'h264');
    expect(kept.map(({ row }) => row.codec).toSorted((a, b) => a.localeCompare(b))).toEqual(['av1', 'hevc', 'vp9']);
    for (const rendition of kept) {
      expect(await fields(rendition.file, ...colours), rendition.row.codec).toEqual([
        'yuv420p10le',
        'bt2020nc',
        transfer,
        'bt2020',
      ]);
    }
    const publication = await createPublicationStore(fixture.database.db).load(key, null);
    const playlist = writeMultivariant(chooseListedSet(publication?.renditions ?? []), 25);
    expect(checkPlaylist(playlist)).toEqual([]);
    const named = [...playlist.matchAll(/CODECS="(....).*VIDEO-RANGE=(\w+)/g)].map(
      ([, codec, shown]) => `${codec} ${shown}`,
    );
    expect(named[0]).toBe('avc1 SDR');
    expect(new Set(named)).toEqual(new Set(['avc1 SDR', `hvc1 ${range}`, `vp09 ${range}`, `av01 ${range}`]));
  },
);

test('creates thumbnails if previews are disabled', async () => {
  const key = keyOf(keys, SIZES[0]?.name ?? '');
  await requireFinished(fixture, key);
  const { images, thumbnail_key: thumbnail, messages } = await loadMedia(fixture, key);
  expect({ previews: images?.previews, posters: images?.posters }).toEqual({ previews: [], posters: 5 });
  expect([thumbnail === null, messages]).toEqual([false, []]);
});
