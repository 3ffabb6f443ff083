import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestDatabase, type TestDatabase } from '../../../test/support/database.ts';
import { addLibraryRow } from '../../../test/support/library-row.ts';
import { newGuid } from '../../lib/guid.ts';
import { requestDrain } from './drain-store.ts';
import { addWork, loadNodes, loadRecentWork, type NodeReport, removeNode, reportNode } from './node-store.ts';

let database: TestDatabase;
beforeAll(async () => {
  database = await startTestDatabase();
});
afterAll(() => database.stop());

const report = (change: Partial<NodeReport> = {}): NodeReport => ({
  ...{ id: newGuid(), host: 'one', role: 'edge', version: '0.1.0', startedAt: new Date(0) },
  ...{ cpuCores: 0.25, memoryBytes: 2 ** 27, hostLoad: 1.5, hostCores: 4, isDraining: false },
  ...change,
});

test('a process is listed until it stops, reported as lost when it is silent, and then expires', async () => {
  const { db } = database;
  const [edge, worker, dead] = [report(), report({ role: 'worker' }), report({ role: 'api' })];
  for (const node of [edge, worker, dead]) await reportNode(db, node);
  await reportNode(db, { ...edge, cpuCores: 0.5 });
  await sql`update millrace_node set last_seen_at = now() - interval '1 minute' where id = ${worker.id}`.execute(db);
  await sql`update millrace_node set last_seen_at = now() - interval '1 hour' where id = ${dead.id}`.execute(db);
  await reportNode(db, edge);
  expect(await loadNodes(db)).toMatchObject([
    { ...edge, isLost: false, lastSeenAt: expect.any(Date), streams: [] },
    { ...worker, isLost: true },
  ]);
  for (const { id } of [edge, worker]) await removeNode(db, id);
  expect(await loadNodes(db)).toEqual([]);
});

test.each([
  { primary: 1, backup: 1, expected: 'primary' },
  { primary: 60, backup: 1, expected: 'backup' },
  { primary: null, backup: 1, expected: 'backup' },
  { primary: 60, backup: null, expected: null },
  { primary: null, backup: null, expected: null },
])(
  'the publisher is $expected if the primary sent media $primary s ago and the backup $backup s ago',
  async (media) => {
    const { db } = database;
    const ingest = report({ role: 'ingest' });
    await reportNode(db, ingest);
    const [libraryId, streamId] = [await addLibraryRow(db), newGuid()];
    await sql`
    insert into live_stream (library_id, id, title, state, key_sealed, key_hash, available_resolutions, ingest_region)
    values (${libraryId}, ${streamId}, 'Match', 'running', '\\x00', ${Buffer.from(streamId)}, '720p', 'local')`.execute(
      db,
    );
    await sql`
    insert into live_lease (stream_id, owner, lease_until, primary_media_at, backup_media_at)
    values (${streamId}, ${ingest.id}, now() + interval '1 minute',
      now() - make_interval(secs => ${media.primary}), now() - make_interval(secs => ${media.backup}))
    on conflict (stream_id) do update set owner = excluded.owner, lease_until = excluded.lease_until,
      primary_media_at = excluded.primary_media_at, backup_media_at = excluded.backup_media_at`.execute(db);
    expect(await loadNodes(db)).toMatchObject([
      { id: ingest.id, streams: [{ libraryId, streamId, title: 'Match', publisher: media.expected }] },
    ]);
    await removeNode(db, ingest.id);
  },
);

test('a process of a version that the schema no longer works with is incompatible, and not draining', async () => {
  const { db } = database;
  const [older, newer] = [
    report({ version: '98.9.9', isDraining: true }),
    report({ role: 'worker', version: '99.0.0', isDraining: true }),
  ];
  for (const node of [older, newer]) await reportNode(db, node);
  await sql`insert into schema_compatibility values ('999-contract', '99.0.0', '99.1.0')`.execute(db);
  // A migration that is not applied requires nothing.
  const states = async () => (await loadNodes(db)).map((node) => [node.isIncompatible, node.isDraining]);
  expect(await states()).toEqual([
    [false, true],
    [false, true],
  ]);
  await sql`insert into kysely_migration values ('999-contract', '2026')`.execute(db);
  expect(await states()).toEqual([
    [true, false],
    [false, true],
  ]);
  await requestDrain(db, older.id);
  expect(await states()).toEqual([
    [true, true],
    [false, true],
  ]);
  await sql`delete from kysely_migration where name = '999-contract'`.execute(db);
  for (const { id } of [older, newer]) await removeNode(db, id);
});

test('sums work by hour and computes the speed over the last two hours', async () => {
  const { db } = database;
  expect(await loadRecentWork(db)).toEqual({ failures: 0, encodeSpeed: null });
  await addWork(db, { failures: 1, mediaSec: 100, busySec: 10 });
  await sql`update work_hour set hour = hour - interval '5 hours'`.execute(db);
  await addWork(db, { failures: 2, mediaSec: 30, busySec: 10 });
  await addWork(db, { failures: 0, mediaSec: 10, busySec: 10 });
  expect(await loadRecentWork(db)).toEqual({ failures: 3, encodeSpeed: 2 });
  await sql`update work_hour set hour = hour - interval '20 days'`.execute(db);
  await addWork(db, { failures: 0, mediaSec: 0, busySec: 0 });
  expect((await sql`select hour from work_hour`.execute(db)).rows).toHaveLength(1);
});
