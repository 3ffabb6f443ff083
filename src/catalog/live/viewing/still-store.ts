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
