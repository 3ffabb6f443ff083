import { sql } from 'kysely';
import type { Guid } from '../../lib/guid.ts';
import type { Db, MediaKey, Tx } from '../db.ts';
import { inTransaction } from '../in-transaction.ts';
import { IS_FREE, leaseEnd } from '../leases/lease-store.ts';
import { announceLost, noteAbandoned, type UploadRef } from './upload-store.ts';

const CLOSING_SEC = 60;
const AT_ONCE = 100;

/** Seconds without a lease after which a fetch has lost its job. */
const IDLE_FETCH_SEC = 15;

/** An ended upload session. `isSource`: its object is the video's original, so only the upload session is deleted. */
export type DeadUpload = UploadRef & { isSource: boolean };

type DeadRow = MediaKey & {
  id: Guid;
  isSource: boolean;
  isLostTus: boolean;
  isOpen: boolean;
  method: string;
  concat: string | null;
};

/**
 * Claims at most a hundred ended upload sessions, in any order: PUTs whose lease expired (their process died), uploads
 * and fetches past their expiry, and abandoned ones that were being closed. From then on nothing can complete them: the
 * caller removes their bytes, then deletes the sessions. Sessions that were claimed but not deleted are claimed again
 * after a minute.
 */
export async function takeDeadUploads(db: Db): Promise<DeadUpload[]> {
  return inTransaction(db, async (tx) => {
    const rows = await closeDead(tx);
    // Uses a fixed order, so that two sweeps cannot deadlock on webhook lines.
    const lost = rows.filter(({ isLostTus }) => isLostTus).toSorted((a, b) => (a.mediaId < b.mediaId ? -1 : 1));
    await announceLost(tx, lost);
    for (const row of rows.filter(({ isOpen }) => isOpen))
      noteAbandoned(row, row.id, 'The upload received no bytes in time.');
    return rows.map(({ id, libraryId, mediaId, isSource }) => ({ id, key: { libraryId, mediaId }, isSource }));
  });
}

async function closeDead(tx: Tx): Promise<DeadRow[]> {
  const { rows } = await sql<DeadRow>`
    with dead as (
      select id, method = 'tus' and state = 'open' as "isLostTus", state = 'open' as "isOpen"
      from upload
      where ${IS_FREE} and (method = 'put' or state = 'closing' or expires_at < now())
      order by random() limit ${AT_ONCE} for update skip locked
    )
    update upload set lease_owner = 'sweep', lease_until = ${leaseEnd(CLOSING_SEC)},
      state = case when upload.state = 'complete' then 'complete' else 'closing' end
    from media, dead
    where media.library_id = upload.library_id and media.id = upload.media_id and upload.id = dead.id
    returning dead."isLostTus", dead."isOpen", upload.method, upload.concat, upload.id,
      upload.library_id as "libraryId", upload.media_id as "mediaId",
      upload.state = 'complete' or coalesce(media.source_key like '%/' || upload.id::text, false) as "isSource"
  `.execute(tx);
  return rows;
}

/** Finds fetches that wait without a lease, oldest first, a hundred at most. */
export async function findIdleFetches(db: Db): Promise<UploadRef[]> {
  const rows = await db
    .selectFrom('upload')
    .select(['id', 'library_id', 'media_id'])
    .where('method', '=', 'fetch')
    .where('state', '=', 'open')
    .where(IS_FREE)
    .where('created_at', '<', sql<Date>`now() - make_interval(secs => ${IDLE_FETCH_SEC})`)
    .orderBy('created_at')
    .limit(AT_ONCE)
    .execute();
  return rows.map((row) => ({ id: row.id, key: { libraryId: row.library_id, mediaId: row.media_id } }));
}

/** Returns the ids among these that have an upload session. */
export async function findUploads(db: Db, ids: readonly string[]): Promise<ReadonlySet<string>> {
  if (ids.length === 0) return new Set();
  const { rows } = await sql<{ id: string }>`
    select id from upload where id::text = any(${[...ids]})
  `.execute(db);
  return new Set(rows.map(({ id }) => id));
}
