import { sql } from 'kysely';
import type { Guid } from '../../lib/guid.ts';
import type { Db, MediaKey, Tx } from '../db.ts';
import type { NotificationEvent } from './notification.ts';

/** Days for which notifications are listed. */
const KEPT_DAYS = 30;
const MAX_KEPT_PER_LIBRARY = 1_000;
const SUMMARY_DAYS = 7;
const PRUNED_AT_ONCE = 10_000;

/** Maximum number of listed notifications. */
const MAX_LISTED = 50;

/** A notification in the list of the dashboard. `title` is null for events about quotas. */
export type ListedNotification = {
  position: number;
  libraryId: number;
  mediaId: Guid;
  event: NotificationEvent;
  resource: string | null;
  title: string | null;
  createdAt: Date;
};

/** Libraries by event whose notifications may be listed, or null for all. An absent event is not listed. */
export type ListedEvents = Partial<Record<NotificationEvent, number[] | null>>;

/** Records an event, in the transaction that causes it. `resource` is that of a quota, or null. */
export async function addNotification(
  tx: Tx,
  { libraryId, mediaId }: MediaKey,
  { event, resource }: { event: NotificationEvent; resource: string | null },
): Promise<void> {
  const row = { library_id: libraryId, media_id: mediaId, event, resource };
  await tx.insertInto('notification').values(row).execute();
}

/** Returns the newest notifications after a position, newest first, without those of deleted videos. */
export async function listNotifications(db: Db, events: ListedEvents, after: number): Promise<ListedNotification[]> {
  const wanted = Object.entries(events).map(([event, libraryIds]) => ({ event, libraryIds }));
  if (wanted.length === 0) return [];
  const { rows } = await sql<ListedNotification>`
    select n.position, n.library_id as "libraryId", n.media_id as "mediaId", n.event, n.resource, m.title,
      n.created_at as "createdAt"
    from notification n
    join library l on l.id = n.library_id and l.deleted_at is null
    left join media m on m.library_id = n.library_id and m.id = n.media_id and m.type <> 'trash'
    where n.position > ${after} and (n.event = 'quota' or m.id is not null) and (${sql.join(
      wanted.map(({ event, libraryIds }) =>
        libraryIds === null
          ? sql`n.event = ${event}`
          : sql`(n.event = ${event} and n.library_id = any(${libraryIds}::bigint[]))`,
      ),
      sql` or `,
    )})
    order by n.position desc limit ${MAX_LISTED}`.execute(db);
  return rows;
}

/**
 * Removes old notifications and finished messages, at most ten thousand of each. Of one library, only the newest
 * thousand notifications are kept. Returns true if there may be more.
 */
export async function pruneNotifications(db: Db): Promise<boolean> {
  const surplus = await sql`
    delete from notification where position in (
      select n.position from library l
      cross join lateral (
        select position from notification k where k.library_id = l.id
        order by k.position desc offset ${MAX_KEPT_PER_LIBRARY} limit 1) kept
      join notification n on n.library_id = l.id and n.position <= kept.position and n.is_routed
      limit ${PRUNED_AT_ONCE})`.execute(db);
  const old = await sql`
    delete from notification where position in (
      select position from notification where is_routed and created_at < now() - make_interval(days => ${KEPT_DAYS})
      order by position limit ${PRUNED_AT_ONCE})`.execute(db);
  const messages = await sql`
    delete from notification_summary where id in (
      select id from notification_summary
      where state <> 'pending' and created_at < now() - make_interval(days => ${SUMMARY_DAYS})
      limit ${PRUNED_AT_ONCE})`.execute(db);
  return [surplus, old, messages].some(({ numAffectedRows = 0n }) => Number(numAffectedRows) === PRUNED_AT_ONCE);
}
