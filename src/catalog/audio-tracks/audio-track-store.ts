import { sql } from 'kysely';
import type { Guid } from '../../lib/guid.ts';
import { Refused } from '../../lib/refused.ts';
import { MAX_AUDIO_TRACKS } from '../../media/probe/explain-unoffered.ts';
import type { StorageKey } from '../../ports/storage.ts';
import { bumpPublication, type Db, type FollowUp, type MediaKey, type Tx } from '../db.ts';
import { inTransaction } from '../in-transaction.ts';
import { type ActiveView, addToActive, type CodecPlan, loadActive } from '../lifecycle/codec-store.ts';
import { finalizeMedia } from '../lifecycle/finalize-store.ts';
import { type AddedTrack, filesOf, type TrackFields, type TrackFile } from '../renditions/added-track.ts';
import { loadAddedTracks, saveAddedTracks, setDefaultTrack, TRACK_ID } from '../renditions/added-track-store.ts';
import { recountStorage } from '../renditions/storage-store.ts';
import { retireObject } from '../retired-object-store.ts';
import type { MediaState } from '../schema.ts';
import { refreshProgress } from '../tasks/claim-store.ts';
import { type AudioTrack, mergeFields, type WantedFields } from './audio-track.ts';
import { findTrack, loadTracks } from './track-list-store.ts';

/** A track to add, or new media for an existing one: its id, the stored file, and the fields in the request. */
export type PutTrack = { id: string; file: TrackFile; wanted: WantedFields };

/** Plans the rendition of an added track on the active timeline. */
export type PlanTrack = (view: ActiveView, track: AddedTrack) => CodecPlan;

/** Audio tracks of videos. Each change is one transaction and immediately visible to viewers. */
export type AudioTrackStore = {
  /** Lists the tracks of a video, the default one first. Throws `Refused` (`not-found`) for an unknown video. */
  list(key: MediaKey): Promise<AudioTrack[]>;
  /**
   * Throws what `put` would throw, so that a request fails before the file is sent: `Refused` (`not-found`) for an
   * unknown video, and (`invalid`) for invalid fields, too many tracks, or a video that cannot get a track now.
   */
  requirePossible(key: MediaKey, track: Omit<PutTrack, 'file'>): Promise<void>;
  /**
   * Adds a track from a stored file, or replaces the media of the track with the same id. Viewers hear the previous
   * version until the new one is encoded. If the file is already stored, only the fields change.
   */
  put(key: MediaKey, track: PutTrack, plan: PlanTrack, ...followUps: FollowUp[]): Promise<AudioTrack>;
  /**
   * Changes fields of a track. Throws `Refused` (`not-found`) for an unknown video or track, and (`invalid`) for
   * invalid fields.
   */
  edit(key: MediaKey, id: string, wanted: WantedFields): Promise<AudioTrack>;
  /**
   * Removes a track. If it was the default track, another track becomes the default. Throws `Refused` (`invalid`) for
   * the last track, unless `allowsNone` is set and the video has a picture.
   */
  remove(key: MediaKey, id: string, allowsNone: boolean): Promise<void>;
};

export function createAudioTrackStore(db: Db): AudioTrackStore {
  return {
    list: (key) =>
      db
        .transaction()
        .setIsolationLevel('repeatable read')
        .setAccessMode('read only')
        .execute(async (tx) => {
          await findVideo(tx, key);
          return loadTracks(tx, key);
        }),
    requirePossible: (key, track) =>
      inTransaction(db, async (tx) => {
        await loadTimeline(tx, key);
        mergeWanted(await loadTracks(tx, key), track);
      }),
    put: (key, track, plan, ...followUps) =>
      inTransaction(db, async (tx) => {
        const view = await loadTimeline(tx, key);
        const stored = await loadAddedTracks(tx, key);
        // A caller retries a commit whose response was lost.
        if (!filesOf(stored).some((file) => file.key === track.file.key)) {
          await putTrack(tx, { view, stored, track, plan });
          for (const followUp of followUps) await followUp(tx);
        }
        return findTrack(await loadTracks(tx, key), track.id, key);
      }),
    edit: (key, id, wanted) =>
      inTransaction(db, async (tx) => {
        const media = await lockEditable(tx, key);
        const tracks = await loadTracks(tx, key);
        const present = findTrack(tracks, id, key);
        const others = tracks.filter((one) => one !== present);
        await saveFields(tx, media, { id, fields: mergeFields(wanted, present, others) });
        await bumpPublication(tx, key);
        return findTrack(await loadTracks(tx, key), id, key);
      }),
    remove: (key, id, allowsNone) => inTransaction(db, (tx) => removeTrack(tx, key, { id, allowsNone })),
  };
}

