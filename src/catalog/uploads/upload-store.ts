import { hostname } from 'node:os';
import { sql } from 'kysely';
import { type Guid, newGuid } from '../../lib/guid.ts';
import { hasCode } from '../../lib/has-code.ts';
import { Refused } from '../../lib/refused.ts';
import type { Db, FollowUp, MediaKey, Tx } from '../db.ts';
import { inTransaction, logOnCommit } from '../in-transaction.ts';
import { leaseEnd, RELEASED } from '../leases/lease-store.ts';
import { type Reserve, requireStorageQuota, reserveGrowing } from '../quotas/storage-quota-store.ts';
import type { UploadOptions } from '../schema.ts';
import { WebhookStatus } from '../webhooks/webhook.ts';
import { announce } from '../webhooks/webhook-store.ts';

const FOREIGN_KEY_VIOLATION = '23503';
const LEASE_SEC = 60;
const MAX_PUT_SEC = 7 * 24 * 3600;

/** Seconds for which a complete upload session is reported to clients that lost the last response. */
const REMEMBERED_SEC = 24 * 3600;

/** Owners of a lease are named `host/pid`, for people who inspect the table. */
const owner = `${hostname()}/${process.pid}`;

/** Lease of a session that is being closed. If it expires, the sweep closes the session. */
const CLOSING = { lease_owner: owner, lease_until: leaseEnd(LEASE_SEC) };

/** Identifies one upload session of one video. */
export type UploadRef = { id: Guid; key: MediaKey };

/** Upload sessions for PUTs, each with a lease of 60 s that its request keeps renewing. */
export type UploadStore = {
  /**
   * Opens an upload session. Throws `Refused` (`not-found`) for a video that does not exist, and (`quota-reached`) if
   * the library has no room for the file.
   */
  openPut(key: MediaKey, wanted: { lengthBytes: number | null; options: UploadOptions }): Promise<Guid>;
  /**
   * Keeps an upload session open for another 60 s. Throws `Refused` (`timeout`) if its lease expired and the sweep
   * claimed it.
   */
  renew(id: Guid): Promise<void>;
  /**
   * Returns a step that closes an upload session of this process in the transaction that commits the upload. Throws
   * `Refused` (`timeout`) if the sweep has claimed the session.
   */
  closing(id: Guid): FollowUp;
  /** Returns a function that reserves storage for a session of unknown length while it grows. */
  reserve(key: MediaKey, id: Guid): Reserve;
  /** Deletes an upload session of any owner. Idempotent. */
  close(id: Guid): Promise<void>;
};

export function createUploadStore(db: Db): UploadStore {
  return {
    async openPut({ libraryId, mediaId }, { lengthBytes, options }) {
      const id = newGuid();
      const inserted = inTransaction(db, async (tx) => {
        // The foreign key locks the video. Locked before the quota, as by all uploads, it cannot cause a deadlock.
        await sql`select from media where library_id = ${libraryId} and id = ${mediaId} for key share`.execute(tx);
        await requireStorageQuota(tx, libraryId, { bytes: lengthBytes });
        await tx
          .insertInto('upload')
          .values({
            id,
            library_id: libraryId,
            media_id: mediaId,
            method: 'put',
            length_bytes: lengthBytes,
            metadata: JSON.stringify(options),
            lease_owner: owner,
            lease_until: leaseEnd(LEASE_SEC),
            expires_at: sql`now() + ${MAX_PUT_SEC} * interval '1 second'`,
          })
          .execute();
      });
      await inserted.catch((error: unknown) => {
        if (!hasCode(error, FOREIGN_KEY_VIOLATION)) throw error;
        const message = `Video ${mediaId} of library ${libraryId} has been deleted. Check the id.`;
        throw new Refused('not-found', message, { cause: error });
      });
      return id;
    },
    async renew(id) {
      const { numUpdatedRows } = await db
        .updateTable('upload')
        .set({ lease_until: leaseEnd(LEASE_SEC) })
        .where('id', '=', id)
        .where('state', '=', 'open')
        .executeTakeFirst();
      if (numUpdatedRows === 0n) throw givenUp();
    },
    closing: (id) => async (tx) => {
      const { numDeletedRows } = await tx
        .deleteFrom('upload')
        .where('id', '=', id)
        .where('state', '=', 'open')
        .executeTakeFirst();
      if (numDeletedRows === 0n) throw givenUp();
    },
    reserve: ({ libraryId }, uploadId) => reserveGrowing(db, { libraryId, uploadId }),
    close: (id) => forgetUpload(db, id),
  };
}

