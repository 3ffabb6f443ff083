import { sql } from 'kysely';
import type { Db, MediaKey } from '../db.ts';
import { unknownVideo } from '../unknown-video.ts';
import { readPage, type VideoQuery } from './video-page-store.ts';
import { isFiltered, searchPage } from './video-search-store.ts';
import type { VideoView } from './video-view.ts';
import { selectViewOf } from './view-columns-store.ts';

/** Reads videos for display: one query for a video or a page, two for a page of a search. */
export type VideoViewStore = {
  /** Throws `Refused` (`not-found`) for an unknown video. */
  load(key: MediaKey): Promise<VideoView>;
  /**
   * Returns a page and the number of matches. Without a search the total is a counter. Search matches are counted up to
   * `EXACT_TOTAL` and to one beyond the page, so a higher total is too low as long as pages are left: a client that
   * reads page by page until the total is reached gets every video.
   */
  list(query: VideoQuery): Promise<{ total: number; items: VideoView[] }>;
  /**
   * Returns whether the edge has a playlist: for every shown kind (video, audio), a rendition has its first segment or
   * makes it on demand.
   */
  hasPlaylist(key: MediaKey): Promise<boolean>;
  /**
   * Returns the peaks of the video's audio, 0 to 255, evenly distributed over its length. Empty without audio, and
   * until the waveform is drawn. Throws `Refused` (`not-found`) for an unknown video.
   */
  waveform(key: MediaKey): Promise<{ durationMs: number; peaks: Uint8Array }>;
};

export function createVideoViewStore(db: Db): VideoViewStore {
  return {
    async load(key) {
      const view = await selectViewOf(db, key);
      if (view === undefined) throw unknownVideo(key);
      return view;
    },
    async list(query) {
      if (query.collection === 'none') return { total: 0, items: [] };
      return query.search === '' && !isFiltered(query) ? readPage(db, query) : searchPage(db, query);
    },
    hasPlaylist: (key) => findPlaylist(db, key),
    async waveform(key) {
      const found = await db
        .selectFrom('media')
        .select(['duration_ms', 'waveform'])
        .where('library_id', '=', key.libraryId)
        .where('id', '=', key.mediaId)
        .where('type', '=', 'video')
        .executeTakeFirst();
      if (found === undefined) throw unknownVideo(key);
      return { durationMs: found.duration_ms, peaks: found.waveform ?? new Uint8Array() };
    },
  };
}

async function findPlaylist(db: Db, { libraryId, mediaId }: MediaKey): Promise<boolean> {
  const { rows } = await sql<{ found: boolean | null }>`
    select bool_and(starts) as found from (
      select bool_or((r.on_demand and r.init is not null) or exists (select 1 from chunk c
        where c.library_id = r.library_id and c.media_id = r.media_id
        and c.rendition_id = r.id and c.first_segment = 0)) as starts
      from rendition r where r.library_id = ${libraryId} and r.media_id = ${mediaId} and r.active
        and r.state <> 'failed' group by r.kind) kinds`.execute(db);
  return rows[0]?.found === true;
}