type Put = { view: ActiveView; stored: readonly AddedTrack[]; track: PutTrack; plan: PlanTrack };

async function putTrack(tx: Tx, { view, stored, track, plan }: Put): Promise<void> {
  const { key } = view;
  const { id, file } = track;
  const { present, fields } = mergeWanted(await loadTracks(tx, key), track);
  const entry = stored.find((one) => one.id === id);
  const media = await lockVideo(tx, key);
  if (present?.state === 'ready' && entry?.next === null && entry.file?.sha256 === file.sha256) {
    await retireObject(tx, key, file);
    await saveFields(tx, media, { id, fields });
    await bumpPublication(tx, key);
    return;
  }
  if (entry?.next != null) await retireObject(tx, key, entry.next);
  await retireRenditions(tx, key, id, { isOffered: false });
  const added: AddedTrack = { id, ...fields, ofSource: null, file: entry?.file ?? null, next: file };
  await saveAddedTracks(tx, key, [...unsetDefault(stored, added), added]);
  if (present !== undefined && present.state !== 'failed') await saveFields(tx, media, { id, fields });
  await addToActive(tx, view, plan(view, added));
  await refreshProgress(tx, key);
}

function unsetDefault(stored: readonly AddedTrack[], { id, isDefault }: Pick<AddedTrack, 'id' | 'isDefault'>) {
  const others = stored.filter((one) => one.id !== id);
  return isDefault ? others.map((one) => ({ ...one, isDefault: false })) : others;
}

function mergeWanted(tracks: readonly AudioTrack[], { id, wanted }: Omit<PutTrack, 'file'>) {
  const present = tracks.find((one) => one.id === id);
  const others = tracks.filter((one) => one !== present);
  if (present === undefined && tracks.length >= MAX_AUDIO_TRACKS) {
    throw new Refused('invalid', `The video already has ${MAX_AUDIO_TRACKS} audio tracks. Remove one first.`);
  }
  return { present, fields: mergeFields(wanted, present, others) };
}

type Fields = { id: string; fields: TrackFields };

/** Writes the fields of a track to all its renditions, and keeps them for the next encode. */
async function saveFields(tx: Tx, { key, sourceKey }: LockedVideo, { id, fields }: Fields): Promise<void> {
  const { language, name, role, isDefault } = fields;
  await sql`
    update rendition r set language = ${language}, name = ${name},
      plan = (r.plan - 'role')
        || case when ${role} = 'main' then '{}' else jsonb_build_object('role', ${role}::text) end
    where r.library_id = ${key.libraryId} and r.media_id = ${key.mediaId} and r.kind = 'audio'
      and r.retired_at is null and ${TRACK_ID} = ${id}
  `.execute(tx);
  if (isDefault) await setDefaultTrack(tx, key, id);
  const stored = await loadAddedTracks(tx, key);
  const entry = stored.find((one) => one.id === id) ?? { ofSource: sourceKey, file: null, next: null };
  await saveAddedTracks(tx, key, [...unsetDefault(stored, { id, isDefault }), { ...entry, id, ...fields }]);
}

