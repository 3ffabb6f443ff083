import { sql } from 'kysely';
import type { Db, MediaKey } from '../db.ts';
import { inTransaction } from '../in-transaction.ts';
import type { CaptionTrack } from '../schema.ts';
import type { SpeechRunKey } from './speech-run-store.ts';

/** A word and when it is said, in seconds from the start of its span. */
type Word = { text: string; startSec: number; endSec: number };

/** What an engine found in a span; `identity` is that of the engine and of the samples. */
export type StoredSpan = { startMs: number; identity: Buffer; language: string; words: Word[] };

/** What was found so far by the transcription that is under way, by the ms at which spans begin. */
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
 * Keeps what was found in a span, and how far the transcription is. Answers the video's captions as they are now; null
 * when the video is gone, or its run was cancelled or another followed. Doing it twice changes nothing.
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

/** Forgets the spans of a run that is over; those of a later one stay. */
export async function dropSpans(db: Db, { libraryId, mediaId, run }: SpeechRunKey): Promise<void> {
  await sql`
    delete from speech_span using speech_run
    where speech_span.library_id = ${libraryId} and speech_span.media_id = ${mediaId}
      and speech_run.library_id = ${libraryId} and speech_run.media_id = ${mediaId} and speech_run.run = ${run}
  `.execute(db);
}

/** Whether media of new videos wait to be encoded. */
export async function areVideosWaiting(db: Db): Promise<boolean> {
  const { rows } = await sql`
    select from encode_task where state = 'waiting' and is_ready and kind in ('video', 'audio', 'pass-through') limit 1
  `.execute(db);
  return rows.length > 0;
}
