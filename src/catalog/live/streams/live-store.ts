import { randomBytes } from 'node:crypto';
import { sql } from 'kysely';
import { newGuid } from '../../../lib/guid.ts';
import { Refused } from '../../../lib/refused.ts';
import type { SecretBox } from '../../../lib/secret-box.ts';
import { bumpPublication, type Db, type FollowUp, type MediaKey, PUBLICATION_CHANNEL, type Tx } from '../../db.ts';
import { inTransaction, logOnCommit } from '../../in-transaction.ts';
import { hashKey } from '../../keys/access-key.ts';
import { noteChange } from '../../note-change.ts';
import { requireStorageQuota } from '../../quotas/storage-quota-store.ts';
import { beginsRecording, type LiveSettings, type LiveStream, requireRemovable } from '../live-stream.ts';
import { sealIfUnowned } from '../recording/seal-store.ts';
import { type LiveQuery, readLivePage } from './live-page-store.ts';
import { type LiveView, toLiveView, toStream, viewsOf } from './live-view-store.ts';

/**
 * Channel for changes of a stream. Payload: the stream's id. The owner then rereads the stream's row, which has a new
 * state or key, or was deleted.
 */
export const LIVE_CHANNEL = 'millrace_live';

export type NewLiveStream = LiveSettings & { libraryId: number; availableResolutions: string; ingestRegion: string };

/**
 * Live streams for the API. Each method is one transaction. A notification announces each change to the owning ingest
 * process. If the notification is lost, the owner finds the change when it renews its lease, within a second. It then
 * disconnects the publisher of a stream that ended, was removed, or has a new key.
 */
export type LiveStore = {
  /**
   * Creates a stream, its key (`bunnylive_` and 32 hexadecimal digits) and its media. Throws `Refused` (`invalid`) for
   * an unknown collection.
   */
  create(wanted: NewLiveStream): Promise<LiveView>;
  /**
   * Loads a stream with its key in plain text. Callers without a key must not see `streamKey` and `relays`. Throws
   * `Refused` (`not-found`) for an unknown stream.
   */
  load(key: MediaKey): Promise<LiveView>;
  /** Returns a page of a library's streams and the number of matches. */
  list(query: LiveQuery): Promise<{ total: number; items: LiveView[] }>;
  /**
   * Locks a stream, applies a pure transition of `live-stream.ts` (`editStream`, `startStream`, `stopStream`), saves
   * it, notifies its owner, and runs the follow-ups in the same transaction. If the transition returns the same object,
   * nothing is saved or sent. A stream that ended without an owner becomes a video in the same transaction. Throws
   * `Refused` (`quota-reached`) if a stream with media is to be recorded and the library is full.
   */
  change(
    key: MediaKey,
    transition: (stream: LiveStream, now: Date) => LiveStream,
    ...followUps: LiveFollowUp[]
  ): Promise<LiveView>;
  /** Gives a stream a new key and disconnects its publishers. Throws `Refused` (`invalid`) after the end. */
  regenerateKey(key: MediaKey): Promise<LiveView>;
  /**
   * Removes a stream with all its recorded media, except an existing video, and returns it. `hadMedia` is true if
   * objects must be deleted (job `delete-media`, sent by a follow-up). Throws `Refused` (`invalid`) while its recording
   * is being turned into a video.
   */
  remove(key: MediaKey, ...followUps: ((hadMedia: boolean) => FollowUp)[]): Promise<LiveView>;
};

/** Work that follows a change of state, such as a webhook. It is called with the stream before and after the change. */
export type LiveFollowUp = (before: LiveStream, after: LiveStream) => FollowUp;

export function createLiveStore({ db, secretBox }: { db: Db; secretBox: SecretBox }): LiveStore {
  const load = async (key: MediaKey) => toLiveView(found(await selectOne(db, key), key), secretBox);
  return {
    async create(wanted) {
      const key = await inTransaction(db, (tx) => insertStream(tx, wanted, secretBox));
      return load(key);
    },
    load,
    async list(query) {
      const { total, rows } = await readLivePage(db, query);
      return { total, items: rows.map((row) => toLiveView(row, secretBox)) };
    },
    async change(key, transition, ...followUps) {
      await inTransaction(db, async (tx) => {
        const before = await lockStream(tx, key, secretBox);
        const after = transition(before, new Date());
        if (after === before) return;
        if (beginsRecording(before, after)) await requireStorageQuota(tx, key.libraryId, { bytes: null });
        await saveStream(tx, before, after, secretBox);
        noteChange({ kind: 'stream', before, after });
        for (const followUp of followUps) await followUp(before, after)(tx);
        if (after.state === 'vod-processing') await sealIfUnowned(tx, key);
      });
      return load(key);
    },
    async regenerateKey(key) {
      await inTransaction(db, (tx) => replaceKey(tx, key, secretBox));
      return load(key);
    },
    remove: (key, ...followUps) => inTransaction(db, (tx) => removeStream(tx, { key, secretBox }, followUps)),
  };
}

