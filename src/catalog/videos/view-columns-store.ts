import { sql } from 'kysely';
import type { Guid } from '../../lib/guid.ts';
import type { Db, MediaKey } from '../db.ts';
import { prepare } from '../prepared.ts';
import { SPLIT_MARK, toVideoView, type VideoView, type VideoViewRow } from './video-view.ts';

const SHOWN = `from rendition where rendition.library_id = media.library_id and rendition.media_id = media.id
  and rendition.kind = 'video' and rendition.active`;
/** Returns the condition that the first segment of a rendition is stored. */
const startsStored = (rendition: string) => `exists (select from chunk where chunk.library_id = media.library_id
  and chunk.media_id = media.id and chunk.rendition_id = ${rendition}.id and chunk.first_segment = 0)`;
const AUDIO = `from rendition a where a.library_id = media.library_id and a.media_id = media.id and a.kind = 'audio'
  and a.active and a.state <> 'failed'`;
/**
 * Condition that players are offered a rendition: it is finished, or the rest is made on demand, or it is being encoded
 * and its first segment and that of an audio track are stored. Same rule as `chooseListedSet`.
 */
const OFFERED = `(rendition.state = 'finished' or (rendition.state = 'building' and rendition.init is not null
  and (rendition.on_demand or (media.state = 'transcoding' and ${startsStored('rendition')}
    and (not exists (select ${AUDIO}) or exists (select ${AUDIO} and ${startsStored('a')}))))))`;
/** The rungs of active video renditions that players are offered, in a query over `media`. */
export const RUNGS = sql<
  number[]
>`(select coalesce(array_agg(distinct rung order by rung), '{}') ${sql.raw(SHOWN)} and ${sql.raw(OFFERED)}
  and rung is not null)`.as('rungs');

/** Stored bytes of a video, without objects that were removed and will be deleted within a day. */
const IN_USE_BYTES = `greatest(0, media.storage_bytes
  - coalesce((select sum(r.storage_bytes) from rendition r where r.library_id = media.library_id
    and r.media_id = media.id
      and r.retired_at is not null), 0)
  - coalesce((select sum(o.size_bytes) from retired_object o where o.library_id = media.library_id
    and o.media_id = media.id
      and o.retired_at < 'infinity'), 0))::bigint`;

/** A mark for a recording of several periods, with the rung of its MP4 file if all joined renditions are finished. */
const SPLIT = `(select case when count(*) > 1 and media.source_key is null then concat_ws(' ', ',${SPLIT_MARK}',
  (select r.rung from rendition r where r.library_id = media.library_id and r.media_id = media.id and r.kind = 'video'
    and r.plan ? 'joined' and r.state = 'finished' and r.retired_at is null
    and not exists (select from rendition o where o.library_id = r.library_id and o.media_id = r.media_id
      and o.plan ? 'joined' and o.state <> 'finished' and o.retired_at is null) limit 1)) else '' end from live_period p
  where p.library_id = media.library_id and p.media_id = media.id and not p.is_preview)`;

/**
 * The columns of `VideoViewRow`, in a query over `media`: only active parts, because a page pays for each column a
 * hundred times.
 */
export const VIEW = `media.library_id, media.id, media.title, media.description, media.category, media.collection_id,
  media.is_public, media.visibility, media.created_at, media.state, media.facts is not null as was_planned,
  media.upload_options, media.source_key, encode(media.source_sha256, 'hex') as source_sha256, media.duration_ms,
  media.width_px, media.height_px, media.frame_rate, media.rotation_deg, media.encode_progress,
  ${IN_USE_BYTES} as storage_bytes,
  media.thumbnail_key, media.thumbnail_file_name, media.thumbnail_width_px, media.thumbnail_height_px,
  media.thumbnail_count, media.thumbnail_blurhash, coalesce(media.images -> 'previews', '[]') as previews,
  media.messages, media.meta_tags, media.chapters, media.moments, media.captions, media.smart, media.views,
    media.watch_sec_total,
  (select string_agg(concat_ws(' ', codec, state, rung), ',') ${SHOWN} and ${OFFERED}) || ${SPLIT} as shown`;
const selectView = prepare<VideoViewRow>(
  'view',
  `select ${VIEW} from media where media.library_id = $1 and media.id = $2 and media.type = 'video'`,
);
const selectViewsOf = prepare<VideoViewRow>(
  'views',
  `select ${VIEW} from media where media.library_id = $1 and media.id = any($2)`,
);

/** Selects the view of a video; undefined if the video does not exist. */
export async function selectViewOf(db: Db, { libraryId, mediaId }: MediaKey): Promise<VideoView | undefined> {
  const [row] = await selectView(db, [libraryId, mediaId]);
  return row && toVideoView(row);
}

/** Selects the views of videos in the order of their ids, without those deleted in between. */
export async function selectViews(db: Db, libraryId: number, ids: readonly Guid[]): Promise<VideoView[]> {
  if (ids.length === 0) return [];
  const views = new Map((await selectViewsOf(db, [libraryId, ids])).map((row) => [row.id, toVideoView(row)]));
  return ids.flatMap((id) => views.get(id) ?? []);
}
