import { sql } from 'kysely';
import { Refused } from '../../lib/refused.ts';
import { type StorageKey, storageKey } from '../../ports/storage.ts';
import { bumpPublication, type Db, type MediaKey, type Tx } from '../db.ts';
import { inTransaction } from '../in-transaction.ts';
import { sumStorage } from '../renditions/storage-store.ts';
import { retireObject } from '../retired-object-store.ts';
import type { CaptionTrack } from '../schema.ts';
import { mediaPrefix } from '../tasks/encode-task.ts';
import { unknownVideo } from '../unknown-video.ts';
import { findCaption, putCaption } from './caption.ts';

/** Version and object key reserved for a caption file. A version is never reused. */
export type ReservedCaption = { version: number; objectKey: StorageKey };

/**
 * Captions of videos. Each change is one transaction and immediately visible to viewers. Replaced files are kept for
 * ten minutes.
 */
export type CaptionStore = {
  /** Allocates the next version of the captions in a language. Throws `Refused` (`not-found`) for an unknown video. */
  reserve(key: MediaKey, language: string): Promise<ReservedCaption>;
  /**
   * Publishes a stored file as the captions in its language. If two uploads race, the later version wins. Throws
   * `Refused` (`not-found`) for an unknown video, and (`invalid`) for too many languages.
   */
  put(key: MediaKey, track: CaptionTrack & { sizeBytes: number }): Promise<void>;
  /** Removes the captions in a language. Throws `Refused` (`not-found`) for an unknown video or language. */
  remove(key: MediaKey, language: string): Promise<void>;
};

export function createCaptionStore(db: Db): CaptionStore {
  return {
    reserve: (key, language) => reserveVersion(db, key, language),
    put: (key, track) =>
      inTransaction(db, async (tx) => {
        const before = await lockCaptions(tx, key);
        const after = putCaption(before, track);
        await saveCaptions(tx, key, { before, after });
        if (after === before) await retireObject(tx, key, track);
      }),
    remove: (key, language) =>
      inTransaction(db, async (tx) => {
        const before = await lockCaptions(tx, key);
        const track = findCaption(before, language);
        if (track === undefined) throw unknownCaptions(key, language, before);
        await saveCaptions(tx, key, { before, after: before.filter((each) => each !== track) });
      }),
  };
}

async function reserveVersion(db: Db, key: MediaKey, language: string): Promise<ReservedCaption> {
  const name = language.toLowerCase();
  const { rows } = await sql<{ version: number }>`
    update media set caption_versions = caption_versions
      || jsonb_build_object(${name}::text, coalesce((caption_versions->>${name})::int, 0) + 1)
    where library_id = ${key.libraryId} and id = ${key.mediaId} and type = 'video'
    returning (caption_versions->>${name})::int as version
  `.execute(db);
  const [row] = rows;
  if (row === undefined) throw unknownVideo(key);
  const { version } = row;
  return { version, objectKey: storageKey(`${mediaPrefix(key)}captions/${name}-${version}.vtt`) };
}

async function lockCaptions(tx: Tx, key: MediaKey): Promise<readonly CaptionTrack[]> {
  const row = await tx
    .selectFrom('media')
    .select('captions')
    .where('library_id', '=', key.libraryId)
    .where('id', '=', key.mediaId)
    .where('type', '=', 'video')
    .forUpdate()
    .executeTakeFirst();
  if (row === undefined) throw unknownVideo(key);
  return row.captions;
}

async function saveCaptions(
  tx: Tx,
  key: MediaKey,
  { before, after }: { before: readonly CaptionTrack[]; after: readonly CaptionTrack[] },
): Promise<void> {
  if (after === before) return;
  await tx
    .updateTable('media')
    .set({ captions: JSON.stringify(after) })
    .where('library_id', '=', key.libraryId)
    .where('id', '=', key.mediaId)
    .execute();
  for (const { key: object, sizeBytes = 0 } of before.filter((track) => !after.includes(track))) {
    await retireObject(tx, key, { key: object, sizeBytes });
  }
  await sumStorage(tx, key);
  await bumpPublication(tx, key);
}

function unknownCaptions({ mediaId }: MediaKey, language: string, tracks: readonly CaptionTrack[]): Refused {
  const there = tracks.map(({ srclang }) => srclang).join(', ') || 'none';
  return new Refused(
    'not-found',
    `Video ${mediaId} has no captions in "${language}". It has: ${there}. Check the language in the URL.`,
  );
}