/** Loads a stream and locks its row. Throws `Refused` (`not-found`) for an unknown stream. */
export async function lockStream(tx: Tx, key: MediaKey, secretBox: SecretBox): Promise<LiveStream> {
  await sql`select from live_stream where library_id = ${key.libraryId} and id = ${key.mediaId} for update`.execute(tx);
  return loadStream(tx, key, secretBox);
}

/** Loads a stream. Throws `Refused` (`not-found`) for an unknown stream. */
export async function loadStream(db: Db, key: MediaKey, secretBox: SecretBox): Promise<LiveStream> {
  return toStream(found(await selectOne(db, key), key), secretBox);
}

/** Writes the changes of a transition, and notifies the owner and the edges. */
export async function saveStream(tx: Tx, before: LiveStream, after: LiveStream, secretBox: SecretBox): Promise<void> {
  const key = { libraryId: before.libraryId, mediaId: before.id };
  if (after.collectionId !== before.collectionId) await requireCollection(tx, after);
  const endedAt = 'endedAt' in after ? after.endedAt : null;
  const startedAt = 'startedAt' in after ? after.startedAt : null;
  await tx
    .updateTable('live_stream')
    .set({
      ...settingColumns(after, secretBox),
      state: after.state,
      state_reason: 'reason' in after ? after.reason : null,
      started_at: startedAt,
      ended_at: endedAt,
      // Once it has ended, the length is that of the recording.
      ...(endedAt !== null &&
        startedAt !== null &&
        !('endedAt' in before) && { duration_ms: endedAt.getTime() - startedAt.getTime() }),
    })
    .where('library_id', '=', key.libraryId)
    .where('id', '=', key.mediaId)
    .execute();
  await tx
    .updateTable('media')
    .set({ title: after.title, description: after.description })
    .where('library_id', '=', key.libraryId)
    .where('id', '=', key.mediaId)
    .where('type', '=', 'live')
    .execute();
  const { rows } = await sql`select from media where id = ${key.mediaId} and library_id = ${key.libraryId}`.execute(tx);
  if (rows.length > 0) await bumpPublication(tx, key);
  await notifyOwner(tx, key);
  noteState(before, after);
}

/** Logs a change of a stream's state when the transaction commits. */
function noteState(before: LiveStream, after: LiveStream): void {
  if (before.state === after.state) return;
  const { id: streamGuid, libraryId } = after;
  if (after.state === 'preview') logOnCommit('stream.previewed', { streamGuid, libraryId });
  if (after.state === 'running') logOnCommit('stream.started', { streamGuid, libraryId });
  if (after.state !== 'ended' && after.state !== 'vod-processing' && after.state !== 'error') return;
  const startedAt = 'startedAt' in after ? after.startedAt : null;
  const durationSec = startedAt === null ? null : (Date.now() - startedAt.getTime()) / 1000;
  const reason = 'reason' in after ? after.reason : null;
  logOnCommit('stream.ended', { streamGuid, libraryId, state: after.state, reason, durationSec });
}

async function insertStream(tx: Tx, wanted: NewLiveStream, secretBox: SecretBox): Promise<MediaKey> {
  const { libraryId, availableResolutions, ingestRegion, ...settings } = wanted;
  if (settings.collectionId !== null) await requireCollection(tx, { libraryId, collectionId: settings.collectionId });
  const id = newGuid();
  await tx
    .insertInto('media')
    .values({
      library_id: libraryId,
      id,
      type: 'live',
      title: settings.title,
      description: settings.description,
      state: 'created',
    })
    .execute();
  await tx
    .insertInto('live_stream')
    .values({
      library_id: libraryId,
      id,
      state: settings.scheduledStartAt === null ? 'created' : 'scheduled',
      available_resolutions: availableResolutions,
      ingest_region: ingestRegion,
      ...settingColumns(settings, secretBox),
      ...keyColumns(newStreamKey(), secretBox),
    })
    .execute();
  await tx.insertInto('live_lease').values({ stream_id: id }).execute();
  return { libraryId, mediaId: id };
}

