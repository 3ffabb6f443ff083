import { sql } from 'kysely';
import type { Db, MediaKey, Tx } from '../db.ts';

/** How far the latest transcription of a video is; null when there was none. */
export type SpeechRun = { state: 'waiting' | 'running' | 'finished' | 'failed'; reason: string; doneSec: number };

/** A run of which nothing was noted for so long is over: its worker died, and its job with it. */
const SILENT_SEC = 900;

/** Begins a run of a video's transcription, whose job is to be sent then; false while one is under way. */
export async function beginSpeechRun(tx: Tx, { libraryId, mediaId }: MediaKey): Promise<boolean> {
  const { rows } = await sql`
    insert into speech_run (library_id, media_id, state) values (${libraryId}, ${mediaId}, 'waiting')
    on conflict (library_id, media_id) do update
      set state = 'waiting', reason = '', done_sec = 0, updated_at = now()
      where speech_run.state in ('finished', 'failed')
        or speech_run.updated_at < now() - make_interval(secs => ${SILENT_SEC})
    returning state`.execute(tx);
  if (rows.length === 0) return false;
  await sql`delete from speech_span where library_id = ${libraryId} and media_id = ${mediaId}`.execute(tx);
  return true;
}

export async function loadSpeechRun(db: Db, { libraryId, mediaId }: MediaKey): Promise<SpeechRun | null> {
  const row = await db
    .selectFrom('speech_run')
    .select(['state', 'reason', 'done_sec'])
    .where('library_id', '=', libraryId)
    .where('media_id', '=', mediaId)
    .executeTakeFirst();
  return row === undefined ? null : { state: row.state, reason: row.reason, doneSec: row.done_sec };
}

/** Notes how a transcription ended, or that it has begun. A video that is gone is passed over. */
export async function noteSpeechRun(
  db: Db,
  { libraryId, mediaId }: MediaKey,
  { state, reason = '' }: { state: SpeechRun['state']; reason?: string },
): Promise<void> {
  await sql`
    insert into speech_run (library_id, media_id, state, reason)
    select library_id, id, ${state}, ${reason} from media where library_id = ${libraryId} and id = ${mediaId}
    on conflict (library_id, media_id) do update
      set state = excluded.state, reason = excluded.reason, updated_at = now()
  `.execute(db);
}
