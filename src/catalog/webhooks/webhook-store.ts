import { type ExpressionBuilder, sql } from 'kysely';
import { type Guid, newGuid } from '../../lib/guid.ts';
import { currentRequestId } from '../../lib/log/log-context.ts';
import { Refused } from '../../lib/refused.ts';
import type { Db, FollowUp, MediaKey, Tx } from '../db.ts';
import { inTransaction } from '../in-transaction.ts';
import type { NotificationEvent } from '../notifications/notification.ts';
import { addNotification } from '../notifications/notification-store.ts';
import type { Schema } from '../schema.ts';
import {
  FIRST_ENDPOINT_ID,
  GIVE_UP_AFTER_SEC,
  type QuotaDetail,
  TEST_MEDIA_ID,
  WEBHOOK_URL_SETTING,
  type WebhookEvent,
  WebhookStatus,
} from './webhook.ts';

/** Wakes the senders of every machine. */
export const WEBHOOK_CHANNEL = 'millrace_webhook';

const DELIVERED_LOG_DAYS = 7;
const DEAD_LOG_DAYS = 30;
const PRUNED_AT_ONCE = 10_000;
const MAX_KEPT_PER_LIBRARY = 20_000;
const MAX_PENDING_TESTS = 10;

/** A line of the delivery log. `nextAttemptAt` is null for events that are final or wait behind an earlier one. */
export type WebhookLogEntry = WebhookEvent & {
  endpointId: Guid;
  state: 'pending' | 'delivered' | 'dead';
  attempts: number;
  lastAnswer: string | null;
  createdAt: Date;
  nextAttemptAt: Date | null;
  settledAt: Date | null;
};

/** Events that people and chats are notified of, too. */
const NOTIFICATIONS: Partial<Record<WebhookStatus, NotificationEvent>> = {
  [WebhookStatus.finished]: 'ready',
  [WebhookStatus.failed]: 'failed',
  [WebhookStatus.liveStarted]: 'live',
  [WebhookStatus.quotaReached]: 'quota',
};

/**
 * Records an event of a video, in the transaction that causes it. Events of one video are sent in the order in which
 * their transactions commit. An endpoint gets only the events that it wants.
 */
export function announce(key: MediaKey, status: WebhookStatus, { isIncomplete = false } = {}): FollowUp {
  return async (tx) => {
    await notify(tx, key, status);
    await addEvents(tx, key, { status, isIncomplete, detail: null, endpointId: null });
  };
}

/** Records an event of a quota. The media id in `key` is the id that represents the library. */
export function announceQuota(key: MediaKey, status: WebhookStatus, detail: QuotaDetail): FollowUp {
  return async (tx) => {
    await notify(tx, key, status, detail.resource);
    await addEvents(tx, key, { status, isIncomplete: false, detail, endpointId: null });
  };
}

async function notify(tx: Tx, key: MediaKey, status: WebhookStatus, resource: string | null = null): Promise<void> {
  const event = NOTIFICATIONS[status];
  if (event !== undefined) await addNotification(tx, key, { event, resource });
}

/**
 * `endpointId` limits the event to one endpoint, even if it did not choose the status. Null sends it to all endpoints
 * that chose it.
 */
type NewEvent = Pick<WebhookEvent, 'status' | 'isIncomplete' | 'detail'> & { endpointId: Guid | null };

