import { type RawBuilder, sql } from 'kysely';
import type { Guid } from '../../lib/guid.ts';
import { Refused } from '../../lib/refused.ts';
import type { Db, FollowUp, MediaKey, Tx } from '../db.ts';
import { inTransaction } from '../in-transaction.ts';
import { requireStorageQuota } from '../quotas/storage-quota-store.ts';
import { WebhookStatus } from '../webhooks/webhook.ts';
import { announce } from '../webhooks/webhook-store.ts';
import type { UploadRef } from './upload-store.ts';

/** Seconds after which an upload that is not continued is dropped. */
const IDLE_SEC = 24 * 3600;

/** Maximum seconds from the creation of an upload session to its end, however often it is continued. */
const MAX_LIFETIME_SEC = 7 * 24 * 3600;

/** Maximum open resumable uploads per video: each costs a row and its staged bytes. */
export const MAX_OPEN_PER_VIDEO = 50;

/** New expiry of a session that is continued now. */
const putOff = sql<Date>`least(now() + ${IDLE_SEC} * interval '1 second',
  created_at + ${MAX_LIFETIME_SEC} * interval '1 second')`;

/**
 * A resumable upload. `whole`: one file. `partial`: a part of a file, which a final upload joins with others. `final`:
 * the file made of them (tus 1.0.0, concatenation).
 */
export type TusUpload = UploadRef & {
  kind: 'whole' | 'partial' | 'final';
  /** Null while the client has not set it (`Upload-Defer-Length`). */
  lengthBytes: number | null;
  /** Bytes of the storage quota that are reserved for an upload whose length was deferred. */
  reservedBytes: number;
  createdAt: Date;
  expiresAt: Date;
  /** True if its bytes are the video's. Always false for a partial upload. */
  isComplete: boolean;
  /** `Upload-Concat` and `Upload-Metadata` as the client sent them, or null if absent. */
  concat: string | null;
  metadata: string | null;
};

/**
 * A new session for a whole file or a part of one. `maxBytes` is the limit for all open parts of the video together,
 * and for all open whole files of the video together.
 */
export type OpenedTus = Pick<TusUpload, 'lengthBytes' | 'metadata'> & { kind: 'whole' | 'partial'; maxBytes: number };

/**
 * Opens an upload session for a resumable upload in the change that begins it. Throws `Refused` (`busy`) for more than
 * 50 open ones per video, or for whole files that together exceed the maximum file size, (`too-large`) for parts that
 * do, and (`quota-reached`) if the library has no room for the file.
 */
export function openingTus({ id, key }: UploadRef, opened: OpenedTus): FollowUp {
  const { kind, lengthBytes, metadata, maxBytes } = opened;
  return async (tx) => {
    const { open, parts, ...openBytes } = await countOpen(tx, { id, key });
    if (open >= MAX_OPEN_PER_VIDEO) {
      throw new Refused(
        'busy',
        `The video already has ${MAX_OPEN_PER_VIDEO} open uploads. Finish or cancel one first.`,
      );
    }
    requireOneFile(openBytes, { kind, lengthBytes: lengthBytes ?? 0, maxBytes });
    await requireStorageQuota(tx, key.libraryId, { bytes: lengthBytes });
    const row = { id, key, lengthBytes, metadata, concat: kind === 'partial' ? 'partial' : null };
    await insertTus(tx, row);
    if (kind === 'whole' || parts === 0) await announce(key, WebhookStatus.presignedUploadStarted)(tx);
  };
}

/** A final upload. `partIds` are distinct, in the order of the file. */
export type OpenedFinal = { lengthBytes: number; metadata: string | null; concat: string; partIds: readonly Guid[] };

/**
 * Opens an upload session for a final upload, which takes over its parts: they can no longer be found by their URLs.
 * Throws `Refused` (`conflict`) for parts of another final upload.
 */
