import { sql } from 'kysely';
import type { Guid } from '../../lib/guid.ts';
import { objectOf, splitPacked } from '../../ports/packed-key.ts';
import type { StorageKey } from '../../ports/storage.ts';
import type { Db, MediaKey, Tx } from '../db.ts';
import { IS_FREE } from '../leases/lease-store.ts';
import { filesOf } from '../renditions/added-track.ts';
import { recountStorage } from '../renditions/storage-store.ts';
import { retirePacks } from '../retired-object-store.ts';
import { ENCODING_STATES, idxKeyOf } from '../tasks/encode-task.ts';
import { BESIDE_KINDS } from '../tasks/task-kind.ts';
import { finalizeMedia } from './finalize-store.ts';

/** Number of seconds without activity after which a video has no owner, because its job was lost. */
const IDLE_SEC = 15;
/**
 * Maximum number of rows per run. Rows whose work may fail repeatedly are selected in any order. Otherwise the oldest
 * would fill each run and block the others.
 */
const ROWS_AT_ONCE = 200;

export async function mediaExists(db: Db, { libraryId, mediaId }: MediaKey): Promise<boolean> {
  const row = await db
    .selectFrom('media')
    .select('id')
    .where('library_id', '=', libraryId)
    .where('id', '=', mediaId)
    .executeTakeFirst();
  return row !== undefined;
}

/** Finds a bounded number of videos that wait to be planned and have no lease, in any order. */
export async function findUnplanned(db: Db): Promise<MediaKey[]> {
  const { rows } = await sql<MediaKey>`
    select library_id as "libraryId", id as "mediaId" from media
    where type = 'video' and ((state = 'uploaded' and state_since < now() - make_interval(secs => ${IDLE_SEC}))
      or (state = 'processing' and ${IS_FREE}))
    order by random() limit ${ROWS_AT_ONCE}
  `.execute(db);
  return rows;
}

/** Finds a bounded number of videos that are still being encoded although they have no open task, in any order. */
export async function findStuck(db: Db): Promise<MediaKey[]> {
  const { rows } = await sql<MediaKey>`
    select library_id as "libraryId", id as "mediaId" from media m
    where state = any(${ENCODING_STATES}) and not exists (select 1 from encode_task w where w.library_id = m.library_id
      and w.media_id = m.id and w.state in ('waiting', 'running') and w.kind <> all (${BESIDE_KINDS}::text[]))
    order by random() limit ${ROWS_AT_ONCE}
  `.execute(db);
  return rows;
}

/** Ends a video that is still being encoded although it has no open task. */
export async function finalizeStuck(tx: Tx, key: MediaKey): Promise<void> {
  await tx.selectFrom('media').select('id').where('id', '=', key.mediaId).forUpdate().execute();
  await finalizeMedia(tx, key);
}

/**
 * An expired rendition with the objects of its chunks. The `packed` objects are in packs that also contain other
 * renditions.
 */
export type RetiredRendition = { key: MediaKey; renditionId: Guid; objects: StorageKey[]; packed: StorageKey[] };

/** Finds a bounded number of renditions that were retired more than `graceSec` ago, in any order. */
export async function findRetired(db: Db, graceSec: number): Promise<RetiredRendition[]> {
  const renditions = await db
    .selectFrom('rendition')
    .select(['library_id', 'media_id', 'id'])
    .where('retired_at', '<', sql<Date>`now() - make_interval(secs => ${graceSec})`)
    .orderBy(sql`random()`)
    .limit(ROWS_AT_ONCE)
    .execute();
  const found: RetiredRendition[] = [];
  for (const row of renditions) {
    const chunks = await db
      .selectFrom('chunk')
      .select('storage_key')
      .where('library_id', '=', row.library_id)
      .where('media_id', '=', row.media_id)
      .where('rendition_id', '=', row.id)
      .execute();
    const keys = chunks.flatMap((chunk) => [chunk.storage_key, idxKeyOf(chunk.storage_key)]);
    const key = { libraryId: row.library_id, mediaId: row.media_id };
    found.push({ key, renditionId: row.id, ...splitPacked(keys) });
  }
  return found;
}

/**
 * Deletes a retired rendition, and its timeline if it has no other. Packs without chunks of other renditions retire.
 */
export async function dropRetired(
  tx: Tx,
  { key, renditionId, packed }: Omit<RetiredRendition, 'objects'>,
): Promise<void> {
  const { libraryId, mediaId } = key;
  await tx.selectFrom('media').select('id').where('id', '=', mediaId).forUpdate().execute();
  await tx
    .deleteFrom('rendition')
    .where('library_id', '=', libraryId)
    .where('media_id', '=', mediaId)
    .where('id', '=', renditionId)
    .where('retired_at', 'is not', null)
    .execute();
  await sql`
    delete from timeline t where library_id = ${libraryId} and media_id = ${mediaId} and not active
      and not exists (select 1 from rendition r where r.timeline_id = t.id)
  `.execute(tx);
  await retirePacks(tx, key, packed);
  await recountStorage(tx, key);
}

/**
 * Returns every object that the rows of a video reference. Returns null if the video does not exist. `isBusy`: one of
 * its tasks may be writing now.
 */
export async function findNamedObjects(
  db: Db,
  { libraryId, mediaId }: MediaKey,
): Promise<{ isBusy: boolean; keys: ReadonlySet<string> } | null> {
  // Must run first, so that the rows read below include everything completed by then.
  const open = await db
    .selectFrom('encode_task')
    .select('id')
    .where('library_id', '=', libraryId)
    .where('media_id', '=', mediaId)
    .where('state', 'in', ['waiting', 'running'])
    .executeTakeFirst();
  const media = await db
    .selectFrom('media')
    .select(['type', 'state', 'source_key', 'thumbnail_key', 'captions', 'audio_tracks'])
    .where('library_id', '=', libraryId)
    .where('id', '=', mediaId)
    .executeTakeFirst();
  if (media === undefined) return null;
  const chunks = await db
    .selectFrom('chunk')
    .select('storage_key')
    .where('library_id', '=', libraryId)
    .where('media_id', '=', mediaId)
    .execute();
  const keys = new Set<string>(chunks.flatMap(({ storage_key: key }) => [key, idxKeyOf(key)]).map(objectOf));
  const retired = await db
    .selectFrom('retired_object')
    .select('storage_key')
    .where('library_id', '=', libraryId)
    .where('media_id', '=', mediaId)
    .execute();
  const images = await db
    .selectFrom('image')
    .select('storage_key')
    .where('library_id', '=', libraryId)
    .where('media_id', '=', mediaId)
    .execute();
  for (const { storage_key: key } of [...retired, ...images]) keys.add(objectOf(key));
  for (const { key } of [...media.captions, ...filesOf(media.audio_tracks)]) keys.add(key);
  for (const key of [media.source_key, media.thumbnail_key]) if (key !== null) keys.add(key);
  const isWritten = open !== undefined || media.type === 'live';
  const isBusy = isWritten || media.state === 'processing' || media.state === 'uploaded';
  return { isBusy, keys };
}
