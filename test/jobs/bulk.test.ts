import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type BulkSelection, createBulkStore } from '../../src/catalog/bulk/bulk-store.ts';
import type { Tx } from '../../src/catalog/db.ts';
import { emptyTrash } from '../../src/jobs/housekeeping/empty-trash.ts';
import { runBulk } from '../../src/jobs/housekeeping/run-bulk.ts';
import type { JobDeps } from '../../src/jobs/job-deps.ts';
import { type Guid, newGuid } from '../../src/lib/guid.ts';
import { storageKey } from '../../src/ports/storage.ts';
import { startTestDatabase, type TestDatabase } from '../support/database.ts';
import { addLibraryRow } from '../support/library-row.ts';
import { createTableQueue } from '../support/table-queue.ts';

let database: TestDatabase;
let deps: JobDeps;
let libraryId: number;
const reported: Error[] = [];
const { signal } = new AbortController();
beforeAll(async () => {
  database = await startTestDatabase();
  const { db } = database;
  libraryId = await addLibraryRow(db);
  // The jobs under test use only these dependencies.
  deps = {
    db,
    queue: await createTableQueue(db),
    report: (error: Error) => reported.push(error),
  } as unknown as JobDeps;
});
afterAll(() => database.stop());

async function addVideo(title: string): Promise<Guid> {
  const id = newGuid();
  const row = { library_id: libraryId, id, type: 'video' as const, title, state: 'finished' as const };
  await database.db.insertInto('media').values(row).execute();
  return id;
}
const typesOf = async (ids: readonly Guid[]) => {
  const rows = await database.db.selectFrom('media').select('type').where('id', 'in', ids).execute();
  return rows.map(({ type }) => type);
};
const create = (kind: 'trash' | 'restore' | 'cancel', selection: BulkSelection) =>
  createBulkStore(database.db).create(
    { libraryId, kind, collectionId: null, visibility: null, selection },
    () => async () => undefined,
  );

/** Runs a job that waits for a transaction's locks. The transaction holds them until `meanwhile` has run. */
async function runBehind(hold: (tx: Tx) => Promise<unknown>, run: () => Promise<void>, meanwhile = async () => {}) {
  let running = Promise.resolve();
  await database.db.transaction().execute(async (tx) => {
    await hold(tx);
    running = run();
    const waits = sql<{ n: number }>`select count(*) as n from pg_locks where not granted`;
    await expect.poll(async () => (await waits.execute(database.db)).rows[0]?.n).toBeGreaterThan(0);
    await meanwhile();
  });
  await running;
}

test('undo stops the running operation, and keeps videos that it has not yet moved to the trash', async () => {
  const bulks = createBulkStore(database.db);
  const ids = [await addVideo('a'), await addVideo('b'), await addVideo('c')];
  const trashing = await create('trash', { by: 'ids', ids });
  const second = (await bulks.open(trashing, 3))?.items[1]?.mediaId;
  await runBehind(
    (tx) => sql`select from media where id = ${second} for update`.execute(tx),
    () => runBulk.run(trashing, deps, signal),
    async () => runBulk.run(await create('restore', { by: 'operation', bulkId: trashing.bulkId }), deps, signal),
  );
  expect(await typesOf(ids)).toEqual(['video', 'video', 'video']);
  const report = await bulks.load(trashing);
  expect(report).toMatchObject({ total: 3, done: 1, failed: 2, endedAt: expect.any(Date) });
  expect(report.failures.map(({ reason }) => reason)).toEqual(['undone', 'undone']);
  await expect(create('restore', { by: 'operation', bulkId: newGuid() })).rejects.toThrow('not found');
});

test('undoing a move returns each video to its previous collection', async () => {
  const { db } = database;
  const bulks = createBulkStore(db);
  const [shelf, other] = [newGuid(), newGuid()];
  for (const id of [shelf, other]) {
    await db.insertInto('collection').values({ library_id: libraryId, id, name: id }).execute();
  }
  const ids = [await addVideo('of none'), await addVideo('of the other'), await addVideo('there already')];
  const place = (id: Guid | undefined, to: Guid) =>
    db
      .updateTable('media')
      .set({ collection_id: to })
      .where('id', '=', id ?? newGuid())
      .execute();
  await place(ids[1], other);
  await place(ids[2], shelf);
  const places = async () => {
    const rows = await db.selectFrom('media').select(['id', 'collection_id']).where('id', 'in', ids).execute();
    return ids.map((id) => rows.find((row) => row.id === id)?.collection_id);
  };
  const selection = { by: 'ids' as const, ids };
  const moving = await bulks.create(
    { libraryId, kind: 'move', collectionId: shelf, visibility: null, selection },
    () => async () => undefined,
  );
  await runBulk.run(moving, deps, signal);
  expect(await places()).toEqual([shelf, shelf, shelf]);
  const undoing = await create('restore', { by: 'operation', bulkId: moving.bulkId });
  await runBulk.run(undoing, deps, signal);
  expect(await places()).toEqual([null, other, shelf]);
  expect(await bulks.load(undoing)).toMatchObject({ total: 3, done: 3, failed: 0 });
  await db.updateTable('bulk_operation').set({ notes_places: false }).where('id', '=', moving.bulkId).execute();
  await expect(create('restore', { by: 'operation', bulkId: moving.bulkId })).rejects.toThrow('cannot be undone');
});

