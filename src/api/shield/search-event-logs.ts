import { Type } from 'typebox';
import type { PullZoneStore } from '../../catalog/pull-zones/pull-zone-store.ts';
import type { EventSearchStore } from '../../catalog/shield/events/event-search-store.ts';
import { defineOperation } from '../define-operation.ts';
import { EventLogsSearchRequest, EventLogsSearchResponse } from '../models/event-search.ts';
import { idParam } from '../read-params.ts';
import { toEventFields } from './event-fields.ts';
import { readField, toEventQuery } from './event-window.ts';
import { requireZone } from './shield-zone.ts';

const PAGE_EVENTS = 50;
const MAX_PER_PAGE = 500;
const LAST_PAGE = 10_000;

type Deps = { eventSearch: EventSearchStore; pullZones: PullZoneStore };

export const searchEventLogs = defineOperation({
  name: 'searchEventLogs',
  method: 'POST',
  isRead: true,
  path: '/shield/event-logs/{shieldZoneId}/search',
  description:
    'Searches the requests that the edges refused or logged in the last 72 hours, newest first. Combines text and ' +
    'filters with AND, and returns rows or groups. The first page is 0. In addition to the hosted API, ' +
    '`severity` and `method` can also be filtered and grouped.',
  auth: 'account-key',
  permission: 'account.manage',
  params: Type.Object({ shieldZoneId: idParam('shield zone') }),
  body: EventLogsSearchRequest,
  answer: EventLogsSearchResponse,
  refusals: { invalid: 400, 'not-found': 404 },
  errorShape: 'problem',
  async run({ params, body }, { eventSearch, pullZones }: Deps): Promise<EventLogsSearchResponse> {
    await requireZone(params.shieldZoneId, pullZones);
    const query = toEventQuery(params.shieldZoneId, body, Date.now());
    const limit = Math.min(Math.max(body.pageSize || PAGE_EVENTS, 1), MAX_PER_PAGE);
    const page = Math.min(Math.max(body.page ?? 0, 0), LAST_PAGE);
    const by = [...new Set((body.groupBy ?? []).map(readField))];
    const part = { offset: page * limit, limit };
    const ends = (total: number) => ({ total, totalPages: Math.ceil(total / limit), page });
    if (by.length === 0) {
      const { items, total } = await eventSearch.findEvents(query, part);
      const rows = items.map((event) => ({
        logId: event.logId,
        timestamp: event.atMs,
        log: event.log,
        fields: toEventFields(event),
      }));
      return { rows, groups: null, ...ends(total) };
    }
    const { items, total } = await eventSearch.group(query, by, part);
    const groups = items.map(({ key, count, firstMs, lastMs }) => ({
      key,
      count,
      firstSeen: firstMs,
      lastSeen: lastMs,
    }));
    return { rows: null, groups, ...ends(total) };
  },
});
