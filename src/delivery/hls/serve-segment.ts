import type { Publication } from '../../catalog/publications/publication.ts';
import type { NamedProtection } from '../../catalog/shield/admission/edge-path.ts';
import { type Guid, timeOfGuid } from '../../lib/guid.ts';
import { findChunk, segmentBytes, segmentCount } from '../../media/presentation/published-rendition.ts';
import { encryptBytes, isOpened, openProtection, type Piece, type ProtectionDeps } from '../drm/encrypt-bytes.ts';
import type { OpenedRendition } from '../drm/package-keys.ts';
import { listableRenditions } from '../drm/protection.ts';
import { type Answer, CACHE_FOR_EVER, notFound, unavailable } from '../http/answer.ts';
import type { RequestedSegment, SegmentRequests } from '../on-demand/segment-requests.ts';
import type { PublicationReader } from '../publication-reader.ts';

const RETRY_AFTER_SEC = 2;

type SegmentFile = ({ kind: 'init' } | { kind: 'segment'; segment: number }) & {
  renditionId: Guid;
  protection: NamedProtection;
};
type SegmentDeps = ProtectionDeps & {
  reader: PublicationReader;
  requests: SegmentRequests;
  leave: () => AbortSignal;
  /**
   * Counts a waiting response of a client. Returns a function that ends the wait, or null if the client has reached its
   * limit.
   */
  wait: () => (() => void) | null;
};
type Found = { publication: Publication; rendition: OpenedRendition; piece: Exclude<Piece, { kind: 'picture' }> };
type Missing = Extract<Answer, { kind: 'problem' }>;

/** Serves an init or media segment, encrypted as its URL specifies. `findOrAwait` handles missing segments. */
export async function serveSegment(publication: Publication, file: SegmentFile, deps: SegmentDeps): Promise<Answer> {
  const protection = openProtection(publication, file.protection, deps.sessions);
  if ('refusal' in protection) return protection.refusal;
  const found = await findOrAwait(publication, file, deps);
  if ('kind' in found) return found;
  const { open } = protection;
  return open.kind === 'clear' ? answerClear(found) : encryptBytes({ ...found, protection: open }, deps, deps.leave);
}

/**
 * Finds the requested bytes. Waits for a listed segment that is not stored yet, and requests it if it is encoded on
 * demand. Returns a response with 503 if the segment is not stored in time.
 */
async function findOrAwait(
  publication: Publication,
  file: SegmentFile,
  { reader, requests, leave, wait }: SegmentDeps,
): Promise<Found | Missing> {
  const find = (current: Publication) => findFile(current, file);
  const found = find(publication);
  const wanted = found !== null && 'kind' in found ? null : findOnDemand(publication, file);
  if (found !== null) {
    if (wanted !== null) requests.pass(wanted);
    return found;
  }
  const over = wait();
  if (over === null)
    return unavailable('Too many requests from your address are waiting for segments.', RETRY_AFTER_SEC);
  const signal = leave();
  const release = wanted === null ? null : requests.want(wanted);
  try {
    const made = await reader.waitFor(publication, find, signal);
    return made ?? unavailable('The segment is still being encoded.', RETRY_AFTER_SEC);
  } finally {
    over();
    release?.(!signal.aborted);
  }
}

/** Returns the requested segment if it is encoded on demand, or else null. */
function findOnDemand(publication: Publication, file: SegmentFile): RequestedSegment | null {
  if (file.kind !== 'segment') return null;
  const rendition = publication.renditions.find(({ id }) => id === file.renditionId);
  if (rendition === undefined || !rendition.isOnDemand || rendition.state !== 'building') return null;
  return { publication, rendition, segment: file.segment };
}

/**
 * Returns the bytes in a publication, or the reason that they are missing. Returns null if the file is listed but not
 * stored yet.
 */
function findFile(publication: Publication, file: SegmentFile): Found | Missing | null {
  const rendition = listableRenditions(publication).find(({ id }) => id === file.renditionId);
  if (rendition === undefined) return notFound('unknown-rendition');
  if (!isOpened(rendition)) {
    return rendition.planned === null ? notFound('not-playable') : null;
  }
  if (file.kind === 'init') return { publication, rendition, piece: { kind: 'init', bytes: rendition.init } };
  const chunk = findChunk(rendition.chunks, file.segment);
  if (chunk === null) {
    const isListed =
      rendition.state !== 'failed' && rendition.planned !== null && file.segment < segmentCount(rendition.planned);
    return isListed ? null : notFound('unknown-segment');
  }
  const index = file.segment - chunk.firstSegment;
  const start = chunk.table.offsets[index] ?? 0;
  const sizeBytes = segmentBytes(chunk.table, index);
  const window = { key: chunk.storageKey, version: '', start, sizeBytes };
  return { publication, rendition, piece: { kind: 'segment', window, segment: file.segment } };
}

/**
 * Returns the response with clear bytes. The id of a rendition identifies its bytes permanently, so the ETag and the
 * date depend only on the id.
 */
function answerClear({ rendition: { id, kind }, piece }: Found): Answer {
  const name = piece.kind === 'init' ? 'init' : `${piece.segment}`;
  const modifiedAt = timeOfGuid(id);
  const described = {
    contentType: `${kind}/mp4`,
    cacheControl: CACHE_FOR_EVER,
    etag: `"${id}-${name}"`,
    ...(modifiedAt !== null && { modifiedAt }),
  };
  return piece.kind === 'init'
    ? { kind: 'bytes', bytes: piece.bytes, ...described }
    : { kind: 'object', window: piece.window, ...described };
}
