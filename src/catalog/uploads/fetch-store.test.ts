import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestDatabase, type TestDatabase } from '../../../test/support/database.ts';
import { addLibraryRow } from '../../../test/support/library-row.ts';
import { TEST_SECRET } from '../../../test/support/packager.ts';
import { newGuid } from '../../lib/guid.ts';
import { createSecretBox } from '../../lib/secret-box.ts';
import { claimFetch, openingFetch, releaseFetch, renewFetch } from './fetch-store.ts';

let database: TestDatabase;
beforeAll(async () => {
  database = await startTestDatabase();
});
afterAll(() => database.stop());

test('a late renewal does not restore a released fetch lease', async () => {
  const { db } = database;
  const secretBox = createSecretBox(TEST_SECRET);
  const ref = { id: newGuid(), key: { libraryId: await addLibraryRow(db, {}), mediaId: newGuid() } };
  const { libraryId: library_id, mediaId: id } = ref.key;
  await db.insertInto('media').values({ library_id, id, type: 'video', title: 'T', state: 'created' }).execute();
  const request = { url: 'https://origin.example/a.mp4', headers: {}, sizeBytes: null };
  await db.transaction().execute(openingFetch(ref, request, secretBox));
  const answer = await claimFetch(db, ref.id, 'test', secretBox);
  if (answer.kind !== 'claimed') throw new Error('Expected a claim.');
  expect(await renewFetch(db, answer.claim)).toBe(true);
  await releaseFetch(db, answer.claim);
  expect(await renewFetch(db, answer.claim)).toBe(false);
  expect(await claimFetch(db, ref.id, 'next', secretBox)).toMatchObject({ kind: 'claimed', claim: { attempt: 2 } });
});
