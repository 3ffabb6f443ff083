import { sql } from 'kysely';
import { Refused } from '../../lib/refused.ts';
import type { MediaKey, Tx } from '../db.ts';
import { keepActiveRenditions } from '../renditions/active-set-store.ts';
import { CANCELLED_VALUE } from '../renditions/kept-message.ts';
import { recountStorage } from '../renditions/storage-store.ts';
import type { MediaState } from '../schema.ts';
import { unknownVideo } from '../unknown-video.ts';
import { lockMedia } from './chunk-store.ts';
import { finalizeMedia } from './finalize-store.ts';
import { CANCELLED_REASON, failureMessage } from './messages.ts';
import { failMedia } from './process-store.ts';
import { restoreReplaced } from './replacement-store.ts';

/**
 * Cancels the encoding of a video. Ends its encode tasks, which fences their workers: they stop their encoders when
 * they next report progress or renew a lease. A video that was being re-encoded is left unchanged. Any other video
 * finishes as incomplete if it has a complete rung and all its audio, and otherwise fails as cancelled. Incomplete
 * renditions are deleted, and the sweep deletes their objects. Throws `Refused` (`not-found`) for an unknown video, and
 * (`invalid`) if nothing is being encoded, or if there is no file from which to encode the video again.
 */
export async function cancelEncode(tx: Tx, key: MediaKey): Promise<void> {
  const media = await lockVideo(tx, key);
  const obstacle =
    obstacleIn(media.state) ?? (media.hasSource ? null : 'has no file of its own to encode it from again');
  if (obstacle !== null) {
    throw new Refused(
      'invalid',
      `The encoding of video ${key.mediaId} cannot be cancelled: it ${obstacle}. Check the video.`,
    );
  }
  await endTasks(tx, key);
  const keepsWhole = media.isPlanned && !media.isReplaced && media.hasWhole && !(await hasBackgroundSet(tx, key));
  if (keepsWhole) await endEncode(tx, key);
  else await giveUpPlan(tx, key);
}

/**
 * `hasWhole`: all audio of the active set is complete, and if the set has video, one of its video renditions is
 * complete.
 */
type LockedVideo = {
  state: MediaState;
  hasSource: boolean;
  isPlanned: boolean;
  isReplaced: boolean;
  hasWhole: boolean;
};

async function lockVideo(tx: Tx, { libraryId, mediaId }: MediaKey): Promise<LockedVideo> {
  // A separate statement, so that it sees changes that were committed while this transaction waited for the lock.
  await lockMedia(tx, { libraryId, mediaId });
  const { rows } = await sql<LockedVideo>`
    select state, source_key is not null as "hasSource", state not in ('uploaded', 'processing') as "isPlanned",
      replaced is not null as "isReplaced",
      exists (select from rendition r where r.library_id = m.library_id and r.media_id = m.id and r.active
        and r.state = 'finished' and r.kind = case when m.facts->'video' = 'null' then 'audio' else 'video' end)
      and not exists (select from rendition r where r.library_id = m.library_id and r.media_id = m.id and r.active
        and r.state <> 'finished' and r.kind = 'audio') as "hasWhole"
    from media m where library_id = ${libraryId} and id = ${mediaId} and type = 'video'
  `.execute(tx);
  const [row] = rows;
  if (row !== undefined) return row;
  throw unknownVideo({ libraryId, mediaId });
}

function obstacleIn(state: MediaState): string | null {
  switch (state) {
    case 'uploaded':
    case 'processing':
    case 'transcoding':
    case 'jit-segmenting':
      return null;
    case 'jit-ready':
      return 'plays on demand, and what is missing is made as it is watched';
    case 'created':
    case 'upload-failed':
      return 'has no file yet';
    case 'finished':
      return 'is finished';
    case 'failed':
      return 'failed';
  }
}

/** Ends the open tasks of a video; returns whether there were any. Chunks under repair are not part of an encode. */
async function endTasks(tx: Tx, { libraryId, mediaId }: MediaKey): Promise<boolean> {
  // Segment tasks for viewers are deleted without a record. Viewers request the segment again.
  await sql`
    delete from encode_task where library_id = ${libraryId} and media_id = ${mediaId} and kind = 'segment'
  `.execute(tx);
  const { numAffectedRows } = await sql`
    update encode_task set state = 'failed', reason = ${CANCELLED_REASON}, owner = null, lease_until = null
    where library_id = ${libraryId} and media_id = ${mediaId} and state in ('waiting', 'running') and kind <> 'repair'
  `.execute(tx);
  return numAffectedRows !== 0n;
}

/**
 * Returns whether a set is being encoded that will replace the active one. Inactive periods of a recording do not
 * count.
 */
async function hasBackgroundSet(tx: Tx, { libraryId, mediaId }: MediaKey): Promise<boolean> {
  const { rows } = await sql`
    select from timeline t where t.library_id = ${libraryId} and t.media_id = ${mediaId} and not t.active
      and exists (select from rendition r where r.library_id = t.library_id and r.media_id = t.media_id
        and r.timeline_id = t.id and r.retired_at is null)
      and not exists (select from live_period p where p.library_id = t.library_id and p.media_id = t.media_id
        and p.timeline_id = t.id) limit 1
  `.execute(tx);
  return rows.length > 0;
}

/**
 * Drops the plan of a re-encode. The previously active set stays active, with the renditions that are complete or
 * available on demand.
 */
async function giveUpPlan(tx: Tx, key: MediaKey): Promise<void> {
  const message = failureMessage(CANCELLED_REASON, new Date());
  if (await restoreReplaced(tx, key, message)) return;
  if (await keepActiveRenditions(tx, key, message)) return;
  await failUnfinished(tx, key);
  await failMedia(tx, key, CANCELLED_VALUE, message);
}

/** Ends a first encode, or the encoding of added renditions. Their complete parts are kept. */
async function endEncode(tx: Tx, key: MediaKey): Promise<void> {
  await finalizeMedia(tx, key);
  // Also ends the image task, which is planned when everything else has ended.
  if (await endTasks(tx, key)) await finalizeMedia(tx, key);
}

/** Fails active renditions that are incomplete, together with the set that should have replaced them. */
async function failUnfinished(tx: Tx, key: MediaKey): Promise<void> {
  const { libraryId, mediaId } = key;
  await sql`
    with failed as (
      update rendition set state = 'failed', state_reason = ${CANCELLED_REASON}, active = false
      where library_id = ${libraryId} and media_id = ${mediaId} and (state = 'building' or active)
        and retired_at is null
      returning id)
    delete from chunk where library_id = ${libraryId} and media_id = ${mediaId}
      and rendition_id in (select id from failed)
  `.execute(tx);
  await recountStorage(tx, key);
}
