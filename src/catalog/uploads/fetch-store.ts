import { sql } from 'kysely';
import type { Guid } from '../../lib/guid.ts';
import type { Version } from '../../lib/outbound/resume.ts';
import type { SecretBox } from '../../lib/secret-box.ts';
import type { Db, FollowUp, MediaKey } from '../db.ts';
import { IS_FREE, leaseEnd, RELEASED } from '../leases/lease-store.ts';
import { requireStorageQuota } from '../quotas/storage-quota-store.ts';
import { LEASE_SEC } from '../tasks/encode-task.ts';
import type { UploadRef } from './upload-store.ts';

/** Seconds after which a fetch is swept. It normally ends much earlier. */
const MAX_FETCH_SEC = 3 * 24 * 3600;

/** Maximum number of claims of a fetch whose workers died each time. */
const MAX_ATTEMPTS = 20;

/**
 * Request to an origin. It is stored sealed, because headers may contain secrets. `maxBytesPerSec` limits the transfer.
 * `isPlaylist`: the URL is an HLS playlist, whose segments are the file.
 */
export type FetchRequest = {
  url: string;
  headers: Record<string, string>;
  maxBytesPerSec?: number;
  isPlaylist?: boolean;
};

/** Staged segments of an HLS stream: their number and bytes, and a hash of the list that they belong to. */
export type SegmentProgress = { playlist: string; done: number; sizeBytes: number };

/**
 * The right to fetch now, fenced by `attempt`. `version` identifies the file of the staged bytes, if there are any, and
 * `segments` those of an HLS stream.
 */
export type FetchClaim = {
  ref: UploadRef;
  attempt: number;
  request: FetchRequest;
  version: Version | null;
  segments: SegmentProgress | null;
};

/**
 * `over`: complete, abandoned or deleted. `busy`: another worker's lease is still valid. `worn-out`: its workers died
 * too often.
 */
export type FetchAnswer =
  | { kind: 'claimed'; claim: FetchClaim }
  | { kind: 'over' }
  | { kind: 'busy' }
  | { kind: 'worn-out' };

type FetchMetadata = { sealed: string; version?: Version; segments?: SegmentProgress; postponed?: number };

/**
 * Opens an upload session for a fetch, in the change that requests it. The video stays `created`, with the fetch as its
 * reason. `sizeBytes` is the size of the file, or null if unknown. Throws `Refused` (`quota-reached`) if the library
 * has no room for it.
 */
export function openingFetch(
  { id, key }: UploadRef,
  { sizeBytes, ...request }: FetchRequest & { sizeBytes: number | null },
  secretBox: SecretBox,
): FollowUp {
  const metadata: FetchMetadata = { sealed: secretBox.seal(JSON.stringify(request)).toString('base64') };
  return async (tx) => {
    await requireStorageQuota(tx, key.libraryId, { bytes: sizeBytes });
    await tx
      .insertInto('upload')
      .values({
        id,
        library_id: key.libraryId,
        media_id: key.mediaId,
        method: 'fetch',
        reserved_bytes: sizeBytes ?? 0,
        metadata: JSON.stringify(metadata),
        expires_at: sql`now() + ${MAX_FETCH_SEC} * interval '1 second'`,
      })
      .execute();
    await noteReason(tx, key, `waiting to be fetched from ${hostOf(request)}`);
  };
}

/** Counts a library's waiting and running fetches. */
export async function countOpenFetches(db: Db, libraryId: number): Promise<number> {
  const { open } = await db
    .selectFrom('upload')
    .select((eb) => eb.fn.countAll<number>().as('open'))
    .where('library_id', '=', libraryId)
    .where('method', '=', 'fetch')
    .where('state', '=', 'open')
    .executeTakeFirstOrThrow();
  return open;
}

