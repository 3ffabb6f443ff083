import { sql } from 'kysely';
import { type Guid, newGuid } from '../../lib/guid.ts';
import type { Db, Tx } from '../db.ts';
import { inTransaction } from '../in-transaction.ts';
import { FIRST_ENDPOINT_ID, type Outcome, TEST_MEDIA_ID, WEBHOOK_URL_SETTING, type WebhookEvent } from './webhook.ts';

/**
 * Lock that lets only one sender claim at a time, so that the bounds apply across all of them. An arbitrary number that
 * nothing else locks.
 */
const CLAIM_LOCK = 7_700_003;

const ANSWER_LENGTH = 500;

/** An event whose line a sender holds, fenced by `claim`: no other sender takes the line before the lease expires. */
export type ClaimedEvent = WebhookEvent & {
  claim: Guid;
  lineId: Guid;
  attempts: number;
  /** Null if the address or the endpoint was removed or disabled. */
  url: string | null;
  /**
   * Signing keys: the secret of the endpoint, or else the read-only key of the library, followed by former ones that
   * are still valid.
   */
  signingKeysSealed: Buffer[];
  /** Request that caused the event, for log lines. */
  requestId: string | null;
};

/**
 * Maximum numbers of concurrent deliveries: `perLibrary` to the `WebhookUrl` of a library, `perEndpoint` to each
 * additional endpoint.
 */
export type ClaimBounds = { limit: number; perLibrary: number; perEndpoint: number; leaseSec: number };

/**
 * Claims the first event of up to `limit` due lines. The bounds of each receiver hold across all senders; receivers
 * with the fewest deliveries in progress are first, then the longest due. A line is held until its event is final,
 * released, or its lease expires, so events of one video never overtake each other on the way to a receiver.
 */
export async function claimEvents(db: Db, bounds: ClaimBounds): Promise<ClaimedEvent[]> {
  // Most services have no waiting events most of the time, so that the claim and its lock are not needed.
  if ((await sql`select 1 from webhook_line limit 1`.execute(db)).rows.length === 0) return [];
  const claim = newGuid();
  return inTransaction(db, async (tx) => {
    await sql`select pg_advisory_xact_lock(${CLAIM_LOCK}::bigint)`.execute(tx);
    await claimLines(tx, claim, bounds);
    // A separate statement, so that it sees events that became final before the lines were locked.
    const { rows } = await sql<ClaimedEvent>`
      update webhook_event e set attempts = e.attempts + 1
      from webhook_line l cross join lateral (
        select id from webhook_event h
        where h.library_id = l.library_id and coalesce(h.line_id, h.media_id) = l.media_id and h.state = 'pending'
        order by h.position limit 1) head, library
      where l.claim = ${claim} and e.id = head.id and library.id = e.library_id
      returning e.id, e.library_id as "libraryId", coalesce(e.video_id, e.media_id) as "mediaId", e.status,
        e.is_incomplete as "isIncomplete", e.detail, e.attempts,
        e.request_id as "requestId", l.claim, l.media_id as "lineId",
        case when l.endpoint_id = ${FIRST_ENDPOINT_ID} then library.settings->>${WEBHOOK_URL_SETTING}
          else (select url from webhook_endpoint p where p.id = l.endpoint_id and p.is_enabled) end as url,
        case when l.endpoint_id = ${FIRST_ENDPOINT_ID} then array_prepend(library.read_only_key_sealed, coalesce((
          select array_agg(k.signing_key_sealed order by k.created_at desc) from access_key k
          where k.library_id = library.id and k.signing_key_sealed is not null and k.revoked_at is null
            and k.expires_at > now()), '{}'))
          else array(select secret_sealed from webhook_endpoint p where p.id = l.endpoint_id)
          end as "signingKeysSealed"`.execute(tx);
    return rows;
  });
}