function settingColumns(settings: LiveSettings, secretBox: SecretBox) {
  const { relays } = settings;
  return {
    title: settings.title,
    description: settings.description,
    category: settings.category,
    collection_id: settings.collectionId,
    is_public: settings.isPublic,
    scheduled_start_at: settings.scheduledStartAt,
    scheduled_end_at: settings.scheduledEndAt,
    dvr_enabled: settings.dvrEnabled,
    dvr_window_sec: settings.dvrWindowSec,
    record_vod: settings.recordVod,
    countdown_enabled: settings.countdownEnabled,
    relays_sealed: relays === null ? null : secretBox.seal(JSON.stringify(relays)),
    trailer_video_id: settings.trailerVideoId,
  };
}

function keyColumns(streamKey: string, secretBox: SecretBox) {
  return { key_sealed: secretBox.seal(streamKey), key_hash: hashKey(streamKey) };
}

function newStreamKey(): string {
  return `bunnylive_${randomBytes(16).toString('hex')}`;
}

async function requireCollection(tx: Tx, wanted: Pick<LiveStream, 'libraryId' | 'collectionId'>): Promise<void> {
  if (wanted.collectionId === null) return;
  const { rows } = await sql`
    select from collection where library_id = ${wanted.libraryId} and id = ${wanted.collectionId} for share`.execute(
    tx,
  );
  if (rows.length > 0) return;
  const message = `Collection ${wanted.collectionId} in library ${wanted.libraryId} not found. Create it first.`;
  throw new Refused('invalid', message);
}

async function replaceKey(tx: Tx, key: MediaKey, secretBox: SecretBox): Promise<void> {
  const stream = await lockStream(tx, key, secretBox);
  if ('endedAt' in stream) throw new Refused('invalid', 'The stream has ended and needs no key. Create another one.');
  await tx
    .updateTable('live_stream')
    .set(keyColumns(newStreamKey(), secretBox))
    .where('library_id', '=', key.libraryId)
    .where('id', '=', key.mediaId)
    .execute();
  noteChange({ kind: 'secret', field: 'streamKey' });
  await sql`update live_lease set kicked_session = session where stream_id = ${key.mediaId}`.execute(tx);
  await notifyOwner(tx, key);
}

async function removeStream(
  tx: Tx,
  { key, secretBox }: { key: MediaKey; secretBox: SecretBox },
  followUps: readonly ((hadMedia: boolean) => FollowUp)[],
): Promise<LiveView> {
  const before = await lockStream(tx, key, secretBox);
  requireRemovable(before);
  noteChange({ kind: 'stream', before, after: null });
  const view = toLiveView(found(await selectOne(tx, key), key), secretBox);
  const media = await tx
    .deleteFrom('media')
    .where('library_id', '=', key.libraryId)
    .where('id', '=', key.mediaId)
    .where('type', '=', 'live')
    .executeTakeFirst();
  const hadMedia = media.numDeletedRows > 0n;
  await tx.deleteFrom('live_stream').where('library_id', '=', key.libraryId).where('id', '=', key.mediaId).execute();
  const gone = hadMedia ? `${key.libraryId}:${key.mediaId}:deleted` : null;
  if (gone !== null) await sql`select pg_notify(${PUBLICATION_CHANNEL}, ${gone})`.execute(tx);
  await notifyOwner(tx, key);
  for (const followUp of followUps) await followUp(hadMedia)(tx);
  return view;
}

async function notifyOwner(tx: Tx, { mediaId }: MediaKey): Promise<void> {
  await sql`select pg_notify(${LIVE_CHANNEL}, ${mediaId})`.execute(tx);
}

function selectOne(db: Db, { libraryId, mediaId }: MediaKey) {
  return viewsOf(db)
    .where('live_stream.library_id', '=', libraryId)
    .where('live_stream.id', '=', mediaId)
    .executeTakeFirst();
}

function found<T>(row: T | undefined, { libraryId, mediaId }: MediaKey): T {
  if (row !== undefined) return row;
  throw new Refused('not-found', `Live stream ${mediaId} in library ${libraryId} not found. Check the id.`);
}
