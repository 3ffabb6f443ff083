import { type SqlBool, sql } from 'kysely';
import { type Guid, newGuid } from '../../lib/guid.ts';
import { BASE_CODEC } from '../../media/encode/codecs/all.ts';
import type { Db, MediaKey, Tx } from '../db.ts';
import { type EncodeTask, taskPriority, taskWeight } from '../tasks/encode-task.ts';
import { insertTasks } from '../tasks/task-row-store.ts';

/** Maximum duration, in s, of a video whose images count as quick work. */
const QUICK_SEC = 120;
const VIDEOS_AT_ONCE = 20;

/** Condition on the timeline `t`: its renditions include complete video in the codec that every set has. */
const HAS_VIDEO = sql<SqlBool>`exists (select 1 from rendition r where r.timeline_id = t.id
  and r.library_id = t.library_id and r.media_id = t.media_id and r.kind = 'video' and r.codec = ${sql.lit(BASE_CODEC)}
  and r.state = 'finished' and r.retired_at is null)`;

/**
 * Plans the images of a video from the renditions on a timeline, if these have their own video and no images were
 * created or attempted before. Returns whether an encode task was written.
 */
export async function planImages(tx: Tx, key: MediaKey, timelineId: Guid | null): Promise<boolean> {
  if (timelineId === null) return false;
  const { rows } = await sql<{ durationSec: number }>`
    select t.end_ticks::float8 / t.timescale as "durationSec" from timeline t
    join media m on m.library_id = t.library_id and m.id = t.media_id
    where t.library_id = ${key.libraryId} and t.media_id = ${key.mediaId} and t.id = ${timelineId}
      and m.images->>'timelineId' is distinct from t.id::text
      and ${HAS_VIDEO}
      and not exists (select 1 from encode_task w where w.timeline_id = t.id and w.library_id = t.library_id
        and w.media_id = t.media_id and w.kind = 'images')
    for update of m
  `.execute(tx);
  const [found] = rows;
  if (found === undefined) return false;
  await insertTasks(tx, [imageTask(key, timelineId, found.durationSec)]);
  return true;
}

/** Finds a bounded number of finished videos without images, which were imported or are older than this feature. */
export async function findWithoutImages(db: Db): Promise<{ key: MediaKey; timelineId: Guid }[]> {
  const { rows } = await sql<{ library_id: number; id: Guid; timeline_id: Guid }>`
    select m.library_id, m.id, t.id as timeline_id from media m
    join timeline t on t.library_id = m.library_id and t.media_id = m.id and t.active
    where m.type = 'video' and m.state = 'finished' and m.images is null and m.width_px > 0 and ${HAS_VIDEO}
      and not exists (select 1 from encode_task w where w.library_id = m.library_id and w.media_id = m.id
        and w.kind = 'images')
    order by random() limit ${VIDEOS_AT_ONCE}
  `.execute(db);
  return rows.map((row) => ({ key: { libraryId: row.library_id, mediaId: row.id }, timelineId: row.timeline_id }));
}

function imageTask(key: MediaKey, timelineId: Guid, durationSec: number): EncodeTask {
  return {
    key,
    id: newGuid(),
    timelineId,
    kind: 'images',
    renditionIds: [],
    fromSegment: 0,
    toSegment: 1,
    isFirst: false,
    queue: durationSec <= QUICK_SEC ? 'quick' : 'long',
    priority: taskPriority(false, durationSec, 0),
    weight: taskWeight('images', 0, durationSec),
  };
}
