import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { composing, loadPart } from '../../src/catalog/compose/compose-store.ts';
import type { MediaKey } from '../../src/catalog/db.ts';
import { createVideoStore } from '../../src/catalog/videos/video-store.ts';
import { planComposition } from '../../src/jobs/compose/plan-composition.ts';
import { addLibrary, makeClip, startWorkerFixture, untilState, upload, type WorkerFixture } from './worker-fixture.ts';

// Timeout that only a hang exceeds. Other suites share the CPUs.
vi.setConfig({ testTimeout: 200_000, hookTimeout: 200_000 });

let fixture: WorkerFixture;
let libraryId: number;
beforeAll(async () => {
  fixture = await startWorkerFixture();
  libraryId = await addLibrary(fixture, { encoding: { rungs: [240] } });
  await fixture.startWorker();
});
afterAll(() => fixture.stop());

const tone = ['-f', 'lavfi', '-i', 'sine=f=500:d=6'];

async function finish(name: string, argv: readonly string[]): Promise<MediaKey> {
  const key = await upload(fixture, libraryId, await makeClip(fixture, name, ...argv));
  await untilState(fixture, key, 'finished');
  return key;
}

async function compose(keys: readonly MediaKey[]): Promise<MediaKey> {
  const { db } = fixture.database;
  const parts = await Promise.all(keys.map(async (key) => ({ view: await loadPart(db, key), fromSec: 0, toSec: 4 })));
  const made = { libraryId, title: 'Composed', collectionId: null, thumbnailTimeMs: null };
  return createVideoStore(db).create(made, (key) => composing(key, planComposition(key, parts, false)));
}

const loadMedia = ({ mediaId }: MediaKey) =>
  fixture.database.db.selectFrom('media').selectAll().where('id', '=', mediaId).executeTakeFirstOrThrow();

test('composed audio shows the cover of the first part that has one', async () => {
  const cover = await makeClip(fixture, 'cover.jpg', '-f', 'lavfi', '-i', 'testsrc2=s=320x320:d=1', '-frames:v', '1');
  const pictured = ['-i', cover, '-map', '0', '-map', '1', '-c:v', 'copy', '-disposition:v', 'attached_pic'];
  const plain = await finish('plain.m4a', [...tone, '-c:a', 'aac']);
  const covered = await finish('covered.mp3', [...tone, ...pictured, '-c:a', 'libmp3lame']);
  const key = await compose([plain, covered]);
  await untilState(fixture, key, 'finished');
  const [part, composed] = [await loadMedia(covered), await loadMedia(key)];
  expect(composed.thumbnail_blurhash).toBe(part.thumbnail_blurhash);
  const bytes = [part, composed].map(({ thumbnail_key }) => {
    if (thumbnail_key === null) throw new Error('Expected a thumbnail, got none.');
    return fixture.storage.readBytes(thumbnail_key, null, AbortSignal.timeout(10_000));
  });
  const [own, copied] = await Promise.all(bytes);
  expect(copied?.equals(own ?? Buffer.alloc(0))).toBe(true);
});

test.each([
  { title: 'missing', damage: null },
  { title: 'damaged', damage: Buffer.from('no media') },
])('a composition names the video whose stored media is $title, and what to do', async ({ title, damage }) => {
  const { db } = fixture.database;
  const picture = ['-f', 'lavfi', '-i', 'testsrc2=s=320x180:r=25:d=6', '-c:v', 'mpeg4', '-c:a', 'aac'];
  const source = await finish(`${title}.avi`, [...picture.slice(0, 4), ...tone, ...picture.slice(4)]);
  const chunks = await db.selectFrom('chunk').select('storage_key').where('media_id', '=', source.mediaId).execute();
  for (const { storage_key: chunk } of chunks) {
    const { length } = await fixture.storage.readBytes(chunk, null, AbortSignal.timeout(10_000));
    await fixture.storage.delete([chunk]);
    const options = { contentType: 'video/mp4' };
    if (damage !== null)
      await fixture.storage.put(chunk, Buffer.alloc(length, damage), options, AbortSignal.timeout(10_000));
  }
  const key = await compose([source, source]);
  await untilState(fixture, key, 'failed');
  const { messages } = await loadMedia(key);
  expect(JSON.stringify(messages)).toContain(
    `The stored media of video ${source.mediaId}, which this video uses, is ${title}. Re-encode that video`,
  );
});
