import { sql } from 'kysely';
import type { Guid } from '../../lib/guid.ts';
import type { Db, Tx } from '../db.ts';
import { inTransaction } from '../in-transaction.ts';
import { addToHeat } from './heat-store.ts';
import { type CountedSession, gainOf, type SeenSession } from './statistics-gain.ts';
import { addToDays, addToHours, addToMedia, addToSketches } from './sums-store.ts';

const DAY_MS = 24 * 3600_000;

/** `countsEstimates`: what was put together from other players' requests counts in the charts as well. */
export type CountOptions = { countsEstimates: boolean };

/**
 * Counts a batch of sessions, at most one of an id, in one transaction: session rows, sums by hour and day, the totals of
 * videos and heat change together or not at all, so that they always agree. Doing it twice changes nothing: only a higher
 * sequence counts. Sessions of media that do not exist are left out.
 */
export async function countSessions(
  db: Db,
  sessions: readonly SeenSession[],
  { countsEstimates }: CountOptions = { countsEstimates: false },
): Promise<void> {
  if (sessions.length === 0) return;
  await ensureDays(db, sessions);
  await inTransaction(db, async (tx) => {
    const existing = await sessionsOfExistingMedia(tx, sessions);
    if (existing.length === 0) return;
    const counted = await holdCounted(tx, existing);
    const batch = existing.map((seen) => ({ seen, counted: counted.get(seen.sessionId) ?? seenNever }));
    const gain = gainOf(batch, countsEstimates);
    await storeSessions(tx, existing);
    await addToHours(tx, gain.hours);
    await addToMedia(tx, gain.hours);
    await addToDays(tx, gain.days);
    await addToHeat(tx, gain.heat);
    await addToSketches(tx, gain.sketches);
  });
}

const seenNever: CountedSession = {
  sequence: -1,
  watchedSec: [],
  heat: Buffer.alloc(0),
  country: '',
  device: '',
  referrerHost: '',
  rungSec: {},
  startupMs: null,
  stallMs: 0,
  failures: 0,
  isSketched: false,
};

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
  const keys = JSON.stringify(sessions.map(toKey).sort((a, b) => (a.session_id < b.session_id ? -1 : 1)));
  await sql`
    insert into view_session (start_hour, session_id, library_id, media_id, sequence)
    select start_hour, session_id, library_id, media_id, -1
    from jsonb_to_recordset(${keys}::jsonb)
      as sent (start_hour timestamptz, session_id uuid, library_id bigint, media_id uuid)
    on conflict do nothing`.execute(tx);
  const { rows } = await sql<CountedSession & { sessionId: Guid }>`
    select held.session_id as "sessionId", held.sequence, held.watched_sec as "watchedSec", held.heat, held.country,
      held.device, held.referrer_host as "referrerHost", held.rung_sec as "rungSec", held.startup_ms as "startupMs",
      held.stall_ms as "stallMs", held.failures, held.is_sketched as "isSketched"
    from view_session held
    join jsonb_to_recordset(${keys}::jsonb) as sent (start_hour timestamptz, session_id uuid, media_id uuid)
      on held.start_hour = sent.start_hour and held.session_id = sent.session_id
    order by held.session_id for update of held`.execute(tx);
  return new Map(rows.map((row) => [row.sessionId, row]));
}

/** Country, device and referrer are those of the start: only a new row takes them. */
async function storeSessions(tx: Tx, sessions: readonly SeenSession[]): Promise<void> {
  await sql`
    update view_session held set sequence = sent.sequence, seen_at = now(), is_estimate = sent.is_estimate,
      is_sketched = held.is_sketched or sent.is_sketched,
      country = case when held.sequence < 0 then sent.country else held.country end,
      device = case when held.sequence < 0 then sent.device else held.device end,
      referrer_host = case when held.sequence < 0 then sent.referrer_host else held.referrer_host end,
      watched_sec = sent.watched_sec, heat = decode(sent.heat, 'base64'), rung_sec = sent.rung_sec,
      startup_ms = sent.startup_ms, stall_count = sent.stall_count, stall_ms = sent.stall_ms, failures = sent.failures
    from jsonb_to_recordset(${JSON.stringify(sessions.map(toRow))}::jsonb) as sent (start_hour timestamptz,
      session_id uuid, sequence integer, country text, device text, referrer_host text, watched_sec integer[],
      heat text, rung_sec jsonb, startup_ms integer, stall_count integer, stall_ms integer, failures integer,
      is_estimate boolean, is_sketched boolean)
    where held.start_hour = sent.start_hour and held.session_id = sent.session_id
      and held.sequence < sent.sequence`.execute(tx);
}

function toKey({ startHourMs, sessionId, libraryId, mediaId }: SeenSession) {
  const start_hour = new Date(startHourMs).toISOString();
  return { start_hour, session_id: sessionId, library_id: libraryId, media_id: mediaId };
}

function toRow(session: SeenSession) {
  return {
    ...toKey(session),
    sequence: session.sequence,
    country: session.country,
    device: session.device,
    referrer_host: session.referrerHost,
    watched_sec: session.watchedSec,
    heat: session.heat.toString('base64'),
    rung_sec: session.rungSec,
    startup_ms: session.startupMs,
    stall_count: session.stallCount,
    stall_ms: session.stallMs,
    failures: session.failures,
    is_estimate: session.isEstimate,
    is_sketched: session.viewer !== null,
  };
}
