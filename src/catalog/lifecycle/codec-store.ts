import { sql } from 'kysely';
import type { Guid } from '../../lib/guid.ts';
import { Refused } from '../../lib/refused.ts';
import type { Colours } from '../../media/probe/colours.ts';
import type { SourceFacts } from '../../media/probe/source-facts.ts';
import type { CutList } from '../../media/timeline/cut-list.ts';
import { bumpPublication, type Db, type MediaKey, type Tx } from '../db.ts';
import type { StoredWatermark } from '../images/image-schema.ts';
import { inTransaction } from '../in-transaction.ts';
import { mustEnterState } from '../media-state-store.ts';
import type { MediaState, UploadOptions } from '../schema.ts';
import { type EncodeTask, WAITING_FOR_SLOT } from '../tasks/encode-task.ts';
import { loadCutList } from '../tasks/task-view-store.ts';
import { unknownVideo } from '../unknown-video.ts';
import type { PlannedRendition } from './encode-plan.ts';
import { insertRenditions } from './plan-store.ts';

/** A video with an active timeline to which renditions may be added now. */
export type ActiveView = {
  key: MediaKey;
  state: MediaState;
  facts: SourceFacts;
  timelineId: Guid;
  cutList: CutList;
  uploadOptions: UploadOptions;
  librarySettings: Record<string, unknown>;
};

/**
 * Facts about a video from which an additional codec is planned. `rungs` are complete or being encoded in that codec.
 * `watermark` is the one in the existing renditions. `colours` are those of the existing renditions, or null for the
 * default.
 */
export type CodecView = ActiveView & {
  rungs: readonly number[];
  watermark: StoredWatermark | null;
  colours: Colours | null;
};

/** Missing renditions of the active timeline, and the encode tasks that create them. */
export type CodecPlan = { renditions: readonly PlannedRendition[]; tasks: readonly EncodeTask[] };

/** Output codecs of videos. */
export type CodecStore = {
  /**
   * Adds the missing renditions of a codec to the active timeline. They become active together when all are complete. A
   * video that lacks none is left unchanged. Throws `Refused` (`not-found`) for an unknown video, and (`invalid`) for a
   * video that has no video track or original, is not encoded yet, or is being re-encoded.
   */
  add(key: MediaKey, codec: string, plan: (view: CodecView) => CodecPlan): Promise<void>;
};

export function createCodecStore(db: Db): CodecStore {
  return { add: (key, codec, plan) => inTransaction(db, (tx) => addCodec(tx, key, { codec, plan })) };
}

type CodecAction = { codec: string; plan: (view: CodecView) => CodecPlan };

async function addCodec(tx: Tx, key: MediaKey, { codec, plan }: CodecAction): Promise<void> {
  const active = await loadActive(tx, key);
  if (active.facts.video === null) throw notNow(key, 'has audio only');
  const { timelineId } = active;
  const rungs = await findRungs(tx, key, { timelineId, codec });
  const view = { ...active, rungs, ...(await findLook(tx, key, timelineId)) };
  await addToActive(tx, view, plan(view));
}

/**
 * Adds renditions to the active timeline. They become active together when all encode tasks of the video have ended.
 */
export async function addToActive(tx: Tx, active: ActiveView, plan: CodecPlan): Promise<void> {
  await addToTimelines(tx, active, [{ ...plan, timelineId: active.timelineId }]);
}

/** Adds renditions to several consecutive active timelines, which are the periods of a recording. */
export async function addToTimelines(
  tx: Tx,
  { key, state }: Pick<ActiveView, 'key' | 'state'>,
  plans: readonly (CodecPlan & { timelineId: Guid })[],
): Promise<void> {
  const added = plans.filter(({ renditions }) => renditions.length > 0);
  if (added.length === 0) return;
  // Otherwise, tasks that have ended would count towards the progress of the new ones.
  if (state === 'finished') await tx.deleteFrom('encode_task').where('media_id', '=', key.mediaId).execute();
  for (const { timelineId, renditions, tasks } of added) {
    await insertRenditions(tx, key, { id: timelineId, isActive: false, renditions, tasks });
  }
  if (state === 'finished') await reopen(tx, key);
  await bumpPublication(tx, key);
}

/** Returns a finished video to `transcoding`. */
export async function reopen(tx: Tx, key: MediaKey): Promise<void> {
  await mustEnterState(tx, key, 'transcoding', { reason: WAITING_FOR_SLOT, set: { encode_progress: 0 } });
}

