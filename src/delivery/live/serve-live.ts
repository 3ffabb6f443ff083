import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import type { LiveHead } from '../../catalog/live/live-head.ts';
import type { Publication } from '../../catalog/publications/publication.ts';
import type { Guid } from '../../lib/guid.ts';
import { writeMediaTags } from '../../media/hls/media-tags.ts';
import { findSegment, type IndexedRendition, type IndexedSegment, isRung } from '../../media/live/live-index.ts';
import { liveMultivariant } from '../../media/live/live-multivariant.ts';
import {
  holds,
  type LiveView,
  listSlot,
  livePlaylist,
  newestOf,
  targetDurationSec,
} from '../../media/live/live-playlist.ts';
import { storageKey } from '../../ports/storage.ts';
import { type Answer, CACHE_FOR_EVER, CACHE_NEVER, notFound, unavailable } from '../http/answer.ts';
import type { LiveStreams } from './live-streams.ts';
import { PLAIN_WINDOW_SEC } from './live-streams.ts';
import type { WatchedStream } from './watched-stream.ts';

/** What of a live stream is served; all else of it is not there. */
export type LiveFile =
  | { kind: 'multivariant' }
  | { kind: 'rendition-playlist'; renditionId: Guid; session: string | null }
  | { kind: 'init'; renditionId: Guid }
  | { kind: 'segment'; renditionId: Guid; segment: number }
  | { kind: 'part'; renditionId: Guid; segment: number; part: number };

export type LiveRequest = {
  file: LiveFile;
  query: URLSearchParams;
  acceptsGzip: boolean;
  /** Distinguishes viewers, as far as that can be done. */
  viewer: string;
  /** Holds a token that shows what is not public yet. */
  mayPreview: boolean;
  leave: () => AbortSignal;
};

const CONTENT_TYPE = 'application/vnd.apple.mpegurl';
/** A part that is hinted at comes within this time, or not at all. */
const PART_WAIT_MS = 4_000;
const FIRST_MEDIA_WAIT_MS = 3_000;
const SEGMENT_WAIT_MS = 9_000;
/** A blocked reload is answered unchanged after this share of the target duration: hls.js gives up after 0.8 of it. */
const RELOAD_SHARE = 0.7;
/** A request for media this far ahead is a mistake (RFC 8216bis section 6.2.5.2). */
const FARTHEST_AHEAD = 2;
const WORTH_COMPRESSING_BYTES = 1_000;
const compress = promisify(gzip);

/** Answers for a live stream: playlists that may block until they grow, segments, and parts. */
export async function serveLive(
  publication: Publication,
  head: LiveHead,
  request: LiveRequest,
  streams: LiveStreams,
): Promise<Answer> {
  if (publication.settings.drm !== 'none') {
    const message = 'Live streams of libraries with DRM are not given out: their media is not encrypted yet.';
    return { kind: 'problem', problem: { status: 403, code: 'drm-live', message } };
  }
  const isPreview = head.state !== 'running' && head.state !== 'ended' && head.state !== 'vod-processing';
  if (isPreview && !request.mayPreview) return notFound('not-started', 'The stream has not started yet.');
  const stream = await streams.watch(publication, head);
  if (stream === null) return unavailable('Too many live streams are watched here.');
  const view = { windowSec: head.dvrWindowSec ?? PLAIN_WINDOW_SEC, isPreview };
  const { file } = request;
  switch (file.kind) {
    case 'multivariant':
      return serveMultivariant(stream, { view, isOwned: head.feedUrl !== null }, request);
    case 'rendition-playlist':
      return servePlaylist(
        stream,
        // While a process owns the stream its last segments are still to come.
        {
          renditionId: file.renditionId,
          view,
          hasEnded: !isPreview && head.state !== 'running' && head.feedUrl === null,
        },
        request,
      );
    case 'init':
      return serveInit(stream, file.renditionId);
    case 'segment':
      return serveSegment(stream, file, request);
    case 'part':
      return servePart(stream, file, request);
  }
}

async function serveMultivariant(
  stream: WatchedStream,
  { view: { isPreview }, isOwned }: { view: LiveView; isOwned: boolean },
  request: LiveRequest,
): Promise<Answer> {
  const own = () => stream.index.periods.filter((one) => one.isPreview === isPreview);
  // Players read this playlist once: rungs that are about to come are waited for.
  const isWhole = () => own().some((one) => !one.isLadderPending && one.renditions.every(hasSegments));
  // Without an owner nothing comes.
  if (isOwned) await stream.until(isWhole, FIRST_MEDIA_WAIT_MS, request.leave());
  const hasSource = own().some(({ renditions }) => renditions.filter(({ slot }) => !isRung(slot)).every(hasSegments));
  const text = hasSource ? liveMultivariant(stream.index, isPreview) : null;
  return text === null ? notFound('not-playable', 'The stream has no media yet.') : answerText(text, request);
}

function hasSegments({ segments }: IndexedRendition): boolean {
  return segments.length > 0;
}

