import { sql } from 'kysely';
import type { StorageKey } from '../../ports/storage.ts';
import { findCaption, putCaption } from '../captions/caption.ts';
import { bumpPublication, type Db, type FollowUp, type MediaKey } from '../db.ts';
import { inTransaction } from '../in-transaction.ts';
import { sumStorage } from '../renditions/storage-store.ts';
import { retireObject } from '../retired-object-store.ts';
import type { CaptionTrack, MediaState } from '../schema.ts';
import { unknownVideo } from '../unknown-video.ts';

/** Input of a transcription: a video's stored audio, as consecutive fragments. */
export type SpeechAudio = { init: Buffer; chunks: StorageKey[]; durationSec: number; language: string };

/** The facts about a video that transcription needs; `audio` is null until all of it is stored. */
export type SpeechSource = {
  state: MediaState;
  captions: readonly CaptionTrack[];
  hasAudio: boolean;
  audio: SpeechAudio | null;
};

type AudioRow = { init: Buffer | null; language: string; state: string; chunks: StorageKey[]; duration_ms: number };

/** Loads the source of a video's transcription. Throws `Refused` (`not-found`) for an unknown video. */
export async function loadSpeechSource(db: Db, { libraryId, mediaId }: MediaKey): Promise<SpeechSource> {
  const media = await db
    .selectFrom('media')
    .select(['state', 'captions'])
    .where('library_id', '=', libraryId)
    .where('id', '=', mediaId)
    .where('type', '=', 'video')
    .executeTakeFirst();
  if (media === undefined) {
    throw unknownVideo({ libraryId, mediaId });
  }
  const { rows } = await sql<AudioRow>`
    select r.init, r.language, r.state, m.duration_ms,
      array(select c.storage_key from chunk c where c.library_id = r.library_id and c.media_id = r.media_id
        and c.rendition_id = r.id order by c.first_segment) as chunks
    from rendition r join media m on m.library_id = r.library_id and m.id = r.media_id
    where r.library_id = ${libraryId} and r.media_id = ${mediaId} and r.kind = 'audio' and r.retired_at is null
    order by r.is_default desc, r.active desc, r.id limit 1`.execute(db);
  return { ...media, hasAudio: rows.length > 0, audio: toAudio(rows[0]) };
}

function toAudio(row: AudioRow | undefined): SpeechAudio | null {
  if (row === undefined || row.init === null || row.state !== 'finished') return null;
  return { init: row.init, chunks: row.chunks, durationSec: row.duration_ms / 1000, language: row.language };
}

/** Returns the language code of a caption track that was generated from speech, such as `en-auto`. */
export function autoLanguage(language: string): string {
  return `${language}-auto`;
}

/**
 * Returns whether captions in a language may be generated. A track that a person made under the code of generated
 * captions is never replaced. Without `force`, nothing is generated if the language already has captions, generated or
 * not.
 */
export function mayTranscribe(captions: readonly CaptionTrack[], language: string, force: boolean): boolean {
  const made = findCaption(captions, autoLanguage(language));
  if (made !== undefined && made.origin !== 'speech') return false;
  return force || (made === undefined && findCaption(captions, language) === undefined);
}

/** Publishes generated captions. Returns false, and changes nothing, if they are no longer allowed. */
export async function putSpokenCaption(
  db: Db,
  key: MediaKey,
  { track, language, force }: { track: CaptionTrack & { sizeBytes: number }; language: string; force: boolean },
  ...followUps: FollowUp[]
): Promise<boolean> {
  return await inTransaction(db, async (tx) => {
    const row = await tx
      .selectFrom('media')
      .select('captions')
      .where('library_id', '=', key.libraryId)
      .where('id', '=', key.mediaId)
      .forUpdate()
      .executeTakeFirst();
    if (row === undefined || !mayTranscribe(row.captions, language, force)) return false;
    const before = findCaption(row.captions, track.srclang);
    await tx
      .updateTable('media')
      .set({ captions: JSON.stringify(putCaption(row.captions, track)) })
      .where('library_id', '=', key.libraryId)
      .where('id', '=', key.mediaId)
      .execute();
    if (before !== undefined) await retireObject(tx, key, { key: before.key, sizeBytes: before.sizeBytes ?? 0 });
    await sumStorage(tx, key);
    await bumpPublication(tx, key);
    for (const followUp of followUps) await followUp(tx);
    return true;
  });
}
