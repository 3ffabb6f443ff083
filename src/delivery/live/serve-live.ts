import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import type { LiveHead } from '../../catalog/live/viewing/live-head.ts';
import type { Publication } from '../../catalog/publications/publication.ts';
import type { Guid } from '../../lib/guid.ts';
import { readClockRange } from '../../media/hls/clock-range.ts';
import { writePlaylist } from '../../media/hls/playlist.ts';
import { type IndexedRendition, isRung } from '../../media/live/playlist/live-index.ts';
import { liveMultivariant } from '../../media/live/playlist/live-multivariant.ts';
import { type LiveProtection, livePlaylist } from '../../media/live/playlist/live-playlist.ts';
import { canList, isRangeOver, type LiveView } from '../../media/live/playlist/slot-segments.ts';
import { isClear } from '../drm/protection.ts';
import { choosePlaylistVariant, type PlaylistVariantDeps } from '../hls/choose-playlist-variant.ts';
import type { IFrameLists } from '../hls/i-frame-lists.ts';
import { CLEAR_VARIANT, type PlaylistVariant, SESSION_TAG } from '../hls/playlist-variant.ts';
import { BAD_RANGE, rangedAddresses } from '../hls/ranged-addresses.ts';
import { type Answer, CACHE_NEVER, notFound, toProblem, unavailable } from '../http/answer.ts';
import type { PlayRequest } from '../shield/play-request.ts';
import { awaitReload, FIRST_MEDIA_WAIT_MS } from './await-reload.ts';
import type { LiveStreams } from './live-streams.ts';
import { liveIFrameList, serveLiveIFrame } from './serve-live-i-frames.ts';
import { serveLiveManifest } from './serve-live-manifest.ts';
import { type LiveMediaDeps, type LiveMediaFile, serveLiveMedia } from './serve-live-media.ts';
import { type UntilKnownDeps, untilKnown } from './until-known.ts';
import { type WatchedStream, windowOf } from './watched-stream.ts';

/** Files of a live stream that the edge serves. */
export type LiveFile =
  | { kind: 'multivariant' }
  | { kind: 'rendition-playlist'; renditionId: Guid; session: string | null }
  | { kind: 'manifest' }
  | { kind: 'i-frame-playlist'; renditionId: Guid }
  | { kind: 'i-frame'; renditionId: Guid; startTick: number }
  | LiveMediaFile;

export type LiveRequest = {
  file: LiveFile;
  query: URLSearchParams;
  acceptsGzip: boolean;
  play: PlayRequest;
  /** Whether the viewer has a preview token. */
  mayPreview: boolean;
  leave: () => AbortSignal;
  /** Complete URL from which this viewer's player requests keys. */
  licenceUrl: string;
};

export type LiveDeps = LiveMediaDeps &
  PlaylistVariantDeps &
  UntilKnownDeps & { streams: LiveStreams; iFrames: IFrameLists };

const CONTENT_TYPE = 'application/vnd.apple.mpegurl';

const WORTH_COMPRESSING_BYTES = 1_000;
const compress = promisify(gzip);

