import { Readable } from 'node:stream';
import { Type } from 'typebox';
import type { PullZoneStore } from '../../catalog/pull-zones/pull-zone-store.ts';
import type { EventSearchStore } from '../../catalog/shield/events/event-search-store.ts';
import type { StoredEvent } from '../../catalog/shield/events/shield-event-store.ts';
import { csvLine } from '../csv-line.ts';
import { defineOperation } from '../define-operation.ts';
import { EventLogsExportRequest } from '../models/event-search.ts';
import { idParam } from '../read-params.ts';
import { toEventFields } from './event-fields.ts';
import { toEventQuery } from './event-window.ts';
import { requireZone } from './shield-zone.ts';

const COLUMNS = [
  'timestamp',
  'logId',
  'action',
  'ruleId',
  'feature',
  'severity',
  'message',
  'method',
  'url',
  'ip',
  'asn',
  'country',
  'ua',
] as const;

type Deps = { eventSearch: EventSearchStore; pullZones: PullZoneStore };

export const exportEventLogs = defineOperation({
  name: 'exportEventLogs',
  method: 'POST',
  isRead: true,
  path: '/shield/event-logs/{shieldZoneId}/export',
  description: 'Exports all events of a search as CSV, oldest first. The response is streamed and has no size limit.',
  auth: 'account-key',
  permission: 'account.manage',
  params: Type.Object({ shieldZoneId: idParam('shield zone') }),
  body: EventLogsExportRequest,
  answer: 'csv',
  fileName: 'events.csv',
  refusals: { invalid: 400, 'not-found': 404 },
  errorShape: 'problem',
  async run({ params, body, signal }, { eventSearch, pullZones }: Deps) {
    await requireZone(params.shieldZoneId, pullZones);
    const query = toEventQuery(params.shieldZoneId, body, Date.now());
    const batches = eventSearch.readAll(query);
    // Reads the first batch early, because errors after the first byte can no longer change the status.
    const first = await batches.next();
    return Readable.from(writeCsv(first.done === true ? [] : first.value, batches), { signal });
  },
});

async function* writeCsv(first: readonly StoredEvent[], rest: AsyncIterable<StoredEvent[]>): AsyncGenerator<string> {
  yield `${csvLine(COLUMNS)}${linesOf(first)}`;
  for await (const events of rest) yield linesOf(events);
}

function linesOf(events: readonly StoredEvent[]): string {
  return events.map(lineOf).join('');
}

function lineOf(event: StoredEvent): string {
  const fields = toEventFields(event);
  const own: Record<string, string> = { timestamp: new Date(event.atMs).toISOString(), logId: event.logId };
  return csvLine(COLUMNS.map((column) => own[column] ?? fields[column] ?? ''));
}
