import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestDatabase, type TestDatabase } from '../../../test/support/database.ts';
import { addLibraryRow } from '../../../test/support/library-row.ts';
import { newGuid } from '../../lib/guid.ts';
import { inTransaction } from '../in-transaction.ts';
import { beginSpeechRun, cancelSpeechRun, loadSpeechRun, noteSpeechRun } from './speech-run-store.ts';
import { dropSpans, keepSpan, loadSpans } from './speech-span-store.ts';

let database: TestDatabase;
beforeAll(async () => {
  database = await startTestDatabase();
});
afterAll(() => database.stop());

const spanAt = (startMs: number) => ({
  span: { startMs, identity: Buffer.of(startMs & 0xff), language: 'en', words: [] },
  doneSec: startMs / 1000,
});

test('the job of a cancelled transcription does not write to the next transcription', async () => {
  const { db } = database;
  const video = { libraryId: await addLibraryRow(db), mediaId: newGuid() };
  await db
    .insertInto('media')
    .values({ library_id: video.libraryId, id: video.mediaId, type: 'video', title: 'Talk', state: 'finished' })
    .execute();
  const first = await inTransaction(db, (tx) => beginSpeechRun(tx, video));
  expect(await inTransaction(db, (tx) => beginSpeechRun(tx, video))).toBe(null);
  const before = { ...video, run: first ?? -1 };
  expect(await keepSpan(db, before, spanAt(0))).toEqual([]);
  await inTransaction(db, (tx) => cancelSpeechRun(tx, video));
  const second = await inTransaction(db, (tx) => beginSpeechRun(tx, video));
  const now = { ...video, run: second ?? -1 };
  expect(now.run).toBeGreaterThan(before.run);

  expect(await keepSpan(db, before, spanAt(1_000))).toBe(null);
  expect(await keepSpan(db, now, spanAt(2_000))).toEqual([]);
  await noteSpeechRun(db, before, { state: 'finished' });
  await dropSpans(db, before);
  expect(await loadSpeechRun(db, video)).toMatchObject({ run: now.run, state: 'running', doneSec: 2 });
  expect([...(await loadSpans(db, video)).keys()]).toEqual([2_000]);
  await dropSpans(db, now);
  expect((await loadSpans(db, video)).size).toBe(0);
});

test('a run without updates expires if it was running, but not if it was queued', async () => {
  const { db } = database;
  const video = { libraryId: await addLibraryRow(db), mediaId: newGuid() };
  await db
    .insertInto('media')
    .values({ library_id: video.libraryId, id: video.mediaId, type: 'video', title: 'Talk', state: 'finished' })
    .execute();
  const begin = () => inTransaction(db, (tx) => beginSpeechRun(tx, video));
  const run = (await begin()) ?? -1;
  const age = () => sql`update speech_run set updated_at = now() - interval '1 day'`.execute(db);
  await age();
  expect(await begin()).toBe(null);
  await noteSpeechRun(db, { ...video, run }, { state: 'running' });
  expect(await begin()).toBe(null);
  await age();
  expect(await begin()).toBeGreaterThan(run);
});
