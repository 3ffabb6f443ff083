import type { IncomingHttpHeaders } from 'node:http';
import { isbot } from 'isbot';
import type { Publication, StoredRendition } from '../../catalog/publications/publication.ts';
import type { Admitted } from '../../catalog/shield/admission/admit.ts';
import type { EdgeTarget } from '../../catalog/shield/admission/edge-path.ts';
import type { SeenSession } from '../../catalog/statistics/sums/statistics-gain.ts';
import { deviceOf } from '../../catalog/statistics/visits/device.ts';
import type { Visits } from '../../catalog/statistics/visits/visits.ts';
import { type Guid, newGuid } from '../../lib/guid.ts';
import type { EdgeRequest } from '../receive/receive.ts';

/**
 * Estimates what is watched with other players than ours, which send no beacons: from the segments that they request.
 */
export type OtherPlayers = { see(admitted: Admitted<EdgeRequest>, publication: Publication): void };

type Visit = {
  sessionId: Guid;
  startMs: number;
  lastMs: number;
  sequence: number;
  /** A bit for each segment that was requested. */
  seen: Uint8Array;
  count: number;
  /** Length of the segments requested so far, each once. */
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
 * A visit is what one address and User-Agent request of one media until 30 idle minutes: viewers behind one proxy who
 * have the same browser are one. Watch time is the length of the segments of one kind, each once, cut to the time that
 * passed.
 */
export function createOtherPlayers({ estimate }: Pick<Visits, 'estimate'>): OtherPlayers {
  const visits = new Map<string, Visit>();
  return {
    see({ request: { message, target, client } }, publication) {
      const { 'user-agent': userAgent = '' } = message.headers;
      if (message.method !== 'GET' || isOfOwnPage(message.headers)) return;
      const segment = watchedSegment(target, publication);
      if (segment === null) return;
      const key = `${client.key}\n${userAgent}\n${publication.mediaId}`;
      const nowMs = Date.now();
      const known = visits.get(key);
      const isGoingOn = known !== undefined && nowMs - known.lastMs < IDLE_MS;
      if (!isGoingOn && (userAgent === '' || isbot(userAgent))) return;
      const visit = isGoingOn ? known : beginVisit(nowMs, segment.ofSegments);
      // Those that were seen last stand last: the first is the one to go.
      visits.delete(key);
      visits.set(key, visit);
      const [oldest] = visits.keys();
      if (visits.size > MAX_VISITS && oldest !== undefined) visits.delete(oldest);
      visit.lastMs = nowMs;
      if (!mark(visit, segment.number)) return;
      visit.lengthMs += segment.lengthMs;
      if (visit.count < FEWEST_SEGMENTS) return;
      visit.sequence += 1;
      estimate(toSession(visit, publication, { segmentMs: segment.lengthMs, country: client.country, userAgent }));
    },
  };
}

/**
 * A browser that names no referrer still says that the page is of the edge's own origin, which has no other pages
 * than ours; by https alone (Fetch Metadata).
 */
function isOfOwnPage({ referer = '', 'sec-fetch-site': site }: IncomingHttpHeaders): boolean {
  return referer === '' ? site === 'same-origin' : OWN_PAGE.test(referer);
}

function beginVisit(nowMs: number, ofSegments: number): Visit {
  const seen = new Uint8Array(Math.ceil(Math.min(ofSegments, MAX_SEGMENTS) / 8));
  return { sessionId: newGuid(), startMs: nowMs, lastMs: nowMs, sequence: 0, seen, count: 0, lengthMs: 0 };
}

/** False for a segment that was requested before, and for one that is beyond those that were there at the start. */
function mark(visit: Visit, segment: number): boolean {
  const [byte, bit] = [segment >> 3, 1 << (segment & 7)];
  const bits = visit.seen[byte];
  if (bits === undefined || (bits & bit) !== 0) return false;
  visit.seen[byte] = bits | bit;
  visit.count += 1;
  return true;
}

/** Picture and audio come in segments of their own: only those of the picture are counted, where there is one. */
function watchedSegment(target: EdgeTarget | null, publication: Publication) {
  if (target?.kind !== 'media' || target.file.kind !== 'segment') return null;
  const { renditionId, segment } = target.file;
  const rendition = publication.renditions.find(({ id }) => id === renditionId);
  if (rendition === undefined) return null;
  const hasVideo = publication.renditions.some(({ kind, isActive }) => kind === 'video' && isActive);
  if (hasVideo !== (rendition.kind === 'video')) return null;
  return { number: segment, ...usualLength(publication, rendition) };
}

/**
 * Segments of a media are of much the same length. Of a live stream neither length nor number is known: none is
 * counted.
 */
function usualLength({ durationMs }: Publication, { cutList }: StoredRendition) {
  const ofSegments = durationMs === 0 ? 0 : cutList.startTicks.length;
  return { ofSegments, lengthMs: ofSegments === 0 ? 0 : durationMs / ofSegments };
}

function toSession(
  { sessionId, startMs, lastMs, sequence, lengthMs }: Visit,
  { libraryId, mediaId }: Publication,
  { segmentMs, country, userAgent }: { segmentMs: number; country: string; userAgent: string },
): SeenSession {
  const startHourMs = Math.floor(startMs / HOUR_MS) * HOUR_MS;
  const watchedMs = Math.min(lengthMs, lastMs - startMs + segmentMs);
  return {
    ...{ libraryId, mediaId, sessionId, startHourMs, sequence, country, device: deviceOf(userAgent) },
    watchedSec: byHour({ startMs, startHourMs, watchedMs }),
    ...{ bucketSec: 1, heat: Buffer.alloc(0), rungSec: [], startupMs: null, stallCount: 0, stallMs: 0, failures: 0 },
    ...{ referrerHost: '', viewer: null, isEstimate: true },
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
