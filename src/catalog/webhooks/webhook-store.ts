import { type ExpressionBuilder, sql } from 'kysely';
import { type Guid, newGuid } from '../../lib/guid.ts';
import type { Db, FollowUp, MediaKey } from '../db.ts';
import { WEBHOOK_URL_SETTING } from '../libraries/library-settings.ts';
import type { Schema } from '../schema.ts';
import { GIVE_UP_AFTER_MS, retryDelaySec, type WebhookEvent, type WebhookStatus } from './webhook.ts';

/** Wakes the senders of every machine. */
export const WEBHOOK_CHANNEL = 'millrace_webhook';

const LOG_DAYS = 7;

/** An event that a sender has taken: nobody else takes it before its lease ends. */
export type ClaimedEvent = WebhookEvent & {
  attempts: number;
  createdAt: Date;
  url: string | null;
  readOnlyKeySealed: Buffer;
};

/** A line of the delivery log, newest first. */
export type WebhookLogEntry = WebhookEvent & {
  state: 'pending' | 'delivered' | 'dead';
  attempts: number;
  lastAnswer: string | null;
  createdAt: Date;
  nextAttemptAt: Date;
  settledAt: Date | null;
};

/**
 * Records that something happened to a video, in the transaction that made it happen. A library without
 * a webhook address records nothing.
 */
export function announce({ libraryId, mediaId }: MediaKey, status: WebhookStatus): FollowUp {
  return async (tx) => {
    await sql`
      insert into webhook_event (id, library_id, media_id, status, state)
      select ${newGuid()}, id, ${mediaId}, ${status}, 'pending' from library
      where id = ${libraryId} and coalesce(settings->>${WEBHOOK_URL_SETTING}, '') <> ''`.execute(tx);
    await sql`select pg_notify(${WEBHOOK_CHANNEL}, '')`.execute(tx);
  };
}

/**
 * Takes up to `limit` due events for `leaseSec`. Of each video only the oldest pending event is ever taken, so
 * its events arrive in order; libraries in `busyLibraries` are passed over.
 */
export async function claimEvents(
  db: Db,
  { limit, leaseSec, busyLibraries }: { limit: number; leaseSec: number; busyLibraries: readonly number[] },
): Promise<ClaimedEvent[]> {
  const { rows } = await sql<ClaimedEvent>`
    with due as (
      select e.id from webhook_event e
      where e.state = 'pending' and e.next_attempt_at <= now() and e.library_id <> all(${[...busyLibraries]}::bigint[])
        and not exists (
          select 1 from webhook_event p where p.media_id = e.media_id and p.state = 'pending' and p.id < e.id)
      order by e.next_attempt_at limit ${limit} for update skip locked
    )
    update webhook_event e
    set attempts = e.attempts + 1, next_attempt_at = now() + make_interval(secs => ${leaseSec})
    from due, library l
    where e.id = due.id and l.id = e.library_id
    returning e.id, e.library_id as "libraryId", e.media_id as "mediaId", e.status, e.attempts,
      e.created_at as "createdAt", l.settings->>${WEBHOOK_URL_SETTING} as url, l.read_only_key_sealed as "readOnlyKeySealed"`.execute(
    db,
  );
  return rows;
}

/** Settles a delivery: done, to be tried again later, or, after three days, dead. */
export async function settleEvent(
  db: Db,
  event: ClaimedEvent,
  outcome: { delivered: boolean; answer: string },
): Promise<void> {
  const isDead = !outcome.delivered && Date.now() - event.createdAt.getTime() >= GIVE_UP_AFTER_MS;
  const state = outcome.delivered ? 'delivered' : isDead ? 'dead' : 'pending';
  const delaySec = retryDelaySec(event.attempts);
  await db
    .updateTable('webhook_event')
    .set({
      state,
      last_answer: outcome.answer.slice(0, 500),
      settled_at: state === 'pending' ? null : new Date(),
      ...(state === 'pending' ? { next_attempt_at: sql<Date>`now() + make_interval(secs => ${delaySec})` } : {}),
    })
    .where('id', '=', event.id)
    .execute();
  await sql`select pg_notify(${WEBHOOK_CHANNEL}, '')`.execute(db);
}

/** A page of a library's delivery log, newest first, of one state or of all. */
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
    .select(['id', 'library_id as libraryId', 'media_id as mediaId', 'status', 'state', 'attempts'])
    .select(['last_answer as lastAnswer', 'created_at as createdAt', 'next_attempt_at as nextAttemptAt'])
    .select('settled_at as settledAt')
    .where(matches)
    .orderBy('id', 'desc')
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

/** Puts an event back in line, whatever became of it; its three days begin anew. False when there is none. */
export async function resendEvent(db: Db, libraryId: number, id: Guid): Promise<boolean> {
  const result = await db
    .updateTable('webhook_event')
    .set({ state: 'pending', attempts: 0, next_attempt_at: sql<Date>`now()`, created_at: sql<Date>`now()` })
    .set({ settled_at: null })
    .where('library_id', '=', libraryId)
    .where('id', '=', id)
    .executeTakeFirst();
  await sql`select pg_notify(${WEBHOOK_CHANNEL}, '')`.execute(db);
  return result.numUpdatedRows > 0n;
}

/** Removes settled events older than a week; answers how many. */
export async function pruneEvents(db: Db): Promise<number> {
  const result = await db
    .deleteFrom('webhook_event')
    .where('state', '!=', 'pending')
    .where('settled_at', '<', sql<Date>`now() - make_interval(days => ${LOG_DAYS})`)
    .executeTakeFirst();
  return Number(result.numDeletedRows);
}
