import { sql } from 'kysely';
import type { Guid } from '../../lib/guid.ts';
import { Refused } from '../../lib/refused.ts';
import type { Db, Tx } from '../db.ts';
import { createTrashStore } from '../videos/trash-store.ts';
import type { ImportKey } from './library-import.ts';

/** An imported item whose file the library already has, as the file of the video `sameAs`. */
export type Duplicate = { place: number; targetId: Guid; sameAs: Guid };

/** Minutes after which the import stops waiting for the hash of a file. */
const HASH_LIMIT_MIN = 10;
const NOTED = 'Its file is the same as that of video ';

/** Counts imported videos whose file was stored recently and is not hashed yet. */
export async function countUnhashed(db: Db, importId: Guid): Promise<number> {
  const { rows } = await sql<{ n: number }>`
    select count(*) as n from import_item i join media m on m.library_id = i.library_id and m.id = i.target_id
    where i.import_id = ${importId} and i.kind = 'video' and i.state = 'imported' and m.source_key is not null
      and m.source_sha256 is null and m.state_since > now() - make_interval(mins => ${HASH_LIMIT_MIN})`.execute(db);
  return rows[0]?.n ?? 0;
}

/**
 * Finds imported items whose file has the SHA-256 of another video of the library, which is older or precedes it in the
 * import, and has not failed. Leaves out those that are noted already.
 */
export async function findDuplicates(db: Db, importId: Guid, limit: number): Promise<Duplicate[]> {
  const { rows } = await sql<Duplicate>`
    select i.place, i.target_id as "targetId", min(o.id::text)::uuid as "sameAs"
    from import_item i
    join media m on m.library_id = i.library_id and m.id = i.target_id and m.type <> 'trash'
    join media o on o.library_id = m.library_id and o.source_sha256 = m.source_sha256 and o.id <> m.id
      and o.type <> 'trash' and o.state not in ('created', 'upload-failed', 'failed')
    where i.import_id = ${importId} and i.kind = 'video' and i.state = 'imported'
      and not exists (select from import_item later where later.import_id = i.import_id and later.place > i.place
        and later.target_id = o.id)
      and not exists (select from jsonb_array_elements_text(i.notes) n where n like ${`${NOTED}%`})
    group by i.place, i.target_id order by i.place limit ${limit}`.execute(db);
  return rows;
}

/**
 * Notes that the file of an item is a duplicate. With `isSkipped`, also moves its own video to the trash. Does nothing
 * for a video that was deleted.
 */
export async function settleDuplicate(
  db: Db,
  { libraryId, importId }: ImportKey,
  { isSkipped, ...duplicate }: Duplicate & { isSkipped: boolean },
): Promise<void> {
  if (!isSkipped) return noteDuplicate(db, importId, { ...duplicate, isSkipped });
  try {
    const note = (tx: Tx) => noteDuplicate(tx, importId, { ...duplicate, isSkipped });
    await createTrashStore(db).put({ libraryId, mediaId: duplicate.targetId }, note);
  } catch (error) {
    if (!(error instanceof Refused) || error.kind !== 'not-found') throw error;
  }
}

async function noteDuplicate(
  db: Db | Tx,
  importId: Guid,
  { place, sameAs, isSkipped }: Duplicate & { isSkipped: boolean },
): Promise<void> {
  const note = `${NOTED}${sameAs}.`;
  await sql`
    update import_item set notes = notes || ${JSON.stringify([note])}::jsonb,
      state = case when ${isSkipped} then 'skipped' else state end,
      reason = case when ${isSkipped} then ${`${note} This copy is in the trash.`} else reason end
    where import_id = ${importId} and place = ${place} and state = 'imported'`.execute(db);
}
