import { sql } from 'kysely';
import { type Guid, newGuid } from '../../lib/guid.ts';
import { Refused } from '../../lib/refused.ts';
import { countInCollection } from '../collections/collection-store.ts';
import { bumpPublication, type Db, type FollowUp, type MediaKey, PUBLICATION_CHANNEL, type Tx } from '../db.ts';
import { inTransaction } from '../in-transaction.ts';
import { RELEASED } from '../leases/lease-store.ts';
import { countInLibrary } from '../libraries/count-in-library-store.ts';
import { keepReplaced } from '../lifecycle/replacement-store.ts';
import { mustEnterState } from '../media-state-store.ts';
import { noteChange } from '../note-change.ts';
import { retireObject } from '../retired-object-store.ts';
import { unknownVideo } from '../unknown-video.ts';
import type { Visibility } from '../visibility.ts';
import type { Source, Video, VideoDetails } from './video.ts';

export type NewVideo = {
  libraryId: number;
  title: string;
  collectionId: Guid | null;
  thumbnailTimeMs: number | null;
  /** Default: public. */
  visibility?: Visibility | null;
};

/** Videos and their operations. Each method is one transaction, counters of library and collection included. */
export type VideoStore = {
  /**
   * Creates a video that awaits its upload, and runs the follow-ups. Throws `Refused` (`invalid`) for an unknown
   * collection.
   */
  create(wanted: NewVideo, ...followUps: ((key: MediaKey) => FollowUp)[]): Promise<MediaKey>;
  /** Loads a video by state. Throws `Refused` (`not-found`) for an unknown one. */
  load(key: MediaKey): Promise<Video>;
  /**
   * Loads and locks a video, applies a pure transition, saves it, and runs the follow-ups in the same transaction. If a
   * transition returns the same video, nothing is saved or sent. Throws `Refused` (`not-found`) for an unknown video or
   * collection, and everything that the transition throws.
   */
  change(key: MediaKey, transition: (video: Video) => Video, ...followUps: FollowUp[]): Promise<Video>;
  /**
   * Removes a video with all rows that reference it and notifies the edge. Throws `Refused` (`not-found`) for an
   * unknown one.
   */
  remove(key: MediaKey, ...followUps: FollowUp[]): Promise<void>;
};

/** Time until which a finished video waits for the announced file. */
const TAKEN_UNTIL = sql<Date>`now() + interval '24 hours'`;

type VideoRow = NonNullable<Awaited<ReturnType<typeof selectVideo>>>;

export function createVideoStore(db: Db): VideoStore {
  return {
    create: (wanted, ...followUps) =>
      inTransaction(db, async (tx) => {
        const key = await insertVideo(tx, wanted);
        for (const followUp of followUps) await followUp(key)(tx);
        return key;
      }),
    async load(key) {
      return toVideo(found(await selectVideo(db, key, false), key));
    },
    change: (key, transition, ...followUps) =>
      inTransaction(db, async (tx) => {
        const before = toVideo(found(await selectVideo(tx, key, true), key));
        const after = transition(before);
        if (after === before) return before;
        await saveVideo(tx, before, after);
        noteChange({ kind: 'video', before, after });
        for (const followUp of followUps) await followUp(tx);
        return after;
      }),
    remove: (key, ...followUps) =>
      inTransaction(db, async (tx) => {
        await deleteVideo(tx, key);
        for (const followUp of followUps) await followUp(tx);
      }),
  };
}

// Updates counters before the row: every transaction locks collection, then library, to avoid deadlocks.
async function insertVideo(tx: Tx, wanted: NewVideo): Promise<MediaKey> {
  const { libraryId, title, collectionId, thumbnailTimeMs, visibility } = wanted;
  if (collectionId !== null && !(await countInCollection(tx, libraryId, collectionId, 1))) {
    throw new Refused('invalid', `Collection ${collectionId} in library ${libraryId} not found. Create it first.`);
  }
  if (!(await countInLibrary(tx, libraryId, 1))) {
    throw new Refused('unauthenticated', `Library ${libraryId} not found. Check the id.`);
  }
  const id = newGuid();
  await tx
    .insertInto('media')
    .values({
      library_id: libraryId,
      id,
      type: 'video',
      title,
      collection_id: collectionId,
      thumbnail_time_ms: thumbnailTimeMs,
      ...(visibility != null && { visibility }),
      state: 'created',
    })
    .execute();
  return { libraryId, mediaId: id };
}

async function deleteVideo(tx: Tx, key: MediaKey): Promise<void> {
  const { libraryId, mediaId } = key;
  const row = await tx
    .deleteFrom('media')
    .where('library_id', '=', libraryId)
    .where('id', '=', mediaId)
    .where('type', '=', 'video')
    .returning(['collection_id', 'title'])
    .executeTakeFirst();
  const { collection_id: collectionId, title } = found(row, key);
  noteChange({ kind: 'fields', before: { title }, after: null });
  if (collectionId !== null) await countInCollection(tx, libraryId, collectionId, -1);
  await countInLibrary(tx, libraryId, -1);
  await sql`select pg_notify(${PUBLICATION_CHANNEL}, ${`${libraryId}:${mediaId}:deleted`})`.execute(tx);
}

