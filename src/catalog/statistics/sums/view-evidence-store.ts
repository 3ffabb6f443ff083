import { sql } from 'kysely';
import type { Guid } from '../../../lib/guid.ts';
import type { Db, Tx } from '../../db.ts';
import { judgeSession, type Stored, type ViewEvidence, WINDOW_MS } from './judge-session.ts';
import type { SeenSession } from './statistics-gain.ts';

/**
 * Media delivered to a viewer of a video. `passes`: number of deliveries of the most delivered segment. Browsers cache
 * segments, so at least this many viewers share the address and User-Agent.
 */
export type Delivery = { viewerId: Guid; deliveredMs: number; passes: number };

/** All deliveries to one viewer, and the time of the first. */
export type Delivered = Delivery & { firstMs: number };

/** Adds deliveries in one statement. All edges lock the rows in the same order, which avoids deadlocks. */
export async function keepDeliveries(db: Db, deliveries: readonly Delivered[], nowMs = Date.now()): Promise<void> {
  if (deliveries.length === 0) return;
  const sent = JSON.stringify(deliveries.map((each) => ({ ...each, deliveredMs: Math.round(each.deliveredMs) })));
  await sql`
    insert into view_evidence as held (viewer_id, delivered_ms, passes, first_ms, seen_ms)
    select "viewerId", "deliveredMs", passes, "firstMs", ${nowMs}
    from json_to_recordset(${sent}::json) as sent ("viewerId" uuid, "deliveredMs" bigint, passes integer,
      "firstMs" bigint)
    order by "viewerId"
    on conflict (viewer_id) do update set delivered_ms = held.delivered_ms + excluded.delivered_ms,
      passes = case when held.seen_ms < ${nowMs - WINDOW_MS} then excluded.passes
        else greatest(held.passes, excluded.passes) end, seen_ms = ${nowMs}`.execute(db);
}

export type JudgeOptions = {
  nowMs: number;
  /** True if a CDN delivers the media: elapsed time replaces delivered media as evidence. */
  countsByRate: boolean;
};

/** Sessions limited to their evidence, and sessions that wait for evidence that may still arrive. */
export type Judged = { sessions: SeenSession[]; waiting: SeenSession[] };

/**
 * Creates evidence rows for viewers whose deliveries are not reported: the viewers of estimates, which are derived from
 * deliveries themselves, and all viewers if views are counted by rate. Uses a separate transaction, so that all edges
 * take their locks in the same order.
 */
export async function ensureEvidence(
  db: Db,
  sessions: readonly SeenSession[],
  { nowMs, countsByRate }: JudgeOptions,
): Promise<void> {
  const made = sessions.flatMap((session) =>
    session.viewerId !== null && (session.isEstimate || countsByRate) ? session.viewerId : [],
  );
  if (made.length === 0) return;
  const ids = JSON.stringify([...new Set(made)]);
  await sql`insert into view_evidence (viewer_id, first_ms, seen_ms)
    select id::uuid, ${nowMs}, ${nowMs} from json_array_elements_text(${ids}::json) as id order by 1
    on conflict (viewer_id) do update set seen_ms = ${nowMs}`.execute(db);
}

/** Judges a batch under locks on its viewers' evidence, and records the evidence that it uses. */
export async function judgeSessions(tx: Tx, sessions: readonly SeenSession[], options: JudgeOptions): Promise<Judged> {
  const viewers = [...new Set(sessions.flatMap(({ viewerId }) => viewerId ?? []))];
  if (viewers.length === 0) return { sessions: [...sessions], waiting: [] };
  const evidence = await lockEvidence(tx, viewers);
  const stored = await readStored(tx, sessions);
  const judged: Judged = { sessions: [], waiting: [] };
  for (const session of sessions) {
    const known = session.viewerId === null ? null : (evidence.get(session.viewerId) ?? null);
    const before = stored.get(session.sessionId) ?? null;
    const found = session.viewerId === null ? session : judgeSession(session, { evidence: known, before }, options);
    if (found === 'wait') judged.waiting.push(session);
    else judged.sessions.push(found);
  }
  await keepUse(tx, [...evidence.values()]);
  return judged;
}

async function lockEvidence(tx: Tx, viewers: readonly Guid[]): Promise<Map<Guid, ViewEvidence>> {
  const { rows } = await sql<ViewEvidence>`
    select viewer_id as "viewerId", delivered_ms as "deliveredMs", used_sec as "usedSec", passes, views,
      window_ms as "windowMs", first_ms as "firstMs"
    from view_evidence where viewer_id in (${sql.join(viewers)}) order by viewer_id for update`.execute(tx);
  return new Map(rows.map((row) => [row.viewerId, row]));
}

async function readStored(tx: Tx, sessions: readonly SeenSession[]): Promise<Map<Guid, Stored>> {
  const keys = sessions.map(({ startHourMs, sessionId }) => ({ hour: new Date(startHourMs).toISOString(), sessionId }));
  const { rows } = await sql<Stored & { sessionId: Guid }>`
    select session_id as "sessionId", sequence, watched_sec as "watchedSec", heat, verdict
    from view_session join json_to_recordset(${JSON.stringify(keys)}::json) as sent (hour timestamptz, "sessionId" uuid)
      on start_hour = hour and session_id = "sessionId"`.execute(tx);
  return new Map(rows.map((row) => [row.sessionId, row]));
}

async function keepUse(tx: Tx, evidence: readonly ViewEvidence[]): Promise<void> {
  if (evidence.length === 0) return;
  await sql`
    update view_evidence held set used_sec = sent."usedSec", views = sent.views, window_ms = sent."windowMs"
    from json_to_recordset(${JSON.stringify(evidence)}::json)
      as sent ("viewerId" uuid, "usedSec" bigint, views integer, "windowMs" bigint)
    where held.viewer_id = sent."viewerId"
      and (held.used_sec, held.views, held.window_ms) <> (sent."usedSec", sent.views, sent."windowMs")`.execute(tx);
}
