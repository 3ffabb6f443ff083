import { sql } from 'kysely';
import { type Guid, parseGuid } from '../../../lib/guid.ts';
import { logEvent } from '../../../lib/log/log-event.ts';
import { Refused } from '../../../lib/refused.ts';
import type { SecretBox } from '../../../lib/secret-box.ts';
import { bumpPublication, type Db, type MediaKey, type Tx } from '../../db.ts';
import { inTransaction } from '../../in-transaction.ts';
import { hashKey } from '../../keys/access-key.ts';
import { leaseEnd } from '../../leases/lease-store.ts';
import { requireLiveQuota } from '../../quotas/live-quota-store.ts';
import { requireStorageQuota } from '../../quotas/storage-quota-store.ts';
import { WebhookStatus } from '../../webhooks/webhook.ts';
import { announce } from '../../webhooks/webhook-store.ts';
import type { LiveLease } from '../live-lease.ts';
import {
  type BitrateSample,
  keepsRecording,
  type LadderState,
  type LiveState,
  type LiveStream,
  publishStream,
  type RelayState,
} from '../live-stream.ts';
import { LIVE_CHANNEL, loadStream, lockStream, saveStream } from '../streams/live-store.ts';

/** Seconds after which the lease of an ingest process expires unless it is renewed, by the database's clock. */
export const LIVE_LEASE_SEC = 8;

/**
 * An accepted publisher. `session` increases with each publisher. A kick disconnects all publishers up to a session
 * number.
 */
export type PublishGrant = { lease: LiveLease; session: number; stream: LiveStream };

/** The owner's report about a stream, sent each second. A field is null if nothing was received. */
export type MediaReport = {
  streamId: Guid;
  epoch: number;
  /** Session of the newest publisher that the report takes into account, or null if there was none. */
  session: number | null;
  primaryMediaAtMs: number | null;
  backupMediaAtMs: number | null;
  bitrate: BitrateSample | null;
  /** Null before the first period. */
  ladder: LadderState | null;
  /** Relays of the primary publisher. Empty without one. */
  relays: readonly RelayState[];
};

/** State of a stream for its owner. If a stream is missing from a response, the process no longer owns it. */
export type OwnedStream = { streamId: Guid; state: LiveState; kickedSession: number; startedAtMs: number | null };

export type PublishStore = {
  /**
   * Checks that a stream key may publish now, changes the stream's state accordingly, and makes `node` its owner
   * immediately, even if another process owns it. Throws `Refused` (`not-found`) for an unknown key, and (`invalid`) if
   * the stream has ended.
   */
  authorise(streamKey: string, node: { id: Guid; feedUrl: string }): Promise<PublishGrant>;
  /**
   * Resolves the name that a publisher sends: a stream key is returned unchanged, a stream id is replaced by its key
   * (`isSecret`: the key was not sent over the wire, and must still be proved). Throws the errors of `authorise`.
   */
  check(name: string): Promise<{ streamKey: string; streamId: Guid; isSecret: boolean }>;
  /** Shows the reason why a publisher was refused in the status of the stream, unless another one is connected. */
  noteRefusal(streamKey: string, reason: string): Promise<void>;
  /** Takes over the leases of the previous process with this id. */
  adopt(owner: Guid, feedUrl: string): Promise<{ lease: LiveLease; state: LiveState }[]>;
  /** Renews the leases of a process in one statement. Returns those that it still owns. */
  renew(owner: Guid, reports: readonly MediaReport[]): Promise<OwnedStream[]>;
};

export function createPublishStore({ db, secretBox }: { db: Db; secretBox: SecretBox }): PublishStore {
  return {
    authorise: (streamKey, node) =>
      inTransaction(db, async (tx) => {
        const key = await findByKey(tx, streamKey);
        const before = await lockStream(tx, key, secretBox);
        const stream = publishStream(before, new Date());
        await requireLiveQuota(tx, key);
        // A stream in progress continues after a reconnect. Its media is already being stored.
        if (before.state !== 'running' && keepsRecording(stream)) {
          await requireStorageQuota(tx, key.libraryId, { bytes: null });
        }
        if (stream !== before) await saveStream(tx, before, stream, secretBox);
        const taken = await takeLease(tx, key, node);
        // Later publishers of the stream are reconnects, which are not announced.
        if (taken.session === 1) await announce(key, WebhookStatus.liveStarted)(tx);
        return { ...taken, stream };
      }).catch(async (error: unknown) => {
        if (error instanceof Refused && error.kind === 'quota-reached') await noteRefusal(db, streamKey, error.message);
        throw error;
      }),
    check: (name) => checkName(db, name, secretBox),
    noteRefusal: (streamKey, reason) => noteRefusal(db, streamKey, reason),
    adopt: (owner, feedUrl) => adoptLeases(db, owner, feedUrl),
    renew: (owner, reports) => renewLeases(db, owner, reports),
  };
}

async function noteRefusal(db: Db, streamKey: string, reason: string): Promise<void> {
  const ladder: LadderState = { kind: 'refused', reason: `The publisher was refused. ${reason}`, rungs: [] };
  await sql`
    update live_lease l set ladder = ${JSON.stringify(ladder)}::jsonb from live_stream s
    where s.key_hash = ${hashKey(streamKey)} and l.stream_id = s.id
      and (l.lease_until is null or l.lease_until < now() or l.ladder->>'kind' in ('idle', 'refused'))`
    .execute(db)
    // The publisher must get the refusal, even if it cannot be shown in the status.
    .catch((err: unknown) => logEvent('live.failed', { err }));
}