// `waiting` skips from receiver to receiver in the index, so that many waiting events of one receiver do not slow down
// the others.
async function claimLines(tx: Tx, claim: Guid, bounds: ClaimBounds): Promise<void> {
  const { limit, perLibrary, perEndpoint, leaseSec } = bounds;
  await sql`
    with recursive waiting (library_id, endpoint_id) as (
      (select library_id, endpoint_id from webhook_line order by library_id, endpoint_id limit 1)
      union all
      select next.* from waiting w cross join lateral (
        select l.library_id, l.endpoint_id from webhook_line l
        where (l.library_id, l.endpoint_id) > (w.library_id, w.endpoint_id)
        order by l.library_id, l.endpoint_id limit 1) next
    ), busy as (
      select library_id, endpoint_id, count(*) as running from webhook_line
      where claim is not null and next_attempt_at > now() group by library_id, endpoint_id
    ), due as (
      select line.* from waiting w left join busy b on b.library_id = w.library_id and b.endpoint_id = w.endpoint_id
      cross join lateral (
        select library_id, media_id, next_attempt_at,
          coalesce(b.running, 0) + row_number() over (order by next_attempt_at, media_id) as place
        from webhook_line
        where library_id = w.library_id and endpoint_id = w.endpoint_id and next_attempt_at <= now()
        order by next_attempt_at, media_id limit greatest(0, case w.endpoint_id
          when ${FIRST_ENDPOINT_ID} then ${perLibrary}::bigint else ${perEndpoint}::bigint
          end - coalesce(b.running, 0))) line
      order by line.place, line.next_attempt_at limit ${limit}
    ), taken as (
      select l.library_id, l.media_id from webhook_line l
      join due on due.library_id = l.library_id and due.media_id = l.media_id
      where l.next_attempt_at <= now() for update of l skip locked
    )
    update webhook_line l set claim = ${claim}, next_attempt_at = now() + make_interval(secs => ${leaseSec})
    from taken where l.library_id = taken.library_id and l.media_id = taken.media_id`.execute(tx);
}

/**
 * Records the result of an attempt. A failed event is retried after `retrySec`. It becomes a dead letter instead if its
 * three days have passed, if it is a test, or if the receiver refuses more events. The next event of the video is due
 * immediately. Returns the state of the event. Returns null and changes nothing if another sender now has the line.
 */
export async function endEvent(
  db: Db,
  event: ClaimedEvent,
  { kind, answer, retrySec }: Outcome & { retrySec: number },
): Promise<'delivered' | 'dead' | 'pending' | null> {
  const isFinal = kind === 'gone' || event.mediaId === TEST_MEDIA_ID;
  return inTransaction(db, async (tx) => {
    if (!(await lockLine(tx, event))) return null;
    const { rows } = await sql<{ state: 'delivered' | 'dead' | 'pending' }>`
      update webhook_event set last_answer = ${answer.slice(0, ANSWER_LENGTH)},
        state = case when ${kind === 'delivered'} then 'delivered'
          when ${isFinal} or give_up_at <= now() then 'dead' else 'pending' end,
        settled_at = case when ${kind === 'delivered' || isFinal} or give_up_at <= now() then now() end
      where id = ${event.id} returning state`.execute(tx);
    await moveLine(tx, event, retrySec);
    return rows[0]?.state ?? null;
  });
}

/** Releases a line whose attempt was interrupted, so that the next sender can begin immediately. */
export async function releaseEvent(db: Db, { libraryId, lineId, claim }: ClaimedEvent): Promise<void> {
  await db
    .updateTable('webhook_line')
    .set({ claim: null, next_attempt_at: sql<Date>`now()` })
    .where('library_id', '=', libraryId)
    .where('media_id', '=', lineId)
    .where('claim', '=', claim)
    .execute();
}

async function lockLine(tx: Tx, { libraryId, lineId, claim }: ClaimedEvent): Promise<boolean> {
  const line = await tx
    .selectFrom('webhook_line')
    .select('claim')
    .where('library_id', '=', libraryId)
    .where('media_id', '=', lineId)
    .where('claim', '=', claim)
    .forUpdate()
    .executeTakeFirst();
  return line !== undefined;
}

/**
 * Updates the line of a video after an attempt. If the same event is still first, the line waits. If another event is
 * first, the line continues with it. If no events are left, the line is removed.
 */
async function moveLine(tx: Tx, { id, libraryId, lineId }: ClaimedEvent, retrySec: number): Promise<void> {
  const head = await tx
    .selectFrom('webhook_event')
    .select('id')
    .where('library_id', '=', libraryId)
    .where(sql<Guid>`coalesce(line_id, media_id)`, '=', lineId)
    .where('state', '=', 'pending')
    .orderBy('position')
    .limit(1)
    .executeTakeFirst();
  if (head === undefined) {
    await tx.deleteFrom('webhook_line').where('library_id', '=', libraryId).where('media_id', '=', lineId).execute();
    return;
  }
  const waitSec = head.id === id ? retrySec : 0;
  await tx
    .updateTable('webhook_line')
    .set({ claim: null, next_attempt_at: sql<Date>`now() + make_interval(secs => ${waitSec})` })
    .where('library_id', '=', libraryId)
    .where('media_id', '=', lineId)
    .execute();
}
