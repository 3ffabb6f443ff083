import { sql } from 'kysely';
import type { Guid } from '../../lib/guid.ts';
import type { Db, Tx } from '../db.ts';
import { inTransaction } from '../in-transaction.ts';
import { addHeat } from './heat.ts';
import { type CountedSession, gainOf, type HeatGain, type HourGain, type SeenSession } from './statistics-gain.ts';

const DAY_MS = 24 * 3600_000;

/**
 * Counts a batch of sessions, at most one of an id, in one transaction: session rows, hourly sums, the totals of videos
 * and heat change together or not at all, so that they always agree. Doing it twice changes nothing: only a higher
 * sequence counts. Sessions of media that do not exist are left out.
 */
export async function countSessions(db: Db, sessions: readonly SeenSession[]): Promise<void> {
  if (sessions.length === 0) return;
  await ensureDays(db, sessions);
  await inTransaction(db, async (tx) => {
    const existing = await sessionsOfExistingMedia(tx, sessions);
    const counted = await holdCounted(tx, existing);
    const batch = existing.map((seen) => ({ seen, counted: counted.get(seen.sessionId) ?? seenNever }));
    const gain = gainOf(batch);
    await storeSessions(tx, existing);
    await addToHours(tx, gain.hours);
    await addToMedia(tx, gain.hours);
    for (const heat of gain.heat) await addToHeat(tx, heat);
  });
}

const seenNever: CountedSession = { sequence: -1, watchedSec: [], heat: Buffer.alloc(0) };

/** Makes the partitions of the sessions' days. Several edges may do it at once. */
async function ensureDays(db: Db, sessions: readonly SeenSession[]): Promise<void> {
  const days = new Set(sessions.map(({ startHourMs }) => Math.floor(startHourMs / DAY_MS)));
  for (const day of days) {
    const [from, to] = [day, day + 1].map((n) => new Date(n * DAY_MS).toISOString());
    const name = `view_session_${from?.slice(0, 10).replaceAll('-', '_')}`;
    const { rows } = await sql<{ found: string | null }>`select to_regclass(${name}) as found`.execute(db);
    if (rows[0]?.found !== null) continue;
    await inTransaction(db, async (tx) => {
      await sql`select pg_advisory_xact_lock(hashtext('view_session_days'))`.execute(tx);
      await sql`create table if not exists ${sql.id(name)} partition of view_session
        for values from (${sql.lit(from)}) to (${sql.lit(to)})`.execute(tx);
    });
  }
}

async function sessionsOfExistingMedia(tx: Tx, sessions: readonly SeenSession[]): Promise<SeenSession[]> {
  const ids = [...new Set(sessions.map(({ mediaId }) => mediaId))];
  const rows = await tx.selectFrom('media').select(['library_id', 'id']).where('id', 'in', ids).execute();
  const known = new Set(rows.map(({ library_id, id }) => `${library_id}/${id}`));
  return sessions.filter(({ libraryId, mediaId }) => known.has(`${libraryId}/${mediaId}`));
}

/** What was counted of sessions before; their rows are made where they are new, and held until the end of the transaction. */
async function holdCounted(tx: Tx, sessions: readonly SeenSession[]): Promise<Map<Guid, CountedSession>> {
  const keys = JSON.stringify(sessions.map(toRow).sort((a, b) => (a.session_id < b.session_id ? -1 : 1)));
  await sql`
    insert into view_session (start_hour, session_id, library_id, media_id, sequence)
    select start_hour, session_id, library_id, media_id, -1
    from jsonb_to_recordset(${keys}::jsonb)
      as sent (start_hour timestamptz, session_id uuid, library_id bigint, media_id uuid)
    on conflict do nothing`.execute(tx);
  const { rows } = await sql<{ session_id: Guid; sequence: number; watched_sec: number[]; heat: Buffer }>`
    select held.session_id, held.sequence, held.watched_sec, held.heat
    from view_session held
    join jsonb_to_recordset(${keys}::jsonb) as sent (start_hour timestamptz, session_id uuid, media_id uuid)
      on held.start_hour = sent.start_hour and held.session_id = sent.session_id
    order by held.session_id for update of held`.execute(tx);
  return new Map(
    rows.map((row) => [row.session_id, { sequence: row.sequence, watchedSec: row.watched_sec, heat: row.heat }]),
  );
}

