import { sql } from 'kysely';
import type { StorageKey } from '../../ports/storage.ts';
import { bumpPublication, type Db, type MediaKey, type Tx } from '../db.ts';
import { inTransaction, logOnCommit } from '../in-transaction.ts';
import { IS_FREE, leaseEnd, RELEASED } from '../leases/lease-store.ts';
import { enterState } from '../media-state-store.ts';
import { keepActiveRenditions } from '../renditions/active-set-store.ts';
import type { AddedTrack } from '../renditions/added-track.ts';
import { sumStorage } from '../renditions/storage-store.ts';
import type { MediaMessage, UploadOptions } from '../schema.ts';
import { LEASE_SEC } from '../tasks/encode-task.ts';
import { WebhookStatus } from '../webhooks/webhook.ts';
import { announce } from '../webhooks/webhook-store.ts';
import { restoreReplaced } from './replacement-store.ts';

/** Right to probe and plan a video now, fenced by `attempt`. */
export type ProcessClaim = {
  key: MediaKey;
  attempt: number;
  /** True if the video fails when this attempt ends in an error. */
  isLastTry: boolean;
  owner: string;
  sourceKey: StorageKey;
  sourceBytes: number;
  uploadOptions: UploadOptions;
  thumbnailTimeMs: number | null;
  librarySettings: Record<string, unknown>;
  /** Codecs of the video's existing renditions. The new plan includes them. */
  presentCodecs: readonly string[];
  /** Audio tracks that the owner added or changed. */
  addedTracks: readonly AddedTrack[];
  /** True if a set is already active. The new plan replaces it when complete. */
  hasActiveTimeline: boolean;
};

/** Maximum number of attempts to plan a video if its worker died each time. */
const MAX_PROCESS_TRIES = 10;

/** Maximum number of attempts that may end in an error. */
const MAX_PROCESS_ERRORS = 6;

/**
 * `over`: there is nothing left to plan. `heldSec`: remaining lease of the worker that is planning the requested video
 * and may be dead. Null without such a worker.
 */
export type ProcessAnswer = ({ kind: 'claimed'; claim: ProcessClaim } | { kind: 'over' }) & { heldSec: number | null };

/**
 * Claims a video to plan: a waiting one of the library with the least service so far, else the requested one. There are
 * as many jobs as waiting videos, so every video is planned, regardless of the order of the jobs. The lease uses the
 * database's clock.
 */
export async function claimProcess(db: Db, requested: MediaKey, owner: string): Promise<ProcessAnswer> {
  const { key, row } = await inTransaction(db, async (tx) => {
    const chosen = (await chooseWaiting(tx, requested)) ?? requested;
    const claimed = await takeUploaded(tx, chosen, owner);
    if (claimed?.is_new === true) await announce(chosen, WebhookStatus.processing)(tx);
    return { key: chosen, row: claimed };
  });
  const answer = row === undefined ? null : ({ kind: 'claimed', claim: toClaim(key, owner, row) } as const);
  if (answer !== null && key.mediaId === requested.mediaId) return { ...answer, heldSec: null };
  const found = await db
    .selectFrom('media')
    .select(['state', 'process_tries', 'source_key'])
    .select(sql<number | null>`extract(epoch from lease_until - now())::float8`.as('lease_sec'))
    .where('library_id', '=', requested.libraryId)
    .where('id', '=', requested.mediaId)
    .executeTakeFirst();
  const isWaiting = found?.state === 'processing' || found?.state === 'uploaded';
  const heldSec = isWaiting && found.lease_sec !== null && found.lease_sec > 0 ? found.lease_sec : null;
  if (answer !== null) return { ...answer, heldSec };
  const isWornOut = isWaiting && (found.process_tries >= MAX_PROCESS_TRIES || found.source_key === null);
  if (isWornOut && heldSec === null) await inTransaction(db, (tx) => failUnclaimed(tx, requested));
  return { kind: 'over', heldSec };
}

/**
 * Finds and locks the longest-waiting upload of the library with the least service so far (start-time fair queueing,
 * cost 1 per video), with two index look-ups. A video that was tried before is only retried by its own job after a
 * pause, so that job takes this video.
 */
async function chooseWaiting(tx: Tx, { libraryId, mediaId }: MediaKey): Promise<MediaKey | undefined> {
  const { rows: tried } = await sql`select from media where library_id = ${libraryId} and id = ${mediaId}
    and state = 'processing' and ${IS_FREE}`.execute(tx);
  if (tried.length > 0) return undefined;
  const { rows } = await sql<MediaKey>`
    select library_id as "libraryId", media_id as "mediaId" from choose_upload(${MAX_PROCESS_TRIES}::int)`.execute(tx);
  return rows[0] ?? (await findDropped(tx));
}

/** Finds a video whose worker died while planning it. */
async function findDropped(tx: Tx): Promise<MediaKey | undefined> {
  const { rows } = await sql<MediaKey>`
    select library_id as "libraryId", id as "mediaId" from media where type = 'video' and state = 'processing'
      and lease_until < now() and source_key is not null and process_tries < ${MAX_PROCESS_TRIES}
    order by state_since limit 1 for update skip locked`.execute(tx);
  return rows[0];
}

