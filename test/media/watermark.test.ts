import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { MediaKey } from '../../src/catalog/db.ts';
import { imageKey } from '../../src/catalog/libraries/library-image.ts';
import { createCodecStore } from '../../src/catalog/lifecycle/codec-store.ts';
import { planMissingRungs } from '../../src/jobs/planning/plan-codec.ts';
import { createSecretBox } from '../../src/lib/secret-box.ts';
import type { TestEdge } from '../delivery/start-test-edge.ts';
import { checkFinished } from '../jobs/check-video.ts';
import { addLibrary, loadMedia, loadRenditions, makeClip, untilState, upload } from '../jobs/worker-fixture.ts';
import {
  fetchFile,
  findRung,
  type OnDemandFixture,
  segmentUrl,
  startOnDemandFixture,
} from '../on-demand/on-demand-fixture.ts';
import { TEST_SECRET } from '../support/packager.ts';
import { GROUP_LIMIT_SEC } from './many.ts';
import { brightness, renditionFiles } from './rendition-file.ts';

const never = new AbortController().signal;

/** The watermark is a white square, with free space on both sides of its box. */
const PLACE = { leftPercent: 70, topPercent: 10, widthPercent: 20, heightPercent: 20 };
const INSIDE = 'crop=iw*0.06:ih*0.12:iw*0.77:ih*0.14';
const OUTSIDE = ['iw*0.02:ih*0.12:iw*0.705:ih*0.14', 'iw*0.6:ih*0.9:0:0', 'iw:ih*0.6:0:ih*0.35', 'iw:ih*0.07:0:0'];
const GREY = 'color=c=0x404040:s=640x360:r=25';
const PIXELS = ['-pix_fmt', 'yuv420p', '-colorspace', 'bt709', '-color_primaries', 'bt709', '-color_trc', 'bt709'];

let fixture: OnDemandFixture;
let edge: TestEdge;
beforeAll(async () => {
  fixture = await startOnDemandFixture();
  edge = await fixture.edgeFixture.start({ storage: fixture.storage });
  await fixture.startWorker();
}, GROUP_LIMIT_SEC * 1000);
afterAll(async () => {
  await edge.close();
  await fixture.stop();
});

async function addMarkedLibrary(encoding: Record<string, unknown>, opacity = 1): Promise<number> {
  const libraryId = await addLibrary(fixture, { encoding, watermark: { ...PLACE, present: true, version: 7 } });
  const sealed = createSecretBox(TEST_SECRET).seal('k');
  await fixture.database.db
    .updateTable('library')
    .set({ api_key_sealed: sealed })
    .where('id', '=', libraryId)
    .execute();
  await fixture.database.db
    .insertInto('pull_zone')
    .values({ library_id: libraryId, name: `vz-${libraryId}`, security_key_sealed: sealed })
    .execute();
  const mark = await makeClip(
    fixture,
    'mark.png',
    '-f',
    'lavfi',
    '-i',
    `color=white@${opacity}:s=50x50,format=rgba`,
    '-frames:v',
    '1',
  );
  await fixture.storage.put(imageKey(libraryId, 'watermark', 7), await readFile(mark), {}, never);
  return libraryId;
}

/** Returns the mean brightness over all frames of a file, within a part of them. */
async function meanOf(file: string, filter: string): Promise<number> {
  const seen = await brightness(file, filter);
  return seen.reduce((sum, { luma }) => sum + luma, 0) / seen.length;
}

async function expectMarked(file: string, { white = 255, what = '' } = {}): Promise<void> {
  const [darkest, ...rest] = (await brightness(file, INSIDE)).map(({ luma }) => luma).sort((a, b) => a - b);
  expect(Math.abs((darkest ?? 0) - white), `${what} mark`).toBeLessThan(14);
  expect(Math.abs((rest.at(-1) ?? white) - white), `${what} mark`).toBeLessThan(14);
  for (const part of OUTSIDE)
    expect(Math.abs((await meanOf(file, `crop=${part}`)) - 64), `${what} ${part}`).toBeLessThan(14);
}

async function uploadFinished(libraryId: number, name: string, ...argv: string[]): Promise<MediaKey> {
  const key = await upload(fixture, libraryId, await makeClip(fixture, name, ...argv));
  await untilState(fixture, key, 'finished');
  return key;
}

