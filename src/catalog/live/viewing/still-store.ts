import type { Guid } from '../../../lib/guid.ts';
import { type StorageKey, storageKey } from '../../../ports/storage.ts';
import type { Db, MediaKey } from '../../db.ts';
import { mediaPrefix } from '../../tasks/encode-task.ts';

/** Where the still of a moment lies, `atMs` since 1970; the edge serves it as `thumbnails/{atMs}.jpg`. */
export function stillKey(key: MediaKey, atMs: number): StorageKey {
  return storageKey(`${mediaPrefix(key)}thumbnails/${atMs}.jpg`);
}

/** Lists a stored still; a stream that is gone has none. */
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
