import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { resealAll } from '../../src/catalog/system/reseal-store.ts';
import { SEALED_COLUMNS } from '../../src/catalog/system/sealed-columns.ts';
import { createSecretBox, WrongSecretKey } from '../../src/lib/secret-box.ts';
import { startTestDatabase, type TestDatabase } from '../support/database.ts';

/** Columns of bytes without sealed secrets: hashes, public keys, media and counters. */
const UNSEALED = [
  'access_key.hash',
  'chunk.fragment_table',
  'chunk.sha256',
  'dashboard_session.hash',
  'media.source_sha256',
  'media.waveform',
  'passkey.public_key',
  'secret_rotation.new_key_wrapped',
  'secret_rotation.old_key_wrapped',
  'share.token_hash',
];

const [oldKey, newKey] = [Buffer.alloc(32, 1), Buffer.alloc(32, 2)];
const keys = { oldKey, newKey };

let database: TestDatabase;
beforeAll(async () => {
  database = await startTestDatabase();
});
afterAll(() => database.stop());

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
    await database.db.connection().execute(async (db) => {
      // A table of the same columns without constraints, so that rows need no other rows.
      await sql`create temporary table ${sql.table(column.table)} as
        select * from ${sql.table(`public.${column.table}`)} limit 0`.execute(db);
      for (const value of values) {
        const target =
          column.column === 'metadata'
            ? sql`(method, metadata) values ('fetch', ${JSON.stringify({ sealed: value.toString('base64'), postponed: 1 })}::jsonb)`
            : sql`(${sql.ref(column.column)}) values (${value})`;
        await sql`insert into ${sql.table(column.table)} ${target}`.execute(db);
      }
      const first = await resealAll(db, keys, [column]);
      expect([first.resealed, [...first.unreadable.values()]]).toEqual([1, [1]]);
      const { rows } = await sql<{ sealed: Buffer }>`
        select ${column.read} as sealed from ${sql.table(column.table)} as t`.execute(db);
      const plain = rows.map(({ sealed }) => open(newKey, sealed));
      expect(plain.sort()).toEqual([null, 'first', 'second'].sort());
      expect((await resealAll(db, keys, [column])).resealed).toBe(0);
    });
  },
);

function open(key: Uint8Array, sealed: Buffer): string | null {
  try {
    return createSecretBox(key).open(sealed);
  } catch (error) {
    if (error instanceof WrongSecretKey) return null;
    throw error;
  }
}