export function openingFinal({ id, key }: UploadRef, { partIds, ...opened }: OpenedFinal): FollowUp {
  return async (tx) => {
    await insertTus(tx, { id, key, ...opened });
    for (const [number, partId] of partIds.entries()) {
      const { numUpdatedRows } = await tx
        .updateTable('upload')
        .set({ part_of: id, part_number: number, expires_at: sql`now() + ${IDLE_SEC} * interval '1 second'` })
        .where('id', '=', partId)
        .where('library_id', '=', key.libraryId)
        .where('media_id', '=', key.mediaId)
        .where('concat', '=', 'partial')
        .where('state', '=', 'open')
        .where('part_of', 'is', null)
        .executeTakeFirst();
      if (numUpdatedRows === 0n) throw new Refused('conflict', `The partial upload ${partId} is in use. Try again.`);
    }
  };
}

/** Finds the final upload of a video that was created with this `Upload-Concat`, if there is one. */
export async function findFinal(db: Db, { libraryId, mediaId }: MediaKey, concat: string): Promise<TusUpload | null> {
  const row = await selectTus(db)
    .where('library_id', '=', libraryId)
    .where('media_id', '=', mediaId)
    .where('concat', '=', concat)
    .executeTakeFirst();
  return row === undefined ? null : toUpload(row);
}

/** Finds an upload, or null if it is unknown, abandoned, expired or a part taken over by a final upload. */
export async function findTus(db: Db, id: Guid): Promise<TusUpload | null> {
  const row = await selectTus(db).where('id', '=', id).where('part_of', 'is', null).executeTakeFirst();
  return row === undefined ? null : toUpload(row);
}

/** Returns the parts of a final upload in order. */
export async function partsOf(db: Db, id: Guid): Promise<{ id: Guid; lengthBytes: number }[]> {
  const rows = await db
    .selectFrom('upload')
    .select(['id', 'length_bytes'])
    .where('part_of', '=', id)
    .orderBy('part_number')
    .execute();
  return rows.map((row) => ({ id: row.id, lengthBytes: row.length_bytes ?? 0 }));
}

/**
 * Sets the length of an upload that deferred it. Throws `Refused` (`invalid`) for a length that differs from an earlier
 * one, and the errors of `openingTus` for a length that was sent at once.
 */
export async function setLength(
  db: Db,
  { id, key, kind }: Pick<TusUpload, 'id' | 'key' | 'kind'>,
  { lengthBytes, maxBytes }: { lengthBytes: number; maxBytes: number },
): Promise<void> {
  const { numUpdatedRows } = await inTransaction(db, async (tx) => {
    // Orders simultaneous lengths of a video. Locked before the quota, as by all uploads, it cannot cause a deadlock.
    await sql`
      select from media where library_id = ${key.libraryId} and id = ${key.mediaId} for no key update`.execute(tx);
    await requireStorageQuota(tx, key.libraryId, { bytes: lengthBytes, uploadId: id });
    requireOneFile(await countOpen(tx, { id, key }), { kind, lengthBytes, maxBytes });
    return tx
      .updateTable('upload')
      .set({ length_bytes: lengthBytes, reserved_bytes: 0 })
      .where('id', '=', id)
      .where('state', '=', 'open')
      .where((eb) => eb.or([eb('length_bytes', 'is', null), eb('length_bytes', '=', lengthBytes)]))
      .executeTakeFirst();
  });
  if (numUpdatedRows === 0n) {
    throw new Refused(
      'invalid',
      `The upload already has an Upload-Length other than ${lengthBytes}. It cannot change.`,
    );
  }
}

/** Extends the expiry of an upload that is being continued; returns the new expiry. */
export async function putOffExpiry(db: Db, id: Guid): Promise<Date> {
  const row = await db
    .updateTable('upload')
    .set({ expires_at: putOff })
    .where('id', '=', id)
    .where('state', '<>', 'closing')
    .returning('expires_at')
    .executeTakeFirst();
  if (row === undefined) throw new Refused('not-found', 'This upload no longer exists.');
  return row.expires_at;
}

type OpenBytes = { partBytes: number; wholeBytes: number };