async function removeTrack(tx: Tx, key: MediaKey, { id, allowsNone }: { id: string; allowsNone: boolean }) {
  const media = await lockEditable(tx, key);
  const tracks = await loadTracks(tx, key);
  const track = findTrack(tracks, id, key);
  const others = tracks.filter((one) => one !== track);
  const left = others.filter(({ state }) => state === 'ready' || state === 'replacing');
  if (left.length === 0 && track.state !== 'failed') requireNone(media, allowsNone);
  await retireRenditions(tx, key, id, { isOffered: true });
  const stored = await loadAddedTracks(tx, key);
  const entry = stored.find((one) => one.id === id);
  for (const file of filesOf(entry === undefined ? [] : [entry])) await retireObject(tx, key, file);
  const { language, name, role } = track;
  const gone = { id, language, name, role, isDefault: false, isRemoved: true, ofSource: media.sourceKey };
  const isOfFile = /^file-\d+$/.test(id);
  const rest = stored.filter((one) => one.id !== id);
  await saveAddedTracks(tx, key, isOfFile ? [...rest, { ...gone, file: null, next: null }] : rest);
  const [next] = left;
  if (track.isDefault && next !== undefined) {
    await saveFields(tx, media, { id: next.id, fields: { ...next, isDefault: true } });
  }
  await finalizeMedia(tx, key);
  await refreshProgress(tx, key);
  await recountStorage(tx, key);
  await bumpPublication(tx, key);
}

function requireNone({ hasPicture, key }: LockedVideo, allowsNone: boolean): void {
  if (hasPicture && allowsNone) return;
  const advice = hasPicture
    ? 'To publish it without audio, send allowNone=true.'
    : 'Send another track first, or delete the video.';
  throw new Refused(
    'invalid',
    `Expected another audio track of video ${key.mediaId} to remain, but none would. ${advice}`,
  );
}

/**
 * Retires the renditions of a track and deletes their tasks. If `isOffered` is false, only those that are not offered
 * to viewers yet.
 */
async function retireRenditions(
  tx: Tx,
  { libraryId, mediaId }: MediaKey,
  id: string,
  { isOffered }: { isOffered: boolean },
): Promise<void> {
  const { rows } = await sql<{ id: Guid }>`
    update rendition r set active = false, retired_at = now()
    where r.library_id = ${libraryId} and r.media_id = ${mediaId} and r.kind = 'audio' and r.retired_at is null
      and ${TRACK_ID} = ${id} and (${isOffered} or not r.active) returning r.id
  `.execute(tx);
  const ids = rows.map((row) => row.id);
  await sql`
    delete from encode_task where library_id = ${libraryId} and media_id = ${mediaId}
      and rendition_ids <@ ${ids}::uuid[] and rendition_ids <> '{}'
  `.execute(tx);
}

/** Locks a video to which a track can be added. Throws `Refused` (`invalid`) for a recording with several timelines. */
async function loadTimeline(tx: Tx, key: MediaKey): Promise<ActiveView> {
  const view = await loadActive(tx, key, { isRecorded: true });
  const { rows } = await sql`
    select from live_period where library_id = ${key.libraryId} and media_id = ${key.mediaId}
      and timeline_id <> ${view.timelineId} and not is_preview limit 1
  `.execute(tx);
  if (rows.length === 0) return view;
  throw new Refused(
    'invalid',
    `Expected a video with one timeline, got ${key.mediaId}, a recording with one for each period: its publisher ` +
      'reconnected or changed format. A track cannot span them. Make a clip of the recording and add the track to it.',
  );
}

type LockedVideo = { key: MediaKey; state: MediaState; sourceKey: StorageKey | null; hasPicture: boolean };

function lockVideo(tx: Tx, key: MediaKey): Promise<LockedVideo> {
  return findVideo(tx, key, sql`for update`);
}

async function findVideo(tx: Tx, key: MediaKey, lock = sql``): Promise<LockedVideo> {
  const { rows } = await sql<Omit<LockedVideo, 'key'>>`
    select state, source_key as "sourceKey", coalesce(facts->'video', 'null') <> 'null' as "hasPicture"
    from media where library_id = ${key.libraryId} and id = ${key.mediaId} and type = 'video' ${lock}
  `.execute(tx);
  const [row] = rows;
  if (row !== undefined) return { key, ...row };
  throw new Refused('not-found', `There is no video ${key.mediaId} in library ${key.libraryId}. Check the id.`);
}

/** While a video is waiting for its plan, its tracks must not change, because planning has already read them. */
async function lockEditable(tx: Tx, key: MediaKey): Promise<LockedVideo> {
  const media = await lockVideo(tx, key);
  if (media.state !== 'uploaded' && media.state !== 'processing') return media;
  throw new Refused(
    'invalid',
    `The audio tracks of video ${key.mediaId} cannot be changed now: it is waiting to be encoded. Try again later.`,
  );
}