async function servePlaylist(
  stream: WatchedStream,
  { renditionId, view, hasEnded }: { renditionId: Guid; view: LiveView; hasEnded: boolean },
  request: LiveRequest,
): Promise<Answer> {
  const found = stream.index.find(renditionId);
  if (found === null) return notFound('unknown-rendition', 'There is no such rendition.');
  stream.viewers.seen(request.viewer, Date.now());
  const { slot } = found.rendition;
  const list = () => listSlot(stream.index, slot, view);
  const wanted = readWanted(request.query);
  if (wanted === 'invalid') return badRequest('Expected _HLS_msn as a whole number, and _HLS_part only beside it.');
  if (wanted !== null) {
    const newest = newestOf(list());
    if (newest !== null && wanted.sequence > newest.sequence + FARTHEST_AHEAD) {
      return badRequest(`Expected _HLS_msn up to ${newest.sequence + FARTHEST_AHEAD}.`);
    }
    const limitMs = RELOAD_SHARE * 1_000 * targetDurationSec(list());
    await stream.until(() => stream.index.hasEnded || holds(list(), wanted), limitMs, request.leave());
  }
  // Players take a playlist of parts alone for empty.
  const hasWhole = () => list().some(({ segment }) => segment?.isClosed !== false);
  if (wanted === null && list().length > 0) await stream.until(hasWhole, FIRST_MEDIA_WAIT_MS, request.leave());
  const isDelta = request.query.get('_HLS_skip') === 'YES';
  const isOver = hasEnded || stream.index.hasEnded;
  const name = [renditionId, view.windowSec, view.isPreview, isDelta, isOver].join('|');
  const text = stream.text(name, () => {
    const tags = livePlaylist(stream.index, { slot, folder: renditionId, view, isDelta, hasEnded: isOver });
    return tags === null ? null : writeMediaTags(tags);
  });
  return text === null ? notFound('not-playable', 'The stream has no media yet.') : answerText(text, request);
}

function readWanted(query: URLSearchParams): { sequence: number; part: number | null } | null | 'invalid' {
  const sequence = query.get('_HLS_msn');
  const part = query.get('_HLS_part');
  if (sequence === null) return part === null ? null : 'invalid';
  if (!/^\d{1,12}$/.test(sequence) || (part !== null && !/^\d{1,6}$/.test(part))) return 'invalid';
  return { sequence: Number(sequence), part: part === null ? null : Number(part) };
}

function serveInit(stream: WatchedStream, renditionId: Guid): Answer {
  const found = stream.index.find(renditionId);
  if (found === null || found.rendition.init.length === 0)
    return notFound('unknown-rendition', 'There is no such rendition.');
  return media(found.rendition, 'init', found.rendition.init);
}

async function serveSegment(
  stream: WatchedStream,
  { renditionId, segment: number }: Extract<LiveFile, { kind: 'segment' }>,
  { leave }: LiveRequest,
): Promise<Answer> {
  const rendition = stream.index.find(renditionId)?.rendition;
  if (rendition === undefined) return notFound('unknown-rendition', 'There is no such rendition.');
  const find = () => {
    const found = findSegment(rendition.segments, number);
    return found?.isClosed === true ? found : undefined;
  };
  const isNext = number <= (rendition.segments.at(-1)?.number ?? 0) + 1;
  if (isNext && find() === undefined) await stream.until(() => find() !== undefined, SEGMENT_WAIT_MS, leave());
  const segment = find();
  if (segment === undefined) return notFound('unknown-segment', 'There is no such segment.');
  const bytes = bytesOf(segment);
  if (bytes !== null) return media(rendition, `${number}`, bytes);
  if (segment.stored === null) return unavailable('The segment is being stored.');
  const window = {
    key: storageKey(segment.stored.storageKey),
    version: '',
    start: 0,
    sizeBytes: segment.stored.sizeBytes,
  };
  return { kind: 'object', window, ...described(rendition, `${number}`) };
}

/** The whole segment, when all its parts are at hand. */
function bytesOf({ parts }: IndexedSegment): Buffer | null {
  const pieces = parts.flatMap(({ bytes }) => (bytes === null ? [] : [bytes]));
  return pieces.length > 0 && pieces.length === parts.length ? Buffer.concat(pieces) : null;
}

async function servePart(
  stream: WatchedStream,
  { renditionId, segment: number, part }: Extract<LiveFile, { kind: 'part' }>,
  { leave }: LiveRequest,
): Promise<Answer> {
  const rendition = stream.index.find(renditionId)?.rendition;
  if (rendition === undefined) return notFound('unknown-rendition', 'There is no such rendition.');
  const find = () => findSegment(rendition.segments, number)?.parts[part]?.bytes ?? null;
  const last = rendition.segments.at(-1);
  const isHinted = last !== undefined && (number === last.number || number === last.number + 1);
  if (isHinted) await stream.until(() => find() !== null || isPassed(rendition, number), PART_WAIT_MS, leave());
  const bytes = find();
  return bytes === null
    ? notFound('unknown-part', 'There is no such part.')
    : media(rendition, `${number}.${part}`, bytes);
}

/** A closed segment gets no further parts. */
function isPassed({ segments }: IndexedRendition, number: number): boolean {
  return findSegment(segments, number)?.isClosed === true;
}

function media(rendition: IndexedRendition, name: string, bytes: Buffer): Answer {
  return { kind: 'bytes', bytes, ...described(rendition, name) };
}

function described({ id, kind }: IndexedRendition, name: string) {
  return { contentType: `${kind}/mp4`, cacheControl: CACHE_FOR_EVER, etag: `"${id}-${name}"` };
}

async function answerText(text: string, { acceptsGzip }: LiveRequest): Promise<Answer> {
  const plain = Buffer.from(text);
  const isCompressed = acceptsGzip && plain.length > WORTH_COMPRESSING_BYTES;
  return {
    kind: 'bytes',
    bytes: isCompressed ? await compress(plain) : plain,
    contentType: CONTENT_TYPE,
    cacheControl: CACHE_NEVER,
    etag: null,
    headers: { Vary: 'Accept-Encoding', ...(isCompressed && { 'Content-Encoding': 'gzip' }) },
  };
}

function badRequest(message: string): Answer {
  return { kind: 'problem', problem: { status: 400, code: 'invalid', message } };
}
