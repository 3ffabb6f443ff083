import { Type } from 'typebox';
import type { PullZoneStore } from '../../catalog/pull-zones/pull-zone-store.ts';
import { readCursor, writeCursor } from '../../catalog/shield/events/event-cursor.ts';
import { EVENT_LOG_DAYS } from '../../catalog/shield/events/shield-event.ts';
import { dayOf, type ShieldEventStore, type StoredEvent } from '../../catalog/shield/events/shield-event-store.ts';
import { quote } from '../../lib/quote.ts';
import type { DerivedSecret } from '../../lib/secret-ring.ts';
import { defineOperation } from '../define-operation.ts';
import { EventLogPage, type Log } from '../models/event-log.ts';
import { RefusedEventLog } from '../refused-event-log.ts';
import { isZone } from './shield-zone.ts';

type Deps = { shieldEvents: ShieldEventStore; pullZones: PullZoneStore; cursorSecret: DerivedSecret<Uint8Array> };
type Requested = { shieldZoneId: string; date: string; continuationToken: string };

const PAGE_EVENTS = 100;
const DAY_MS = 24 * 3600 * 1000;
const DATE = /^(\d{2})-(\d{2})-(\d{4})$/;
const ZONE = /^\d{1,15}$/;

const shared = {
  method: 'GET',
  auth: 'account-key',
  permission: 'account.manage',
  answer: EventLogPage,
  refusals: { invalid: 400, 'not-found': 404 },
  errorShape: 'event-log',
} as const;

const ZoneParams = {
  shieldZoneId: Type.String({
    description: 'Id of the shield zone, equal to the id of its pull zone. 0 for requests that match no pull zone.',
  }),
  date: Type.String({ description: 'UTC day as MM-dd-yyyy: today or one of the two days before.' }),
};

/** Returns the page after the one with the given token, from the events of one zone and day. */
export const getEventLogs = defineOperation({
  ...shared,
  name: 'getEventLogs',
  summary: 'Get the next page of event logs',
  path: '/shield/event-logs/{shieldZoneId}/{date}/{continuationToken}',
  description:
    'Returns the next page of the requests that the edges refused or logged on a UTC day, oldest first. Pass the ' +
    'token of the previous page.',
  params: Type.Object({
    ...ZoneParams,
    continuationToken: Type.String({ description: 'Token of the previous page.' }),
  }),
  run: ({ params }, deps: Deps) => readPage(params, deps),
});

/** Returns the first page of the events of one zone and day. */
export const getFirstEventLogs = defineOperation({
  ...shared,
  name: 'getFirstEventLogs',
  summary: 'Get the first page of event logs',
  path: '/shield/event-logs/{shieldZoneId}/{date}',
  description: 'Returns the first page of the requests that the edges refused or logged on a UTC day, oldest first.',
  params: Type.Object(ZoneParams),
  run: ({ params }, deps: Deps) => readPage({ ...params, continuationToken: '' }, deps),
});

async function readPage(requested: Requested, deps: Deps): Promise<EventLogPage> {
  const { shieldEvents, cursorSecret } = deps;
  const day = readDay(requested.date, Date.now());
  const zoneId = await readZone(requested.shieldZoneId, deps);
  const first = { zoneId, day, afterSeq: 0 };
  const position =
    requested.continuationToken === '' ? first : readCursor(requested.continuationToken, first, cursorSecret());
  if (position === null) {
    const message =
      'Expected a continuationToken of a page of this zone and day, got ' +
      `"${requested.continuationToken.slice(0, 80)}". Start again without a token.`;
    throw new RefusedEventLog('unauthenticated', message, 'invalid_continuation_token.event_logs');
  }
  const events = await shieldEvents.read(position, PAGE_EVENTS + 1);
  const shown = events.slice(0, PAGE_EVENTS);
  const last = shown.at(-1);
  const hasMoreData = events.length > PAGE_EVENTS && last !== undefined;
  return {
    logs: shown.map(toLog),
    hasMoreData,
    continuationToken: hasMoreData ? writeCursor({ ...position, afterSeq: last.seq }, cursorSecret()[0]) : '',
    startToken: writeCursor(position, cursorSecret()[0]),
    errorResponse: { statusCode: 200, success: true, message: null, errorKey: null },
  };
}

/**
 * Parses the day as `yyyy-MM-dd`. Throws `Refused`: `invalid` if the text is not a date, `unauthenticated` (as clients
 * expect) if the day is in the future or too old.
 */
function readDay(date: string, nowMs: number): string {
  const [, month, dayOfMonth, year] = DATE.exec(date) ?? [];
  const day = `${year}-${month}-${dayOfMonth}`;
  if (year === undefined || !isDay(day)) {
    const message =
      `Expected date to be a UTC day as MM-dd-yyyy, such as ${exampleOf(nowMs)}, got ${quote(date)}. Correct the ` +
      'URL.';
    throw new RefusedEventLog('invalid', message, 'invalid_date.event_logs');
  }
  if (day <= dayOf(nowMs) && day > dayOf(nowMs - EVENT_LOG_DAYS * DAY_MS)) return day;
  const message = 'You can only view the past 3 days (72 hours) of Event Logs.';
  throw new RefusedEventLog('unauthenticated', message, 'invalid_datetime_window.event_logs');
}

/** Returns whether a date exists. False for a date such as 31 April. */
function isDay(day: string): boolean {
  const ms = Date.parse(`${day}T00:00:00Z`);
  return !Number.isNaN(ms) && dayOf(ms) === day;
}

function exampleOf(nowMs: number): string {
  return dayOf(nowMs).replace(/^(\d{4})-(\d{2})-(\d{2})$/, '$2-$3-$1');
}

/** Parses the id of a zone. Throws `Refused` (`not-found`) if the zone does not exist. */
async function readZone(text: string, { pullZones }: Deps): Promise<number> {
  const id = ZONE.test(text) ? Number(text) : null;
  if (id !== null && (await isZone(id, pullZones))) return id;
  const message = `There is no shield zone ${quote(text)}. Use the id of its pull zone, or 0 for requests without one.`;
  throw new RefusedEventLog('not-found', message, 'shield_zone_not_found.event_logs');
}

function toLog(event: StoredEvent): Log {
  const { asn, country, ruleId, severity, method, ruleGroup, status, serverZone } = event;
  return {
    logId: event.logId,
    timestamp: event.atMs,
    log: event.log,
    labels: { asn, country, ruleId, severity, method, ruleGroup, status, serverZone },
  };
}
