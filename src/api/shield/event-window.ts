import ipaddr from 'ipaddr.js';
import {
  EVENT_FIELDS,
  type EventField,
  type EventFilter,
  type EventQuery,
  FILTER_OPERATORS,
  type FilterOperator,
} from '../../catalog/shield/events/event-query.ts';
import { quote } from '../../lib/quote.ts';
import { Refused } from '../../lib/refused.ts';
import type { EventLogsExportRequest } from '../models/event-search.ts';

const WINDOW_MS = 72 * 3600 * 1000;
/** Tolerance for callers whose clock runs fast and whose windows end now, in ms. */
const CLOCK_SLACK_MS = 60_000;

/**
 * Parses a search of a zone. Throws `Refused` (`invalid`) if the window is invalid, or a field or operator is unknown.
 */
export function toEventQuery(zoneId: number, sent: EventLogsExportRequest, nowMs: number): EventQuery {
  const { from, to } = sent;
  if (to <= from || from < nowMs - WINDOW_MS - CLOCK_SLACK_MS || to > nowMs + WINDOW_MS) {
    const message =
      'Expected from before to, both within the last 72 hours, as milliseconds since 1970. Correct the times.';
    throw new Refused('invalid', message, { field: 'from' });
  }
  return {
    zoneId,
    fromMs: from,
    toMs: to,
    text: sent.query?.trim() ?? '',
    filters: (sent.filters ?? []).map(readFilter),
  };
}

/** Parses the name of a field. Throws `Refused` (`invalid`) if events do not have this field. */
export function readField(name: string): EventField {
  const field = EVENT_FIELDS.find((known) => known.toLowerCase() === name.toLowerCase());
  if (field !== undefined) return field;
  throw new Refused(
    'invalid',
    `Expected one of the fields ${EVENT_FIELDS.join(', ')}, got ${quote(name)}. Correct the value.`,
  );
}

type SentFilter = NonNullable<EventLogsExportRequest['filters']>[number];

function readFilter({ field, op, value }: SentFilter): EventFilter {
  const operator = readOperator(op ?? 'eq');
  const values = value ?? [];
  const read = readField(field);
  if (operator === 'cidr') {
    const invalid = values.find((one) => !ipaddr.isValid(one) && !ipaddr.isValidCIDR(one));
    if (read !== 'ip' || invalid !== undefined) {
      const got = read === 'ip' ? quote(invalid ?? '') : read;
      throw new Refused(
        'invalid',
        `Expected ip with addresses or CIDR ranges for the operator cidr, got ${got}. Correct the values.`,
      );
    }
  }
  return { field: read, operator, values };
}

function readOperator(name: string): FilterOperator {
  const operator = FILTER_OPERATORS.find((known) => known === name.toLowerCase());
  if (operator !== undefined) return operator;
  throw new Refused(
    'invalid',
    `Expected op to be one of ${FILTER_OPERATORS.join(', ')}, got ${quote(name)}. Correct the value.`,
  );
}
