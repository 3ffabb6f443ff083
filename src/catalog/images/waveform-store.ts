import { sql } from 'kysely';
import { bumpPublication, type Db, type MediaKey } from '../db.ts';
import { inTransaction } from '../in-transaction.ts';

/** A finished video whose default audio has changed. `changes` is the number of changes so far. */
export type UndrawnVideo = MediaKey & { changes: number };

/** Lists at most `limit` finished videos with complete audio whose waveform is outdated, newest first. */
export async function listUndrawn(db: Db, limit: number): Promise<UndrawnVideo[]> {
  const { rows } = await sql<UndrawnVideo>`
    select w.library_id as "libraryId", w.media_id as "mediaId", w.changes from waveform_due w
    join media m on m.library_id = w.library_id and m.id = w.media_id and m.type = 'video' and m.state = 'finished'
    where not exists (select from rendition r where r.library_id = w.library_id and r.media_id = w.media_id
      and r.kind = 'audio' and r.active and r.is_default and r.state <> 'finished')
    order by w.media_id desc limit ${limit}
  `.execute(db);
  return rows;
}

/** Stores the waveform peaks of a video, unless its default audio has changed again. */
export async function saveWaveform(db: Db, video: UndrawnVideo, peaks: Buffer): Promise<void> {
  await inTransaction(db, async (tx) => {
    const found = await tx
      .updateTable('media')
      .set({ waveform: peaks })
      .where('library_id', '=', video.libraryId)
      .where('id', '=', video.mediaId)
      .executeTakeFirst();
    if (found.numUpdatedRows === 0n) return;
    await tx
      .deleteFrom('waveform_due')
      .where('library_id', '=', video.libraryId)
      .where('media_id', '=', video.mediaId)
      .where('changes', '=', video.changes)
      .execute();
    await bumpPublication(tx, video);
  });
}
