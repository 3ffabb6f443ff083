import { sql } from 'kysely';
import type { Db, MediaKey, Tx } from '../db.ts';
import type { SpeechState } from './speech-schema.ts';

/** How far the latest transcription of a video is; null when there was none. */
export type SpeechRun = {
  state: SpeechState;
  /** Why it failed, or why it found nothing. */
  reason: string;
  doneSec: number;
  /** What was guessed, ISO 639-1; null before, and where it was given. */
  language: string | null;
};

/** A run of which nothing was noted for so long is over: its worker died, and its job with it. */
const SILENT_SEC = 900;

/** Begins a run of a video's transcription, whose job is to be sent then; false while one is under way. */
export async function beginSpeechRun(tx: Tx, { libraryId, mediaId }: MediaKey): Promise<boolean> {
  const { rows } = await sql`
    insert into speech_run (library_id, media_id, state) values (${libraryId}, ${mediaId}, 'waiting')
    on conflict (library_id, media_id) do update
      set state = 'waiting', reason = '', done_sec = 0, language = null, updated_at = now()
      where speech_run.state in ('finished', 'failed', 'cancelled')
        or speech_run.updated_at < now() - make_interval(secs => ${SILENT_SEC})
    returning state`.execute(tx);
  if (rows.length === 0) return false;
  await sql`delete from speech_span where library_id = ${libraryId} and media_id = ${mediaId}`.execute(tx);
  return true;
}

export async function loadSpeechRun(db: Db, { libraryId, mediaId }: MediaKey): Promise<SpeechRun | null> {
  const row = await db
    .selectFrom('speech_run')
    .select(['state', 'reason', 'done_sec', 'language'])
    .where('library_id', '=', libraryId)
    .where('media_id', '=', mediaId)
    .executeTakeFirst();
  if (row === undefined) return null;
  const { state, reason, done_sec: doneSec, language } = row;
  return { state, reason, doneSec, language };
}

/** Notes how a transcription ended, or that it has begun. A video that is gone, and a run that was cancelled, is passed over. */
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
      where speech_run.state <> 'cancelled'
  `.execute(db);
}

/** Notes the language that was guessed for a run. */
export async function noteSpeechLanguage(db: Db, { libraryId, mediaId }: MediaKey, language: string): Promise<void> {
  await sql`
    update speech_run set language = ${language}, updated_at = now()
    where library_id = ${libraryId} and media_id = ${mediaId}`.execute(db);
}

/** Cancels the run of a video that waits or is under way: it ends after the span at hand. False when there is none. */
export async function cancelSpeechRun(tx: Tx, { libraryId, mediaId }: MediaKey): Promise<boolean> {
  const { rows } = await sql`
    update speech_run set state = 'cancelled', updated_at = now()
    where library_id = ${libraryId} and media_id = ${mediaId} and state in ('waiting', 'running')
    returning state`.execute(tx);
  await sql`delete from speech_span where library_id = ${libraryId} and media_id = ${mediaId}`.execute(tx);
  return rows.length > 0;
}
