import { createHash, randomBytes } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { captureLog } from '../../../test/support/capture-log.ts';
import { startTestDatabase, type TestDatabase } from '../../../test/support/database.ts';
import { newGuid } from '../../lib/guid.ts';
import { createSecretBox } from '../../lib/secret-box.ts';
import { isAtLeast, readVersion } from '../../lib/version.ts';
import { type Db, openDatabase } from '../db.ts';
import { createFeedStore } from '../feeds/feed-store.ts';
import { findSchemaFault, migrate } from '../migrate-store.ts';
import { migrations } from './all.ts';

/** Landed files with a hash of their code, because databases exist that have run it. Each release adds its files. */
const LANDED = [
  ['001-baseline.sql', '818469e08114e795'],
  ['001-baseline.ts', '41cce9cfad475e31'],
  ['002-loudness.ts', '54c5885c470c5a6c'],
  ['003-nodes.ts', '183c30e36f2d3e79'],
  ['004-log-ids.ts', '46e62afa4ab5da7d'],
  ['005-waveform.ts', '6c9898c250c8e7a6'],
  ['006-compatibility.ts', '5850291c3e314a6b'],
  ['007-queue-depth.ts', '116caa7c68f53184'],
  ['009-imports.ts', 'e2bb5c74ccdf0b5f'],
  ['010-people.ts', '2e4388e9bc4a767f'],
  ['011-sign-in-providers.ts', '5065412f124da24f'],
  ['012-shares.ts', '1465d6d8df79ffe9'],
  ['013-former-signing-keys.ts', '86e85724d3076c8a'],
  ['014-passkeys.ts', '01f1aeeeeecf84d7'],
  ['015-webhook-endpoints.ts', '47b398fc9e381c3a'],
  ['016-import-limits.ts', 'e5b789f294da581f'],
  ['017-audit-changes.ts', 'f454fabf2ce2be28'],
  ['018-provider-sessions.ts', 'c8839f88b99bf43c'],
  ['020-collection-shares.ts', '59b130f5632aafaf'],
  ['021-share-emails.ts', 'fd8642882fa11785'],
  ['022-quotas.ts', '147d3a9a26083ded'],
  ['024-secret-rotation.ts', '7e866027d0c6cba3'],
  ['025-viewer-access.ts', '2c4ffcb852a48c51'],
  ['026-feed-access.ts', 'f79d593e543497ef'],
  ['027-comments.ts', '44edef0f799ecf21'],
  ['028-notifications.ts', 'baaa4c8f94e4d444'],
  ['029-exports.ts', '9563b7762b3675cb'],
  ['030-storage-month.ts', 'd46e0b9a4230dd53'],
  ['031-storage-totals.ts', 'c06bb90dae435533'],
  ['032-import-arrangements.ts', 'e30e2cb8cc37cb31'],
  ['034-joined-recordings.ts', '2c1c91dc68f43670'],
  ['039-import-settings.ts', '6b4a399802ce8b94'],
  ['040-visibility.ts', '8bfbfb7e552b3c14'],
  ['045-new-guids.ts', 'b7288bd8faae2d21'],
  ['046-import-indexes.ts', '7e77da2886fa9a8d'],
] as const;

let database: TestDatabase;
beforeAll(async () => {
  database = await startTestDatabase();
});
afterAll(() => database.stop());

test('migrating twice, or from two processes simultaneously, changes nothing', async () => {
  await Promise.all([migrate(database.db), migrate(database.db)]);
  const { rows } = await sql<{ n: number }>`select count(*) as n from media`.execute(database.db);
  expect(rows).toEqual([{ n: 0 }]);
});

test('a new database has exactly one row in each singleton table', async () => {
  const counts = ['encode_clock', 'installation', 'orphan_sweep', 'shield_settings'].map(
    (table) => sql`select count(*)::int as n from ${sql.table(table)}`,
  );
  for (const count of counts) expect((await count.execute(database.db)).rows).toEqual([{ n: 1 }]);
});

