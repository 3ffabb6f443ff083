import { type Selectable, sql } from 'kysely';
import type { ShieldEventTable } from '../../account-schema.ts';
import type { Db, Tx } from '../../db.ts';
import type { EventStatus, ShieldEvent } from './shield-event.ts';

/** An event with its position in its day and zone. */
export type StoredEvent = ShieldEvent & { seq: number };

/** Selects events of a zone and a UTC day (`yyyy-MM-dd`) after a position (0: from the first). */
export type EventsRef = { zoneId: number; day: string; afterSeq: number };

/** Log of requests that the edges refused. */
export type ShieldEventStore = {
  /**
   * Stores events of today and of the previous days that are kept. Positions increase in commit order: anything stored
   * later, by any edge, follows everything readable before.
   */
  append(events: readonly ShieldEvent[]): Promise<void>;
  /** Returns up to `limit` events in order. */
  read(ref: EventsRef, limit: number): Promise<StoredEvent[]>;
  /** Drops the days before `firstDay`. */
  dropBefore(firstDay: string): Promise<void>;
};

/** Lock held by one writer at a time, from its first allocated position to the commit. */
const LOCK = 7_221_051;
const PARTITION = /^shield_event_(\d{4})(\d{2})(\d{2})$/;

export function createShieldEventStore(db: Db): ShieldEventStore {
  const made = new Set<string>();
  return {
    async append(events) {
      if (events.length === 0) return;
      for (const day of new Set(events.map(({ atMs }) => dayOf(atMs))))
        if (!made.has(day)) await makeDay(db, day, made);
      await db.transaction().execute(async (tx) => {
        await lock(tx);
        await tx.insertInto('shield_event').values(events.map(toRow)).execute();
      });
    },
    async read({ zoneId, day, afterSeq }, limit) {
      const rows = await db
        .selectFrom('shield_event')
        .selectAll()
        .where('day', '=', day)
        .where('zone_id', '=', zoneId)
        .where('seq', '>', afterSeq)
        .orderBy('seq')
        .limit(limit)
        .execute();
      return rows.map(toEvent);
    },
    async dropBefore(firstDay) {
      const { rows } = await sql<{ name: string }>`
        select inhrelid::regclass::text as name from pg_inherits where inhparent = 'shield_event'::regclass`.execute(
        db,
      );
      for (const { name } of rows) {
        const [, year, month, date] = PARTITION.exec(name) ?? [];
        const day = `${year}-${month}-${date}`;
        if (year === undefined || day >= firstDay) continue;
        await sql`drop table if exists ${sql.table(name)}`.execute(db);
        made.delete(day);
      }
    },
  };
}

/** Reads a stored row. */
export function toEvent(row: Selectable<ShieldEventTable>): StoredEvent {
  return {
    seq: row.seq,
    zoneId: row.zone_id,
    logId: row.log_id,
    atMs: row.at.getTime(),
    ruleId: row.rule_id,
    ruleGroup: row.rule_group,
    severity: row.severity,
    status: row.status as EventStatus, // Only `append` writes it.
    method: row.method,
    country: row.country,
    asn: row.asn,
    serverZone: row.server_zone,
    log: row.log,
  };
}

/** Returns the UTC day of a time, `yyyy-MM-dd`. */
export function dayOf(atMs: number): string {
  return new Date(atMs).toISOString().slice(0, 10);
}

async function makeDay(db: Db, day: string, made: Set<string>): Promise<void> {
  const next = dayOf(Date.parse(day) + 24 * 3600 * 1000);
  await db.transaction().execute(async (tx) => {
    await lock(tx);
    await sql`
      create table if not exists ${sql.table(`shield_event_${day.replaceAll('-', '')}`)}
      partition of shield_event for values from (${sql.lit(day)}) to (${sql.lit(next)})`.execute(tx);
  });
  made.add(day);
}

async function lock(tx: Tx): Promise<void> {
  await sql`select pg_advisory_xact_lock(${LOCK})`.execute(tx);
}

function toRow(event: ShieldEvent) {
  return {
    day: dayOf(event.atMs),
    zone_id: event.zoneId,
    seq: sql<number>`nextval('shield_event_seq')`,
    log_id: event.logId,
    at: new Date(event.atMs),
    rule_id: event.ruleId,
    rule_group: event.ruleGroup,
    severity: event.severity,
    status: event.status,
    method: event.method,
    country: event.country,
    asn: event.asn,
    server_zone: event.serverZone,
    log: event.log,
  };
}
