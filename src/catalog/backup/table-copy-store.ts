import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type pg from 'pg';
import { from as copyFrom, to as copyTo } from 'pg-copy-streams';

/**
 * Skips attempt numbers. Objects that were stored after the snapshot contain attempt numbers that the sequence of the
 * snapshot has not issued yet, and object names must be unique. Near its maximum the sequence wraps around, as it does
 * in normal use.
 */
const SKIP_ATTEMPTS = `
  select setval('encode_attempt', case when last_value > 990000000 then 1000000 else last_value + 1000000 end)
  from encode_attempt
`;

/** A dedicated connection, required by transactions and COPY. */
export type CopyClient = pg.PoolClient;

/** A table and its columns, without generated columns. */
export type TableShape = { name: string; columns: readonly string[] };
/** A partition of a table, with its bound in PostgreSQL's notation. */
export type Partition = { name: string; parent: string; bound: string };
export type SequenceValue = { name: string; value: number };

/**
 * Parts of the schema that grow with the data: partitions and sequences. A restore creates them before it inserts rows.
 */
export type GrownSchema = {
  migrations: readonly string[];
  tables: readonly TableShape[];
  partitions: readonly Partition[];
  sequences: readonly SequenceValue[];
};

/** Begins a read-only transaction on one consistent snapshot of the database. The caller ends the transaction. */
export async function beginSnapshot(client: CopyClient): Promise<void> {
  await client.query('begin isolation level repeatable read read only');
}

/**
 * Reads the tables, partitions and sequences of the schema. Skips the queues of pg-boss, because sweeps resend lost
 * jobs.
 */
export async function readGrownSchema(client: CopyClient): Promise<GrownSchema> {
  const migrations = await client.query<{ name: string }>('select name from kysely_migration order by name');
  const tables = await client.query<TableShape>(`
    select c.relname::text as name, array(
      select a.attname::text from pg_attribute a
      where a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped and a.attgenerated = '' order by a.attnum
    ) as columns
    from pg_class c
    where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p') and c.relpersistence = 'p'
      and not c.relispartition and c.relname not like 'kysely_migration%'
    order by c.relname`);
  const partitions = await client.query<Partition>(`
    select c.relname::text as name, p.relname::text as parent, pg_get_expr(c.relpartbound, c.oid) as bound
    from pg_class c join pg_inherits i on i.inhrelid = c.oid join pg_class p on p.oid = i.inhparent
    where c.relnamespace = 'public'::regnamespace and c.relispartition and c.relkind = 'r' order by c.relname`);
  const sequences = await client.query<SequenceValue>(`
    select sequencename::text as name, last_value as value from pg_sequences
    where schemaname = 'public' and last_value is not null order by sequencename`);
  return {
    migrations: migrations.rows.map(({ name }) => name),
    tables: tables.rows,
    partitions: partitions.rows,
    sequences: sequences.rows,
  };
}

/** Reads the rows of a table in the text format of COPY. */
export function copyRowsOut(client: CopyClient, { name, columns }: TableShape): Readable {
  return client.query(copyTo(`copy (select ${quoteAll(columns)} from ${quoted(name)}) to stdout`));
}

/** Returns whether this database is unused: it has no tables, or no library. */
export async function isNeverUsed(client: CopyClient): Promise<boolean> {
  const { rows } = await client.query<{ found: string | null }>(`select to_regclass('public.library')::text as found`);
  if (rows[0]?.found === null) return true;
  const libraries = await client.query('select 1 from library limit 1');
  return libraries.rows.length === 0;
}

/**
 * Replaces all rows in one transaction. Triggers are disabled, because their effects are already in the rows; foreign
 * keys are checked once at the end. `open` returns the rows of a table in the text format of COPY.
 */
export async function putRowsBack(
  client: CopyClient,
  { tables, partitions, sequences }: GrownSchema,
  open: (table: TableShape) => Promise<Readable>,
): Promise<void> {
  await client.query('begin');
  try {
    for (const { name, parent, bound } of partitions) {
      await client.query(`create table if not exists ${quoted(name)} partition of ${quoted(parent)} ${bound}`);
    }
    const restoreKeys = await dropForeignKeys(client);
    for (const { name } of tables) await client.query(`alter table ${quoted(name)} disable trigger user`);
    await client.query(`truncate ${quoteAll(tables.map(({ name }) => name))}`);
    for (const table of tables) {
      // Opens the rows first: a COPY that has begun waits for its rows, and a rollback would wait for the COPY.
      const rows = await open(table);
      const sink = client.query(copyFrom(`copy ${quoted(table.name)} (${quoteAll(table.columns)}) from stdin`));
      await pipeline(rows, sink);
    }
    for (const { name } of tables) await client.query(`alter table ${quoted(name)} enable trigger user`);
    await restoreKeys();
    for (const { name, value } of sequences) await client.query('select setval($1::regclass, $2)', [name, value]);
    await client.query(SKIP_ATTEMPTS);
    await client.query('commit');
  } catch (error) {
    await client.query('rollback');
    throw error;
  }
}

/** Drops all foreign keys. Returns a function that recreates them, which checks every row. */
async function dropForeignKeys(client: CopyClient): Promise<() => Promise<void>> {
  const { rows } = await client.query<{ name: string; place: string; definition: string }>(`
    select conname::text as name, conrelid::regclass::text as place, pg_get_constraintdef(oid) as definition
    from pg_constraint
    where contype = 'f' and connamespace = 'public'::regnamespace and conparentid = 0`);
  for (const { name, place } of rows) await client.query(`alter table ${place} drop constraint ${quoted(name)}`);
  return async () => {
    for (const { name, place, definition } of rows) {
      await client.query(`alter table ${place} add constraint ${quoted(name)} ${definition}`);
    }
  };
}

function quoteAll(names: readonly string[]): string {
  return names.map(quoted).join(', ');
}

function quoted(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}
