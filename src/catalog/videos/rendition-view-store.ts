import { sql } from 'kysely';
import type { Guid } from '../../lib/guid.ts';
import type { Db, MediaKey } from '../db.ts';
import { CANCELLED_VALUE } from '../renditions/kept-message.ts';
import type { CaptionTrack, MediaState } from '../schema.ts';
import { unknownVideo } from '../unknown-video.ts';

/**
 * A rendition as its owner sees it: `storageBytes` counts its chunks and their indexes. An `isActive` one is listed to
 * viewers; any other is in progress, failed, or retired and deleted a day later.
 */
export type RenditionView = {
  id: Guid;
  kind: 'video' | 'audio';
  codec: string;
  rung: number | null;
  language: string;
  state: 'building' | 'finished' | 'failed';
  isActive: boolean;
  /** True if its missing segments are made on request. */
  isOnDemand: boolean;
  isRetired: boolean;
  /** True if it joins the periods of a recording, for MP4 files. It is never active. */
  isJoined: boolean;
  hasStart: boolean;
  storageBytes: number;
  firstStoredAt: Date | null;
  lastStoredAt: Date | null;
};

/** Everything stored for a video, with its size in bytes. */
export type StoredVideo = {
  state: MediaState;
  createdAt: Date;
  /** True if its latest encode was cancelled as a whole. */
  isCancelled: boolean;
  /** True for a recording of several periods. Its only MP4 file consists of joined renditions. */
  isSplit: boolean;
  originalBytes: number | null;
  thumbnailBytes: number;
  /** Thumbnails to choose from, and the storyboard's sheets. */
  otherThumbnailBytes: number;
  previewBytes: number;
  captions: readonly CaptionTrack[];
  /** The previous file, kept until its replacement is known to be usable. */
  keptSourceBytes: number;
  /** Highest video first, then audio. */
  renditions: readonly RenditionView[];
};

/** Loads everything stored for a video in one snapshot. Throws `Refused` (`not-found`) for an unknown video. */
export function loadVideoSnapshot(db: Db, key: MediaKey): Promise<StoredVideo> {
  return db
    .transaction()
    .setIsolationLevel('repeatable read')
    .setAccessMode('read only')
    .execute((tx) => loadStoredVideo(tx, key));
}

/** Like `loadVideoSnapshot`, within a transaction that may have locked the row. */
export async function loadStoredVideo(db: Db, key: MediaKey): Promise<StoredVideo> {
  const { rows } = await sql<Omit<StoredVideo, 'renditions'>>`
    select state, created_at as "createdAt", messages @> ${JSON.stringify([{ value: CANCELLED_VALUE }])}::jsonb
      as "isCancelled",
      thumbnail_bytes as "thumbnailBytes", captions,
      source_key is null and (select count(*) > 1 from live_period p where p.library_id = media.library_id
        and p.media_id = media.id and not p.is_preview) as "isSplit",
      case when source_key is not null then coalesce(source_bytes, 0) end as "originalBytes",
      (select coalesce(sum(size_bytes), 0)::bigint from image p where p.library_id = media.library_id
        and p.media_id = media.id and p.use = 'thumbnail') as "otherThumbnailBytes",
      (select coalesce(sum(size_bytes), 0)::bigint from image p where p.library_id = media.library_id
        and p.media_id = media.id and p.use = 'preview') as "previewBytes",
      (select coalesce(sum(size_bytes), 0)::bigint from retired_object o
        where o.library_id = media.library_id and o.media_id = media.id and o.retired_at = 'infinity')
          as "keptSourceBytes"
    from media where library_id = ${key.libraryId} and id = ${key.mediaId} and type = 'video'
  `.execute(db);
  const [video] = rows;
  if (video === undefined) {
    throw unknownVideo(key);
  }
  return { ...video, renditions: await loadRenditions(db, key) };
}

async function loadRenditions(db: Db, { libraryId, mediaId }: MediaKey): Promise<RenditionView[]> {
  const { rows } = await sql<RenditionView>`
    select r.id, r.kind, r.codec, r.rung, r.language, r.state, r.active as "isActive",
      r.on_demand and r.state = 'building' and r.init is not null as "isOnDemand",
      r.retired_at is not null as "isRetired", r.plan ? 'joined' as "isJoined",
      coalesce(c.has_start, false) as "hasStart",
      coalesce(c.bytes, 0)::bigint as "storageBytes", c.first as "firstStoredAt", c.last as "lastStoredAt"
    from rendition r cross join lateral (
      select sum(size_bytes + idx_bytes) as bytes, bool_or(first_segment = 0) as has_start,
        min(published_at) as first, max(published_at) as last
      from chunk where chunk.library_id = r.library_id and chunk.media_id = r.media_id and chunk.rendition_id = r.id) c
    where r.library_id = ${libraryId} and r.media_id = ${mediaId}
    order by r.kind desc, r.rung desc nulls last, r.codec, r.id
  `.execute(db);
  return rows;
}