test('every frame of all rungs and codecs has the watermark in place, and no source is passed through', async () => {
  const libraryId = await addMarkedLibrary({ rungs: [240, 360], codecs: ['h264', 'vp9', 'hevc', 'av1'] });
  const h264 = ['-c:v', 'libx264', '-preset', 'ultrafast', '-g', '50', '-movflags', '+faststart'];
  const key = await uploadFinished(libraryId, 'grey.mp4', '-f', 'lavfi', '-i', `${GREY}:d=2`, ...PIXELS, ...h264);
  const made = await checkFinished(fixture, key);
  expect(made.map(({ origin }) => origin)).toEqual(made.map(() => 'encode'));
  expect(made.map(({ frames }) => frames)).toEqual(made.map(() => 50));
  const files = await renditionFiles(fixture, key);
  expect(files).toHaveLength(8);
  for (const { row, file } of files) await expectMarked(file, { what: `${row.codec} ${row.rung}` });
  const { thumbnail_key: thumbnail } = await loadMedia(fixture, key);
  const picture = path.join(fixture.clips, 'thumbnail.jpg');
  await writeFile(picture, await fixture.storage.readBytes(thumbnail ?? ('' as never), null, never));
  await expectMarked(picture, { what: 'thumbnail' });
});

test("a codec that is added later has the video's own watermark, not the library's current one", async () => {
  const libraryId = await addMarkedLibrary({ rungs: [240] });
  const key = await uploadFinished(libraryId, 'later.avi', '-f', 'lavfi', '-i', `${GREY}:d=1`, '-c:v', 'mpeg4');
  await fixture.database.db.updateTable('library').set({ settings: '{}' }).where('id', '=', libraryId).execute();
  await createCodecStore(fixture.database.db).add(key, 'vp9', (view) =>
    planMissingRungs('vp9', { ...view, librarySettings: { encoding: { rungs: [240] } } }),
  );
  await untilState(fixture, key, 'finished');
  const files = await renditionFiles(fixture, key);
  expect(new Set(files.map(({ row }) => row.codec))).toEqual(new Set(['vp9', 'h264']));
  for (const { row, file } of files) await expectMarked(file, { what: row.codec });
});

test('frames of an HDR source have the watermark, no brighter than white', async () => {
  const libraryId = await addMarkedLibrary({ rungs: [240], codecs: ['h264', 'hevc'] });
  const hdr = 'log-level=none:colorprim=bt2020:transfer=smpte2084:colormatrix=bt2020nc:range=limited';
  const argv = [
    '-vf',
    'format=yuv420p10le',
    '-c:v',
    'libx265',
    '-preset',
    'ultrafast',
    '-tag:v',
    'hvc1',
    '-x265-params',
    hdr,
  ];
  const key = await uploadFinished(libraryId, 'hdr.mp4', '-f', 'lavfi', '-i', `${GREY}:d=1`, ...argv);
  for (const { row, file } of await renditionFiles(fixture, key)) {
    const inside = await meanOf(file, INSIDE);
    if (row.codec === 'h264') expect(inside).toBeGreaterThan(240);
    // 203 cd/m2 in PQ is 58 % of the range.
    else expect(Math.abs(inside - 0.58 * 255)).toBeLessThan(10);
  }
});

test('segments encoded on demand have the same half-transparent watermark', async () => {
  const libraryId = await addMarkedLibrary({ rungs: [240], jitEnabled: true }, 0.5);
  const clip = await makeClip(
    fixture,
    'demand.mkv',
    '-f',
    'lavfi',
    '-i',
    `${GREY}:d=13`,
    ...PIXELS,
    '-c:v',
    'mpeg4',
    '-g',
    '50',
  );
  const key = await upload(fixture, libraryId, clip);
  await untilState(fixture, key, 'jit-ready');
  const rung = await findRung(fixture, key, 240);
  const segments = await Promise.all([1, 2].map((segment) => fetchFile(segmentUrl(edge, key, rung, segment))));
  expect(segments.map(({ status }) => status)).toEqual([200, 200]);
  const init = (await loadRenditions(fixture, key)).find(({ id }) => id === rung)?.init ?? Buffer.alloc(0);
  const file = path.join(fixture.clips, 'demand.mp4');
  await writeFile(file, Buffer.concat([init, ...segments.map(({ body }) => body)]));
  await expectMarked(file, { white: (64 + 255) / 2 });
});