test.each([
  ['an earlier development version', ['001-catalog', '310-programme-clock'], 'an earlier development version'],
  ['a newer version', ['001-baseline', '999-later'], 'with 999-later of a newer version'],
])('rejects a database of %s and leaves it unchanged', async (_what, names, reason) => {
  await sql`create database other`.execute(database.db);
  const { db, close } = openDatabase({ ...database.config, database: 'other' }, () => {});
  try {
    await sql`create table kysely_migration (name varchar(255) primary key, timestamp varchar(255))`.execute(db);
    for (const name of names) await sql`insert into kysely_migration values (${name}, '2026')`.execute(db);
    await expect(migrate(db)).rejects.toThrow(reason);
    const { rows } = await sql`select tablename from pg_tables where schemaname = 'public'`.execute(db);
    expect(rows).toEqual([{ tablename: 'kysely_migration' }]);
  } finally {
    await close();
    await sql`drop database other`.execute(database.db);
  }
});

test('migrates a database of the first version without changing the loudness of normalised audio', async () => {
  await sql`create database first`.execute(database.db);
  const { db, close } = openDatabase({ ...database.config, database: 'first' }, () => {});
  try {
    await migrate(db, ['001-baseline']);
    for (const normalises of [true, false]) {
      await db.connection().execute(async (one) => {
        await sql`set session_replication_role = replica`.execute(one);
        await sql`
          insert into rendition (library_id, media_id, id, timeline_id, kind, origin, codec, key_group, state, plan,
            timescale)
          values (1, gen_random_uuid(), gen_random_uuid(), gen_random_uuid(), 'audio', 'encode', 'aac', 'audio',
            'finished', jsonb_build_object('durationSec', 4, 'normaliseLoudness', ${normalises}::boolean), 48000)
        `.execute(one);
      });
    }
    await migrate(db);
    const found = sql`select plan->'loudnessTargetLufs' as target, loudness from rendition order by 1`;
    const { rows } = await found.execute(db);
    expect(rows).toEqual([
      { target: -16, loudness: null },
      { target: null, loudness: null },
    ]);
  } finally {
    await close();
    await sql`drop database first`.execute(database.db);
  }
});

test('the log has the duration of each migration, not of all migrations before it', async () => {
  await sql`create database timed`.execute(database.db);
  const { db, close } = openDatabase({ ...database.config, database: 'timed' }, () => {});
  const log = captureLog();
  try {
    const startedMs = performance.now();
    await migrate(db);
    const totalMs = performance.now() - startedMs;
    const applied = log.named('migration.applied');
    expect(applied).toHaveLength(Object.keys(migrations).length);
    expect(applied.reduce((sumMs, { durationMs }) => sumMs + Number(durationMs), 0)).toBeLessThan(totalMs);
  } finally {
    log.stop();
    await close();
    await sql`drop database timed`.execute(database.db);
  }
});