/**
 * Locks a video to which renditions may be added. Throws `Refused` (`not-found`) for an unknown video, and (`invalid`)
 * for a video that has no original (unless it is a live recording), is not encoded yet, or is being re-encoded.
 */
export async function loadActive(tx: Tx, key: MediaKey, { isRecorded } = { isRecorded: false }): Promise<ActiveView> {
  const media = await tx
    .selectFrom('media')
    .select(['state', 'source_key', 'facts', 'upload_options'])
    .select(({ selectFrom }) =>
      selectFrom('library').select('settings').whereRef('library.id', '=', 'media.library_id').as('settings'),
    )
    .where('library_id', '=', key.libraryId)
    .where('id', '=', key.mediaId)
    .where('type', '=', 'video')
    .forUpdate()
    .executeTakeFirst();
  if (media === undefined) throw unknownVideo(key);
  const obstacle = obstacleIn(media.state, isRecorded || media.source_key !== null);
  if (obstacle !== null || media.facts === null) throw notNow(key, obstacle ?? 'has not been probed yet');
  const timelineId = await findTimeline(tx, key);
  const cutList = await loadCutList(tx, { key, timelineId });
  if (cutList === null) throw new Error(`Expected timeline ${timelineId} of video ${key.mediaId} to exist, got none.`);
  return {
    key,
    state: media.state,
    facts: media.facts,
    timelineId,
    cutList,
    uploadOptions: media.upload_options,
    librarySettings: media.settings ?? {},
  };
}

function obstacleIn(state: MediaState, hasOriginal: boolean): string | null {
  switch (state) {
    case 'created':
    case 'upload-failed':
      return 'has no file yet: upload one';
    case 'uploaded':
    case 'processing':
      return 'waits to be encoded: retry when it is transcoding or finished';
    case 'jit-segmenting':
    case 'jit-ready':
      return (
        'is encoded on demand, and its list of renditions is fixed until all are complete: retry when it is ' +
        'finished'
      );
    case 'failed':
      return 'failed: encode it again first';
    case 'transcoding':
    case 'finished':
      return hasOriginal ? null : 'no longer has the original file to encode from';
  }
}

/** Returns the active timeline. Throws `Refused` (`invalid`) while a timeline is being encoded to replace it. */
async function findTimeline(tx: Tx, key: MediaKey): Promise<Guid> {
  const { rows } = await sql<{ id: Guid; active: boolean }>`
    select t.id, t.active from timeline t where t.library_id = ${key.libraryId} and t.media_id = ${key.mediaId}
      and (t.active or exists (select 1 from encode_task w where w.timeline_id = t.id and w.library_id = t.library_id
        and w.media_id = t.media_id and w.state in ('waiting', 'running')))
  `.execute(tx);
  const current = rows.find(({ active }) => active);
  if (current !== undefined && rows.length === 1) return current.id;
  throw notNow(key, 'is being encoded again: retry when it is finished');
}

async function findRungs(
  tx: Tx,
  { libraryId, mediaId }: MediaKey,
  { timelineId, codec }: { timelineId: Guid; codec: string },
): Promise<number[]> {
  const rows = await tx
    .selectFrom('rendition')
    .select('rung')
    .where('library_id', '=', libraryId)
    .where('media_id', '=', mediaId)
    .where('timeline_id', '=', timelineId)
    .where('codec', '=', codec)
    .where('state', '<>', 'failed')
    .where('retired_at', 'is', null)
    .execute();
  return rows.flatMap(({ rung }) => (rung === null ? [] : [rung]));
}

async function findLook(
  tx: Tx,
  { libraryId, mediaId }: MediaKey,
  timelineId: Guid,
): Promise<Pick<CodecView, 'watermark' | 'colours'>> {
  const rows = await tx
    .selectFrom('rendition')
    .select('plan')
    .where('library_id', '=', libraryId)
    .where('media_id', '=', mediaId)
    .where('timeline_id', '=', timelineId)
    .where('kind', '=', 'video')
    .where('retired_at', 'is', null)
    .execute();
  return {
    watermark: rows.find(({ plan }) => plan.watermark !== undefined)?.plan.watermark ?? null,
    colours: rows.find(({ plan }) => plan.colours !== undefined)?.plan.colours ?? null,
  };
}

function notNow({ mediaId }: MediaKey, why: string): Refused {
  return new Refused('invalid', `No rendition can be added to video ${mediaId} now: it ${why}. Check the video.`);
}
