import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { measureLibraries, measureQuotas } from '../../src/catalog/quotas/measure-quotas-store.ts';
import { createQuotaStore } from '../../src/catalog/quotas/quota-store.ts';
import {
  addLibrary,
  loadMedia,
  loadRenditions,
  makeClip,
  startWorkerFixture,
  untilState,
  upload,
  type WorkerFixture,
} from '../jobs/worker-fixture.ts';

vi.setConfig({ testTimeout: 200_000 });

const WAIT = { timeout: 100_000, interval: 100 };

let fixture: WorkerFixture;
beforeAll(async () => {
  fixture = await startWorkerFixture();
  await fixture.startWorker();
});
afterAll(() => fixture.stop());

/** Six seconds of H.264 that pass through, with one lower rung to encode. */
async function makeSource(name: string): Promise<string> {
  const picture = ['-f', 'lavfi', '-i', 'testsrc2=s=640x48:r=10:d=6', '-f', 'lavfi', '-i', 'anullsrc=r=48000:d=6'];
  const codecs = ['-c:v', 'libx264', '-preset', 'ultrafast', '-pix_fmt', 'yuv420p', '-g', '20', '-c:a', 'aac'];
  return makeClip(fixture, name, ...picture, ...codecs, '-b:v', '300k', '-shortest');
}

const encodedMs = async (libraryId: number) => {
  const { rows } = await sql<{ ms: number }>`
    select coalesce(sum(encoded_ms), 0)::bigint as ms from encoded_month where library_id = ${libraryId}`.execute(
    fixture.database.db,
  );
  return rows[0]?.ms ?? 0;
};

test('encodes count by the length of the video that they make, and copies do not count', async () => {
  const libraryId = await addLibrary(fixture, { encoding: { rungs: [240, 360] } });
  const key = await upload(fixture, libraryId, await makeSource('counted.mp4'));
  await untilState(fixture, key, 'finished');
  const renditions = (await loadRenditions(fixture, key)).filter(({ kind }) => kind === 'video');
  expect(renditions).toHaveLength(2);
  // One of the two was copied from the source.
  expect(await encodedMs(libraryId)).toBe(6_000);
});

test('above the limit, encodes wait with the reason, the copy is made, and a higher limit continues them', async () => {
  const libraryId = await addLibrary(fixture, { encoding: { rungs: [240, 360] } });
  const quotas = createQuotaStore(fixture.database.db);
  await quotas.change(libraryId, { encodedMinutesPerMonth: { limit: 0, mode: 'hard' } });
  const key = await upload(fixture, libraryId, await makeSource('held.mp4'));
  await vi.waitFor(async () => {
    await measureQuotas(fixture.database.db, libraryId);
    const media = await loadMedia(fixture, key);
    expect([media.state, media.state_reason]).toEqual([
      'transcoding',
      expect.stringContaining('waiting for the quota'),
    ]);
  }, WAIT);
  const finished = async () =>
    (await loadRenditions(fixture, key)).filter(({ kind, state }) => kind === 'video' && state === 'finished').length;
  await vi.waitFor(async () => expect(await finished()).toBe(1), WAIT);
  const held = await fixture.database.db
    .selectFrom('encode_task')
    .select(['state', 'is_ready', 'failures'])
    .where('media_id', '=', key.mediaId)
    .where('kind', '=', 'video')
    .execute();
  expect(held.length).toBeGreaterThan(0);
  expect(held.every(({ state, is_ready, failures }) => state === 'waiting' && !is_ready && failures === 0)).toBe(true);
  expect(await encodedMs(libraryId)).toBe(0);
  await quotas.change(libraryId, { encodedMinutesPerMonth: { limit: 1, mode: 'hard' } });
  await untilState(fixture, key, 'finished');
  expect(await finished()).toBe(2);
});

test('held encodes continue in the next month', async () => {
  const { db } = fixture.database;
  const libraryId = await addLibrary(fixture, { encoding: { rungs: [240, 360] } });
  await createQuotaStore(db).change(libraryId, { encodedMinutesPerMonth: { limit: 1, mode: 'hard' } });
  await sql`
    insert into encoded_month
    values (${libraryId}, date_trunc('month', now() at time zone 'UTC'), 0, 60000)`.execute(db);
  const key = await upload(fixture, libraryId, await makeSource('next-month.mp4'));
  await vi.waitFor(async () => {
    await measureQuotas(db, libraryId);
    expect((await loadMedia(fixture, key)).state_reason).toContain('waiting for the quota');
  }, WAIT);
  // Nothing is left to do for the library, until the month has changed.
  expect(await measureLibraries(db)).not.toContain(libraryId);
  await sql`update encoded_month set month = month - interval '1 month' where library_id = ${libraryId}`.execute(db);
  expect(await measureLibraries(db)).toContain(libraryId);
  await measureQuotas(db, libraryId);
  expect((await loadMedia(fixture, key)).state_reason ?? '').not.toContain('waiting for the quota');
  expect(await measureLibraries(db)).not.toContain(libraryId);
  await untilState(fixture, key, 'finished');
});