test.each(LANDED)('%s does what it did when it landed', async (file, hash) => {
  const text = await readFile(path.join(import.meta.dirname, file), 'utf8');
  const code = text
    .replaceAll(/\/\*[\s\S]*?\*\//g, '')
    .replaceAll(/^\s*(\/\/|--).*$/gm, '')
    .replaceAll(/\s+/g, '');
  expect(createHash('sha256').update(code).digest('hex').slice(0, 16)).toBe(hash);
});

test('feeds of a database of an earlier version stay on', async () => {
  await sql`create database feeds`.execute(database.db);
  const { db, close } = openDatabase({ ...database.config, database: 'feeds' }, () => {});
  const secretBox = createSecretBox(randomBytes(32));
  const [open, closed, none] = [newGuid(), newGuid(), newGuid()];
  try {
    await migrate(
      db,
      LANDED.map(([file]) => path.basename(file, '.ts')).filter((name) => !name.endsWith('.sql') && name < '026'),
    );
    await db.connection().execute(async (one) => {
      await sql`set session_replication_role = replica`.execute(one);
      for (const id of [open, closed, none]) {
        await sql`insert into collection (library_id, id, name) values (1, ${id}, 'Talks')`.execute(one);
      }
      await sql`insert into collection_feed (library_id, collection_id, token_sealed)
        values (1, ${open}, null), (1, ${closed}, ${secretBox.seal('token')})`.execute(one);
    });
    await migrate(db);
    const feeds = createFeedStore({ db, secretBox });
    const found = [open, closed, none].map((collectionId) => feeds.find({ libraryId: 1, collectionId }));
    expect((await Promise.all(found)).map(({ access, token }) => [access, token])).toEqual([
      ['public', null],
      ['token', 'token'],
      ['off', null],
    ]);
  } finally {
    await close();
    await sql`drop database feeds`.execute(database.db);
  }
});

test('every migration names the oldest compatible version, which never decreases and never exceeds this one', () => {
  const versions = Object.values(migrations).map(({ oldestVersion }) => oldestVersion);
  for (const [index, oldest] of versions.entries()) {
    expect(isAtLeast(readVersion(), oldest)).toBe(true);
    expect(isAtLeast(oldest, versions[index - 1] ?? '0.1.0')).toBe(true);
  }
});

test.each([
  { step: 'an expand step', oldestVersion: '0.1.0', fault: null },
  { step: 'a contract step', oldestVersion: '99.0.0', fault: /^Expected version 99.0.0 or newer .* 99.1.0 applied/ },
  { step: 'a step with an unreadable version', oldestVersion: 'next', fault: /^Expected version next or newer/ },
])('starts on the schema of a newer version after $step only if it is compatible', async ({ oldestVersion, fault }) => {
  const { db } = database;
  const name = '999-later';
  await sql`insert into kysely_migration values (${name}, '2026')`.execute(db);
  await sql`insert into schema_compatibility values (${name}, ${oldestVersion}, '99.1.0')`.execute(db);
  try {
    if (fault === null) await migrate(db);
    else await expect(migrate(db)).rejects.toThrow(fault);
    const found = await findSchemaFault(db);
    if (fault === null) expect(found).toBeNull();
    else expect(found).toMatch(fault);
  } finally {
    await sql`delete from kysely_migration where name = ${name}`.execute(db);
    await sql`delete from schema_compatibility where name = ${name}`.execute(db);
  }
});

test('a running process finds that a restored database lacks a migration', async () => {
  const { db } = database;
  await sql`delete from kysely_migration where name = '007-queue-depth'`.execute(db);
  expect(await findSchemaFault(db)).toMatch(/got one without 007-queue-depth\. .* Start this process again/);
  await sql`insert into kysely_migration values ('007-queue-depth', '2026')`.execute(db);
  expect(await findSchemaFault(db)).toBeNull();
});

test('a migration waits for a table lock without blocking the queries of running roles', async () => {
  await sql`create database busy`.execute(database.db);
  const { db, close } = openDatabase({ ...database.config, database: 'busy' }, () => {});
  try {
    await migrate(db, ['001-baseline', '002-loudness', '003-nodes', '004-log-ids']);
    let migrating: Promise<void> | null = null;
    await db.transaction().execute(async (tx) => {
      await sql`select 1 from millrace_node`.execute(tx);
      migrating = migrate(db);
      await expect.poll(() => isWaiting(db), { timeout: 20_000 }).toBe(true);
      // This query waits until the migration stops waiting for its lock.
      await sql`select 1 from millrace_node`.execute(db);
      expect(await findSchemaFault(db)).toMatch(/without 005-waveform/);
    });
    await migrating;
    expect(await findSchemaFault(db)).toBeNull();
  } finally {
    await close();
    await sql`drop database busy`.execute(database.db);
  }
}, 60_000);

/** Returns whether a statement waits for a table lock. */
async function isWaiting(db: Db): Promise<boolean> {
  const { rows } = await sql`
    select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`.execute(db);
  return rows.length > 0;
}

test('a migration that fails halfway leaves the schema as it was', async () => {
  await sql`create database half`.execute(database.db);
  const { db, close } = openDatabase({ ...database.config, database: 'half' }, () => {});
  try {
    await migrate(db, ['001-baseline']);
    // The second of the missing migrations fails.
    await sql`create table millrace_node (id int)`.execute(db);
    await expect(migrate(db)).rejects.toThrow('Could not migrate the database.');
    const columns = sql`
      select 1 from information_schema.columns where table_name = 'rendition' and column_name = 'loudness'`;
    expect((await columns.execute(db)).rows).toEqual([]);
    await sql`drop table millrace_node`.execute(db);
    await migrate(db);
    expect(await findSchemaFault(db)).toBeNull();
  } finally {
    await close();
    await sql`drop database half`.execute(database.db);
  }
});

test('rejects a backup with migrations that this version does not have', async () => {
  await expect(migrate(database.db, ['001-baseline', '999-later'])).rejects.toThrow('a newer version');
});
