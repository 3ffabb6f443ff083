import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Database, openDatabase } from '../../src/catalog/db.ts';
import { resealAll, resealUntilNone } from '../../src/catalog/system/reseal-store.ts';
import { SEALED_COLUMNS, type SealedColumn } from '../../src/catalog/system/sealed-columns-store.ts';
import { createSecretBox, WrongSecretKey } from '../../src/lib/secret-box.ts';
import { startTestDatabase, type TestDatabase } from '../support/database.ts';

/** Columns of bytes without sealed secrets: hashes, public keys, media and counters. */
const UNSEALED = [
  'access_key.hash',
  'audit_line.hash',
  'chunk.fragment_table',
  'chunk.sha256',
  'dashboard_session.hash',
  'dashboard_session.key_hash',
  'finished_sign_in.hash',
  'invitation.hash',
  'library.api_key_hash',
  'library.read_only_key_hash',
  'live_stream.key_hash',
  'media.source_sha256',
  'media.waveform',
  'media_heat.counts',
  'media_heat.reached',
  'passkey.public_key',
  'person_session.hash',
  'rendition.init',
  'rendition.init_sha256',
  'rendition.planned_segments',
  'secret_rotation.new_key_wrapped',
  'secret_rotation.old_key_wrapped',
  'share.token_hash',
  'share_code.address_hash',
  'share_code.code_hash',
  'sign_in_link.hash',
  'sign_in_link.key_hash',
  'speech_span.identity',
  'view_session.heat',
  'viewer_salt.salt',
  'viewer_sketch.registers',
];

const [oldKey, newKey] = [Buffer.alloc(32, 1), Buffer.alloc(32, 2)];
const keys = { oldKey, newKey };

let database: TestDatabase;
/** The same database, in which tables of another schema come first. */
let scratch: Database;
beforeAll(async () => {
  database = await startTestDatabase();
  await sql`create schema scratch`.execute(database.db);
  const options = '-c search_path=scratch,public';
  scratch = openDatabase({ ...database.config, options, max: 3 }, () => undefined);
});
afterAll(async () => {
  await scratch.close();
  await database.stop();
});

type Column = { name: string };

test('every column of bytes is either listed for a rotation, or known to hold no sealed secret', async () => {
  const { rows } = await sql<Column>`
    select c.relname || '.' || a.attname as name from pg_attribute a
    join pg_class c on c.oid = a.attrelid join pg_namespace n on n.oid = c.relnamespace
    where n.nspname = 'public' and c.relkind in ('r', 'p') and not c.relispartition and a.attnum > 0
      and not a.attisdropped and a.atttypid = 'bytea'::regtype order by 1`.execute(database.db);
  const listed = SEALED_COLUMNS.map(({ table, column }) => `${table}.${column}`).filter(
    (name) => !name.endsWith('.metadata'),
  );
  const others = rows.map(({ name }) => name).filter((name) => !listed.includes(name));
  expect(others).toEqual(UNSEALED);
  expect(listed.filter((name) => !rows.some((row) => row.name === name))).toEqual([]);
});

test.each(SEALED_COLUMNS.map((column) => [`${column.table}.${column.column}`, column] as const))(
  'a rotation seals %s again, leaves fresh values and values of other keys, and can be repeated',
  async (_, column) => {
    const [old, fresh, foreign] = [oldKey, newKey, Buffer.alloc(32, 3)].map((key) => createSecretBox(key));
    if (old === undefined || fresh === undefined || foreign === undefined) throw new Error('Expected three boxes.');
    const values = [old.seal('first'), fresh.seal('second'), foreign.seal('third')];
    const { db } = scratch;
    await fill(column, values);
    const first = await resealAll(db, keys, [column]);
    expect([first.resealed, [...first.unreadable.values()]]).toEqual([1, [1]]);
    const { rows } = await sql<{ sealed: Buffer }>`
        select ${column.read} as sealed from ${sql.table(column.table)} as t`.execute(db);
    const plain = rows.map(({ sealed }) => open(newKey, sealed));
    expect(new Set(plain)).toEqual(new Set([null, 'first', 'second']));
    expect((await resealAll(db, keys, [column])).resealed).toBe(0);
  },
);

test('values that change during a pass are sealed by another one', async () => {
  const { db } = scratch;
  const [column] = SEALED_COLUMNS;
  if (column === undefined) throw new Error('Expected a column.');
  const old = createSecretBox(oldKey);
  await fill(column, [old.seal('first'), old.seal('second')]);
  // The first two updates find no row, as after a change by another process.
  await sql`create sequence scratch.updates`.execute(db);
  await sql`create function scratch.miss() returns trigger language plpgsql as $$
      begin return case when nextval('scratch.updates') > 2 then new end; end $$`.execute(db);
  await sql`create trigger miss before update on ${sql.table(column.table)}
      for each row execute function scratch.miss()`.execute(db);
  expect((await resealUntilNone(db, keys, [column])).resealed).toBe(2);
  const { rows } = await sql<{ sealed: Buffer }>`
      select ${column.read} as sealed from ${sql.table(column.table)} as t`.execute(db);
  expect(rows.map(({ sealed }) => open(newKey, sealed)).toSorted()).toEqual(['first', 'second']);
});

/** Creates a table of the same columns without constraints, so that rows need no other rows, with sealed values. */
async function fill(column: SealedColumn, values: readonly Buffer[]): Promise<void> {
  const { db } = scratch;
  await sql`drop table if exists ${sql.table(`scratch.${column.table}`)}`.execute(db);
  await sql`create table ${sql.table(`scratch.${column.table}`)} as
      select * from ${sql.table(`public.${column.table}`)} limit 0`.execute(db);
  for (const value of values) {
    const target =
      column.column === 'metadata'
        ? sql`(method, metadata) values ('fetch', ${JSON.stringify(metadataOf(value))}::jsonb)`
        : sql`(${sql.ref(column.column)}) values (${value})`;
    await sql`insert into ${sql.table(column.table)} ${target}`.execute(db);
  }
}

function open(key: Uint8Array, sealed: Buffer): string | null {
  try {
    return createSecretBox(key).open(sealed);
  } catch (error) {
    if (error instanceof WrongSecretKey) return null;
    throw error;
  }
}

function metadataOf(value: Buffer): object {
  return { sealed: value.toString('base64'), postponed: 1 };
}