/** Claims a fetch that waits or whose worker is dead. Its attempt is incremented, which fences the earlier worker. */
export async function claimFetch(db: Db, id: Guid, owner: string, secretBox: SecretBox): Promise<FetchAnswer> {
  const row = await db
    .updateTable('upload')
    .set((eb) => ({
      lease_owner: owner,
      lease_until: leaseEnd(LEASE_SEC),
      attempt: eb('attempt', '+', 1),
    }))
    .where('id', '=', id)
    .where('method', '=', 'fetch')
    .where('state', '=', 'open')
    .where(IS_FREE)
    .returning(['library_id', 'media_id', 'attempt', 'metadata'])
    .executeTakeFirst();
  if (row === undefined) return { kind: (await isFetchOpen(db, id)) ? 'busy' : 'over' };
  // Only this file writes the metadata of a fetch.
  const { sealed, version = null, segments = null, postponed = 0 } = row.metadata as FetchMetadata;
  if (row.attempt - postponed > MAX_ATTEMPTS) return { kind: 'worn-out' };
  const request: FetchRequest = JSON.parse(secretBox.open(Buffer.from(sealed, 'base64')));
  const key = { libraryId: row.library_id, mediaId: row.media_id };
  await noteReason(db, key, `fetching from ${hostOf(request)}`);
  return { kind: 'claimed', claim: { ref: { id, key }, attempt: row.attempt, request, version, segments } };
}

/**
 * Renews the lease. Returns false if the lease was released, the fetch has ended or belongs to another worker, or its
 * video no longer exists.
 */
export async function renewFetch(db: Db, { ref, attempt }: FetchClaim): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('upload')
    .set({ lease_until: leaseEnd(LEASE_SEC) })
    .where('id', '=', ref.id)
    .where('state', '=', 'open')
    .where('attempt', '=', attempt)
    .where('lease_until', 'is not', null)
    .executeTakeFirst();
  return numUpdatedRows === 1n;
}

/** Releases an interrupted fetch, so that the next worker need not wait for the lease to expire. */
export async function releaseFetch(db: Db, { ref, attempt }: FetchClaim): Promise<void> {
  await db.updateTable('upload').set(RELEASED).where('id', '=', ref.id).where('attempt', '=', attempt).execute();
}

/** Releases a fetch that is blocked by something other than its file. The reason is shown as that of the video. */
export async function postponeFetch(db: Db, claim: FetchClaim, reason: string): Promise<void> {
  const { ref, attempt } = claim;
  await sql`
    update upload set metadata = metadata || jsonb_build_object('postponed',
      coalesce((metadata->>'postponed')::int, 0) + 1)
    where id = ${ref.id} and attempt = ${attempt}
  `.execute(db);
  await noteReason(db, ref.key, reason);
  await releaseFetch(db, claim);
}

/**
 * Records which version of the origin's file is staged, before its first byte, or the staged segments of an HLS stream.
 * Returns false if the claim was lost.
 */
export async function rememberStaged(
  db: Db,
  { ref, attempt }: FetchClaim,
  staged: { version: Version } | { segments: SegmentProgress },
): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('upload')
    .set({ metadata: sql<string>`metadata || ${JSON.stringify(staged)}::jsonb` })
    .where('id', '=', ref.id)
    .where('state', '=', 'open')
    .where('attempt', '=', attempt)
    .executeTakeFirst();
  return numUpdatedRows === 1n;
}

/** Returns whether a fetch waits or runs. */
export async function isFetchOpen(db: Db, id: Guid): Promise<boolean> {
  const row = await db
    .selectFrom('upload')
    .select('id')
    .where('id', '=', id)
    .where('state', '=', 'open')
    .executeTakeFirst();
  return row !== undefined;
}

/**
 * Adds a message to the video with the reason why the upload failed. Level 3 is an error, issue code 0 has no special
 * meaning.
 */
export function notingFailure({ libraryId, mediaId }: MediaKey, reason: string): FollowUp {
  const line = { at: new Date().toISOString(), level: 3, issueCode: 0, message: reason, value: 'fetch-failed' };
  return async (tx) => {
    await tx
      .updateTable('media')
      .set({ messages: sql<string>`messages || ${JSON.stringify([line])}::jsonb` })
      .where('library_id', '=', libraryId)
      .where('id', '=', mediaId)
      .execute();
  };
}

async function noteReason(db: Db, { libraryId, mediaId }: MediaKey, reason: string): Promise<void> {
  await db
    .updateTable('media')
    .set({ state_reason: reason })
    .where('library_id', '=', libraryId)
    .where('id', '=', mediaId)
    .where('state', '=', 'created')
    .execute();
}

function hostOf({ url }: FetchRequest): string {
  return URL.canParse(url) ? new URL(url).hostname : 'its origin';
}
