import type { Db, MediaKey } from '../db.ts';
import { unknownVideo } from '../unknown-video.ts';

/** Fields of a video that exports carry and the hosted API does not have. */
export type VideoExtras = {
  /** Time of the chosen frame of the thumbnail, or null for the default. */
  thumbnailTimeMs: number | null;
  /** Captions that were generated from speech. `translatedFrom` is the language of their source, or null. */
  generated: { srclang: string; translatedFrom: string | null }[];
};

/** Throws `Refused` (`not-found`) for an unknown video. */
export async function loadVideoExtras(db: Db, key: MediaKey): Promise<VideoExtras> {
  const row = await db
    .selectFrom('media')
    .select(['thumbnail_time_ms', 'captions'])
    .where('library_id', '=', key.libraryId)
    .where('id', '=', key.mediaId)
    .where('type', '=', 'video')
    .executeTakeFirst();
  if (row === undefined) throw unknownVideo(key);
  return {
    thumbnailTimeMs: row.thumbnail_time_ms,
    generated: row.captions
      .filter(({ origin }) => origin === 'speech')
      .map(({ srclang, translatedFrom = null }) => ({ srclang, translatedFrom })),
  };
}
