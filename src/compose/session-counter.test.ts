import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestDatabase, type TestDatabase } from '../../test/support/database.ts';
import { addLibraryRow } from '../../test/support/library-row.ts';
import { someSession } from '../../test/support/some-session.ts';
import { newGuid } from '../lib/guid.ts';
import { openSessionCounter } from './session-counter.ts';

let database: TestDatabase;
beforeAll(async () => {
  database = await startTestDatabase();
});
afterAll(() => database.stop());

test('sessions are counted in a thread, which is started again after it ended', async () => {
  const { db } = database;
  const [libraryId, mediaId] = [await addLibraryRow(db), newGuid()];
  const media = {
    library_id: libraryId,
    id: mediaId,
    type: 'video' as const,
    title: 'Film',
    state: 'finished' as const,
  };
  await db.insertInto('media').values(media).execute();
  const { host = '' } = database.config;
  const connection = { host, port: 5432, user: 'millrace', database: 'postgres' };
  const counter = openSessionCounter(connection, { countsEstimates: false });
  const views = async () => {
    const found = db.selectFrom('media').select('views').where('id', '=', mediaId);
    return (await found.executeTakeFirstOrThrow()).views;
  };
  const many = () =>
    Array.from({ length: 700 }, () => someSession({ libraryId, mediaId }, { heat: Buffer.from([1, 2]) }));
  await counter.count(many());
  expect(await views()).toBe(700);
  await counter.close();
  await counter.count(many());
  expect(await views()).toBe(1_400);
  const heat = db.selectFrom('media_heat').select('counts').where('media_id', '=', mediaId);
  expect((await heat.executeTakeFirstOrThrow()).counts.readUInt32LE(4)).toBe(2_800);
  await counter.close();
});

test('a batch that cannot be counted is refused, with why', async () => {
  const nowhere = { host: '/nonexistent', port: 1, user: 'nobody', database: 'none' };
  const counter = openSessionCounter(nowhere, { countsEstimates: false });
  await expect(counter.count([someSession({ libraryId: 1, mediaId: newGuid() }, {})])).rejects.toThrow('ENOENT');
  await counter.close();
});
