import { sql } from 'kysely';
import type { Guid } from '../../../lib/guid.ts';
import type { Db, Tx } from '../../db.ts';
import { inTransaction } from '../../in-transaction.ts';
import { addToHeat } from './add-to-heat-store.ts';
import { type CountedPair, type CountedSession, gainOf, type SeenSession } from './statistics-gain.ts';
import { addToDays, addToHours, addToMedia, addToSketches } from './sums-store.ts';
import { ensureEvidence, judgeSessions } from './view-evidence-store.ts';

const DAY_MS = 24 * 3600_000;
/**
 * Fill factor of partitions, in percent. A session's row is updated every ten seconds. With free space in its page,
 * that is a HOT update, which adds no index entries.
 */
const FILL_PERCENT = 50;

/** `countsEstimates`: sessions derived from other players' requests also count in the charts. */
export type CountOptions = { countsEstimates: boolean; countsByRate?: boolean };

/**
 * Counts a batch of sessions, at most one per id, in one transaction: session rows, sums by hour and day, the totals of
 * videos and heat change together or not at all, so that they always agree. Idempotent: only a higher sequence counts.
 * Sessions of unknown media are left out. Returns the sessions that wait for evidence of deliveries, to be counted
 * again later.
 */
export async function countSessions(
  db: Db,
  sessions: readonly SeenSession[],
  { countsEstimates, countsByRate = false }: CountOptions = { countsEstimates: false },
): Promise<readonly SeenSession[]> {
  if (sessions.length === 0) return [];
  await ensureDays(db, sessions);
  const options = { nowMs: Date.now(), countsByRate };
  await ensureEvidence(db, sessions, options);
  return inTransaction(db, async (tx) => {
    const existing = await sessionsOfExistingMedia(tx, sessions);
    if (existing.length === 0) return [];
    const judged = await judgeSessions(tx, existing, options);
    const gain = gainOf(await storeSessions(tx, judged.sessions), countsEstimates);
    await addToHours(tx, gain.hours);
    await addToMedia(tx, gain.hours);
    await addToDays(tx, gain.days);
    await addToHeat(tx, gain.heat);
    await addToSketches(tx, gain.sketches);
    return judged.waiting;
  });
}

const NEVER_COUNTED: CountedSession = {
  sequence: -1,
  watchedSec: [],
  heat: Buffer.alloc(0),
  country: '',
  device: '',
  referrerHost: '',
  rungSec: [],
  startupMs: null,
  stallMs: 0,
  failures: 0,
  isSketched: false,
  verdict: 'undelivered',
  discardedSec: 0,
};

/** Creates the partitions of the sessions' days. Several edges may do so simultaneously. */
async function ensureDays(db: Db, sessions: readonly SeenSession[]): Promise<void> {
  const days = new Set(sessions.map(({ startHourMs }) => Math.floor(startHourMs / DAY_MS)));
  for (const day of days) {
    const [from, to] = [day, day + 1].map((n) => new Date(n * DAY_MS).toISOString());
    const name = `view_session_${from?.slice(0, 10).replaceAll('-', '_')}`;
    const { rows } = await sql<{ found: string | null }>`select to_regclass(${name}) as found`.execute(db);
    if (rows[0]?.found !== null) continue;
    await inTransaction(db, async (tx) => {
      await sql`select pg_advisory_xact_lock(hashtext('view_session_days'))`.execute(tx);
      const range = sql`for values from (${sql.lit(from)}) to (${sql.lit(to)})`;
      await sql`create table if not exists ${sql.id(name)} partition of view_session
        ${range} with (fillfactor = ${sql.lit(FILL_PERCENT)})`.execute(tx);
    });
  }
}

async function sessionsOfExistingMedia(tx: Tx, sessions: readonly SeenSession[]): Promise<SeenSession[]> {
  const ids = [...new Set(sessions.map(({ mediaId }) => mediaId))];
  const rows = await tx.selectFrom('media').select(['library_id', 'id']).where('id', 'in', ids).execute();
  const known = new Set(rows.map(({ library_id, id }) => `${library_id}/${id}`));
  return sessions.filter(({ libraryId, mediaId }) => known.has(`${libraryId}/${mediaId}`));
}

/**
 * Stores the sessions that are newer than their stored state. Returns them, each with the state that was already
 * counted. If another edge inserts the same session at the same time, its row is replaced as well: its additions are
 * never counted twice.
 */
async function storeSessions(tx: Tx, sessions: readonly SeenSession[]): Promise<CountedPair[]> {
  const continued = await replaceStored(tx, sessions);
  const rest = without(sessions, continued);
  const begun = await insertNew(tx, rest);
  const late = begun.length < rest.length ? await replaceStored(tx, without(rest, begun)) : [];
  return [...continued, ...begun, ...late];
}

function without(sessions: readonly SeenSession[], pairs: readonly CountedPair[]): SeenSession[] {
  const done = new Set(pairs.map(({ seen }) => seen));
  return sessions.filter((seen) => !done.has(seen));
}

/**
 * Replaces stored sessions, but keeps the country, device and referrer from their start. Locks rows in the
 * same order as all writers, and reads their counted state once they are locked.
 */