/** Serves a live stream: playlists that may block until they grow, segments, and parts. */
export async function serveLive(
  publication: Publication,
  head: LiveHead,
  request: LiveRequest,
  deps: LiveDeps,
): Promise<Answer> {
  if (publication.settings.drm === 'enterprise' && isClear(publication)) {
    // Keys are created before the first part. This stream has no keys, so it has no media either.
    return notFound('not-started');
  }
  const isPreview = isPreviewOnly(head);
  if (isPreview && !request.mayPreview) return notFound('not-started');
  const stream = await deps.streams.watch(publication, head);
  if (stream === null) return unavailable('This edge serves too many live streams.');
  const range = readClockRange(request.query);
  if (range === 'invalid') return BAD_RANGE;
  const view = { windowSec: windowOf(head), isPreview, ...(range !== null && { range }) };
  const { file } = request;
  if ('renditionId' in file) {
    await untilKnown(stream, file.renditionId, { publication, head, leave: request.leave }, deps);
  }
  // While a process owns the stream, its last segments may still arrive.
  const hasEnded =
    (!isPreview && head.state !== 'running' && head.feedUrl === null) ||
    (range !== null && isRangeOver(stream.index, range, Date.now()));
  switch (file.kind) {
    case 'multivariant':
      return serveMultivariant(stream, { publication, view, isOwned: head.feedUrl !== null, hasEnded }, request, deps);
    case 'rendition-playlist':
      return servePlaylist(stream, { publication, file, view, hasEnded }, request, deps);
    case 'manifest': {
      const { licenceUrl } = request;
      stream.viewers.seen(request.play.viewer, Date.now());
      return serveLiveManifest(stream, { publication, view, hasEnded, licenceUrl }, deps.keys);
    }
    case 'i-frame-playlist':
    case 'i-frame': {
      const rendition = stream.index.findRendition(file.renditionId)?.rendition;
      if (!isClear(publication) || rendition === undefined) return notFound('no-i-frames');
      if (file.kind === 'i-frame') return serveLiveIFrame(rendition, file.startTick, deps.iFrames);
      const text = liveIFrameList(stream, { rendition, view, hasEnded });
      return text === null ? notFound('no-i-frames') : answerText(text, request);
    }
    case 'init':
    case 'segment':
    case 'part':
      return serveLiveMedia(stream, { publication, file, leave: request.leave }, deps);
  }
}

/** Returns whether the available media is only a preview, which is the case before the start and after a failure. */
export function isPreviewOnly({ state }: LiveHead): boolean {
  return state !== 'running' && state !== 'ended' && state !== 'vod-processing';
}

type AskedMultivariant = { publication: Publication; view: LiveView; isOwned: boolean; hasEnded: boolean };

async function serveMultivariant(
  stream: WatchedStream,
  { publication, view, isOwned, hasEnded }: AskedMultivariant,
  request: LiveRequest,
  deps: LiveDeps,
): Promise<Answer> {
  const variant = await variantOf(publication, { session: null, isReread: false }, request, deps);
  if ('code' in variant) return { kind: 'problem', problem: variant };
  const { isPreview, range } = view;
  const own = () => stream.index.periods.filter((one) => one.isPreview === isPreview);
  // Players read this playlist only once, so the response waits for rungs that are about to start.
  const isWhole = () => own().some((one) => !one.isLadderPending && one.renditions.every(hasSegments));
  const sources = () => own().map(({ renditions }) => renditions.filter(({ slot }) => !isRung(slot)));
  const hasSource = () =>
    sources().some((all) =>
      all.every((one) => hasSegments(one) && (hasEnded || canList(stream.index, one.slot, view))),
    );
  // Without an owner, no new media arrives.
  if (isOwned) await stream.until(() => isWhole() && hasSource(), FIRST_MEDIA_WAIT_MS, request.leave());
  const { addresses } = variant;
  // I-frames of growing renditions are only delivered in the clear.
  const shown = { ...variant, listsIFrames: variant === CLEAR_VARIANT };
  const ranged = range === undefined ? shown : { ...shown, addresses: rangedAddresses(addresses, range) };
  const ways = { ...ranged, isOver: hasEnded };
  const text = hasSource() ? liveMultivariant(stream.index, view, ways) : null;
  if (text === null) return notFound('not-playable');
  return answerText(variant.fill?.(text) ?? text, request);
}

type AskedPlaylist = {
  publication: Publication;
  file: Extract<LiveFile, { kind: 'rendition-playlist' }>;
  view: LiveView;
  hasEnded: boolean;
};

