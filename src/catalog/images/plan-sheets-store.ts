import { sql } from 'kysely';
import { type Guid, newGuid } from '../../lib/guid.ts';
import { BASE_CODEC } from '../../media/encode/codecs/all.ts';
import { planSheetRanges, type SheetRange } from '../../media/images/storyboard.ts';
import type { MediaKey, Tx } from '../db.ts';
import { covers } from '../renditions/coverage.ts';
import { type EncodeTask, taskPriority, taskWeight } from '../tasks/encode-task.ts';
import { insertTasks } from '../tasks/task-row-store.ts';
import { loadChunks } from './image-view-store.ts';

/** Rendition from which storyboard sheets are created. Times are in seconds. */
type Source = { durationSec: number; timescale: number; renditionId: Guid };

/**
 * Plans the storyboard sheets whose frames are all stored while the rest of the video is still being encoded, so that
 * little work is left at the end. Called for each chunk of a rendition. The remaining sheets, mainly those at the end
 * of the video, are created with the other images.
 */
export async function planSheets(tx: Tx, { key, timelineId, renditionIds }: EncodeTask): Promise<void> {
  const source = await findSource(tx, key, timelineId);
  if (source === null || !renditionIds.includes(source.renditionId)) return;
  const ranges = planSheetRanges(Math.round(source.durationSec * 1000)).slice(0, -1);
  if (ranges.length === 0) return;
  const { timescale } = source;
  const chunks = await loadChunks(tx, key, source.renditionId);
  const planned = await loadPlanned(tx, key, timelineId);
  const isReady = ({ first, fromSec, toSec }: SheetRange) =>
    !planned.has(first) && covers(chunks, fromSec * timescale, toSec * timescale);
  await insertTasks(
    tx,
    ranges.filter(isReady).map((range) => sheetTask(key, timelineId, source.durationSec, range)),
  );
}

/**
 * Finds the lowest rendition of a set without images. Returns null if the rendition is complete, because then one task
 * creates all remaining images, or if the rendition is not encoded.
 */
async function findSource(tx: Tx, { libraryId, mediaId }: MediaKey, timelineId: Guid): Promise<Source | null> {
  const { rows } = await sql<Source>`
    select t.end_ticks::float8 / t.timescale as "durationSec", r.timescale, r.id as "renditionId"
    from media m join timeline t on t.library_id = m.library_id and t.media_id = m.id and t.id = ${timelineId}
    cross join lateral (select id, origin, state, timescale from rendition
      where library_id = m.library_id and media_id = m.id and timeline_id = t.id and kind = 'video'
        and codec = ${sql.lit(BASE_CODEC)} and state <> 'failed' and retired_at is null and not plan ? 'joined'
      order by rung limit 1) r
    where m.library_id = ${libraryId} and m.id = ${mediaId} and m.state = 'transcoding'
      and m.images->>'timelineId' is distinct from t.id::text and r.origin = 'encode' and r.state = 'building'
  `.execute(tx);
  return rows[0] ?? null;
}

/** Loads the number of the first sheet of every existing task, including failed ones. */
async function loadPlanned(tx: Tx, { libraryId, mediaId }: MediaKey, timelineId: Guid): Promise<ReadonlySet<number>> {
  const rows = await tx
    .selectFrom('encode_task')
    .select('from_segment')
    .where('library_id', '=', libraryId)
    .where('media_id', '=', mediaId)
    .where('timeline_id', '=', timelineId)
    .where('kind', '=', 'sheets')
    .execute();
  return new Set(rows.map((row) => row.from_segment));
}

function sheetTask(key: MediaKey, timelineId: Guid, durationSec: number, range: SheetRange): EncodeTask {
  return {
    key,
    id: newGuid(),
    timelineId,
    kind: 'sheets',
    renditionIds: [],
    fromSegment: range.first,
    toSegment: range.end,
    isFirst: false,
    queue: 'long',
    priority: taskPriority(false, durationSec, 0),
    weight: taskWeight('sheets', 0, range.toSec - range.fromSec),
  };
}