async function storeSessions(tx: Tx, sessions: readonly SeenSession[]): Promise<void> {
  await sql`
    update view_session held set sequence = sent.sequence, country = sent.country, device = sent.device,
      referrer_host = sent.referrer_host, watched_sec = sent.watched_sec, heat = decode(sent.heat, 'base64'),
      startup_ms = sent.startup_ms, stall_count = sent.stall_count, stall_ms = sent.stall_ms, failures = sent.failures
    from jsonb_to_recordset(${JSON.stringify(sessions.map(toRow))}::jsonb) as sent (start_hour timestamptz,
      session_id uuid, sequence integer, country text, device text, referrer_host text, watched_sec integer[],
      heat text, startup_ms integer, stall_count integer, stall_ms integer, failures integer)
    where held.start_hour = sent.start_hour and held.session_id = sent.session_id
      and held.sequence < sent.sequence`.execute(tx);
}

function toRow(session: SeenSession) {
  return {
    start_hour: new Date(session.startHourMs).toISOString(),
    session_id: session.sessionId,
    library_id: session.libraryId,
    media_id: session.mediaId,
    sequence: session.sequence,
    country: session.country,
    device: session.device,
    referrer_host: session.referrerHost,
    watched_sec: session.watchedSec,
    heat: session.heat.toString('base64'),
    startup_ms: session.startupMs,
    stall_count: session.stallCount,
    stall_ms: session.stallMs,
    failures: session.failures,
  };
}

async function addToHours(tx: Tx, hours: readonly HourGain[]): Promise<void> {
  const gains = JSON.stringify(hours.map((gain) => ({ ...gain, hour: new Date(gain.hourMs).toISOString() })));
  const sent = sql`jsonb_to_recordset(${gains}::jsonb) as gain ("libraryId" bigint, "mediaId" uuid, hour timestamptz,
    country text, views bigint, "watchSec" bigint)`;
  await sql`
    insert into stat_hour as held (library_id, media_id, hour, country, views, watch_sec)
    select "libraryId", "mediaId", hour, country, views, "watchSec" from ${sent} order by 1, 2, 3, 4
    on conflict (library_id, media_id, hour, country)
    do update set views = held.views + excluded.views, watch_sec = held.watch_sec + excluded.watch_sec`.execute(tx);
  await sql`
    insert into stat_library_hour as held (library_id, hour, country, views, watch_sec)
    select "libraryId", hour, country, sum(views), sum("watchSec") from ${sent} group by 1, 2, 3 order by 1, 2, 3
    on conflict (library_id, hour, country)
    do update set views = held.views + excluded.views, watch_sec = held.watch_sec + excluded.watch_sec`.execute(tx);
}

async function addToMedia(tx: Tx, hours: readonly HourGain[]): Promise<void> {
  await sql`
    update media set views = media.views + gain.views, watch_sec_total = media.watch_sec_total + gain.watch_sec
    from (select "libraryId" as library_id, "mediaId" as media_id, sum(views) as views, sum("watchSec") as watch_sec
      from jsonb_to_recordset(${JSON.stringify(hours)}::jsonb)
        as gain ("libraryId" bigint, "mediaId" uuid, views bigint, "watchSec" bigint)
      group by 1, 2) gain
    where media.library_id = gain.library_id and media.id = gain.media_id
      and (gain.views <> 0 or gain.watch_sec <> 0)`.execute(tx);
}

/** Heat that was counted in buckets of another size was of another file: it gives way. */
async function addToHeat(tx: Tx, { libraryId, mediaId, bucketSec, sessions, counts }: HeatGain): Promise<void> {
  const key = { library_id: libraryId, media_id: mediaId };
  await tx
    .insertInto('media_heat')
    .values({ ...key, bucket_sec: bucketSec, sessions: 0, counts: Buffer.alloc(0) })
    .onConflict((conflict) => conflict.doNothing())
    .execute();
  const held = await tx
    .selectFrom('media_heat')
    .select(['bucket_sec', 'sessions', 'counts'])
    .where('library_id', '=', libraryId)
    .where('media_id', '=', mediaId)
    .forUpdate()
    .executeTakeFirstOrThrow();
  const isSame = held.bucket_sec === bucketSec;
  await tx
    .updateTable('media_heat')
    .set({
      bucket_sec: bucketSec,
      sessions: (isSame ? held.sessions : 0) + sessions,
      counts: addHeat(isSame ? held.counts : Buffer.alloc(0), counts),
    })
    .where('library_id', '=', libraryId)
    .where('media_id', '=', mediaId)
    .execute();
}
