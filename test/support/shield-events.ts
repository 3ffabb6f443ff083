import type { ShieldEvent } from '../../src/catalog/shield/events/shield-event.ts';
import { newGuid } from '../../src/lib/guid.ts';

/** Returns an event for a refused token, as an edge records it. */
export function makeShieldEvent(zoneId: number, atMs = Date.now()): ShieldEvent {
  const labels = {
    ruleId: '10101',
    ruleGroup: 'TOKEN',
    severity: 'WARNING',
    status: 'Blocked',
    method: 'GET',
  } as const;
  const place = { country: 'DE', asn: '64500', serverZone: 'TEST' };
  return { zoneId, logId: newGuid(), atMs, ...labels, ...place, log: '{"Message":"Token signature mismatch"}' };
}

/** Formats a day (`yyyy-MM-dd`) as URLs of the event log do. */
export function wordDate(day: string): string {
  const [year = '', month = '', date = ''] = day.split('-');
  return `${month}-${date}-${year}`;
}
