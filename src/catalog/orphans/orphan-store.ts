import { type SqlBool, sql } from 'kysely';
import type { Db } from '../db.ts';

/** An object or staged upload that no row references: an object by its key, a staged upload by its id. */
export type Orphan = { kind: 'object' | 'upload'; name: string; sizeBytes: number; modifiedAt: Date };

/** `keptAt` is set if the owner has exempted the orphan from deletion by sweeps. */
export type ListedOrphan = Orphan & { foundAt: Date; keptAt: Date | null };

/** Selects orphans whose names begin with a prefix. */
export type OrphanFilter = { prefix: string };

const ROWS_AT_ONCE = 1000;

/**
 * Adds orphans to the list and starts their quarantine. Orphans that are already on the list are left unchanged, unless
 * they were modified since.
 */
export async function listOrphans(db: Db, orphans: readonly Orphan[]): Promise<void> {
  for (let at = 0; at < orphans.length; at += ROWS_AT_ONCE) {
    const rows = orphans.slice(at, at + ROWS_AT_ONCE);
    await sql`
      insert into orphan (kind, name, size_bytes, modified_at)
      select * from unnest(${rows.map(({ kind }) => kind)}::text[], ${rows.map(({ name }) => name)}::text[],
        ${rows.map(({ sizeBytes }) => sizeBytes)}::bigint[], ${rows.map(({ modifiedAt }) => modifiedAt)}::timestamptz[])
      on conflict (kind, name) do update set size_bytes = excluded.size_bytes, modified_at = excluded.modified_at,
        found_at = now(), kept_at = null where orphan.modified_at <> excluded.modified_at
    `.execute(db);
  }
}

/** Removes names from the list, because they are deleted or no longer orphans. */
export async function forgetOrphans(db: Db, kind: Orphan['kind'], names: readonly string[]): Promise<void> {
  if (names.length === 0) return;
  await sql`delete from orphan where kind = ${kind} and name = any(${[...names]})`.execute(db);
}

/** Returns the names that are listed. */
export async function findListed(db: Db, kind: Orphan['kind'], names: readonly string[]): Promise<string[]> {
  const { rows } = await sql<{ name: string }>`
    select name from orphan where kind = ${kind} and name = any(${[...names]})
  `.execute(db);
  return rows.map(({ name }) => name);
}

/** Returns the number of orphans that are not kept, and their bytes. */
export async function sumOrphans(db: Db): Promise<{ objects: number; bytes: number }> {
  const { rows } = await sql<{ objects: number; bytes: number }>`
    select count(*) as objects, coalesce(sum(size_bytes), 0)::bigint as bytes from orphan where kept_at is null
  `.execute(db);
  return rows[0] ?? { objects: 0, bytes: 0 };
}

/**
 * Finds some orphans past their quarantine, in any order, so that one that cannot be deleted does not block the others.
 */
export async function findDueOrphans(db: Db, quarantineSec: number, limit: number): Promise<ListedOrphan[]> {
  return await selectOrphans(db)
    .where('kept_at', 'is', null)
    .where('found_at', '<=', sql<Date>`now() - make_interval(secs => ${quarantineSec})`)
    .orderBy(sql`random()`)
    .limit(limit)
    .execute();
}

/** Returns a bounded number of orphans after a given name, in name order. */
export async function pageOrphans(
  db: Db,
  { prefix }: OrphanFilter,
  after: Pick<Orphan, 'kind' | 'name'> | null,
): Promise<ListedOrphan[]> {
  return await selectOrphans(db)
    .where(beginsWith(prefix))
    .where(after === null ? sql<SqlBool>`true` : sql<SqlBool>`(kind, name) > (${after.kind}, ${after.name})`)
    .orderBy('kind')
    .orderBy('name')
    .limit(ROWS_AT_ONCE)
    .execute();
}

/** Exempts orphans from deletion by sweeps; returns how many. */
export async function keepOrphans(db: Db, { prefix }: OrphanFilter): Promise<number> {
  const { numUpdatedRows } = await db
    .updateTable('orphan')
    .set({ kept_at: sql<Date>`now()` })
    .where(beginsWith(prefix))
    .executeTakeFirst();
  return Number(numUpdatedRows);
}

/**
 * Progress of the orphan search, and the number of objects seen in its last round, or null before the first round has
 * ended.
 */
export type OrphanSweep = { after: string; objects: number; lastObjects: number | null };

export async function loadOrphanSweep(db: Db): Promise<OrphanSweep> {
  const row = await db
    .selectFrom('orphan_sweep')
    .select(['after_key as after', 'objects', 'last_objects as lastObjects'])
    .executeTakeFirstOrThrow();
  return row;
}

export async function saveOrphanSweep(db: Db, { after, objects, lastObjects }: OrphanSweep): Promise<void> {
  await db.updateTable('orphan_sweep').set({ after_key: after, objects, last_objects: lastObjects }).execute();
}

function selectOrphans(db: Db) {
  return db
    .selectFrom('orphan')
    .select(['kind', 'name', 'size_bytes as sizeBytes', 'modified_at as modifiedAt'])
    .select(['found_at as foundAt', 'kept_at as keptAt']);
}

/** Uses a comparison instead of a pattern, because names contain the wildcard `_`. */
function beginsWith(prefix: string) {
  return sql<SqlBool>`starts_with(name, ${prefix})`;
}