/** Throws `Refused` if open uploads of a video would reserve more storage than one file may have. */
function requireOneFile(
  { partBytes, wholeBytes }: OpenBytes,
  { kind, lengthBytes, maxBytes }: { kind: TusUpload['kind']; lengthBytes: number; maxBytes: number },
): void {
  const allBytes = lengthBytes + (kind === 'partial' ? partBytes : wholeBytes);
  if (allBytes <= maxBytes) return;
  if (kind === 'partial') {
    throw new Refused('too-large', `Expected at most ${maxBytes} bytes in all parts together, got ${allBytes}.`);
  }
  throw new Refused(
    'busy',
    `Expected at most ${maxBytes} bytes in all open uploads of the video together, got ${allBytes}. Finish or cancel ` +
      'another one first.',
  );
}

/** Counts the open uploads of a video, and the bytes of all except `id`. */
async function countOpen(tx: Tx, { id, key: { libraryId, mediaId } }: UploadRef) {
  return await tx
    .selectFrom('upload')
    .select((eb) => [
      eb.fn.countAll<number>().as('open'),
      eb.fn.countAll<number>().filterWhere('concat', '=', 'partial').as('parts'),
      sumOpen(sql`concat = 'partial' and id <> ${id}`).as('partBytes'),
      sumOpen(sql`concat is null and method = 'tus' and id <> ${id}`).as('wholeBytes'),
    ])
    .where('library_id', '=', libraryId)
    .where('media_id', '=', mediaId)
    .where('state', '=', 'open')
    .executeTakeFirstOrThrow();
}

function sumOpen(condition: RawBuilder<unknown>) {
  return sql<number>`coalesce(sum(length_bytes) filter (where ${condition}), 0)::bigint`;
}

type NewRow = UploadRef & Pick<TusUpload, 'lengthBytes' | 'metadata' | 'concat'>;

async function insertTus(tx: Tx, { id, key, lengthBytes, metadata, concat }: NewRow): Promise<void> {
  await tx
    .insertInto('upload')
    .values({
      id,
      library_id: key.libraryId,
      media_id: key.mediaId,
      method: 'tus',
      length_bytes: lengthBytes,
      concat,
      metadata: JSON.stringify(metadata === null ? {} : { uploadMetadata: metadata }),
      expires_at: sql`now() + ${IDLE_SEC} * interval '1 second'`,
    })
    .execute();
}

function selectTus(db: Db) {
  return db
    .selectFrom('upload')
    .select(['id', 'library_id', 'media_id', 'length_bytes', 'reserved_bytes', 'created_at', 'expires_at'])
    .select(['state', 'concat', 'metadata'])
    .where('method', '=', 'tus')
    .where('state', '<>', 'closing')
    .where('expires_at', '>', sql<Date>`now()`);
}

type TusRow = NonNullable<Awaited<ReturnType<ReturnType<typeof selectTus>['executeTakeFirst']>>>;

function toUpload(row: TusRow): TusUpload {
  const { uploadMetadata } = row.metadata;
  return {
    id: row.id,
    key: { libraryId: row.library_id, mediaId: row.media_id },
    kind: row.concat === null ? 'whole' : row.concat === 'partial' ? 'partial' : 'final',
    lengthBytes: row.length_bytes,
    reservedBytes: row.reserved_bytes,
    createdAt: row.created_at,
    expiresAt: row.expires_at,
    isComplete: row.state === 'complete',
    concat: row.concat,
    metadata: typeof uploadMetadata === 'string' ? uploadMetadata : null,
  };
}

/** Stores the video time, in milliseconds, at which the thumbnail is to be taken. */
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

/** Returns whether the library has this collection. */
export async function hasCollection(db: Db, libraryId: number, id: Guid): Promise<boolean> {
  const row = await db
    .selectFrom('collection')
    .select('id')
    .where('library_id', '=', libraryId)
    .where('id', '=', id)
    .executeTakeFirst();
  return row !== undefined;
}