test('undoing a change of visibility gives each video the one that it had', async () => {
  const { db } = database;
  const bulks = createBulkStore(db);
  const ids = [await addVideo('is public'), await addVideo('is private')];
  const read = async () => {
    const rows = await db.selectFrom('media').select(['id', 'visibility']).where('id', 'in', ids).execute();
    return ids.map((id) => rows.find((row) => row.id === id)?.visibility);
  };
  await db
    .updateTable('media')
    .set({ visibility: 'private' })
    .where('id', '=', ids[1] ?? newGuid())
    .execute();
  const wanted = { libraryId, kind: 'visibility', collectionId: null, visibility: 'unlisted' } as const;
  const changing = await bulks.create({ ...wanted, selection: { by: 'ids', ids } }, () => async () => undefined);
  await runBulk.run(changing, deps, signal);
  expect(await read()).toEqual(['unlisted', 'unlisted']);
  expect(await bulks.load(changing)).toMatchObject({ kind: 'visibility', visibility: 'unlisted', done: 2, failed: 0 });
  const undoing = await create('restore', { by: 'operation', bulkId: changing.bulkId });
  await runBulk.run(undoing, deps, signal);
  expect(await read()).toEqual(['public', 'private']);
});

test('cancels several encodes in one operation, and reports videos that were not being encoded', async () => {
  const { db } = database;
  const [waiting, finished] = [await addVideo('waits'), await addVideo('is finished')];
  const uploaded = { state: 'uploaded', source_key: storageKey('source') } as const;
  await db.updateTable('media').set(uploaded).where('id', '=', waiting).execute();
  const cancelling = await create('cancel', { by: 'ids', ids: [waiting, finished] });
  await runBulk.run(cancelling, deps, signal);
  const report = await createBulkStore(db).load(cancelling);
  expect(report).toMatchObject({ total: 2, done: 1, failed: 1, failures: [{ videoId: finished }] });
  const media = db.selectFrom('media').select('state_reason').where('id', '=', waiting);
  expect(await media.executeTakeFirst()).toEqual({ state_reason: 'cancelled' });
});

test('reports a video that fails unexpectedly and continues with the remaining videos', async () => {
  const { db } = database;
  const ids = [await addVideo('broken'), await addVideo('whole')];
  await sql
    .raw(`create function break_it() returns trigger language plpgsql as $$ begin raise 'broken'; end $$;
    create trigger break_it before update on media for each row
      when (new.title = 'broken') execute function break_it()`)
    .execute(db);
  const trashing = await create('trash', { by: 'ids', ids });
  await runBulk.run(trashing, deps, signal);
  expect(await createBulkStore(db).load(trashing)).toMatchObject({ done: 1, failed: 1, endedAt: expect.any(Date) });
  expect(reported).toHaveLength(1);
});

test('emptying the trash continues past a video that cannot be deleted', async () => {
  const { db } = database;
  const ids = [await addVideo('stuck'), await addVideo('old'), await addVideo('older')];
  await sql
    .raw(`create function stick() returns trigger language plpgsql as $$ begin raise 'stuck'; end $$;
    create trigger stick before delete on media for each row when (old.title = 'stuck') execute function stick()`)
    .execute(db);
  await sql`update media set type = 'trash', trashed_at = now() - interval '8 days' where id = any(${ids}::uuid[])
  `.execute(db);
  await expect(emptyTrash.run({}, deps, signal)).rejects.toThrow('1 of 3 failed, the other changes were made');
  await sql.raw('drop function stick cascade').execute(db);
  expect(await typesOf(ids)).toEqual(['trash']);
  await emptyTrash.run({}, deps, signal);
});

test('an abandoned operation reports the reason for each video that it did not reach', async () => {
  const bulks = createBulkStore(database.db);
  const trashing = await create('trash', { by: 'ids', ids: [await addVideo('a'), await addVideo('b')] });
  await runBulk.giveUp?.(trashing, deps, 'the worker died');
  const report = await bulks.load(trashing);
  expect(report).toMatchObject({ done: 0, failed: 2, endedAt: expect.any(Date) });
  expect(report.failures[0]?.reason).toContain('the worker died');
  await runBulk.run(trashing, deps, signal);
  expect(await bulks.load(trashing)).toEqual(report);
  await runBulk.giveUp?.({ ...trashing, bulkId: newGuid() }, deps, 'it is gone');
});

test('emptying the trash keeps a video that was restored and moved to the trash again in the meantime', async () => {
  const id = await addVideo('anew');
  const gone = await addVideo('gone');
  await sql`update media set type = 'trash', trashed_at = now() - interval '8 days' where id in (${id}, ${gone})
  `.execute(database.db);
  await runBehind(
    (tx) => sql`update media set trashed_at = now() where id = ${id}`.execute(tx),
    () => emptyTrash.run({}, deps, signal),
  );
  expect(await typesOf([id, gone])).toEqual(['trash']);
});
