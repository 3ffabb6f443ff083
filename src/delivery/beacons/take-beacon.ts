import type { IncomingMessage } from 'node:http';
import { isbot } from 'isbot';
import { readBeacon } from '../../catalog/statistics/viewing-session.ts';
import { readTicket } from '../../catalog/statistics/viewing-ticket.ts';
import type { EdgeViewing } from '../edge-deps.ts';
import { deviceOf } from './device.ts';
import type { SessionBuffer } from './session-buffer.ts';

export type BeaconDeps = Pick<EdgeViewing, 'geo' | 'ticketSecret' | 'heatCurve' | 'placeViewer'> & {
  sessions: SessionBuffer;
};

/** The longest body that is read, in bytes. */
export const MAX_BEACON_BYTES = 8_192;

/**
 * Takes what a player page sends of a visit: a line with the page's ticket, then JSON (`viewing-session.ts`). What no
 * page of ours wrote, what is out of date and what crawlers send counts nothing; the answer never says which. The
 * address is looked up and, where different viewers are counted, placed in the day's sketch; it goes no further.
 */
export function takeBeacon(
  { body, address, headers }: { body: string; address: string; headers: IncomingMessage['headers'] },
  { sessions, geo, ticketSecret, placeViewer }: BeaconDeps,
  nowMs: number,
): void {
  const userAgent = headers['user-agent'] ?? '';
  if (userAgent === '' || isbot(userAgent)) return;
  const end = body.indexOf('\n');
  const ticket = end === -1 ? null : readTicket(body.slice(0, end), ticketSecret, nowMs);
  const session = ticket === null ? null : readBeacon(body.slice(end + 1), ticket, nowMs);
  if (session === null) return;
  const { libraryId, startHourMs } = session;
  sessions.add({
    ...session,
    country: geo.countryOf(address) ?? '',
    device: deviceOf(userAgent),
    viewer: placeViewer({ libraryId, address, userAgent }, startHourMs),
    isEstimate: false,
  });
}
