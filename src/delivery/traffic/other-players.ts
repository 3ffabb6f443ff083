import type { KeyObject } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { isbot } from 'isbot';
import type { Publication } from '../../catalog/publications/publication.ts';
import type { SeenSession } from '../../catalog/statistics/sums/statistics-gain.ts';
import { deviceOf } from '../../catalog/statistics/visits/device.ts';
import { viewerId } from '../../catalog/statistics/visits/viewer-id.ts';
import type { Visits } from '../../catalog/statistics/visits/visits.ts';
import { type Guid, newGuid } from '../../lib/guid.ts';
import { remember } from '../../lib/remember.ts';
import type { EdgeRequest } from '../receive/receive.ts';

/**
 * Estimates what is watched with other players than ours, which send no beacons: from the segments that they got.
 */
export type OtherPlayers = { see(request: EdgeRequest, publication: Publication, piece: SentPiece): void };

/** A segment that was sent, and the length of the share of it that was. */
export type SentPiece = { segment: number; lengthMs: number };

type Visit = {
  sessionId: Guid;
  viewerId: Guid;
  startMs: number;
  lastMs: number;
  sequence: number;
  /** A bit for each segment that was sent. */
  seen: Uint8Array;
  count: number;
  /** Length of the segments sent so far, each once. */
  lengthMs: number;
};

const HOUR_MS = 3600_000;
const IDLE_MS = HOUR_MS / 2;
/** Who requests one segment looks; who goes on watches. */
const FEWEST_SEGMENTS = 2;
const MAX_VISITS = 10_000;
/** Of longer media the segments behind these are not counted; a day of four seconds each has more. */
const MAX_SEGMENTS = 32_768;
/** Our own page, by the address that its browser names as the referrer. */
const OWN_PAGE = /^https?:\/\/[^/]+\/(?:embed|play)\/\d+\//;

/**
 * A visit is what one address and User-Agent got of one media until 30 idle minutes: viewers behind one proxy who have
 * the same browser are one. Watch time is the length of the segments of one kind, each once, cut to the time that
 * passed. Live streams are left out.
 */
export function createOtherPlayers({ estimate }: Pick<Visits, 'estimate'>, secret: KeyObject): OtherPlayers {
  const visits = new Map<string, Visit>();
  return {
    see({ message, client }, publication, { segment, lengthMs }) {
      const { 'user-agent': userAgent = '' } = message.headers;
      const segments = countSegments(publication);
      if (segments === 0 || isOfOwnPage(message.headers)) return;
      const key = `${client.key}\n${userAgent}\n${publication.mediaId}`;
      const nowMs = Date.now();
      const known = visits.get(key);
      const isGoingOn = known !== undefined && nowMs - known.lastMs < IDLE_MS;
      if (!isGoingOn && (userAgent === '' || isbot(userAgent))) return;
      const { libraryId, mediaId } = publication;
      const of = { kind: 'other', libraryId, mediaId, address: client.address, userAgent } as const;
      const visit = isGoingOn ? known : beginVisit(nowMs, segments, viewerId(of, secret));
      // The visit that was seen last is the last one: the first is the one to go.
      remember(visits, [key, visit], MAX_VISITS);
      visit.lastMs = nowMs;
      if (!mark(visit, segment)) return;
      visit.lengthMs += lengthMs;
      if (visit.count < FEWEST_SEGMENTS) return;
      visit.sequence += 1;
      estimate(toSession(visit, publication, { segmentMs: lengthMs, country: client.country, userAgent }));
    },
  };
}

/** Segments of the longest rendition; 0 of a live stream, which has no length. */
function countSegments({ durationMs, renditions }: Publication): number {
  return durationMs === 0 ? 0 : Math.max(0, ...renditions.map(({ cutList }) => cutList.startTicks.length));
}

/**
 * A browser that names no referrer still says that the page is of the edge's own origin, which has no other pages
 * than ours; by https alone (Fetch Metadata).
 */
function isOfOwnPage({ referer = '', 'sec-fetch-site': site }: IncomingHttpHeaders): boolean {
  return referer === '' ? site === 'same-origin' : OWN_PAGE.test(referer);
}

function beginVisit(nowMs: number, segments: number, viewer: Guid): Visit {
  const seen = new Uint8Array(Math.ceil(Math.min(segments, MAX_SEGMENTS) / 8));
  const none = { sequence: 0, seen, count: 0, lengthMs: 0 };
  return { sessionId: newGuid(), viewerId: viewer, startMs: nowMs, lastMs: nowMs, ...none };
}

/** False for a segment that was sent before, and for one that is beyond those that were there at the start. */
function mark(visit: Visit, segment: number): boolean {
  const [byte, bit] = [segment >> 3, 1 << (segment & 7)];
  const bits = visit.seen[byte];
  if (bits === undefined || (bits & bit) !== 0) return false;
  visit.seen[byte] = bits | bit;
  visit.count += 1;
  return true;
}

function toSession(
  { sessionId, viewerId: viewer, startMs, lastMs, sequence, lengthMs }: Visit,
  { libraryId, mediaId }: Publication,
  { segmentMs, country, userAgent }: { segmentMs: number; country: string; userAgent: string },
): SeenSession {
  const startHourMs = Math.floor(startMs / HOUR_MS) * HOUR_MS;
  const watchedMs = Math.min(lengthMs, lastMs - startMs + segmentMs);
  return {
    ...{ libraryId, mediaId, sessionId, startHourMs, sequence, country, device: deviceOf(userAgent) },
    watchedSec: byHour({ startMs, startHourMs, watchedMs }),
    ...{ bucketSec: 1, heat: Buffer.alloc(0), rungSec: [], startupMs: null, stallCount: 0, stallMs: 0, failures: 0 },
    ...{ referrerHost: '', viewer: null, isEstimate: true, viewerId: viewer, decideAtMs: 0 },
    ...{ verdict: 'counted', discardedSec: 0 },
  };
}

/** As if it had been watched in one piece from the start. */
function byHour(of: { startMs: number; startHourMs: number; watchedMs: number }): number[] {
  const { startMs, startHourMs, watchedMs } = of;
  const hours: number[] = [];
  for (let fromMs = startMs, hour = 1; fromMs < startMs + watchedMs; hour += 1) {
    const toMs = Math.min(startHourMs + hour * HOUR_MS, startMs + watchedMs);
    hours.push(Math.round((toMs - fromMs) / 1000));
    fromMs = toMs;
  }
  return hours;
}
