import { sql } from 'kysely';
import type { Guid } from '../../lib/guid.ts';
import { gainFor, type Loudness } from '../../media/encode/loudness.ts';
import type { Db, MediaKey } from '../db.ts';

/** An audio track that viewers can choose. `gainDb` was added to its `loudness`, which is null until it is known. */
export type HeardTrack = { name: string; language: string; loudness: Loudness | null; gainDb: number };

/** Keeps the measured loudness of an audio rendition. */
export async function saveLoudness(db: Db, key: MediaKey, id: Guid, loudness: Loudness): Promise<void> {
  await db
    .updateTable('rendition')
    .set({ loudness: JSON.stringify(loudness) })
    .where('library_id', '=', key.libraryId)
    .where('media_id', '=', key.mediaId)
    .where('id', '=', id)
    .execute();
}

/** Reads the loudness of a video's audio tracks, the default one first. */
export async function listHeardTracks(db: Db, { libraryId, mediaId }: MediaKey): Promise<HeardTrack[]> {
  const { rows } = await sql<Omit<HeardTrack, 'gainDb'> & { targetLufs: number | null }>`
    select name, language, loudness, (plan->>'loudnessTargetLufs')::float8 as "targetLufs" from rendition
    where library_id = ${libraryId} and media_id = ${mediaId} and kind = 'audio' and active
      and not plan ? 'form'
    order by is_default desc, name, id
  `.execute(db);
  return rows.map(({ targetLufs, loudness, ...track }) => {
    const gainDb = targetLufs === null || loudness === null ? 0 : gainFor(loudness, targetLufs);
    return { ...track, loudness, gainDb };
  });
}
