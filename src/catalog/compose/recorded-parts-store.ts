import { sql } from 'kysely';
import type { Guid } from '../../lib/guid.ts';
import { Refused } from '../../lib/refused.ts';
import { recordingFacts } from '../../media/live/recording/recording-facts.ts';
import type { CutList } from '../../media/timeline/cut-list.ts';
import type { Db, MediaKey } from '../db.ts';
import { endsBeyond } from './ends-beyond.ts';
import type { PartRendition, PartView } from './part-view.ts';

/**
 * A range of a stream's media in ms. A negative start counts back from the newest stored segment. A null end means the
 * end of the stored media.
 */
export type RecordedRange = { startMs: number; endMs: number | null };
/** A range of one period, in seconds of its timeline. */
export type RecordedPart = { view: PartView; fromSec: number; toSec: number };

type PeriodRow = {
  timelineId: Guid;
  timescale: number;
  frameRate: number;
  segments: number;
  endTick: number;
  startTicks: number[];
};

/**
 * Reads the available parts of a running or ended live stream, one for each period that overlaps the range. Omits
 * renditions that lack a segment of the range. Returns null if the video was never a stream. Throws `Refused`
 * (`invalid`) for a range without media.
 */
export async function loadRecordedParts(db: Db, key: MediaKey, range: RecordedRange): Promise<RecordedPart[] | null> {
  const type = await findStreamed(db, key);
  if (type === null) return null;
  const periods = await loadPeriods(db, key);
  const totalSec = periods.reduce((sum, { endTick, timescale }) => sum + endTick / timescale, 0);
  const at = (ms: number) => (ms < 0 ? Math.max(0, totalSec + ms / 1000) : Math.min(totalSec, ms / 1000));
  const [fromSec, toSec] = [at(range.startMs), range.endMs === null ? totalSec : at(range.endMs)];
  // A running stream may be longer than what is stored of it.
  if (toSec <= fromSec || (type === 'video' && endsBeyond(range.endMs, totalSec)))
    throw nothingThere(key, range, totalSec);
  const parts: RecordedPart[] = [];
  let startSec = 0;
  for (const period of periods) {
    const lengthSec = period.endTick / period.timescale;
    const range = { fromSec: Math.max(0, fromSec - startSec), toSec: Math.min(lengthSec, toSec - startSec) };
    startSec += lengthSec;
    if (range.toSec > range.fromSec) parts.push({ view: await loadView(db, key, period, range), ...range });
  }
  return parts;
}

async function findStreamed(db: Db, { libraryId, mediaId }: MediaKey): Promise<'live' | 'video' | null> {
  const { rows } = await sql<{ type: 'live' | 'video' }>`
    select m.type from live_period p
    join media m on m.library_id = p.library_id and m.id = p.media_id and m.type <> 'trash'
    where p.library_id = ${libraryId} and p.media_id = ${mediaId} limit 1`.execute(db);
  return rows[0]?.type ?? null;
}

/** Loads the periods with video that viewers may see, in order. Chunks of complete periods may have been merged. */
async function loadPeriods(db: Db, { libraryId, mediaId }: MediaKey): Promise<PeriodRow[]> {
  const { rows } = await sql<PeriodRow>`
    with main as (
      select distinct on (p.number) p.number, p.timeline_id, r.id, r.timescale, t.start_ticks, t.end_ticks
      from live_period p
      join timeline t on t.library_id = p.library_id and t.media_id = p.media_id and t.id = p.timeline_id
      join rendition r on r.library_id = p.library_id and r.media_id = p.media_id and r.timeline_id = p.timeline_id
      where p.library_id = ${libraryId} and p.media_id = ${mediaId} and not p.is_preview and r.kind = 'video'
      order by p.number, r.origin desc, r.id)
    select m.timeline_id as "timelineId", m.timescale, coalesce(s.frame_rate, 0) as "frameRate",
      case when m.end_ticks > 0 then cardinality(m.start_ticks) else c.segments end::int as segments,
      case when m.end_ticks > 0 then m.end_ticks else c.end_tick end::float8 as "endTick",
      case when m.end_ticks > 0 then to_jsonb(m.start_ticks) else c.starts end as "startTicks"
    from main m cross join lateral (
      select max(first_segment + segment_count) as segments, max(start_tick + duration_ticks) as end_tick,
        jsonb_agg(start_tick order by first_segment) as starts
      from chunk where library_id = ${libraryId} and media_id = ${mediaId} and rendition_id = m.id) c
    left join live_stream s on s.id = ${mediaId}
    where c.segments > 0 order by m.number`.execute(db);
  return rows.filter(({ segments, startTicks }) => startTicks.length === segments);
}

