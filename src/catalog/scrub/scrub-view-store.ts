import { sql } from 'kysely';
import type { Db, MediaKey } from '../db.ts';

/** When what is stored of a video was read and hashed last. */
export type VideoScrub = {
  roundBeganAt: Date;
  /** The round has come past the video; while it has not, the one before is the last that read it. */
  isRead: boolean;
};

/**
 * Reads how far the scrub has come with a video; null before its first round, or for a video that was made after its
 * beginning.
 */
export type ScrubViewStore = { load(key: MediaKey): Promise<VideoScrub | null> };

export function createScrubViewStore(db: Db): ScrubViewStore {
  return {
    async load({ libraryId, mediaId }) {
      const { rows } = await sql<VideoScrub>`
        select s.round_began_at as "roundBeganAt",
          s.media_id is null or (m.library_id, m.id) < (s.library_id, s.media_id) as "isRead"
        from scrub s, media m
        where s.objects_seen > 0 and m.library_id = ${libraryId} and m.id = ${mediaId}
          and m.created_at < s.round_began_at`.execute(db);
      return rows[0] ?? null;
    },
  };
}