async function findByKey(tx: Db, streamKey: string): Promise<MediaKey> {
  const { rows } = await sql<{ libraryId: number; mediaId: Guid }>`
    select s.library_id as "libraryId", s.id as "mediaId" from live_stream s
    join library l on l.id = s.library_id and l.deleted_at is null
    where s.key_hash = ${hashKey(streamKey)}`.execute(tx);
  const [row] = rows;
  if (row === undefined) throw new Refused('not-found', 'No stream has this key.');
  return row;
}

async function checkName(db: Db, name: string, secretBox: SecretBox) {
  const id = parseGuid(name);
  const streamKey = id === null ? name : await findKey(db, id, secretBox);
  const key = await findByKey(db, streamKey);
  publishStream(await loadStream(db, key, secretBox), new Date());
  return { streamKey, streamId: key.mediaId, isSecret: id !== null };
}

async function findKey(db: Db, id: Guid, secretBox: SecretBox): Promise<string> {
  const row = await db.selectFrom('live_stream').select('key_sealed').where('id', '=', id).executeTakeFirst();
  if (row === undefined) throw new Refused('not-found', 'No stream has this key.');
  return secretBox.open(row.key_sealed);
}

async function takeLease(tx: Tx, key: MediaKey, node: { id: Guid; feedUrl: string }) {
  const { rows } = await sql<{ epoch: number; session: number; attempt: number; isTaken: boolean }>`
    with before as (select stream_id, owner is not distinct from ${node.id} and lease_until > now()
      and feed_url = ${node.feedUrl} as is_same from live_lease where stream_id = ${key.mediaId} for update)
    update live_lease l set
      epoch = case when before.is_same then epoch else epoch + 1 end,
      owner = ${node.id}, feed_url = ${node.feedUrl}, session = session + 1,
      ladder = case when ladder->>'kind' = 'refused' then null else ladder end,
      lease_until = ${leaseEnd(LIVE_LEASE_SEC)}, published_at = now()
    from before where l.stream_id = before.stream_id
    returning epoch, session, nextval('encode_attempt')::int as attempt, not coalesce(before.is_same, false)
      as "isTaken"
  `.execute(tx);
  const [row] = rows;
  if (row === undefined) throw new Error(`Expected stream ${key.mediaId} to have a lease row.`);
  // Edges fetch the feed from this process. The previous owner disconnects its publishers.
  if (row.isTaken) await bumpPublication(tx, key);
  await sql`select pg_notify(${LIVE_CHANNEL}, ${key.mediaId})`.execute(tx);
  return { lease: { key, owner: node.id, epoch: row.epoch, attempt: row.attempt }, session: row.session };
}

async function adoptLeases(db: Db, owner: Guid, feedUrl: string): Promise<{ lease: LiveLease; state: LiveState }[]> {
  const { rows } = await sql<{ libraryId: number; mediaId: Guid; epoch: number; attempt: number; state: LiveState }>`
    update live_lease l set feed_url = ${feedUrl}, lease_until = ${leaseEnd(LIVE_LEASE_SEC)}
    from live_stream s where l.owner = ${owner} and s.id = l.stream_id
    returning s.library_id as "libraryId", s.id as "mediaId", l.epoch, s.state,
      nextval('encode_attempt')::int as attempt`.execute(db);
  for (const { libraryId, mediaId } of rows)
    await inTransaction(db, (tx) => bumpPublication(tx, { libraryId, mediaId }));
  return rows.map(({ libraryId, mediaId, epoch, attempt, state }) => ({
    lease: { key: { libraryId, mediaId }, owner, epoch, attempt },
    state,
  }));
}

async function renewLeases(db: Db, owner: Guid, reports: readonly MediaReport[]): Promise<OwnedStream[]> {
  if (reports.length === 0) return [];
  const { rows } = await sql<OwnedStream>`
    update live_lease l set lease_until = ${leaseEnd(LIVE_LEASE_SEC)},
      primary_media_at = coalesce(to_timestamp(r."primaryMediaAtMs" / 1000.0), l.primary_media_at),
      backup_media_at = coalesce(to_timestamp(r."backupMediaAtMs" / 1000.0), l.backup_media_at),
      first_media_at = coalesce(l.first_media_at,
        to_timestamp(least(r."primaryMediaAtMs", r."backupMediaAtMs") / 1000.0)),
      bitrate = coalesce(r.bitrate, l.bitrate), relays = r.relays, ladder = case
        when r.ladder->>'kind' in ('idle', 'refused') and r.session < l.session then l.ladder
        when l.ladder->>'kind' = 'refused' and r.ladder->>'kind' in ('idle', 'refused') then l.ladder
        else coalesce(r.ladder, l.ladder) end
    from jsonb_to_recordset(${JSON.stringify(reports)}::jsonb) as r("streamId" uuid, epoch bigint, session bigint,
      "primaryMediaAtMs" float8, "backupMediaAtMs" float8, bitrate jsonb, ladder jsonb, relays jsonb),
      live_stream s join library b on b.id = s.library_id and b.deleted_at is null
    where l.stream_id = r."streamId" and l.owner = ${owner} and l.epoch = r.epoch and s.id = l.stream_id
    returning l.stream_id as "streamId", s.state, l.kicked_session as "kickedSession",
      (extract(epoch from s.started_at) * 1000)::float8 as "startedAtMs"`.execute(db);
  return rows;
}
