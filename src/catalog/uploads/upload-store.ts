import { hostname } from 'node:os';
import { sql } from 'kysely';
import { type Guid, newGuid } from '../../lib/guid.ts';
import type { Db, FollowUp, MediaKey } from '../db.ts';
import type { UploadOptions } from '../schema.ts';

const LEASE_SEC = 60;
const LONGEST_PUT_SEC = 7 * 24 * 3600;
const SWEPT_AT_ONCE = 100;

/** Owners of a lease are named `host/pid`, for the eyes of whoever looks into the table. */
const owner = `${hostname()}/${process.pid}`;

/** A PUT whose owner is gone: its object (`{libraryId}/{mediaId}/source/{id}`) belongs to nobody unless the video names it. */
export type AbandonedPut = MediaKey & { id: Guid; isSource: boolean };

/** The doors that stand open for PUTs, each under a lease of 60 s that its request keeps renewing. */
export type UploadStore = {
  openPut(key: MediaKey, wanted: { lengthBytes: number | null; options: UploadOptions }): Promise<Guid>;
  /** Keeps a door open for another 60 s. */
  renew(id: Guid): Promise<void>;
  /** Forgets a door; as a follow-up it joins the change that the upload led to. */
  closing(id: Guid): FollowUp;
  close(id: Guid): Promise<void>;
  /** Doors whose lease ended, a hundred at a time: their objects are to be removed, then the doors closed. */
  abandonedPuts(): Promise<AbandonedPut[]>;
};

export function createUploadStore(db: Db): UploadStore {
  return {
    async openPut({ libraryId, mediaId }, { lengthBytes, options }) {
      const id = newGuid();
      await db
        .insertInto('upload')
        .values({
          id,
          library_id: libraryId,
          media_id: mediaId,
          door: 'put',
          length_bytes: lengthBytes,
          metadata: JSON.stringify(options),
          lease_owner: owner,
          lease_until: sql`now() + ${LEASE_SEC} * interval '1 second'`,
          expires_at: sql`now() + ${LONGEST_PUT_SEC} * interval '1 second'`,
        })
        .execute();
      return id;
    },
    async renew(id) {
      await db
        .updateTable('upload')
        .set({ lease_until: sql`now() + ${LEASE_SEC} * interval '1 second'` })
        .where('id', '=', id)
        .execute();
    },
    closing: (id) => (tx) => deleteUpload(tx, id),
    close: (id) => deleteUpload(db, id),
    abandonedPuts: () => selectAbandoned(db),
  };
}

async function deleteUpload(db: Db, id: Guid): Promise<void> {
  await db.deleteFrom('upload').where('id', '=', id).execute();
}

async function selectAbandoned(db: Db): Promise<AbandonedPut[]> {
  return db
    .selectFrom('upload')
    .innerJoin('media', (join) =>
      join.onRef('media.library_id', '=', 'upload.library_id').onRef('media.id', '=', 'upload.media_id'),
    )
    .select(['upload.id', 'upload.library_id as libraryId', 'upload.media_id as mediaId'])
    .select(sql<boolean>`coalesce(media.source_key like '%/' || upload.id::text, false)`.as('isSource'))
    .where('upload.door', '=', 'put')
    .where('upload.lease_until', '<', sql<Date>`now()`)
    .orderBy('upload.lease_until')
    .limit(SWEPT_AT_ONCE)
    .execute();
}