// Writes the lines first: their locks, held until the commit, make the positions of one video follow the commits.
async function addEvents(tx: Tx, { libraryId, mediaId }: MediaKey, event: NewEvent): Promise<Guid[]> {
  const { status, isIncomplete, detail, endpointId } = event;
  const { rows: lines } = await sql<{ lineId: Guid; endpointId: Guid }>`
    with receiver as (
      select id as library_id, ${FIRST_ENDPOINT_ID}::uuid as endpoint_id from library
      where id = ${libraryId} and coalesce(settings->>${WEBHOOK_URL_SETTING}, '') <> ''
      union all
      select library_id, id from webhook_endpoint
      where library_id = ${libraryId} and is_enabled
        and (${endpointId}::uuid is not null or events is null or ${status} = any(events))
    )
    insert into webhook_line (library_id, endpoint_id, media_id)
    select library_id, endpoint_id, case endpoint_id when ${FIRST_ENDPOINT_ID} then ${mediaId}::uuid
      else encode(substring(sha256(uuid_send(endpoint_id) || uuid_send(${mediaId})) for 16), 'hex')::uuid end
    from receiver where ${endpointId}::uuid is null or endpoint_id = ${endpointId}
    order by endpoint_id
    on conflict (library_id, media_id) do update set media_id = excluded.media_id
    returning media_id as "lineId", endpoint_id as "endpointId"`.execute(tx);
  if (lines.length === 0) return [];
  const rows = lines.map((line) => {
    const id = newGuid();
    const own = { media_id: id, endpoint_id: line.endpointId, line_id: line.lineId, video_id: mediaId };
    return {
      id,
      library_id: libraryId,
      ...(line.endpointId === FIRST_ENDPOINT_ID ? { media_id: mediaId } : own),
      status,
      is_incomplete: isIncomplete,
      detail: detail === null ? null : JSON.stringify(detail),
      request_id: currentRequestId(),
      state: 'pending' as const,
      give_up_at: sql<Date>`now() + make_interval(secs => ${GIVE_UP_AFTER_SEC})`,
    };
  });
  await tx.insertInto('webhook_event').values(rows).execute();
  await wakeSenders(tx);
  return rows.map(({ id }) => id);
}

/**
 * Requests a test delivery to an endpoint: Status 0 for the nil GUID, signed like any other, tried once. Returns its
 * id. Throws `Refused` (`invalid`) for an endpoint without a webhook URL, and (`busy`) for an eleventh waiting test.
 */
export function requestTest(db: Db, libraryId: number, endpointId: Guid): Promise<Guid> {
  return inTransaction(db, async (tx) => {
    const event = { status: WebhookStatus.queued, isIncomplete: false, detail: null, endpointId };
    const [id] = await addEvents(tx, { libraryId, mediaId: TEST_MEDIA_ID }, event);
    if (id === undefined) {
      throw endpointId === FIRST_ENDPOINT_ID
        ? new Refused('invalid', 'The library has no webhook URL. Set its WebhookUrl first.')
        : new Refused('invalid', `Endpoint ${endpointId} is unknown or disabled. Check the id, or enable it.`);
    }
    const { waiting } = await tx
      .selectFrom('webhook_event')
      .select((eb) => eb.fn.countAll<number>().as('waiting'))
      .where('library_id', '=', libraryId)
      .where(sql<Guid>`coalesce(video_id, media_id)`, '=', TEST_MEDIA_ID)
      .where('state', '=', 'pending')
      .executeTakeFirstOrThrow();
    if (waiting > MAX_PENDING_TESTS) {
      throw new Refused(
        'busy',
        `${MAX_PENDING_TESTS} test deliveries of this library are already waiting. Try again later.`,
      );
    }
    return id;
  });
}

/** Lists a page of a library's delivery log, newest first, for one state and endpoint or all. */
export async function listEvents(
  db: Db,
  filter: {
    libraryId: number;
    state: WebhookLogEntry['state'] | null;
    endpointId: Guid | null;
    limit: number;
    offset: number;
  },
): Promise<{ total: number; entries: WebhookLogEntry[] }> {
  const matches = (eb: ExpressionBuilder<Schema, 'webhook_event'>) =>
    eb.and([
      eb('library_id', '=', filter.libraryId),
      ...(filter.state === null ? [] : [eb('state', '=', filter.state)]),
      ...(filter.endpointId === null ? [] : [eb('endpoint_id', '=', filter.endpointId)]),
    ]);
  const entries = await db
    .selectFrom('webhook_event')
    .select([
      'id',
      'library_id as libraryId',
      'endpoint_id as endpointId',
      'status',
      'is_incomplete as isIncomplete',
      'detail',
      'state',
      'attempts',
    ])
    .select(['last_answer as lastAnswer', 'created_at as createdAt', 'settled_at as settledAt'])
    .select([sql<Guid>`coalesce(video_id, media_id)`.as('mediaId'), nextAttempt.as('nextAttemptAt')])
    .where(matches)
    .orderBy('position', 'desc')
    .limit(filter.limit)
    .offset(filter.offset)
    .execute();
  const { total } = await db
    .selectFrom('webhook_event')
    .select((eb) => eb.fn.countAll<number>().as('total'))
    .where(matches)
    .executeTakeFirstOrThrow();
  return { total, entries };
}