async function replaceStored(tx: Tx, sessions: readonly SeenSession[]): Promise<CountedPair[]> {
  if (sessions.length === 0) return [];
  const { rows } = await sql<StoredSession & SessionKey>`
    with newer as materialized (
      select sent.*, counted.sequence as old_sequence, counted.watched_sec as old_watched_sec, counted.heat as old_heat,
        counted.rung_sec as old_rung_sec, counted.startup_ms as old_startup_ms, counted.stall_ms as old_stall_ms,
        counted.failures as old_failures, counted.is_sketched as old_is_sketched, counted.verdict as old_verdict,
        counted.discarded_sec as old_discarded_sec
      from ${sentRows(sessions)} join view_session counted using (start_hour, session_id)
      where counted.sequence < sent.sequence order by counted.session_id for update of counted)
    update view_session held set sequence = newer.sequence, seen_at = now(), is_estimate = newer.is_estimate,
      is_sketched = held.is_sketched or newer.is_sketched, watched_sec = newer.watched_sec,
      heat = decode(newer.heat, 'base64'), rung_sec = newer.rung_sec::jsonb, startup_ms = newer.startup_ms,
      stall_count = newer.stall_count, stall_ms = newer.stall_ms, failures = newer.failures,
      verdict = newer.verdict, discarded_sec = newer.discarded_sec
    from newer where held.start_hour = newer.start_hour and held.session_id = newer.session_id
    returning held.start_hour as "startHour", held.session_id as "sessionId", held.country, held.device,
      held.referrer_host as "referrerHost", newer.old_sequence as "sequence", newer.old_watched_sec as "watchedSec",
      newer.old_heat as "heat", newer.old_rung_sec as "rungSec", newer.old_startup_ms as "startupMs",
      newer.old_stall_ms as "stallMs", newer.old_failures as "failures",
      newer.old_is_sketched as "isSketched", newer.old_verdict as "verdict",
      newer.old_discarded_sec as "discardedSec"`.execute(tx);
  const counted = new Map(rows.map((row) => [keyOf(row), row]));
  return sessions.flatMap((seen) => {
    const before = counted.get(keyOfSeen(seen));
    if (before === undefined) return [];
    return [{ seen, counted: { ...before, rungSec: Object.entries(before.rungSec) } }];
  });
}

/** Inserts and returns the sessions that had no row. */
async function insertNew(tx: Tx, sessions: readonly SeenSession[]): Promise<CountedPair[]> {
  if (sessions.length === 0) return [];
  const { rows } = await sql<SessionKey>`
    insert into view_session (start_hour, session_id, library_id, media_id, sequence, country, device, referrer_host,
      watched_sec, heat, rung_sec, startup_ms, stall_count, stall_ms, failures, is_estimate, is_sketched, verdict,
      discarded_sec)
    select start_hour, session_id, library_id, media_id, sequence, country, device, referrer_host,
      watched_sec, decode(heat, 'base64'), rung_sec::jsonb, startup_ms, stall_count, stall_ms, failures,
      is_estimate, is_sketched, verdict, discarded_sec
    from ${sentRows(sessions)} on conflict do nothing
    returning start_hour as "startHour", session_id as "sessionId"`.execute(tx);
  const made = new Set(rows.map(keyOf));
  return sessions.filter((seen) => made.has(keyOfSeen(seen))).map((seen) => ({ seen, counted: NEVER_COUNTED }));
}

type StoredSession = Omit<CountedSession, 'rungSec'> & { rungSec: Record<string, number> };
type SessionKey = { startHour: Date; sessionId: Guid };

function keyOf({ startHour, sessionId }: SessionKey): string {
  return `${startHour.getTime()}/${sessionId}`;
}

function keyOfSeen({ startHourMs, sessionId }: SeenSession): string {
  return `${startHourMs}/${sessionId}`;
}

/**
 * Returns the sessions as a SQL row source, sorted by id: all writers lock rows in the same order, which avoids
 * deadlocks.
 */
function sentRows(sessions: readonly SeenSession[]) {
  const rows = sessions.map(toRow).sort((a, b) => (a.session_id < b.session_id ? -1 : 1));
  return sql`json_to_recordset(${JSON.stringify(rows)}::json) as sent (start_hour timestamptz, session_id uuid,
    library_id bigint, media_id uuid, sequence integer, country text, device text, referrer_host text,
    watched_sec integer[], heat text, rung_sec text, startup_ms integer, stall_count integer, stall_ms integer,
    failures integer, is_estimate boolean, is_sketched boolean, verdict text, discarded_sec integer)`;
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
    rung_sec: `{${session.rungSec.map(([heightPx, sec]) => `"${heightPx}":${sec}`).join()}}`,
    startup_ms: session.startupMs,
    stall_count: session.stallCount,
    stall_ms: session.stallMs,
    failures: session.failures,
    is_estimate: session.isEstimate,
    is_sketched: session.viewer !== null && session.verdict !== 'undelivered',
    verdict: session.verdict,
    discarded_sec: session.discardedSec,
  };
}