async function loadView(
  db: Db,
  key: MediaKey,
  period: PeriodRow,
  { fromSec, toSec }: { fromSec: number; toSec: number },
): Promise<PartView> {
  const { timescale, startTicks, endTick } = period;
  const cutList: CutList = { timescale, startTicks, endTicks: endTick, grid: { kind: 'source' } };
  const first = Math.max(
    0,
    startTicks.findLastIndex((tick) => tick <= fromSec * timescale),
  );
  const end = startTicks.findIndex((tick) => tick >= toSec * timescale);
  const renditions = await loadWhole(db, key, period, { first, end: end === -1 ? startTicks.length : end });
  const video = renditions.find(({ kind }) => kind === 'video');
  const audio = renditions.find(({ kind }) => kind === 'audio');
  const facts = recordingFacts({
    durationSec: endTick / timescale,
    sizeBytes: 0,
    video: video === undefined ? null : describe(video, period.frameRate),
    audio: audio === undefined ? null : { codec: audio.codec, sampleRateHz: audio.timescale },
  });
  return {
    mediaId: key.mediaId,
    facts,
    hasOriginal: false,
    hasThumbnail: false,
    cutList,
    renditions,
    isRecorded: true,
  };
}

function describe({ codec, codecString, widthPx, heightPx }: PartRendition, frameRate: number) {
  return { codec, codecString, widthPx: widthPx ?? 0, heightPx: heightPx ?? 0, frameRate };
}

/** Loads the renditions of a period that have every segment of a range. */
async function loadWhole(
  db: Db,
  { libraryId, mediaId }: MediaKey,
  { timelineId }: PeriodRow,
  { first, end }: { first: number; end: number },
): Promise<PartRendition[]> {
  const { rows } = await sql<PartRendition>`
    select r.id, r.kind, r.origin, r.codec, r.rung, r.language, r.name, r.is_default as "isDefault", r.timescale,
      r.width_px as "widthPx", r.height_px as "heightPx", r.codec_string as "codecString", r.init, r.plan,
      r.storage_bytes as "storageBytes"
    from rendition r
    where r.library_id = ${libraryId} and r.media_id = ${mediaId} and r.timeline_id = ${timelineId}
      and r.init is not null and r.codec_string is not null and r.retired_at is null and r.state <> 'failed'
      and ${end - first}::int = (
        select sum(least(c.first_segment + c.segment_count, ${end}::int) - greatest(c.first_segment, ${first}::int))
        from chunk c where c.library_id = ${libraryId} and c.media_id = ${mediaId} and c.rendition_id = r.id
          and c.first_segment < ${end}::int and c.first_segment + c.segment_count > ${first}::int)
    order by r.kind desc, r.origin desc, r.rung desc, r.codec, r.is_default desc, r.id`.execute(db);
  return rows;
}

function nothingThere({ mediaId }: MediaKey, { startMs, endMs }: RecordedRange, totalSec: number): Refused {
  return new Refused(
    'invalid',
    `Expected startMs before endMs and within stream ${mediaId}, of which ${Math.round(totalSec * 1000)} ms are ` +
      `stored, got ${startMs} and ${endMs ?? 'none'}. Correct them.`,
  );
}
