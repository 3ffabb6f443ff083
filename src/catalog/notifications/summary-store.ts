import { sql } from 'kysely';
import { type Guid, newGuid } from '../../lib/guid.ts';
import type { Db, Tx } from '../db.ts';
import { inTransaction } from '../in-transaction.ts';
import { type LibraryRole, libraryRoles, toRoles } from '../people/library-roles-store.ts';
import type { Role } from '../people/person.ts';
import {
  addToSummary,
  mayBeNotified,
  type NotificationEvent,
  type NotificationItem,
  type Summary,
} from './notification.ts';

/** Lock that lets only one process route events. An arbitrary number that nothing else locks. */
const ROUTE_LOCK = 7_700_028;
const ROUTED_AT_ONCE = 1_000;
/** Number of messages to a recipient within an hour after which they become rarer. */
const MAX_FREQUENT = 10;

/** The chat of a library, or a person, who gets e-mail. */
export type Recipient = { libraryId: number; personId: null } | { libraryId: null; personId: Guid };

/**
 * Seconds for which events are collected into one message: `groupSec`, or `rareSec` after ten messages within an hour.
 * A message is given up `giveUpSec` after its first event.
 */
export type GroupTiming = { groupSec: number; rareSec: number; giveUpSec: number };

type Wishing = { recipient: Recipient; wants(item: NotificationItem): boolean };

/**
 * Adds new events to the waiting messages of all recipients who want them: to the chats of libraries, and to people by
 * e-mail if `sendsMail`. Returns true if there may be more.
 */
export async function routeNotifications(
  db: Db,
  { sendsMail, ...timing }: GroupTiming & { sendsMail: boolean },
): Promise<boolean> {
  return inTransaction(db, async (tx) => {
    await sql`select pg_advisory_xact_lock(${ROUTE_LOCK}::bigint)`.execute(tx);
    const { rows } = await sql<NotificationItem & { position: number }>`
      update notification set is_routed = true
      where position in (
        select position from notification where not is_routed order by position limit ${ROUTED_AT_ONCE})
      returning position, library_id as "libraryId", media_id as "mediaId", event, resource`.execute(tx);
    const items = rows
      .toSorted((a, b) => a.position - b.position)
      .map(({ libraryId, mediaId, event, resource }) => ({ libraryId, mediaId, event, resource }));
    if (items.length === 0) return false;
    const wishing = [...(await findChats(tx, items)), ...(sendsMail ? await findPeople(tx, items) : [])];
    for (const { recipient, wants } of wishing) {
      const own = items.filter(wants);
      if (own.length > 0) await extendSummary(tx, { recipient, items: own, timing });
    }
    return rows.length === ROUTED_AT_ONCE;
  });
}

async function findChats(tx: Tx, items: readonly NotificationItem[]): Promise<Wishing[]> {
  const libraryIds = [...new Set(items.map(({ libraryId }) => libraryId))];
  const rows = await tx
    .selectFrom('chat_webhook')
    .select(['library_id', 'events'])
    .where('library_id', 'in', libraryIds)
    .where('is_enabled', '=', true)
    .execute();
  return rows.map(({ library_id, events }) => ({
    recipient: { libraryId: library_id, personId: null },
    wants: ({ libraryId, event }) => libraryId === library_id && events.includes(event),
  }));
}

async function findPeople(tx: Tx, items: readonly NotificationItem[]): Promise<Wishing[]> {
  const events = [...new Set(items.map(({ event }) => event))];
  const { rows } = await sql<{ id: Guid; email: NotificationEvent[]; role: Role | null; roles: LibraryRole[] }>`
    select person.id, c.email, person.role, ${libraryRoles} as roles
    from notification_choice c join person on person.id = c.person_id
    where person.status = 'active' and c.email && ${events}::text[]`.execute(tx);
  return rows.map(({ id, email, role, roles }) => ({
    recipient: { libraryId: null, personId: id },
    wants: (item) => email.includes(item.event) && mayBeNotified(toRoles(role, roles), item),
  }));
}

type Extension = { recipient: Recipient; items: readonly NotificationItem[]; timing: GroupTiming };

