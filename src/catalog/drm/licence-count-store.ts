import { sql } from 'kysely';
import type { Guid } from '../../lib/guid.ts';
import type { Db } from '../db.ts';

/** Adds issued licences, given by media id, to the counts of their libraries for the current UTC day. */
export async function addLicences(db: Db, given: ReadonlyMap<Guid, number>): Promise<void> {
  const [ids, counts] = [[...given.keys()], [...given.values()]];
  await sql`
    insert into licence_count (library_id, day, issued)
    select m.library_id, (now() at time zone 'utc')::date, sum(g.issued)
    from unnest(${ids}::uuid[], ${counts}::bigint[]) g (media_id, issued) join media m on m.id = g.media_id
    group by m.library_id order by m.library_id
    on conflict (library_id, day) do update set issued = licence_count.issued + excluded.issued
  `.execute(db);
}

/**
 * Returns the number of licences issued for a library's videos by UTC day (`yyyy-MM-dd`), for a range of days that
 * includes both ends. Omits days without licences.
 */
export async function countLicences(
  db: Db,
  libraryId: number,
  { from, to }: { from: string; to: string },
): Promise<ReadonlyMap<string, number>> {
  if (from === '') return new Map();
  const { rows } = await sql<{ day: string; issued: number }>`
    select to_char(day, 'YYYY-MM-DD') as day, issued from licence_count
    where library_id = ${libraryId} and day between ${from}::date and ${to}::date
  `.execute(db);
  return new Map(rows.map(({ day, issued }) => [day, issued]));
}
