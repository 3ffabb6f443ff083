import { hostname } from 'node:os';
import { sql } from 'kysely';
import { type Guid, newGuid } from '../../lib/guid.ts';
import { Refused } from '../../lib/refused.ts';
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
  /** Keeps a door open for another 60 s. Refuses (`timeout`) when its lease ended and the sweep took it. */
  renew(id: Guid): Promise<void>;
  /** Closes an own door in the change that its upload led to. Refuses (`timeout`) when the sweep took it. */
  closing(id: Guid): FollowUp;
  /** Forgets a door, whoever has it; doing it twice is harmless. */
  close(id: Guid): Promise<void>;
  /** Takes over doors whose lease ended, a hundred at most: their objects are to be removed, then the doors closed. */
  takeAbandonedPuts(): Promise<AbandonedPut[]>;
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
      const { numUpdatedRows } = await db
        .updateTable('upload')
        .set({ lease_until: sql`now() + ${LEASE_SEC} * interval '1 second'` })
        .where('id', '=', id)
        .where('lease_owner', '=', owner)
        .executeTakeFirst();
      if (numUpdatedRows === 0n) throw givenUp();
    },
    closing: (id) => async (tx) => {
      const { numDeletedRows } = await tx
        .deleteFrom('upload')
        .where('id', '=', id)
        .where('lease_owner', '=', owner)
        .executeTakeFirst();
      if (numDeletedRows === 0n) throw givenUp();
    },
    async close(id) {
      await db.deleteFrom('upload').where('id', '=', id).execute();
    },
    takeAbandonedPuts: () => takeAbandoned(db),
  };
}

// The lease changes hands first: from then on the upload, should it wake, can no longer end in its video.
async function takeAbandoned(db: Db): Promise<AbandonedPut[]> {
  const { rows } = await sql<AbandonedPut>`
    update upload set lease_owner = ${`sweep ${owner}`}, lease_until = now() + ${LEASE_SEC} * interval '1 second'
    from media
    where media.library_id = upload.library_id and media.id = upload.media_id and upload.id in (
      select id from upload where door = 'put' and lease_until < now()
      order by lease_until limit ${SWEPT_AT_ONCE} for update skip locked)
    returning upload.id, upload.library_id as "libraryId", upload.media_id as "mediaId",
      coalesce(media.source_key like '%/' || upload.id::text, false) as "isSource"`.execute(db);
  return rows;
}

function givenUp(): Refused {
  return new Refused('timeout', 'The upload stood still for over a minute and was given up. Send it again.');
}
