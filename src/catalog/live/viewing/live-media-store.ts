import { type SqlBool, sql } from 'kysely';
import { type Guid, parseGuid } from '../../../lib/guid.ts';
import type { FeedPeriod } from '../../../media/live/playlist/feed-message.ts';
import type { SegmentRow } from '../../../media/live/playlist/live-index.ts';
import type { WallAnchor } from '../../../media/live/recording/wall-anchors.ts';
import type { Db, MediaKey, Tx } from '../../db.ts';
import { RETIRED_GRACE_HOURS } from '../../retired-object-store.ts';
import { slotOf } from '../publishing/period-rendition-store.ts';
import { loadClock } from '../recording/recording-clock-store.ts';
import type { LiveHead } from './live-head.ts';

/** Longer than any recording. */
const WHOLE_SEC = 1e9;

/** A period, the init segments of its renditions, and the renditions that are no longer listed. */
type StoredPeriod = { period: FeedPeriod; inits: Map<Guid, Buffer>; retired: Set<Guid> };

/** The stored recent part of a stream: its periods, and its segments in order. */
export type StoredLive = { periods: StoredPeriod[]; segments: SegmentRow[] };

/**
 * Condition for a listed rendition: it is not retired, and not an incomplete one that was created after the end of the
 * stream.
 */
const IS_LISTED = sql<SqlBool>`(rendition.retired_at is null and rendition.state <> 'failed'
  and not rendition.plan ? 'joined'
  and (rendition.state = 'finished' or not rendition.plan ? 'recordedOf'))`;

/**
 * Condition for a rendition that is no longer listed, such as a rung that was incomplete at the end, but whose URLs
 * players still use.
 */
const IS_KNOWN_STILL = sql<SqlBool>`(rendition.state = 'finished'
  and rendition.retired_at > now() - make_interval(hours => ${RETIRED_GRACE_HOURS}))`;

/** Reads the rows of segments that began within the last `windowSec` seconds, and their periods. */
export async function loadStoredLive(db: Db, key: MediaKey, windowSec: number): Promise<StoredLive> {
  const { rows: periods } = await sql<{
    number: number;
    timelineId: Guid;
    firstSequence: number;
    isPreview: boolean;
    frameRate: number;
    startMs: number | null;
  }>`
    select p.number, p.timeline_id as "timelineId", p.first_sequence as "firstSequence", p.is_preview as "isPreview",
      coalesce(s.frame_rate, 0) as "frameRate", p.start_ms as "startMs"
    from live_period p left join live_stream s on s.id = p.media_id
    where p.library_id = ${key.libraryId} and p.media_id = ${key.mediaId} order by p.number`.execute(db);
  const renditions = await db
    .selectFrom('rendition')
    .select([
      'id',
      'timeline_id',
      'kind',
      'origin',
      'rung',
      'codec_string',
      'timescale',
      'width_px',
      'height_px',
      'init',
    ])
    .select(['key_group', 'iv_prefix', sql<boolean>`retired_at is not null`.as('isRetired')])
    .where('library_id', '=', key.libraryId)
    .where('media_id', '=', key.mediaId)
    .where(sql<SqlBool>`(${IS_LISTED} or ${IS_KNOWN_STILL})`)
    .orderBy('kind', 'desc')
    .orderBy('origin', 'desc')
    .orderBy('rung', 'desc')
    .execute();
  // Renditions that were created after the end have the capture times of the video from which they were encoded.
  const { rows: segments } = await sql<SegmentRow>`
    with timed as (
      select c.*, c.wall_ms as taken_ms from chunk c
      where c.library_id = ${key.libraryId} and c.media_id = ${key.mediaId} and c.wall_ms is not null
      union all
      select c.*, s.wall_ms from rendition r
      join chunk c on c.library_id = r.library_id and c.media_id = r.media_id and c.rendition_id = r.id
      join chunk s on s.library_id = r.library_id and s.media_id = r.media_id
        and s.rendition_id = (r.plan->>'recordedOf')::uuid and s.first_segment = c.first_segment
      where r.library_id = ${key.libraryId} and r.media_id = ${key.mediaId} and r.plan ? 'recordedOf'
        and r.state = 'finished' and c.segment_count = 1)
    select rendition_id as "renditionId", first_segment as number, start_tick as "startTick",
      duration_ticks as "durationTicks", taken_ms as "wallMs", storage_key as "storageKey", size_bytes as "sizeBytes"
    from timed where taken_ms > (extract(epoch from now()) * 1000)::bigint - ${Math.round(windowSec * 1000)}::bigint
    order by first_segment`.execute(db);
  return {
    segments,
    periods: periods.map(({ timelineId, ...period }) => {
      const own = renditions.filter((one) => one.timeline_id === timelineId);
      return {
        inits: new Map(own.map(({ id, init }) => [id, init ?? Buffer.alloc(0)])),
        retired: new Set(own.flatMap(({ id, isRetired }) => (isRetired ? [id] : []))),
        period: {
          ...period,
          isLadderPending: false,
          renditions: own.map((one) => ({
            id: one.id,
            kind: one.kind,
            slot: slotOf(one),
            rung: one.rung,
            codecString: one.codec_string ?? '',
            timescale: one.timescale,
            widthPx: one.width_px,
            heightPx: one.height_px,
            keyGroup: one.key_group,
            ivPrefix: one.iv_prefix,
          })),
        },
      };
    }),
  };
}

