import { sql } from 'kysely';
import type { Guid } from '../../../lib/guid.ts';
import { type StorageKey, storageKey } from '../../../ports/storage.ts';
import type { Db, MediaKey } from '../../db.ts';
import { mediaPrefix } from '../../tasks/encode-task.ts';

/**
 * Returns the storage key of a still that was taken at `atMs` since 1970. The edge serves it as
 * `thumbnails/{atMs}.jpg`.
 */
export function stillKey(key: MediaKey, atMs: number): StorageKey {
  return storageKey(`${mediaPrefix(key)}thumbnails/${atMs}.jpg`);
}

/** Records a stored still. Does nothing if the stream no longer exists. */
export async function recordStill(
  db: Db,
  still: { streamId: Guid; atMs: number; key: StorageKey; sizeBytes: number },
): Promise<void> {
  await db
    .insertInto('live_thumbnail')
    .columns(['stream_id', 'at', 'storage_key', 'size_bytes'])
    .expression(
      db
        .selectFrom('live_stream')
        .select((eb) => [
          'id',
          eb.val(new Date(still.atMs)).as('at'),
          eb.val(still.key).as('storage_key'),
          eb.val(still.sizeBytes).as('size_bytes'),
        ])
        .where('id', '=', still.streamId),
    )
    .onConflict((conflict) => conflict.doNothing())
    .execute();
}

/** Maximum number of streams per call of `forgetStills`. */
const STREAMS_AT_ONCE = 200;

/** Deletes the rows of the stills of a bounded number of streams whose media, including all stills, was deleted. */
export async function forgetStills(db: Db): Promise<void> {
  await sql`
    delete from live_thumbnail where stream_id in (
      select s.id from live_stream s where s.state in ('ended', 'error')
        and not exists (select from media m where m.library_id = s.library_id and m.id = s.id)
        and exists (select from live_thumbnail t where t.stream_id = s.id) limit ${STREAMS_AT_ONCE})`.execute(db);
}
