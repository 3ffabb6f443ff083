import { sql } from 'kysely';
import { Refused } from '../../lib/refused.ts';
import type { MediaKey, Tx } from '../db.ts';
import { keepActiveRenditions } from '../renditions/active-set-store.ts';
import { CANCELLED_VALUE } from '../renditions/kept-message.ts';
import { recountStorage } from '../renditions/storage-store.ts';
import type { MediaState } from '../schema.ts';
import { lockMedia } from './chunk-store.ts';
import { finalizeMedia } from './finalize-store.ts';
import { CANCELLED_REASON, failureMessage } from './messages.ts';
import { failMedia } from './process-store.ts';
import { restoreReplaced } from './replacement-store.ts';

/**
 * Cancels what is encoded of a video. Its encode tasks end, which fences the workers that run them: they end their
 * encoders when they next report progress or renew a lease. A video that was to be encoded anew goes on as it was; one
 * that has a whole rung and its audio is finished, incomplete; any other fails, cancelled. What was stored of
 * renditions that are not whole is forgotten, and its objects are swept. Refuses (`not-found`) an unknown video, and
 * (`invalid`) one of which nothing is encoded, or that has no file to be encoded again.
 */
export async function cancelEncode(tx: Tx, key: MediaKey): Promise<void> {
  const media = await lockVideo(tx, key);
  const obstacle = obstacleIn(media.state) ?? (media.hasSource ? null : 'has no file of its own to make it of again');
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

/** `hasWhole`: all audio of the set that is active is whole, and a picture of it, where it has any. */
type LockedVideo = {
  state: MediaState;
  hasSource: boolean;
  isPlanned: boolean;
  isReplaced: boolean;
  hasWhole: boolean;
};

async function lockVideo(tx: Tx, { libraryId, mediaId }: MediaKey): Promise<LockedVideo> {
  // Read by a statement of its own: it sees what others committed while the lock was awaited.
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
  throw new Refused('not-found', `There is no video ${mediaId} in library ${libraryId}. Check the id.`);
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

/**
 * Ends what is open of a video; returns whether anything was. Chunks that are being mended are no part of an encode.
 */
async function endTasks(tx: Tx, { libraryId, mediaId }: MediaKey): Promise<boolean> {
  // A segment for viewers has no end that is remembered: it is requested again.
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
 * A set that takes the place of the one that is active when it is whole. The further periods of a recording are none.
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

/** What was active before stays so, as far as it is whole or can be had on demand. */
async function giveUpPlan(tx: Tx, key: MediaKey): Promise<void> {
  const message = failureMessage(CANCELLED_REASON, new Date());
  if (await restoreReplaced(tx, key, message)) return;
  if (await keepActiveRenditions(tx, key, message)) return;
  await failUnfinished(tx, key);
  await failMedia(tx, key, CANCELLED_VALUE, message);
}

/** What is whole of a first encode, or of renditions that were added, is kept. */
async function endEncode(tx: Tx, key: MediaKey): Promise<void> {
  await finalizeMedia(tx, key);
  // The images, which are planned when all else has ended.
  if (await endTasks(tx, key)) await finalizeMedia(tx, key);
}

/** What is active meanwhile, but not whole, goes with what was to take its place: it has no audio, or no end. */
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