/**
 * Seconds without media after which a stream counts as interrupted. Owners report the time of the last media each
 * second.
 */
const SILENT_SEC = 5;

/** Loads the head of a stream. Returns null if there is no such stream. */
export async function loadLiveHead(db: Db, mediaId: Guid): Promise<LiveHead | null> {
  const { rows } = await sql<Omit<LiveHead, 'trailerId' | 'extent'> & { trailer: string | null }>`
    select s.state, s.is_public as "isPublic", case when s.dvr_enabled then s.dvr_window_sec end as "dvrWindowSec",
      l.feed_url as "feedUrl",
      coalesce(greatest(l.primary_media_at, l.backup_media_at) < now() - make_interval(secs => ${SILENT_SEC}), false)
        as "isInterrupted",
      exists (select from live_period p where p.media_id = s.id and not p.is_preview) as "hasBegun",
      case when s.countdown_enabled is not false
        then (extract(epoch from s.scheduled_start_at) * 1000)::float8 end as "startsAtMs",
      s.trailer_video_id as trailer
    from live_stream s left join live_lease l on l.stream_id = s.id where s.id = ${mediaId}`.execute(db);
  const [row] = rows;
  if (row === undefined) return null;
  const { trailer, ...head } = row;
  return { ...head, trailerId: trailer === null ? null : parseGuid(trailer), extent: null };
}

/** Live data of a recording: the capture times of its media or, with several periods, its live head. */
export type RecordingHead = { live?: LiveHead; clock?: readonly WallAnchor[] };

/**
 * Loads the facts that an edge needs about a recording in addition to those about every video. A recording with several
 * periods is still served from its periods, because a timeline has only one set of parameters. Empty for all other
 * videos.
 */
export async function loadRecordingHead(db: Db | Tx, key: MediaKey): Promise<RecordingHead> {
  const { periods, clock } = await loadClock(db, key);
  if (periods < 2) return clock === null ? {} : { clock };
  const { rows } = await sql<{ extent: number }>`
    select (count(*) + coalesce(sum(cardinality(timeline.start_ticks)), 0))::int as extent
    from rendition join timeline using (library_id, media_id)
    where library_id = ${key.libraryId} and media_id = ${key.mediaId} and timeline.id = rendition.timeline_id
      and ${IS_LISTED}
  `.execute(db);
  const ended = { state: 'ended', isPublic: true, feedUrl: null, isInterrupted: false, hasBegun: true } as const;
  const extent = rows[0]?.extent ?? 0;
  return { live: { ...ended, startsAtMs: null, trailerId: null, dvrWindowSec: WHOLE_SEC, extent } };
}