function selectVideo(db: Db, { libraryId, mediaId }: MediaKey, lock: boolean) {
  return db
    .selectFrom('media')
    .select(['library_id', 'id', 'title', 'description', 'category', 'collection_id', 'chapters', 'moments'])
    .select(['visibility', 'meta_tags', 'upload_options', 'duration_ms'])
    .select(['state', 'state_reason', 'source_key', 'source_bytes', 'source_sha256'])
    .select(sql<boolean>`coalesce(replace_until > now(), false)`.as('takes_other_file'))
    .where('library_id', '=', libraryId)
    .where('id', '=', mediaId)
    .where('type', '=', 'video')
    .$if(lock, (query) => query.forUpdate())
    .executeTakeFirst();
}

async function saveVideo(tx: Tx, before: Video, after: Video): Promise<void> {
  const key = { libraryId: before.libraryId, mediaId: before.id };
  await moveBetweenCollections(tx, before, after);
  const source = sourceIn(after);
  const earlier = sourceIn(before);
  const isOtherFile = source !== null && source.key !== earlier?.key;
  if (isOtherFile && before.state === 'finished') await keepReplaced(tx, key);
  // A file that could not be used is no longer needed.
  const isUseless = before.state === 'failed' && earlier !== null && source?.key !== earlier.key;
  if (isUseless) await retireObject(tx, key, earlier);
  // Its previous file counts until it is deleted.
  const freedBytes = isOtherFile || isUseless ? 0 : (earlier?.sizeBytes ?? 0);
  const moreBytes = (source?.sizeBytes ?? 0) - freedBytes;
  await mustEnterState(tx, key, after.state, {
    ...((after.state !== before.state || 'reason' in after) && { reason: 'reason' in after ? after.reason : null }),
    set: {
      title: after.title,
      description: after.description,
      category: after.category,
      collection_id: after.collectionId,
      visibility: after.visibility,
      chapters: JSON.stringify(after.chapters),
      moments: JSON.stringify(after.moments),
      meta_tags: JSON.stringify(after.metaTags),
      upload_options: JSON.stringify(after.uploadOptions),
      source_key: source?.key ?? null,
      source_bytes: source?.sizeBytes ?? null,
      source_sha256: source?.sha256 ?? null,
      ...(moreBytes !== 0 && { storage_bytes: sql<number>`storage_bytes + ${moreBytes}` }),
      ...(after.state === 'finished' && { replace_until: after.acceptsReplacement ? TAKEN_UNTIL : null }),
      ...(after.state === 'uploaded' && { encode_progress: 0, process_tries: 0, ...RELEASED }),
    },
    orIsThere: true,
  });
  if (viewersSee(before, after)) await bumpPublication(tx, key);
}

function sourceIn(video: Video): Source | null {
  return 'source' in video ? video.source : null;
}

function viewersSee(before: VideoDetails, after: VideoDetails): boolean {
  const shown = ({ title, description, visibility, chapters, moments, metaTags }: VideoDetails) =>
    JSON.stringify([title, description, visibility, chapters, moments, metaTags]);
  return shown(before) !== shown(after);
}

async function moveBetweenCollections(tx: Tx, before: VideoDetails, after: VideoDetails): Promise<void> {
  if (before.collectionId === after.collectionId) return;
  if (after.collectionId !== null && !(await countInCollection(tx, after.libraryId, after.collectionId, 1))) {
    throw new Refused(
      'not-found',
      `Collection ${after.collectionId} in library ${after.libraryId} not found. Create it first.`,
    );
  }
  if (before.collectionId !== null) await countInCollection(tx, before.libraryId, before.collectionId, -1);
}

function toVideo(row: VideoRow): Video {
  const details: VideoDetails = {
    libraryId: row.library_id,
    id: row.id,
    title: row.title,
    description: row.description,
    category: row.category,
    collectionId: row.collection_id,
    visibility: row.visibility,
    chapters: row.chapters,
    moments: row.moments,
    metaTags: row.meta_tags,
    uploadOptions: row.upload_options,
    durationMs: row.duration_ms,
  };
  switch (row.state) {
    case 'created':
      return { ...details, state: row.state };
    case 'upload-failed':
      return { ...details, state: row.state, reason: row.state_reason ?? '' };
    case 'uploaded':
      return { ...details, state: row.state, source: sourceOf(row) ?? lostSource(row) };
    case 'failed':
      return { ...details, state: row.state, source: sourceOf(row), reason: row.state_reason ?? '' };
    case 'finished':
      return { ...details, state: row.state, source: sourceOf(row), acceptsReplacement: row.takes_other_file };
    default:
      return { ...details, state: row.state, source: sourceOf(row) };
  }
}

function sourceOf({ source_key, source_bytes, source_sha256 }: VideoRow): Source | null {
  if (source_key === null || source_bytes === null) return null;
  return { key: source_key, sizeBytes: source_bytes, sha256: source_sha256 };
}

function lostSource(row: VideoRow): never {
  throw new Error(`Expected uploaded video ${row.id} to have an original, got none.`);
}

function found<T>(row: T | undefined, { libraryId, mediaId }: MediaKey): T {
  if (row !== undefined) return row;
  throw unknownVideo({ libraryId, mediaId });
}
