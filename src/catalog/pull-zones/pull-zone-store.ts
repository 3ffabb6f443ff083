import type { Db } from '../db.ts';
import type { PullZoneName } from './pull-zone-name.ts';

/** A pull zone as the edge needs it: which library it shows. */
export type PullZone = { id: number; name: PullZoneName; libraryId: number };

/** Finds a pull zone by its name; null when there is none. */
export async function findPullZone(db: Db, name: PullZoneName): Promise<PullZone | null> {
  const row = await db.selectFrom('pull_zone').select(['id', 'library_id']).where('name', '=', name).executeTakeFirst();
  return row === undefined ? null : { id: row.id, name, libraryId: row.library_id };
}
