import { type RawBuilder, sql } from 'kysely';
import { hasCode } from '../../../lib/has-code.ts';
import { Refused } from '../../../lib/refused.ts';
import { containing } from '../../containing.ts';
import type { Db, Tx } from '../../db.ts';
import type { EventField, EventFilter, EventGroup, EventQuery } from './event-query.ts';
import { dayOf, type StoredEvent, toEvent } from './shield-event-store.ts';

/** A page of a search: its rows or groups, and the total number. */
export type Found<Item> = { items: Item[]; total: number };
export type Part = { offset: number; limit: number };

/** Searches requests that the edges refused or logged. Throws `Refused` (`timeout`) if a search takes too long. */
export type EventSearchStore = {
  /** Returns events, newest first. */
  findEvents(query: EventQuery, part: Part): Promise<Found<StoredEvent>>;
  /** Returns groups, largest first. */
  group(query: EventQuery, by: readonly EventField[], part: Part): Promise<Found<EventGroup>>;
  /** Yields all events in order, in batches. */
  readAll(query: EventQuery): AsyncGenerator<StoredEvent[]>;
};

const SEARCH_LIMIT_MS = 15_000;
const BATCH_EVENTS = 1_000;
const QUERY_CANCELED = '57014';

export function createEventSearchStore(db: Db): EventSearchStore {
  return {
    findEvents: (query, { offset, limit }) =>
      inTime(db, async (tx) => {
        const all = selectEvents(tx, query);
        const counted = await all.select((eb) => eb.fn.countAll<number>().as('total')).executeTakeFirstOrThrow();
        const page = all.selectAll().orderBy('at', 'desc').orderBy('seq', 'desc').offset(offset).limit(limit);
        return { items: (await page.execute()).map(toEvent), total: counted.total };
      }),
    group: (query, by, { offset, limit }) =>
      inTime(db, async (tx) => {
        const columns = by.map((field) => EXPRESSIONS[field].as(field));
        const groups = selectEvents(tx, query)
          .select(columns)
          .select((eb) => [
            eb.fn.countAll<number>().as('count'),
            eb.fn.min('at').as('first'),
            eb.fn.max('at').as('last'),
          ])
          .groupBy(by.map((_, index) => sql.raw<string>(String(index + 1))));
        const rows = await groups
          .orderBy('count', 'desc')
          .orderBy('last', 'desc')
          .offset(offset)
          .limit(limit)
          .execute();
        const counted = await tx
          .selectFrom(groups.as('grouped'))
          .select((eb) => eb.fn.countAll<number>().as('total'))
          .executeTakeFirstOrThrow();
        const items = rows.map((row) => ({
          key: Object.fromEntries(by.map((field) => [field, row[field]])),
          count: row.count,
          firstMs: row.first.getTime(),
          lastMs: row.last.getTime(),
        }));
        return { items, total: counted.total };
      }),
    async *readAll(query) {
      // Days and positions increase together, so each batch begins where the previous one ended.
      for (let day = dayOf(query.fromMs), afterSeq = 0; ; ) {
        const rows = await inTime(db, (tx) =>
          selectEvents(tx, query)
            .selectAll()
            .where((eb) => eb.or([eb('day', '>', day), eb.and([eb('day', '=', day), eb('seq', '>', afterSeq)])]))
            .orderBy('day')
            .orderBy('seq')
            .limit(BATCH_EVENTS)
            .execute(),
        );
        const last = rows.at(-1);
        if (last === undefined) return;
        yield rows.map(toEvent);
        if (rows.length < BATCH_EVENTS) return;
        [day, afterSeq] = [dayOf(last.at.getTime()), last.seq];
      }
    },
  };
}

function selectEvents(tx: Db, { zoneId, fromMs, toMs, text, filters }: EventQuery) {
  return tx
    .selectFrom('shield_event')
    .where('zone_id', '=', zoneId)
    .where('day', '>=', dayOf(fromMs))
    .where('day', '<=', dayOf(toMs))
    .where('at', '>=', new Date(fromMs))
    .where('at', '<', new Date(toMs))
    .where((eb) => eb.and(filters.map((filter) => eb.or(filter.values.map((value) => fits(filter, value))))))
    .$if(text !== '', (query) =>
      query.where((eb) => eb.or(SEARCHED.map((part) => sql<boolean>`${part} ilike ${containing(text)}`))),
    );
}

const details = (name: string) => sql<string>`coalesce(log::jsonb ->> ${sql.lit(name)}, '')`;
const userAgent = sql<string>`coalesce(
  jsonb_path_query_first(log::jsonb, '$.Headers[*] ? (@.Name == "user-agent").Value') #>> '{}', '')`;

/** Column of each field. `ja4` is unknown here, because the edge sees no TLS handshake. */
const EXPRESSIONS: Readonly<Record<EventField, RawBuilder<string>>> = {
  feature: sql<string>`rule_group`,
  ruleId: sql<string>`rule_id`,
  ip: details('RemoteIp'),
  ja4: sql<string>`''`,
  ua: userAgent,
  url: details('Url'),
  asn: sql<string>`asn`,
  country: sql<string>`country`,
  action: sql<string>`status`,
  severity: sql<string>`severity`,
  method: sql<string>`method`,
};

const SEARCHED = [EXPRESSIONS.ip, EXPRESSIONS.ruleId, EXPRESSIONS.url, EXPRESSIONS.ua, details('Message')];

function fits({ field, operator }: EventFilter, value: string): RawBuilder<boolean> {
  const expression = EXPRESSIONS[field];
  switch (operator) {
    case 'eq':
    case 'in':
      return sql<boolean>`${expression} = ${value}`;
    case 'contains':
      return sql<boolean>`${expression} ilike ${containing(value)}`;
    case 'wildcard':
      return sql<boolean>`${expression} ilike ${value.replaceAll(/[\\%_]/g, '\\$&').replaceAll('*', '%')}`;
    case 'cidr':
      // An anonymised address (a network) matches a network that contains all of it.
      return sql<boolean>`case when ${expression} ~ '^[0-9a-f]*[.:][0-9a-f.:]*([.][*]|[0-9a-f:]|/64)$'
        then replace(${expression}, '*', '0')::inet <<= ${value}::inet else false end`;
  }
}

async function inTime<Result>(db: Db, run: (tx: Tx) => Promise<Result>): Promise<Result> {
  try {
    return await db.transaction().execute(async (tx) => {
      await sql`set local statement_timeout = ${sql.lit(SEARCH_LIMIT_MS)}`.execute(tx);
      return run(tx);
    });
  } catch (error) {
    if (!hasCode(error, QUERY_CANCELED)) throw error;
    throw new Refused('timeout', 'The search took too long. Search a shorter window, or filter by ruleId.', {
      cause: error,
    });
  }
}