/** Deletes an upload session of any owner. Idempotent. */
export async function forgetUpload(db: Db, id: Guid): Promise<void> {
  await db.deleteFrom('upload').where('id', '=', id).execute();
}

/**
 * Marks an upload session as complete, in the change that passes its bytes to the video. It is kept for another 24 h,
 * without its other data (including secrets for an origin). Throws `Refused` (`not-found`) if it was abandoned.
 */
export function completing(id: Guid): FollowUp {
  return async (tx) => {
    const row = await tx
      .updateTable('upload')
      .set({
        state: 'complete',
        metadata: sql<string>`case when method = 'tus' then metadata else '{}'::jsonb end`,
        ...RELEASED,
        expires_at: sql`now() + ${REMEMBERED_SEC} * interval '1 second'`,
      })
      .where('id', '=', id)
      .where('state', '=', 'open')
      .returning(['method', 'library_id as libraryId', 'media_id as mediaId'])
      .executeTakeFirst();
    if (row === undefined) throw new Refused('not-found', 'The upload was abandoned before it was complete.');
    logOnCommit('upload.finished', {
      kind: row.method,
      videoGuid: row.mediaId,
      libraryId: row.libraryId,
      uploadId: id,
    });
    await tx.deleteFrom('upload').where('part_of', '=', id).execute();
    if (row.method === 'tus') await announce(row, WebhookStatus.presignedUploadFinished)(tx);
  };
}

/**
 * Abandons an open upload session in the change that records its failure. Throws `Refused` (`not-found`) if it is no
 * longer open.
 */
export function givingUp(id: Guid): FollowUp {
  return async (tx) => {
    const row = await tx
      .updateTable('upload')
      .set({ state: 'closing', ...CLOSING })
      .where('id', '=', id)
      .where('state', '=', 'open')
      .returning(['method', 'library_id as libraryId', 'media_id as mediaId'])
      .executeTakeFirst();
    if (row === undefined) throw new Refused('not-found', 'The upload is no longer open.');
    noteAbandoned(row, id, 'The file could not be fetched.');
  };
}

/**
 * Stops an upload session from accepting bytes. `closing`: its bytes must be removed. `complete`: they are the video's.
 */
export async function giveUpUpload(db: Db, id: Guid): Promise<'closing' | 'complete' | 'gone'> {
  return inTransaction(db, async (tx) => {
    const method = await tx
      .selectFrom('upload')
      .select(['state', 'method', 'concat', 'library_id as libraryId', 'media_id as mediaId'])
      .where('id', '=', id)
      .forUpdate()
      .executeTakeFirst();
    if (method === undefined) return 'gone';
    if (method.state === 'complete') return 'complete';
    await tx
      .updateTable('upload')
      .set({ state: 'closing', ...CLOSING })
      .where('id', '=', id)
      .execute();
    if (method.state === 'open') noteAbandoned(method, id, 'The upload was canceled, or its video was deleted.');
    if (method.method === 'tus' && method.state === 'open') await announceLost(tx, [method]);
    return 'closing';
  });
}

/** Logs an upload that ends without a file, when the transaction commits. */
export function noteAbandoned(
  { method: kind, libraryId, mediaId: videoGuid }: MediaKey & { method: string },
  uploadId: Guid,
  reason: string,
): void {
  logOnCommit('upload.abandoned', { kind, videoGuid, libraryId, uploadId, reason });
}

/**
 * Notifies of abandoned resumable uploads. Parts of one file are one upload, which fails when the last of them is
 * abandoned.
 */
export async function announceLost(tx: Tx, lost: readonly (MediaKey & { concat: string | null })[]): Promise<void> {
  for (const row of lost.filter(({ concat }) => concat !== 'partial')) {
    await announce(row, WebhookStatus.presignedUploadFailed)(tx);
  }
  const parts = lost.filter(({ concat }) => concat === 'partial');
  for (const { libraryId, mediaId } of new Map(parts.map((part) => [part.mediaId, part])).values()) {
    const other = await tx
      .selectFrom('upload')
      .select('id')
      .where('library_id', '=', libraryId)
      .where('media_id', '=', mediaId)
      .where('method', '=', 'tus')
      .where('state', '<>', 'closing')
      .limit(1)
      .executeTakeFirst();
    if (other === undefined) await announce({ libraryId, mediaId }, WebhookStatus.presignedUploadFailed)(tx);
  }
}

function givenUp(): Refused {
  return new Refused('timeout', 'The upload received no bytes for over a minute and was abandoned. Send it again.');
}