async function takeUploaded(tx: Tx, key: MediaKey, owner: string): Promise<ClaimRow | undefined> {
  const isEntered = await enterState(tx, key, 'processing', {
    reason: 'probing the source',
    set: {
      lease_owner: owner,
      lease_until: leaseEnd(LEASE_SEC),
      process_attempt: sql<number>`process_attempt + 1`,
      process_tries: sql<number>`process_tries + 1`,
    },
    where: sql<boolean>`source_key is not null and process_tries < ${MAX_PROCESS_TRIES}
      and (state = 'uploaded' or ${IS_FREE})`,
  });
  if (!isEntered) return undefined;
  const { rows } = await sql<ClaimRow>`
    select media.process_attempt, media.process_tries, media.state_since = now() as is_new,
      media.source_key, media.source_bytes, media.upload_options, media.thumbnail_time_ms, media.audio_tracks,
      l.settings,
      exists (select 1 from timeline t where t.library_id = media.library_id and t.media_id = media.id
        and t.active) as shown,
      array(select distinct r.codec from rendition r
        join timeline t on t.library_id = r.library_id and t.media_id = r.media_id and t.id = r.timeline_id
        where r.library_id = media.library_id and r.media_id = media.id and t.active and r.kind = 'video'
          and r.state <> 'failed' and r.retired_at is null) as codecs
    from media join library l on l.id = media.library_id
    where media.library_id = ${key.libraryId} and media.id = ${key.mediaId}
  `.execute(tx);
  return rows[0];
}

type ClaimRow = {
  process_attempt: number;
  process_tries: number;
  /** True if this claim changed the state. False if an earlier claim did and was postponed. */
  is_new: boolean;
  source_key: StorageKey;
  source_bytes: number | null;
  upload_options: UploadOptions;
  thumbnail_time_ms: number | null;
  settings: Record<string, unknown>;
  audio_tracks: AddedTrack[];
  shown: boolean;
  codecs: string[];
};

function toClaim(key: MediaKey, owner: string, row: ClaimRow): ProcessClaim {
  return {
    key,
    owner,
    attempt: row.process_attempt,
    isLastTry: row.process_tries >= MAX_PROCESS_ERRORS,
    sourceKey: row.source_key,
    sourceBytes: row.source_bytes ?? 0,
    uploadOptions: row.upload_options,
    thumbnailTimeMs: row.thumbnail_time_ms,
    librarySettings: row.settings,
    presentCodecs: row.codecs,
    addedTracks: row.audio_tracks,
    hasActiveTimeline: row.shown,
  };
}

/**
 * Renews the lease. Returns false if the lease was released, the video no longer exists, or another worker has claimed
 * it.
 */
export async function renewProcess(db: Db, { key, attempt }: ProcessClaim): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('media')
    .set({ lease_until: leaseEnd(LEASE_SEC) })
    .where('library_id', '=', key.libraryId)
    .where('id', '=', key.mediaId)
    .where('state', '=', 'processing')
    .where('process_attempt', '=', attempt)
    .where('lease_until', 'is not', null)
    .executeTakeFirst();
  return numUpdatedRows === 1n;
}

/** Releases the lease of an interrupted planning, so that the next worker need not wait until it expires. */
export async function releaseProcess(db: Db, { key, attempt }: ProcessClaim): Promise<void> {
  await db
    .updateTable('media')
    .set({ ...RELEASED, state_reason: 'waiting to be planned again' })
    .where('library_id', '=', key.libraryId)
    .where('id', '=', key.mediaId)
    .where('state', '=', 'processing')
    .where('process_attempt', '=', attempt)
    .execute();
}

/**
 * Releases the lease of a planning that is blocked by something other than the video. It does not count as an attempt.
 * The sweep queues the video again.
 */
export async function postponeProcess(db: Db, { key, attempt }: ProcessClaim, reason: string): Promise<void> {
  await db
    .updateTable('media')
    .set({ ...RELEASED, state_reason: reason })
    .set({ process_tries: sql<number>`greatest(0, process_tries - 1)` })
    .where('library_id', '=', key.libraryId)
    .where('id', '=', key.mediaId)
    .where('state', '=', 'processing')
    .where('process_attempt', '=', attempt)
    .execute();
}

/**
 * Ends a video as failed, with a human-readable reason and its machine-readable kind. Leaves a video unchanged if it
 * has already ended, if its file was replaced, or if it was being re-encoded while its active set is complete or
 * available on demand.
 */
export async function failMedia(tx: Tx, key: MediaKey, reason: string, message: MediaMessage): Promise<void> {
  if (await restoreReplaced(tx, key, message)) return;
  if (await keepActiveRenditions(tx, key, message)) return;
  const isEntered = await enterState(tx, key, 'failed', {
    reason,
    set: {
      ...RELEASED,
      messages: sql<string>`messages || ${JSON.stringify([message])}::jsonb`,
    },
  });
  if (!isEntered) return;
  await sumStorage(tx, key);
  await bumpPublication(tx, key);
  await announce(key, WebhookStatus.failed)(tx);
  logOnCommit('video.failed', { videoGuid: key.mediaId, libraryId: key.libraryId, reason: message.message });
}

async function failUnclaimed(tx: Tx, key: MediaKey): Promise<void> {
  const reason = 'The worker crashed each time it planned this video, or the original file is missing.';
  const at = new Date().toISOString();
  await failMedia(tx, key, 'worker-died', { at, level: 3, issueCode: 0, message: reason, value: 'worker-died' });
}

/** Fails a video that has used all its attempts, unless it is being planned now. */
export async function failWornOut(tx: Tx, key: MediaKey, reason: string, message: MediaMessage): Promise<void> {
  const row = await tx
    .selectFrom('media')
    .select('id')
    .where('library_id', '=', key.libraryId)
    .where('id', '=', key.mediaId)
    .where('process_tries', '>=', MAX_PROCESS_ERRORS)
    .where('lease_until', 'is', null)
    .forUpdate()
    .executeTakeFirst();
  if (row !== undefined) await failMedia(tx, key, reason, message);
}