/** Adds events to the waiting message of a recipient. Starts a new message if there is none, or it is being sent. */
async function extendSummary(tx: Tx, { recipient, items, timing }: Extension): Promise<void> {
  const waiting = await tx
    .selectFrom('notification_summary')
    .select(['id', 'counts', 'items'])
    .where(ofRecipient(recipient))
    .where('state', '=', 'pending')
    .where('claim', 'is', null)
    .orderBy('created_at', 'desc')
    .limit(1)
    .forUpdate()
    .executeTakeFirst();
  const { counts, items: named } = addToSummary(waiting ?? { counts: [], items: [] }, items);
  const content = { counts: JSON.stringify(counts), items: JSON.stringify(named) };
  if (waiting !== undefined) {
    await tx.updateTable('notification_summary').set(content).where('id', '=', waiting.id).execute();
    return;
  }
  const waitSec = (await isFrequent(tx, recipient)) ? timing.rareSec : timing.groupSec;
  await tx
    .insertInto('notification_summary')
    .values({
      id: newGuid(),
      ...{ library_id: recipient.libraryId, person_id: recipient.personId },
      ...content,
      next_attempt_at: sql<Date>`now() + make_interval(secs => ${waitSec})`,
      give_up_at: sql<Date>`now() + make_interval(secs => ${timing.giveUpSec})`,
    })
    .execute();
}

async function isFrequent(tx: Tx, recipient: Recipient): Promise<boolean> {
  const { n } = await tx
    .selectFrom('notification_summary')
    .select((eb) => eb.fn.countAll<number>().as('n'))
    .where(ofRecipient(recipient))
    .where('created_at', '>', sql<Date>`now() - interval '1 hour'`)
    .executeTakeFirstOrThrow();
  return n >= MAX_FREQUENT;
}

function ofRecipient({ libraryId, personId }: Recipient) {
  return libraryId === null ? sql<boolean>`person_id = ${personId}` : sql<boolean>`library_id = ${libraryId}`;
}

/** A message that a sender holds, fenced by `claim`. `attempts` includes the current one. */
export type ClaimedSummary = Summary & { id: Guid; claim: Guid; attempts: number; recipient: Recipient };

/** Claims up to `limit` due messages, at most one of each recipient. */
export async function claimSummaries(db: Db, { limit, leaseSec }: { limit: number; leaseSec: number }) {
  const claim = newGuid();
  const { rows } = await sql<Omit<ClaimedSummary, 'recipient'> & Recipient>`
    update notification_summary s
    set claim = ${claim}, attempts = attempts + 1, next_attempt_at = now() + make_interval(secs => ${leaseSec})
    where id in (
      select d.id from notification_summary d
      where d.state = 'pending' and d.next_attempt_at <= now() and not exists (
        select 1 from notification_summary b
        where b.state = 'pending' and b.id <> d.id
          and (b.library_id = d.library_id or b.person_id = d.person_id)
          and (b.created_at, b.id) < (d.created_at, d.id))
      order by d.next_attempt_at limit ${limit} for update skip locked)
    returning s.id, s.claim, s.counts, s.items, s.attempts, s.library_id as "libraryId", s.person_id as "personId"
    `.execute(db);
  return rows.map(({ libraryId, personId, ...row }): ClaimedSummary => {
    // The table has a check that exactly one of both is set.
    return { ...row, recipient: { libraryId, personId } as Recipient };
  });
}

/** `gone`: the message has no recipient any more. */
export type SummaryOutcome = 'delivered' | 'failed' | 'gone';

/**
 * Records the result of an attempt. A failed message waits for `retrySec`, or is given up after its time. Returns the
 * new state, or null if another sender now has the message.
 */
export async function endSummary(
  db: Db,
  { id, claim }: ClaimedSummary,
  { outcome, retrySec }: { outcome: SummaryOutcome; retrySec: number },
): Promise<'delivered' | 'dead' | 'pending' | null> {
  const { rows } = await sql<{ state: 'delivered' | 'dead' | 'pending' }>`
    update notification_summary set claim = null, next_attempt_at = now() + make_interval(secs => ${retrySec}),
      state = case when ${outcome === 'delivered'} then 'delivered'
        when ${outcome === 'gone'} or give_up_at <= now() then 'dead' else 'pending' end
    where id = ${id} and claim = ${claim} and state = 'pending' returning state`.execute(db);
  return rows[0]?.state ?? null;
}

/** Returns whether there are events to route or messages to send. */
export async function hasNotifications(db: Db): Promise<boolean> {
  const { rows } = await sql<{ is: boolean }>`
    select exists (select 1 from notification where not is_routed)
      or exists (select 1 from notification_summary
        where state = 'pending' and next_attempt_at <= now()) as is`.execute(db);
  return rows[0]?.is === true;
}
