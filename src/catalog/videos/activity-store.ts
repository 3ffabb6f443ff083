import { sql } from 'kysely';
import type { Guid } from '../../lib/guid.ts';
import type { Db, MediaKey } from '../db.ts';
import { RENDITION_NAME } from '../rendition-name-store.ts';
import type { TaskKind } from '../tasks/task-kind.ts';

/** A unit of encoding for display: its output, its attempts, and the reason why it waits or failed. */
export type TaskActivity = {
  id: Guid;
  kind: TaskKind;
  /** `720p`, `Audio (en)`; empty for work that makes no rendition. */
  renditions: string[];
  fromSegment: number;
  toSegment: number;
  state: 'waiting' | 'running' | 'done' | 'failed';
  /** 0 to 1. */
  doneFraction: number;
  failures: number;
  /** Attempts whose worker died. */
  deaths: number;
  reason: string | null;
  worker: string | null;
  createdAt: Date;
  startedAt: Date | null;
  /** Time of the next attempt of an encode task that is not ready. */
  retryAt: Date | null;
};

const MAX_TASKS = 500;

/** Loads the current and past work on a video. Encode tasks are deleted when their video is finished. */
export async function loadTaskActivity(db: Db, { libraryId, mediaId }: MediaKey): Promise<TaskActivity[]> {
  const { rows } = await sql<TaskActivity>`
    select w.id, w.kind, w.from_segment as "fromSegment", w.to_segment as "toSegment", w.state,
      w.done_fraction as "doneFraction", w.failures, w.deaths, w.reason, w.owner as worker,
      w.created_at as "createdAt", w.started_at as "startedAt",
      case when w.state = 'waiting' and not w.is_ready then w.ready_at end as "retryAt",
      array(select ${RENDITION_NAME} from rendition r where r.library_id = w.library_id
        and r.media_id = w.media_id and r.id = any(w.rendition_ids) order by r.kind desc, r.rung desc) as renditions
    from encode_task w where w.library_id = ${libraryId} and w.media_id = ${mediaId}
    order by array_position(array['running', 'failed', 'waiting', 'done'], w.state), w.priority desc, w.created_at,
      w.id
    limit ${MAX_TASKS}`.execute(db);
  return rows;
}
