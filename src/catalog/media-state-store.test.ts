import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestDatabase, type TestDatabase } from '../../test/support/database.ts';
import { addLibraryRow } from '../../test/support/library-row.ts';
import { newGuid } from '../lib/guid.ts';
import { type Entering, enterState, mustEnterState } from './media-state-store.ts';
import type { MediaState } from './schema.ts';

let database: TestDatabase;
beforeAll(async () => {
  database = await startTestDatabase();
});
afterAll(() => database.stop());

/** Lets a failed video enter a state; returns its row. */
async function entered(to: MediaState, entering: Entering) {
  const { db } = database;
  const key = { libraryId: await addLibraryRow(db), mediaId: newGuid() };
  const since = new Date('2026-01-02T00:00:00Z');
  const state = { state: 'failed' as const, state_reason: 'memory', state_since: since };
  const row = { library_id: key.libraryId, id: key.mediaId, type: 'video' as const, title: 'T' };
  await db
    .insertInto('media')
    .values({ ...row, ...state })
    .execute();
  const isEntered = await db.transaction().execute((tx) => enterState(tx, key, to, entering));
  const is = await db
    .selectFrom('media')
    .select(['state', 'state_reason', 'state_since', 'title'])
    .where('id', '=', key.mediaId)
    .executeTakeFirstOrThrow();
  return { isEntered, ...is, isSame: is.state_since.getTime() === since.getTime(), key };
}

test('a transition writes state, reason, time and the fields of the new state', async () => {
  const is = await entered('uploaded', { reason: null, set: { title: 'Again' } });
  expect(is).toMatchObject({ isEntered: true, state: 'uploaded', state_reason: null, isSame: false, title: 'Again' });
});

test('an invalid transition, or a transition whose condition is false, writes nothing', async () => {
  const kept = { isEntered: false, state: 'failed', state_reason: 'memory', isSame: true, title: 'T' };
  expect(await entered('finished', { reason: null, set: { title: 'Again' } })).toMatchObject(kept);
  expect(await entered('failed', { reason: null })).toMatchObject(kept);
  const where = sql<boolean>`title = 'Other'`;
  expect(await entered('uploaded', { reason: null, where })).toMatchObject(kept);
});

test('re-entering the current state updates only the other fields, and only where re-entry is allowed', async () => {
  const is = await entered('failed', { set: { title: 'Again' }, orIsThere: true });
  expect(is).toMatchObject({ isEntered: true, state_reason: 'memory', isSame: true, title: 'Again' });
  const wrong = database.db.transaction().execute((tx) => mustEnterState(tx, is.key, 'finished', { reason: null }));
  await expect(wrong).rejects.toThrow('from its state to finished');
});
