import { sql } from 'kysely';
import type { Db, MediaKey, Tx } from '../db.ts';
import type { SpeechState } from './speech-schema.ts';

/** Progress of a video's latest transcription, or null if there was none. */
export type SpeechRun = {
  /** Incremented with each transcription of the video. */
  run: number;
  state: SpeechState;
  /** Reason why it failed or found nothing. */
  reason: string;
  doneSec: number;
  /** Detected language, ISO 639-1, or null before detection, and if the language was given. */
  language: string | null;
};

/** A run of a video, by its number. Writes of an earlier run's job are ignored. */
export type SpeechRunKey = MediaKey & { run: number };

/**
 * Seconds without an update after which a run in progress counts as ended, because its worker must have died. A run in
 * the queue has no updates, however long it waits.
 */
const SILENT_SEC = 900;

/**
 * Begins a transcription run of a video; the caller then sends its job. Returns its number, or null while one is in
 * progress.
 */
export async function beginSpeechRun(tx: Tx, { libraryId, mediaId }: MediaKey): Promise<number | null> {
  const { rows } = await sql<{ run: number }>`
    insert into speech_run (library_id, media_id, state) values (${libraryId}, ${mediaId}, 'waiting')
    on conflict (library_id, media_id) do update
      set state = 'waiting', reason = '', done_sec = 0, language = null, run = speech_run.run + 1, updated_at = now()
      where speech_run.state in ('finished', 'failed', 'cancelled')
        or (speech_run.state = 'running' and speech_run.updated_at < now() - make_interval(secs => ${SILENT_SEC}))
    returning run`.execute(tx);
  const [begun] = rows;
  if (begun === undefined) return null;
  await sql`delete from speech_span where library_id = ${libraryId} and media_id = ${mediaId}`.execute(tx);
  return begun.run;
}

export async function loadSpeechRun(db: Db, { libraryId, mediaId }: MediaKey): Promise<SpeechRun | null> {
  const row = await db
    .selectFrom('speech_run')
    .select(['run', 'state', 'reason', 'done_sec', 'language'])
    .where('library_id', '=', libraryId)
    .where('media_id', '=', mediaId)
    .executeTakeFirst();
  if (row === undefined) return null;
  const { run, state, reason, done_sec: doneSec, language } = row;
  return { run, state, reason, doneSec, language };
}

/** Records the start or the end of a run. Ignored if the run was cancelled or superseded. */
export async function noteSpeechRun(
  db: Db,
  { libraryId, mediaId, run }: SpeechRunKey,
  { state, reason = '' }: { state: SpeechRun['state']; reason?: string },
): Promise<void> {
  await sql`
    update speech_run set state = ${state}, reason = ${reason}, updated_at = now()
    where library_id = ${libraryId} and media_id = ${mediaId} and run = ${run} and state <> 'cancelled'`.execute(db);
}

/** Records the detected language of a run. */
export async function noteSpeechLanguage(
  db: Db,
  { libraryId, mediaId, run }: SpeechRunKey,
  language: string,
): Promise<void> {
  await sql`
    update speech_run set language = ${language}, updated_at = now()
    where library_id = ${libraryId} and media_id = ${mediaId} and run = ${run}`.execute(db);
}

/**
 * Cancels a video's waiting or running transcription, which ends after the current span. Returns false if there is
 * none.
 */
export async function cancelSpeechRun(tx: Tx, { libraryId, mediaId }: MediaKey): Promise<boolean> {
  const { rows } = await sql`
    update speech_run set state = 'cancelled', updated_at = now()
    where library_id = ${libraryId} and media_id = ${mediaId} and state in ('waiting', 'running')
    returning state`.execute(tx);
  await sql`delete from speech_span where library_id = ${libraryId} and media_id = ${mediaId}`.execute(tx);
  return rows.length > 0;
}
