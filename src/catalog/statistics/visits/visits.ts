import type { KeyObject } from 'node:crypto';
import { isbot } from 'isbot';
import { remember } from '../../../lib/remember.ts';
import type { DerivedSecret } from '../../../lib/secret-ring.ts';
import { readBeacon } from '../sessions/viewing-session.ts';
import { readTicket } from '../sessions/viewing-ticket.ts';
import type { SeenSession } from '../sums/statistics-gain.ts';
import type { Delivered, Delivery } from '../sums/view-evidence-store.ts';
import { openDeliveryBuffer } from './delivery-buffer.ts';
import { type Device, deviceOf } from './device.ts';
import type { PlaceViewer } from './place-viewer.ts';
import { openSessionBuffer, type SessionBufferDeps } from './session-buffer.ts';
import { viewerId } from './viewer-id.ts';

/** A received beacon: a line with the page's ticket, then JSON (`viewing-session.ts`), with its sender and time. */
export type SentBeacon = { body: string; country: string; address: string; userAgent: string; nowMs: number };

/** Counts viewing sessions: those reported by player pages, and estimates of other players. */
export type Visits = {
  /**
   * Accepts a player page's beacon. Ignores beacons that none of our pages wrote, expired beacons and those of
   * crawlers. If distinct viewers are counted, the address is placed in the day's sketch; it is not passed on.
   */
  take(beacon: SentBeacon): void;
  estimate(session: SeenSession): void;
  /** Accepts evidence that media was delivered to a viewer. */
  deliver(delivery: Delivery): void;
  /** Writes the buffered sessions, for some seconds at most, and stops. */
  close(): Promise<void>;
};

export type VisitsDeps = SessionBufferDeps & {
  ticketSecret: DerivedSecret<KeyObject>;
  /** Always returns null if distinct viewers are not counted. */
  placeViewer: PlaceViewer;
  /** Stores evidence of deliveries. If absent, sessions count without evidence. */
  keepDeliveries?: (deliveries: readonly Delivered[]) => Promise<void>;
  /** True if a CDN delivers the media: then each IP address counts as one viewer, whatever its User-Agent. */
  countsByRate?: boolean;
};

/** Results per User-Agent header: a person's device, or null for a crawler. Most viewers send one of a few. */
type Agents = Map<string, Device | null>;

/** Other edges write their deliveries once a second; the complete delivery of a segment may take longer. */
const EVIDENCE_WAIT_MS = 20_000;
const MAX_AGENTS = 1_000;
const MAX_AGENT_CHARS = 512;

/** Starts counting viewing sessions in this thread. */
export function openVisits(deps: VisitsDeps): Visits {
  const { keepDeliveries } = deps;
  const deliveries = keepDeliveries === undefined ? null : openDeliveryBuffer(keepDeliveries);
  const sessions = openSessionBuffer({ ...deps, prepare: async () => deliveries?.write() });
  const reading = { ...deps, agents: new Map() };
  return {
    take(beacon) {
      const session = readSession(beacon, reading);
      if (session !== null) sessions.add(session);
    },
    estimate: (session) => sessions.add(deliveries === null ? { ...session, viewerId: null } : session),
    deliver: (delivery) => deliveries?.add(delivery),
    close: sessions.close,
  };
}

function readSession(
  { body, country, address, userAgent, nowMs }: SentBeacon,
  { ticketSecret, placeViewer, agents, keepDeliveries, countsByRate = false }: VisitsDeps & { agents: Agents },
): SeenSession | null {
  const device = findDevice(userAgent, agents);
  if (device === null) return null;
  const end = body.indexOf('\n');
  const ticket = end === -1 ? null : readTicket(body.slice(0, end), ticketSecret(), nowMs);
  const session = ticket === null ? null : readBeacon(body.slice(end + 1), ticket, nowMs);
  if (session === null) return null;
  const { libraryId, mediaId, startHourMs } = session;
  const seen = countsByRate ? ({ kind: 'address', userAgent: '' } as const) : ({ kind: 'page', userAgent } as const);
  return {
    ...session,
    country,
    device,
    viewer: placeViewer({ libraryId, address, userAgent }, startHourMs),
    isEstimate: false,
    viewerId:
      keepDeliveries === undefined ? null : viewerId({ libraryId, mediaId, address, ...seen }, ticketSecret()[0]),
    decideAtMs: nowMs + EVIDENCE_WAIT_MS,
    verdict: 'counted',
    discardedSec: 0,
  };
}

function findDevice(userAgent: string, agents: Agents): Device | null {
  const known = agents.get(userAgent);
  if (known !== undefined) return known;
  const device = userAgent === '' || isbot(userAgent) ? null : deviceOf(userAgent);
  if (userAgent.length <= MAX_AGENT_CHARS) remember(agents, [userAgent, device], MAX_AGENTS);
  return device;
}
