import { sql } from 'kysely';
import type { Db, MediaKey } from '../db.ts';
import { RENDITION_NAME } from '../rendition-name-store.ts';
import type { EncodeTask } from './encode-task.ts';
import type { TaskKind } from './task-kind.ts';

/** Output of an encoder before its attempt failed; `messages` are its last lines. */
export type AttemptLog = {
  kind: TaskKind;
  renditions: string[];
  fromSegment: number;
  toSegment: number;
  reason: string;
  messages: string;
  createdAt: Date;
};

/** Maximum logs per video. */
const MAX_KEPT_LOGS = 5;

/** Stores the log of a failed attempt, replacing the video's oldest. Does nothing if the video no longer exists. */
export async function keepAttemptLog(
  db: Db,
  { key, kind, renditionIds, fromSegment, toSegment }: EncodeTask,
  { reason, messages }: { reason: string; messages: string },
): Promise<void> {
  const { libraryId, mediaId } = key;
  await sql`
    insert into attempt_log (library_id, media_id, kind, renditions, from_segment, to_segment, reason, messages)
    select library_id, id, ${kind}, array(select ${RENDITION_NAME} from rendition r
      where r.library_id = media.library_id
        and r.media_id = media.id and r.id = any(${[...renditionIds]}::uuid[]) order by r.kind desc, r.rung desc),
      ${fromSegment}, ${toSegment}, ${reason}, ${messages}
    from media where library_id = ${libraryId} and id = ${mediaId} for key share
  `.execute(db);
  await sql`
    delete from attempt_log where library_id = ${libraryId} and media_id = ${mediaId} and id <= (
      select id from attempt_log where library_id = ${libraryId} and media_id = ${mediaId}
      order by id desc offset ${MAX_KEPT_LOGS} limit 1)
  `.execute(db);
}

/** Lists the stored logs of a video, latest first. */
export async function listAttemptLogs(db: Db, { libraryId, mediaId }: MediaKey): Promise<AttemptLog[]> {
  const { rows } = await sql<AttemptLog>`
    select kind, renditions, from_segment as "fromSegment", to_segment as "toSegment", reason, messages,
      created_at as "createdAt"
    from attempt_log where library_id = ${libraryId} and media_id = ${mediaId} order by id desc limit ${MAX_KEPT_LOGS}
  `.execute(db);
  return rows;
}
