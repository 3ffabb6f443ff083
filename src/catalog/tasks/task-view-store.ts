import { sql } from 'kysely';
import type { Guid } from '../../lib/guid.ts';
import type { Loudness } from '../../media/encode/loudness.ts';
import type { SourceFacts } from '../../media/probe/source-facts.ts';
import type { CutList } from '../../media/timeline/cut-list.ts';
import type { StorageKey } from '../../ports/storage.ts';
import type { Db } from '../db.ts';
import type { RenditionPlan } from '../rendition-plan.ts';
import type { EncodeTask } from './encode-task.ts';

/** The fields of a rendition that its encoder needs. */
export type TaskRendition = {
  id: Guid;
  kind: 'video' | 'audio';
  codec: string;
  rung: number | null;
  widthPx: number | null;
  heightPx: number | null;
  timescale: number;
  plan: RenditionPlan;
  /** Null for pictures, and for audio that was not measured yet. */
  loudness: Loudness | null;
  /** True if segments that viewers request are also stored, in addition to those of its encode tasks. */
  isOnDemand: boolean;
  /** True if its segments are copied from the source. */
  isPassThrough: boolean;
  /** Its init segment and codec name once they are fixed. */
  listed: { init: Buffer; codecString: string } | null;
  /** Number of consecutive segments from the encode task's first that are already published. */
  publishedTo: number;
};

/** Input of an encode task, from one read. The renditions are those that did not fail, highest first. */
export type TaskView = {
  sourceKey: StorageKey;
  sourceBytes: number;
  /** 32 raw bytes, or null until it is computed. */
  sourceSha256: Buffer | null;
  facts: SourceFacts;
  thumbnailTimeMs: number | null;
  cutList: CutList;
  renditions: readonly TaskRendition[];
};

/** The part of a video that an encode task covers. */
export type TaskRange = Pick<EncodeTask, 'key' | 'kind' | 'timelineId' | 'renditionIds' | 'fromSegment' | 'toSegment'>;

/** Reads the input of an encode task. Null if its video, or the video's original, no longer exists. */
export async function loadTaskView(db: Db, task: TaskRange): Promise<TaskView | null> {
  const { libraryId, mediaId } = task.key;
  const media = await db
    .selectFrom('media')
    .select(['source_key', 'source_bytes', 'source_sha256', 'facts', 'thumbnail_time_ms'])
    .where('library_id', '=', libraryId)
    .where('id', '=', mediaId)
    .executeTakeFirst();
  const cutList = await loadCutList(db, task);
  if (media === undefined || cutList === null) return null;
  if (media.source_key === null || media.facts === null) return null;
  return {
    sourceKey: media.source_key,
    sourceBytes: media.source_bytes ?? 0,
    sourceSha256: media.source_sha256,
    facts: media.facts,
    thumbnailTimeMs: media.thumbnail_time_ms,
    cutList,
    renditions: await loadTaskRenditions(db, task),
  };
}

/** Reads a timeline's cut list. Returns null if the timeline does not exist. */
export async function loadCutList(
  db: Db,
  { key, timelineId }: Pick<EncodeTask, 'key' | 'timelineId'>,
): Promise<CutList | null> {
  const row = await db
    .selectFrom('timeline')
    .selectAll()
    .where('library_id', '=', key.libraryId)
    .where('media_id', '=', key.mediaId)
    .where('id', '=', timelineId)
    .executeTakeFirst();
  if (row === undefined) return null;
  const common = { timescale: row.timescale, startTicks: row.start_ticks, endTicks: row.end_ticks };
  if (row.grid === 'source') return { ...common, grid: { kind: 'source' } };
  const { rate_num: num, rate_den: den, segment_frames: segmentFrames, total_frames: totalFrames } = row;
  if (num === null || den === null || segmentFrames === null || totalFrames === null) {
    throw new Error(`Expected timeline ${timelineId} with a frame grid to have a frame rate and counts, got null.`);
  }
  return { ...common, grid: { kind: 'frames', rate: { num, den }, segmentFrames, totalFrames } };
}

/** Reads the renditions of an encode task that did not fail, highest first. */
export async function loadTaskRenditions(db: Db, task: TaskRange): Promise<TaskRendition[]> {
  if (task.renditionIds.length === 0) return [];
  const { libraryId, mediaId } = task.key;
  const rows = await db
    .selectFrom('rendition')
    .select([
      'id',
      'kind',
      'codec',
      'rung',
      'width_px',
      'height_px',
      'timescale',
      'plan',
      'loudness',
      'on_demand',
      'init',
      'codec_string',
      'origin',
    ])
    .select(({ selectFrom, fn }) =>
      selectFrom('chunk')
        .whereRef('chunk.rendition_id', '=', 'rendition.id')
        .where('chunk.library_id', '=', libraryId)
        .where('chunk.media_id', '=', mediaId)
        .where('first_segment', '>=', task.fromSegment)
        .where('first_segment', '<', task.toSegment)
        .select(({ eb }) => fn.max(eb('first_segment', '+', eb.ref('segment_count'))).as('end'))
        .as('published_to'),
    )
    .where('library_id', '=', libraryId)
    .where('media_id', '=', mediaId)
    .where('id', 'in', [...task.renditionIds])
    .where('state', '<>', 'failed')
    .orderBy('rung', 'desc')
    .execute();
  // Segments that a repair replaces count as missing.
  const isRepair = task.kind === 'repair';
  return rows.map((row) => ({
    id: row.id,
    kind: row.kind,
    codec: row.codec,
    rung: row.rung,
    widthPx: row.width_px,
    heightPx: row.height_px,
    timescale: row.timescale,
    plan: row.plan,
    loudness: row.loudness,
    isOnDemand: row.on_demand && !isRepair,
    isPassThrough: row.origin === 'pass-through',
    listed: row.init === null || row.codec_string === null ? null : { init: row.init, codecString: row.codec_string },
    publishedTo: (isRepair ? null : row.published_to) ?? task.fromSegment,
  }));
}

/** Returns the duration of the media that an encode task makes, in seconds, or null if it makes images. */
export async function mediaSecOf(db: Db, { key, timelineId, kind, ...range }: EncodeTask): Promise<number | null> {
  if (kind === 'thumbnail' || kind === 'images' || kind === 'sheets' || kind === 'jit-start') return null;
  const { rows } = await sql<{ sec: number | null }>`
    select (coalesce(start_ticks[${range.toSegment}::int + 1], end_ticks)
      - start_ticks[${range.fromSegment}::int + 1])::float8 / timescale as sec
    from timeline where library_id = ${key.libraryId} and media_id = ${key.mediaId} and id = ${timelineId}`.execute(db);
  return rows[0]?.sec ?? null;
}