/** Time of the next attempt of a line, for the first event in it. */
const nextAttempt = sql<Date | null>`(
  select l.next_attempt_at from webhook_line l
  where webhook_event.state = 'pending' and l.library_id = webhook_event.library_id
    and l.media_id = coalesce(webhook_event.line_id, webhook_event.media_id) and not exists (
      select 1 from webhook_event p where p.library_id = l.library_id
        and coalesce(p.line_id, p.media_id) = l.media_id and p.state = 'pending'
        and p.position < webhook_event.position))`;

/**
 * Queues an event again, in any state, before the later events of its video. Its three days start again, and its line
 * continues immediately. Throws `Refused` (`not-found`) for an event that the library does not have.
 */
export async function resendEvent(db: Db, libraryId: number, id: Guid): Promise<void> {
  await inTransaction(db, async (tx) => {
    const line = await sql`
      insert into webhook_line (library_id, endpoint_id, media_id)
      select library_id, endpoint_id, coalesce(line_id, media_id) from webhook_event
      where library_id = ${libraryId} and id = ${id}
      on conflict (library_id, media_id) do update
        set next_attempt_at = case when webhook_line.claim is null then now() else webhook_line.next_attempt_at end
      returning media_id`.execute(tx);
    if (line.rows.length === 0) {
      throw new Refused('not-found', `Webhook event ${id} in library ${libraryId} not found. Check the id.`);
    }
    await tx
      .updateTable('webhook_event')
      .set({ state: 'pending', attempts: 0, settled_at: null })
      .set({ give_up_at: sql<Date>`now() + make_interval(secs => ${GIVE_UP_AFTER_SEC})` })
      .where('library_id', '=', libraryId)
      .where('id', '=', id)
      .execute();
    await wakeSenders(tx);
  });
}

/**
 * Removes delivered events after a week, dead letters after 30 days, and the oldest beyond 20,000 of a library: at most
 * ten thousand by age and as many by number. Returns true if there may be more.
 */
export async function pruneEvents(db: Db): Promise<boolean> {
  const surplus = await sql`
    delete from webhook_event where id in (
      select e.id from library l
      cross join lateral (
        select position from webhook_event k where k.library_id = l.id
        order by k.position desc offset ${MAX_KEPT_PER_LIBRARY} limit 1) kept
      join webhook_event e on e.library_id = l.id and e.position <= kept.position and e.state <> 'pending'
      limit ${PRUNED_AT_ONCE}) and state <> 'pending'`.execute(db);
  const old = await sql`
    delete from webhook_event where id in (
      select id from webhook_event
      where state <> 'pending' and settled_at < now() - make_interval(days => ${DELIVERED_LOG_DAYS})
        and (state = 'delivered' or settled_at < now() - make_interval(days => ${DEAD_LOG_DAYS}))
      order by settled_at limit ${PRUNED_AT_ONCE}) and state <> 'pending'`.execute(db);
  return [surplus, old].some(({ numAffectedRows = 0n }) => Number(numAffectedRows) === PRUNED_AT_ONCE);
}

async function wakeSenders(tx: Tx): Promise<void> {
  await sql`select pg_notify(${WEBHOOK_CHANNEL}, '')`.execute(tx);
}
