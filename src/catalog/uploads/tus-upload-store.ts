import { sql } from 'kysely';
import type { Guid } from '../../lib/guid.ts';
import { Refused } from '../../lib/refused.ts';
import type { Db, FollowUp, MediaKey } from '../db.ts';
import { WebhookStatus } from '../webhooks/webhook.ts';
import { announce } from '../webhooks/webhook-store.ts';
import type { UploadRef } from './upload-store.ts';

/** An upload that is not continued is dropped after this long. */
const IDLE_SEC = 24 * 3600;

/** Open resumable uploads that one video may have: each costs a row and what it staged. */
const MAX_OPEN_PER_VIDEO = 50;

/** A resumable upload; `isComplete`: its bytes are the video's. */
export type TusUpload = UploadRef & { lengthBytes: number; expiresAt: Date; isComplete: boolean };

/**
 * Opens an upload session for a resumable upload in the change that begins it. Refuses (`busy`) more than 50 open ones
 * of a video.
 */
export function openingTus({ id, key }: UploadRef, lengthBytes: number): FollowUp {
  return async (tx) => {
    const { open } = await tx
      .selectFrom('upload')
      .select((eb) => eb.fn.countAll<number>().as('open'))
      .where('library_id', '=', key.libraryId)
      .where('media_id', '=', key.mediaId)
      .where('state', '=', 'open')
      .executeTakeFirstOrThrow();
    if (open >= MAX_OPEN_PER_VIDEO) {
      throw new Refused(
        'busy',
        `Expected at most ${MAX_OPEN_PER_VIDEO} open uploads of a video. End one of them first.`,
      );
    }
    await tx
      .insertInto('upload')
      .values({
        id,
        library_id: key.libraryId,
        media_id: key.mediaId,
        method: 'tus',
        length_bytes: lengthBytes,
        expires_at: sql`now() + ${IDLE_SEC} * interval '1 second'`,
      })
      .execute();
    await announce(key, WebhookStatus.presignedUploadStarted)(tx);
  };
}

/** The upload, unless it is unknown, was given up or has expired. */
export async function findTus(db: Db, id: Guid): Promise<TusUpload | null> {
  const row = await db
    .selectFrom('upload')
    .select(['library_id', 'media_id', 'length_bytes', 'expires_at', 'state'])
    .where('id', '=', id)
    .where('method', '=', 'tus')
    .where('state', '<>', 'closing')
    .where('expires_at', '>', sql<Date>`now()`)
    .executeTakeFirst();
  if (row === undefined || row.length_bytes === null) return null;
  return {
    id,
    key: { libraryId: row.library_id, mediaId: row.media_id },
    lengthBytes: row.length_bytes,
    expiresAt: row.expires_at,
    isComplete: row.state === 'complete',
  };
}

/** Puts off the expiry of an upload that someone goes on with; answers when it expires now. */
export async function putOffExpiry(db: Db, id: Guid): Promise<Date> {
  const row = await db
    .updateTable('upload')
    .set({ expires_at: sql`now() + ${IDLE_SEC} * interval '1 second'` })
    .where('id', '=', id)
    .where('state', '<>', 'closing')
    .returning('expires_at')
    .executeTakeFirst();
  if (row === undefined) throw new Refused('not-found', 'There is no such upload any more.');
  return row.expires_at;
}

/** Notes the video time, in milliseconds, at which the thumbnail is to be taken. */
export function settingThumbnailTime({ libraryId, mediaId }: MediaKey, timeMs: number): FollowUp {
  return async (tx) => {
    await tx
      .updateTable('media')
      .set({ thumbnail_time_ms: timeMs })
      .where('library_id', '=', libraryId)
      .where('id', '=', mediaId)
      .execute();
  };
}

/** Whether the library has this collection. */
export async function hasCollection(db: Db, libraryId: number, id: Guid): Promise<boolean> {
  const row = await db
    .selectFrom('collection')
    .select('id')
    .where('library_id', '=', libraryId)
    .where('id', '=', id)
    .executeTakeFirst();
  return row !== undefined;
}
