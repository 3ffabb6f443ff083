import { type ExpressionBuilder, sql } from 'kysely';
import { type Guid, newGuid } from '../../lib/guid.ts';
import { currentRequestId } from '../../lib/log/log-context.ts';
import { Refused } from '../../lib/refused.ts';
import type { Db, FollowUp, MediaKey, Tx } from '../db.ts';
import { inTransaction } from '../in-transaction.ts';
import { WEBHOOK_URL_SETTING } from '../libraries/library-settings.ts';
import type { Schema } from '../schema.ts';
import { GIVE_UP_AFTER_SEC, TEST_MEDIA_ID, type WebhookEvent, WebhookStatus } from './webhook.ts';

/** Wakes the senders of every machine. */
export const WEBHOOK_CHANNEL = 'millrace_webhook';

const DELIVERED_LOG_DAYS = 7;
const DEAD_LOG_DAYS = 30;
const PRUNED_AT_ONCE = 10_000;
const MAX_PENDING_TESTS = 10;

/** A line of the delivery log. `nextAttemptAt` is null for events that are final or wait behind an earlier one. */
export type WebhookLogEntry = WebhookEvent & {
  state: 'pending' | 'delivered' | 'dead';
  attempts: number;
  lastAnswer: string | null;
  createdAt: Date;
  nextAttemptAt: Date | null;
  settledAt: Date | null;
};

/**
 * Records an event of a video, in the transaction that causes it. Events of one video are sent in the order in which
 * their transactions commit. Does nothing if the library has no webhook URL.
 */
export function announce(key: MediaKey, status: WebhookStatus, { isIncomplete = false } = {}): FollowUp {
  return async (tx) => {
    await addEvent(tx, key, { status, isIncomplete });
  };
}

// Writes the line first: its lock, held until the commit, makes the positions of one video follow the commits.
async function addEvent(
  tx: Tx,
  { libraryId, mediaId }: MediaKey,
  { status, isIncomplete }: Pick<WebhookEvent, 'status' | 'isIncomplete'>,
): Promise<Guid | null> {
  const line = await sql`
    insert into webhook_line (library_id, media_id)
    select id, ${mediaId} from library where id = ${libraryId} and coalesce(settings->>${WEBHOOK_URL_SETTING}, '') <> ''
    on conflict (library_id, media_id) do update set media_id = excluded.media_id
    returning media_id`.execute(tx);
  if (line.rows.length === 0) return null;
  const id = newGuid();
  await tx
    .insertInto('webhook_event')
    .values({
      id,
      library_id: libraryId,
      media_id: mediaId,
      status,
      is_incomplete: isIncomplete,
      request_id: currentRequestId(),
      state: 'pending',
      give_up_at: sql<Date>`now() + make_interval(secs => ${GIVE_UP_AFTER_SEC})`,
    })
    .execute();
  await wakeSenders(tx);
  return id;
}

/**
 * Requests a test delivery: Status 0 for the nil GUID, signed like any other, tried once. Returns its id. Throws
 * `Refused` (`invalid`) for a library without a webhook URL, and (`busy`) for an eleventh waiting test.
 */
export function requestTest(db: Db, libraryId: number): Promise<Guid> {
  return inTransaction(db, async (tx) => {
    const id = await addEvent(
      tx,
      { libraryId, mediaId: TEST_MEDIA_ID },
      { status: WebhookStatus.queued, isIncomplete: false },
    );
    if (id === null) throw new Refused('invalid', 'The library has no webhook URL. Set its WebhookUrl first.');
    const { waiting } = await tx
      .selectFrom('webhook_event')
      .select((eb) => eb.fn.countAll<number>().as('waiting'))
      .where('library_id', '=', libraryId)
      .where('media_id', '=', TEST_MEDIA_ID)
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

/** Lists a page of a library's delivery log, newest first, for one state or all. */
export async function listEvents(
  db: Db,
  filter: { libraryId: number; state: WebhookLogEntry['state'] | null; limit: number; offset: number },
): Promise<{ total: number; entries: WebhookLogEntry[] }> {
  const matches = (eb: ExpressionBuilder<Schema, 'webhook_event'>) =>
    eb.and([
      eb('library_id', '=', filter.libraryId),
      ...(filter.state === null ? [] : [eb('state', '=', filter.state)]),
    ]);
  const entries = await db
    .selectFrom('webhook_event')
    .select([
      'id',
      'library_id as libraryId',
      'media_id as mediaId',
      'status',
      'is_incomplete as isIncomplete',
      'state',
      'attempts',
    ])
    .select(['last_answer as lastAnswer', 'created_at as createdAt', 'settled_at as settledAt'])
    .select(nextAttempt.as('nextAttemptAt'))
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

/** The line's next attempt, for the event at its head. */
const nextAttempt = sql<Date | null>`(
  select l.next_attempt_at from webhook_line l
  where webhook_event.state = 'pending' and l.library_id = webhook_event.library_id
    and l.media_id = webhook_event.media_id and not exists (
      select 1 from webhook_event p where p.library_id = l.library_id and p.media_id = l.media_id
        and p.state = 'pending' and p.position < webhook_event.position))`;

/**
 * Puts an event back in line, whatever its state, before the later events of its video. Its three days restart, and its
 * line continues immediately. Throws `Refused` (`not-found`) for an event that the library does not have.
 */
export async function resendEvent(db: Db, libraryId: number, id: Guid): Promise<void> {
  await inTransaction(db, async (tx) => {
    const line = await sql`
      insert into webhook_line (library_id, media_id)
      select library_id, media_id from webhook_event where library_id = ${libraryId} and id = ${id}
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
 * Removes delivered events after a week and dead letters after 30 days, at most ten thousand; returns true if there are
 * more.
 */
export async function pruneEvents(db: Db): Promise<boolean> {
  const { numAffectedRows = 0n } = await sql`
    delete from webhook_event where id in (
      select id from webhook_event
      where state <> 'pending' and settled_at < now() - make_interval(days => ${DELIVERED_LOG_DAYS})
        and (state = 'delivered' or settled_at < now() - make_interval(days => ${DEAD_LOG_DAYS}))
      order by settled_at limit ${PRUNED_AT_ONCE}) and state <> 'pending'`.execute(db);
  return Number(numAffectedRows) === PRUNED_AT_ONCE;
}

async function wakeSenders(tx: Tx): Promise<void> {
  await sql`select pg_notify(${WEBHOOK_CHANNEL}, '')`.execute(tx);
}
