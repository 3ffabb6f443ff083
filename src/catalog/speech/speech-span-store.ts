import { sql } from 'kysely';
import type { Db, MediaKey } from '../db.ts';
import { inTransaction } from '../in-transaction.ts';
import type { CaptionTrack } from '../schema.ts';
import type { SpeechRunKey } from './speech-run-store.ts';

/** A word and its times, in seconds from the start of its span. */
type Word = { text: string; startSec: number; endSec: number };

/** Result of an engine for a span; `identity` identifies the engine and the samples. */
export type StoredSpan = { startMs: number; identity: Buffer; language: string; words: Word[] };

/** Returns the results of the transcription in progress, by the start of their spans in ms. */
export async function loadSpans(db: Db, { libraryId, mediaId }: MediaKey): Promise<Map<number, StoredSpan>> {
  const rows = await db
    .selectFrom('speech_span')
    .select(['start_ms', 'identity', 'language', 'words'])
    .where('library_id', '=', libraryId)
    .where('media_id', '=', mediaId)
    .execute();
  return new Map(rows.map(({ start_ms, ...span }) => [start_ms, { startMs: start_ms, ...span }]));
}

/**
 * Stores the result of a span, and the progress of the transcription. Returns the video's current captions, or null
 * if the video no longer exists, or its run was cancelled or superseded. Idempotent.
 */
export async function keepSpan(
  db: Db,
  { libraryId, mediaId, run }: SpeechRunKey,
  { span, doneSec }: { span: StoredSpan; doneSec: number },
): Promise<readonly CaptionTrack[] | null> {
  return await inTransaction(db, async (tx) => {
    const media = await tx
      .selectFrom('media')
      .select('captions')
      .where('library_id', '=', libraryId)
      .where('id', '=', mediaId)
      .where('type', '=', 'video')
      .forKeyShare()
      .executeTakeFirst();
    if (media === undefined) return null;
    const { rows } = await sql`
      update speech_run set done_sec = ${doneSec}, state = 'running', updated_at = now()
      where library_id = ${libraryId} and media_id = ${mediaId} and run = ${run} and state <> 'cancelled'
      returning state`.execute(tx);
    if (rows.length === 0) return null;
    const { startMs, identity, language, words } = span;
    await sql`
      insert into speech_span (library_id, media_id, start_ms, identity, language, words)
      values (${libraryId}, ${mediaId}, ${startMs}, ${identity}, ${language}, ${JSON.stringify(words)}::jsonb)
      on conflict (library_id, media_id, start_ms) do update
        set identity = excluded.identity, language = excluded.language, words = excluded.words`.execute(tx);
    return media.captions;
  });
}

/** Deletes the spans of an ended run; those of a later one are kept. */
export async function dropSpans(db: Db, { libraryId, mediaId, run }: SpeechRunKey): Promise<void> {
  await sql`
    delete from speech_span using speech_run
    where speech_span.library_id = ${libraryId} and speech_span.media_id = ${mediaId}
      and speech_run.library_id = ${libraryId} and speech_run.media_id = ${mediaId} and speech_run.run = ${run}
  `.execute(db);
}

/** Returns whether any video, audio or pass-through task is ready and waiting. */
export async function areVideosWaiting(db: Db): Promise<boolean> {
  const { rows } = await sql`
    select from encode_task where state = 'waiting' and is_ready and kind in ('video', 'audio', 'pass-through') limit 1
  `.execute(db);
  return rows.length > 0;
}
