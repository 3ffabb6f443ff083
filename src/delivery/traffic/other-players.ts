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
import type { DerivedSecret } from '../../lib/secret-ring.ts';
import type { EdgeRequest } from '../receive/receive.ts';

/** Estimates viewing with other players, which send no beacons, from the segments sent to them. */
export type OtherPlayers = { see(request: EdgeRequest, publication: Publication, piece: SentPiece): void };

/** A sent segment, and the length of the part of it that was sent. */
export type SentPiece = { segment: number; lengthMs: number };

type Visit = {
  sessionId: Guid;
  viewerId: Guid;
  startMs: number;
  lastMs: number;
  sequence: number;
  /** Bitmap of the segments sent. */
  seen: Uint8Array;
  count: number;
  /** Length of the distinct segments sent so far. */
  lengthMs: number;
};

const HOUR_MS = 3600_000;
const IDLE_MS = HOUR_MS / 2;
/** Minimum number of segments that count as watching. A single segment is not enough. */
const MIN_SEGMENTS = 2;
const MAX_VISITS = 10_000;
/** Maximum number of segments tracked per session. A day of four-second segments has fewer. */
const MAX_SEGMENTS = 32_768;
/** Matches the URL of our player page in a Referer header. */
const OWN_PAGE = /^https?:\/\/[^/]+\/(?:embed|play)\/\d+\//;

/**
 * Estimates sessions. A session covers all segments of one media item that are sent to one address and User-Agent. It
 * ends after 30 minutes without a request. Viewers with the same browser behind one proxy count as one. Watch time is
 * the length of the distinct segments of one kind, limited to the elapsed time. Live streams are not counted.
 */
export function createOtherPlayers(
  { estimate }: Pick<Visits, 'estimate'>,
  secret: DerivedSecret<KeyObject>,
): OtherPlayers {
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
      const visit = isGoingOn ? known : beginVisit(nowMs, segments, viewerId(of, secret()[0]));
      // Keeps the map in order of last use, so that the first entry, which is dropped first, is the least recently
      // used.
      remember(visits, [key, visit], MAX_VISITS);
      visit.lastMs = nowMs;
      if (!mark(visit, segment)) return;
      visit.lengthMs += lengthMs;
      if (visit.count < MIN_SEGMENTS) return;
      visit.sequence += 1;
      estimate(toSession(visit, publication, { segmentMs: lengthMs, country: client.country, userAgent }));
    },
  };
}

/** Returns the number of segments of the longest rendition, or 0 for a live stream, which has no length. */
function countSegments({ durationMs, renditions }: Publication): number {
  return durationMs === 0 ? 0 : Math.max(0, ...renditions.map(({ cutList }) => cutList.startTicks.length));
}

/**
 * Returns whether the request is from our player page. Over https, browsers without a referrer still report a
 * same-origin request (Fetch Metadata), and all pages on the edge's origin are ours.
 */
function isOfOwnPage({ referer = '', 'sec-fetch-site': site }: IncomingHttpHeaders): boolean {
  return referer === '' ? site === 'same-origin' : OWN_PAGE.test(referer);
}

function beginVisit(nowMs: number, segments: number, viewer: Guid): Visit {
  const seen = new Uint8Array(Math.ceil(Math.min(segments, MAX_SEGMENTS) / 8));
  const none = { sequence: 0, seen, count: 0, lengthMs: 0 };
  return { sessionId: newGuid(), viewerId: viewer, startMs: nowMs, lastMs: nowMs, ...none };
}

/**
 * Records that a segment was sent. Returns false if it was sent before, or if it was added after the session started.
 */
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

/** Splits watch time by hour, as if the viewer had watched from the start without a break. */
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
