import type { KeyObject } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import type { Publication, StoredRendition } from '../../catalog/publications/publication.ts';
import { viewerId } from '../../catalog/statistics/visits/viewer-id.ts';
import type { Visits } from '../../catalog/statistics/visits/visits.ts';
import type { Guid } from '../../lib/guid.ts';
import { remember } from '../../lib/remember.ts';
import type { DerivedSecret } from '../../lib/secret-ring.ts';
import { findChunk, segmentBytes } from '../../media/presentation/published-rendition.ts';
import type { EdgeRequest } from '../receive/receive.ts';
import { createOtherPlayers } from './other-players.ts';

/**
 * Evidence of delivery: the length of the segments and parts sent, by viewer and video. Views and watch time that the
 * player page reports count only if there is such evidence. Viewing with other players is estimated from it.
 */
export type DeliveredMedia = {
  /** Records a request for a publication's media before the response. */
  see(request: EdgeRequest, publication: Publication): void;
  /** Records that the response closed after `bytes` were sent, including its headers. */
  sent(request: EdgeRequest, response: ServerResponse, bytes: number): void;
};

/**
 * Returns the length of a segment or part of a live stream. Null if unknown, or if it is not video in a stream with
 * video.
 */
type LiveLengths = {
  watchedLengthMs(mediaId: Guid, of: { renditionId: Guid; segment: number; part: number | null }): number | null;
};

type Deps = {
  visits: Pick<Visits, 'estimate' | 'deliver'>;
  secret: DerivedSecret<KeyObject>;
  live: LiveLengths | null;
};

/** A segment or part of the video, or of the audio if there is no video. `sizeBytes` is null if unknown. */
type WatchedPiece = { name: string; segment: number; lengthMs: number; sizeBytes: number | null };

/** Number of times that a piece was sent to a viewer, and the time of the last delivery. */
type Repeats = { count: number; lastMs: number };

/** Maximum number of pieces whose repeated deliveries are counted. Each needs about 200 bytes. */
const MAX_REPEATS = 100_000;
const FORGET_MS = 30 * 60_000;

export function createDeliveredMedia({ visits, secret, live }: Deps): DeliveredMedia {
  const publications = new WeakMap<EdgeRequest, Publication>();
  const repeats = new Map<string, Repeats>();
  const others = createOtherPlayers(visits, secret);
  return {
    see(request, publication) {
      if (request.method === 'GET' && request.purpose === 'media') publications.set(request, publication);
    },
    sent(request, response, bytes) {
      const publication = publications.get(request);
      const piece = publication === undefined ? null : watchedPiece(request, publication, live);
      if (publication === undefined || piece === null) return;
      const share = shareOf(piece, response, bytes);
      if (share === 0) return;
      const { libraryId, mediaId } = publication;
      const { address } = request.client;
      const userAgent = request.message.headers['user-agent'] ?? '';
      const viewer = viewerId({ kind: 'page', libraryId, mediaId, address, userAgent }, secret()[0]);
      // A partial piece, such as a range or a broken connection, does not indicate another viewer.
      const passes = share < 1 ? 1 : countRepeat(repeats, `${viewer}/${piece.name}`);
      visits.deliver({ viewerId: viewer, deliveredMs: piece.lengthMs * share, passes });
      others.see(request, publication, { ...piece, lengthMs: piece.lengthMs * share });
    },
  };
}

/**
 * Counts repeated deliveries. Browsers cache media, so a piece sent again within half an hour indicates another
 * browser.
 */
function countRepeat(repeats: Map<string, Repeats>, name: string): number {
  const nowMs = Date.now();
  const known = repeats.get(name);
  const count = known === undefined || nowMs - known.lastMs > FORGET_MS ? 1 : known.count + 1;
  repeats.delete(name);
  remember(repeats, [name, { count, lastMs: nowMs }], MAX_REPEATS);
  return count;
}

function shareOf({ sizeBytes }: WatchedPiece, response: ServerResponse, bytes: number): number {
  if (response.statusCode === 200 && response.writableFinished) return 1;
  if ((response.statusCode !== 200 && response.statusCode !== 206) || sizeBytes === null) return 0;
  return Math.min(1, bytes / sizeBytes);
}

function watchedPiece(
  { target }: EdgeRequest,
  publication: Publication,
  live: LiveLengths | null,
): WatchedPiece | null {
  if (target?.kind !== 'media' || (target.file.kind !== 'segment' && target.file.kind !== 'part')) return null;
  const { renditionId, segment } = target.file;
  const part = target.file.kind === 'part' ? target.file.part : null;
  const name = part === null ? `${renditionId}/${segment}` : `${renditionId}/${segment}.${part}`;
  if (publication.live !== undefined) {
    const lengthMs = live?.watchedLengthMs(publication.mediaId, { renditionId, segment, part }) ?? null;
    return lengthMs === null ? null : { name, segment, lengthMs, sizeBytes: null };
  }
  const rendition = publication.renditions.find(({ id }) => id === renditionId);
  if (rendition === undefined) return null;
  const hasVideo = publication.renditions.some(({ kind, isActive }) => kind === 'video' && isActive);
  if (hasVideo !== (rendition.kind === 'video')) return null;
  return { name, segment, ...storedLength(publication, rendition, segment) };
}

function storedLength({ durationMs }: Publication, { cutList, chunks, timescale }: StoredRendition, segment: number) {
  const start = cutList.startTicks[segment];
  const next = cutList.startTicks[segment + 1];
  const usualMs = durationMs / Math.max(1, cutList.startTicks.length);
  const lastMs = start === undefined ? 0 : Math.max(0, durationMs - (start / timescale) * 1000);
  const lengthMs = start === undefined ? usualMs : next === undefined ? lastMs : ((next - start) / timescale) * 1000;
  const chunk = findChunk(chunks, segment);
  return { lengthMs, sizeBytes: chunk === null ? null : segmentBytes(chunk.table, segment - chunk.firstSegment) };
}
