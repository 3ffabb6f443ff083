import type { Guid } from '../../lib/guid.ts';
import type { SourceFacts } from '../../media/probe/source-facts.ts';
import type { CutList } from '../../media/timeline/cut-list.ts';
import type { StorageKey } from '../../ports/storage.ts';
import type { Db } from '../db.ts';
import type { RenditionPlan } from '../schema.ts';
import type { Work } from './work.ts';

/** A rendition as its encoder needs it. */
export type WorkRendition = {
  id: Guid;
  kind: 'video' | 'audio';
  codec: string;
  rung: number | null;
  widthPx: number | null;
  heightPx: number | null;
  plan: RenditionPlan;
  /** Segments of it may be stored by others than its works. */
  isOnDemand: boolean;
  /** Its segments are copied from the source. */
  isPassThrough: boolean;
  /** Its init segment and codec name once they are fixed. */
  listed: { init: Buffer; codecString: string } | null;
  /** Segments from the work's first on that are published already, without a hole. */
  publishedTo: number;
};

/** All that doing a work takes, read at once. Renditions are those that did not fail, the highest first. */
export type WorkView = {
  sourceKey: StorageKey;
  sourceBytes: number;
  /** 32 raw bytes; null while nobody has taken it yet. */
  sourceSha256: Buffer | null;
  facts: SourceFacts;
  thumbnailTimeMs: number | null;
  cutList: CutList;
  renditions: readonly WorkRendition[];
};

/** The part of a video that a work is about. */
export type WorkPlace = Pick<Work, 'key' | 'timelineId' | 'renditionIds' | 'fromSegment' | 'toSegment'>;

/** Reads what a work is about. Null when its video, or the video's original, is gone. */
export async function loadWorkView(db: Db, work: WorkPlace): Promise<WorkView | null> {
  const { libraryId, mediaId } = work.key;
  const media = await db
    .selectFrom('media')
    .select(['source_key', 'source_bytes', 'source_sha256', 'facts', 'thumbnail_time_ms'])
    .where('library_id', '=', libraryId)
    .where('id', '=', mediaId)
    .executeTakeFirst();
  const cutList = await loadCutList(db, work);
  if (media === undefined || cutList === null) return null;
  if (media.source_key === null || media.facts === null) return null;
  return {
    sourceKey: media.source_key,
    sourceBytes: media.source_bytes ?? 0,
    sourceSha256: media.source_sha256,
    facts: media.facts,
    thumbnailTimeMs: media.thumbnail_time_ms,
    cutList,
    renditions: await loadWorkRenditions(db, work),
  };
}

/** Reads a timeline's cut list; null when there is no such timeline. */
export async function loadCutList(
  db: Db,
  { key, timelineId }: Pick<Work, 'key' | 'timelineId'>,
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
    throw new Error(`Expected timeline ${timelineId} on frames to have a rate and counts.`);
  }
  return { ...common, grid: { kind: 'frames', rate: { num, den }, segmentFrames, totalFrames } };
}

/** Reads the renditions of a work that did not fail, the highest first. */
export async function loadWorkRenditions(db: Db, work: WorkPlace): Promise<WorkRendition[]> {
  if (work.renditionIds.length === 0) return [];
  const { libraryId, mediaId } = work.key;
  const rows = await db
    .selectFrom('rendition')
    .select([
      'id',
      'kind',
      'codec',
      'rung',
      'width_px',
      'height_px',
      'plan',
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
        .where('first_segment', '>=', work.fromSegment)
        .where('first_segment', '<', work.toSegment)
        .select(({ eb }) => fn.max(eb('first_segment', '+', eb.ref('segment_count'))).as('end'))
        .as('published_to'),
    )
    .where('library_id', '=', libraryId)
    .where('media_id', '=', mediaId)
    .where('id', 'in', [...work.renditionIds])
    .where('state', '<>', 'failed')
    .orderBy('rung', 'desc')
    .execute();
  return rows.map((row) => ({
    id: row.id,
    kind: row.kind,
    codec: row.codec,
    rung: row.rung,
    widthPx: row.width_px,
    heightPx: row.height_px,
    plan: row.plan,
    isOnDemand: row.on_demand,
    isPassThrough: row.origin === 'pass-through',
    listed: row.init === null || row.codec_string === null ? null : { init: row.init, codecString: row.codec_string },
    publishedTo: row.published_to ?? work.fromSegment,
  }));
}
