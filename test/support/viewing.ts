import { createSecretKey } from 'node:crypto';
import type { SessionBufferDeps } from '../../src/catalog/statistics/visits/session-buffer.ts';
import { openVisits, type VisitsDeps } from '../../src/catalog/statistics/visits/visits.ts';
import type { EdgeViewing } from '../../src/delivery/edge-deps.ts';

export const TICKET_SECRET = createSecretKey(Buffer.alloc(32, 8));

type Counting = Partial<SessionBufferDeps & Omit<EdgeViewing, 'visits'>> &
  Pick<VisitsDeps, 'keepDeliveries' | 'countsByRate'>;

/**
 * Returns the session counting of an edge, on a separate thread. Sessions are passed to `count`, or dropped by default.
 */
export function testViewing(counting: Counting = {}): EdgeViewing {
  const {
    count = async () => undefined,
    ticketSecret = () => [TICKET_SECRET] as const,
    heatCurve = async () => null,
    viewersNow = async () => null,
    keepDelivered = async () => undefined,
    ...evidence
  } = counting;
  const visits = openVisits({ count, ticketSecret, placeViewer: () => null, ...evidence });
  return { visits, heatCurve, viewersNow, ticketSecret, keepDelivered };
}
