import { sql } from 'kysely';
import type { Guid } from '../../lib/guid.ts';
import type { Db, Tx } from '../db.ts';
import { inTransaction } from '../in-transaction.ts';
import { storageOfLibrary } from '../libraries/library-view-store.ts';
import { lockHardQuota } from './hard-quota-store.ts';
import { quotaRefusal } from './quota.ts';

/** Bytes by which the reservation of an upload of unknown length grows. */
const STEP_BYTES = 16 * 2 ** 20;
const ADVICE = 'Delete videos and empty the trash, or raise the limit.';

/** Use of a library with a hard limit: its stored bytes and those that open uploads and compositions reserve. */
type Room = { used: number; limit: number };

/**
 * Throws `Refused` (`quota-reached`) if a library's hard storage limit leaves less than `bytes`, and less than one byte
 * for an unknown length (null). Call it in the transaction that opens the upload or composes the video: others wait
 * until it commits. The reservation of `uploadId` does not count.
 */
export async function requireStorageQuota(
  tx: Tx,
  libraryId: number,
  { bytes, uploadId = null }: { bytes: number | null; uploadId?: Guid | null },
): Promise<void> {
  const room = await lockRoom(tx, libraryId, uploadId);
  const more = Math.max(1, bytes ?? 1);
  if (room === null || room.used + more <= room.limit) return;
  throw quotaRefusal({ libraryId, resource: 'storageBytes', ...room, ...(bytes !== null && { more }), advice: ADVICE });
}

/** Reserves more bytes as an upload grows. Returns null if they are already reserved. */
export type Reserve = (totalBytes: number) => Promise<void> | null;

/**
 * Returns a function that reserves storage for an upload of unknown length before its bytes are stored, in steps of
 * 16 MiB or as much as is left. `before`: bytes that are already reserved. The function throws `Refused`
 * (`quota-reached`) if the limit is exceeded.
 */
export function reserveGrowing(
  db: Db,
  { libraryId, uploadId, before = 0 }: { libraryId: number; uploadId: Guid; before?: number },
): Reserve {
  let reservedBytes = before;
  const grow = async (totalBytes: number) => {
    reservedBytes = await inTransaction(db, (tx) => growReservation(tx, { libraryId, uploadId, totalBytes }));
  };
  return (totalBytes) => (totalBytes <= reservedBytes ? null : grow(totalBytes));
}

/** Yields the bytes of a body as soon as they are reserved. `offset` is the number of bytes before the body. */
export async function* reserved(body: AsyncIterable<Buffer>, offset: number, reserve: Reserve): AsyncGenerator<Buffer> {
  let totalBytes = offset;
  for await (const chunk of body) {
    totalBytes += chunk.length;
    await reserve(totalBytes);
    yield chunk;
  }
}

type Growth = { libraryId: number; uploadId: Guid; totalBytes: number };

/** Returns the bytes that are reserved now; infinity without a hard limit. */
async function growReservation(tx: Tx, { libraryId, uploadId, totalBytes }: Growth): Promise<number> {
  const room = await lockRoom(tx, libraryId, uploadId);
  if (room === null) return Number.POSITIVE_INFINITY;
  const left = room.limit - room.used;
  if (totalBytes > left) {
    throw quotaRefusal({ libraryId, resource: 'storageBytes', ...room, more: totalBytes, advice: ADVICE });
  }
  const bytes = Math.min(left, totalBytes + STEP_BYTES);
  // A fetch may have reserved more, because its origin sent the size.
  const row = await tx
    .updateTable('upload')
    .set({ reserved_bytes: sql<number>`greatest(reserved_bytes, ${bytes}::bigint)` })
    .where('id', '=', uploadId)
    .returning('reserved_bytes')
    .executeTakeFirst();
  return row?.reserved_bytes ?? bytes;
}

/** Replaces the recorded changes of each library by their sum. Idempotent. */
export async function sumStoredBytes(db: Db): Promise<void> {
  await sql`
    with summed as (
      delete from library_storage where ctid in (
        select ctid from library_storage
        where library_id in (select library_id from library_storage group by library_id having count(*) > 1)
        for update skip locked)
      returning library_id, bytes)
    insert into library_storage (library_id, bytes)
    select library_id, sum(bytes) from summed group by library_id having sum(bytes) <> 0`.execute(db);
}

/** Locks the hard storage limit of a library, if it has one. The lock orders simultaneous uploads. */
async function lockRoom(tx: Tx, libraryId: number, without: Guid | null): Promise<Room | null> {
  const limit = await lockHardQuota(tx, libraryId, 'storageBytes');
  if (limit === null) return null;
  // A separate statement, so that it sees what others committed while this one waited for the lock.
  const { rows } = await sql<{ used: number }>`
    select (${storageOfLibrary} + coalesce((
      select sum(greatest(coalesce(length_bytes, 0), reserved_bytes)) from upload u
      where u.library_id = library.id and u.state = 'open' and u.part_of is null
        and u.id is distinct from ${without}::uuid), 0)
      + coalesce((
      select sum(greatest(0, (c.recipe->>'estimatedBytes')::bigint - (select m.storage_bytes from media m
        where m.library_id = c.library_id and m.id = c.media_id and m.state = 'transcoding'))) from composition c
      where c.library_id = library.id), 0))::bigint as used
    from library where id = ${libraryId}`.execute(tx);
  return { limit, used: rows[0]?.used ?? 0 };
}