function variantOf(
  publication: Publication,
  requested: { session: string | null; isReread: boolean },
  { play, query }: LiveRequest,
  deps: LiveDeps,
) {
  const wantsIdentity = query.get('drm') === 'identity';
  return choosePlaylistVariant(publication, { ...requested, play, wantsIdentity }, deps);
}

/**
 * Returns whether segments are only delivered whole. Segments of a play session are encrypted as a whole, so their
 * parts are not delivered early.
 */
function isWhole({ listsIFrames, fill, tag }: PlaylistVariant): boolean {
  return fill !== null && !listsIFrames && tag === SESSION_TAG;
}

function protectionFor(variant: PlaylistVariant, isInSession: boolean): LiveProtection {
  const { segmentFolder } = variant;
  return {
    hasParts: !isWhole(variant),
    folder(id, own) {
      if (isInSession) return id === own ? '' : `../../${id}/${segmentFolder}`;
      return `${id === own ? '' : `../${id}/`}${segmentFolder}`;
    },
    keys: (rendition) => variant.keys(rendition, isInSession ? '../../../' : '../../'),
  };
}

function hasSegments({ segments }: IndexedRendition): boolean {
  return segments.length > 0;
}

async function servePlaylist(
  stream: WatchedStream,
  { publication, file: { renditionId, session }, view, hasEnded }: AskedPlaylist,
  request: LiveRequest,
  deps: LiveDeps,
): Promise<Answer> {
  const variant = await variantOf(publication, { session, isReread: true }, request, deps);
  if ('code' in variant) return { kind: 'problem', problem: variant };
  const found = stream.index.findRendition(renditionId);
  if (found === null) return notFound('unknown-rendition');
  stream.viewers.seen(request.play.viewer, Date.now());
  const { slot } = found.rendition;
  // Thousands of viewers wait for the same playlist, so it is cached. Playlists of time ranges are not cached, because
  // there can be more of them than viewers.
  const hasParts = !isWhole(variant);
  const place = [slot, view.windowSec, view.isPreview, hasParts].join('|');
  const once = <T>(what: string, compute: () => T): T =>
    view.range === undefined ? stream.derived(`${what}|${place}`, compute) : compute();
  const asked = { slot, view: { ...view, hasParts }, hasEnded, query: request.query, once };
  const reload = await awaitReload(stream, asked, request.leave);
  if ('fault' in reload) return badRequest(reload.fault);
  const isDelta = request.query.get('_HLS_skip') === 'YES';
  const isOver = hasEnded || stream.index.hasEnded;
  if (!isOver && !canList(stream.index, slot, view)) return notFound('not-playable');
  const { endSequence } = reload;
  const name = ['text', renditionId, isDelta, isOver, endSequence, variant.tag, session !== null].join('|');
  const text = once(name, () => {
    const requested = { slot, folder: renditionId, view, isDelta, hasEnded: isOver, endSequence };
    const tags = livePlaylist(stream.index, { ...requested, protection: protectionFor(variant, session !== null) });
    return tags === null ? null : writePlaylist(tags);
  });
  if (text === null) return notFound('not-playable');
  if (variant.fill !== null) return answerText(variant.fill(text), request);
  return answerText(text, request, () => once(`gzip|${name}`, () => compress(Buffer.from(text))));
}

async function answerText(
  text: string,
  { acceptsGzip }: LiveRequest,
  zip = () => compress(Buffer.from(text)),
): Promise<Answer> {
  const isCompressed = acceptsGzip && text.length > WORTH_COMPRESSING_BYTES;
  return {
    kind: 'bytes',
    bytes: isCompressed ? await zip() : Buffer.from(text),
    contentType: CONTENT_TYPE,
    cacheControl: CACHE_NEVER,
    etag: null,
    headers: { Vary: 'Accept-Encoding', ...(isCompressed && { 'Content-Encoding': 'gzip' }) },
  };
}

function badRequest(message: string): Answer {
  return { kind: 'problem', problem: toProblem('invalid', message) };
}
