import type { IncomingMessage } from 'node:http';
import { MAX_CHALLENGE_BYTES } from '../catalog/drm/licence-proxy.ts';
import type { Publication } from '../catalog/publications/publication.ts';
import { type BeaconDeps, MAX_BEACON_BYTES, takeBeacon } from './beacons/take-beacon.ts';
import { serveManifest } from './dash/serve-manifest.ts';
import type { CoverDeps } from './drm/cover-bytes.ts';
import { type KeyDeps, serveCertificate, serveKey, serveLicence, serveSystemLicence } from './drm/serve-keys.ts';
import type { EdgeStorage } from './edge-deps.ts';
import { type EdgeTarget, type MediaFile, parseEdgePath } from './edge-path.ts';
import { serveFile } from './files/serve-file.ts';
import type { IFrameLists } from './hls/i-frame-lists.ts';
import type { KnownSegments } from './hls/known-segments.ts';
import { serveIFrames } from './hls/serve-i-frames.ts';
import { servePlaylist } from './hls/serve-playlist.ts';
import { serveSegment } from './hls/serve-segment.ts';
import { type Answer, CACHE_NOTHING, notFound } from './http/answer.ts';
import type { SegmentWishes } from './jit/segment-wishes.ts';
import type { LiveStreams } from './live/live-streams.ts';
import { serveLive } from './live/serve-live.ts';
import { serveStill } from './live/serve-still.ts';
import type { MoviePlans } from './mp4/movie-plans.ts';
import { serveMp4 } from './mp4/serve-mp4.ts';
import type { ObjectSender } from './objects/object-sender.ts';
import { servePicture } from './pictures/serve-picture.ts';
import type { PlayerAssets } from './player/load-player-assets.ts';
import { serveAsset } from './player/serve-asset.ts';
import { servePlayer } from './player/serve-player.ts';
import type { PublicationReader } from './publication-reader.ts';
import { readBody } from './read-body.ts';
import { licenceUrlOf } from './shield/own-address.ts';
import { readPlayRequest } from './shield/play-request.ts';

export type AnswerDeps = CoverDeps &
  KeyDeps & {
    reader: PublicationReader;
    objects: ObjectSender;
    movies: MoviePlans;
    iFrames: IFrameLists;
    known: KnownSegments;
    wishes: SegmentWishes;
    live: LiveStreams | null;
    storage: EdgeStorage;
    player: PlayerAssets;
    edgeUrl: string | null;
    beacons: BeaconDeps;
  };

type MediaTarget = Extract<EdgeTarget, { kind: 'media' }>;
type Leave = () => AbortSignal;
type Asked = { request: IncomingMessage; leave: Leave };

/** A licence request is short JSON. */
const MAX_LICENCE_REQUEST_BYTES = 8_192;

/** Finds what a GET or HEAD asks for. `leave` answers a signal that is aborted when the viewer leaves. */
export async function answerRequest(request: IncomingMessage, deps: AnswerDeps, leave: Leave): Promise<Answer> {
  const target = parseEdgePath(request.url ?? '/', request.headers.host ?? '');
  if (target === null) return unknown();
  switch (target.kind) {
    case 'beacon':
      return notFound('post-only', 'Beacons are sent by POST.');
    case 'asset':
      return serveAsset(target.name, encodingsOf(request), deps.player);
    case 'player': {
      const publication = await deps.reader.find(target.libraryId, target.mediaId);
      const { wantsState, isDirect } = target;
      const asked = { wantsState, isDirect, play: readPlayRequest(request) };
      return servePlayer(publication, asked, deps);
    }
    case 'media': {
      const publication = await findPublication(target, deps);
      if (publication === null) return unknown();
      if (publication.live !== undefined) return answerLive(publication, target.file, { request, leave }, deps);
      const answer = await answerFile(publication, target.file, { request, leave }, deps);
      deps.known.keep(request, target, { publication, answer });
      return answer;
    }
  }
}

/** Answers a POST, which brings a beacon or asks for a licence; null where none is taken. */
export async function answerPost(request: IncomingMessage, deps: AnswerDeps, leave: Leave): Promise<Answer | null> {
  const target = parseEdgePath(request.url ?? '/', request.headers.host ?? '');
  if (target?.kind === 'beacon') return answerBeacon(request, deps);
  if (target?.kind !== 'media' || target.file.kind !== 'licence') return null;
  const publication = await findPublication(target, deps);
  if (publication === null) return unknown();
  const { system } = target.file;
  const body = await readBody(request, system === null ? MAX_LICENCE_REQUEST_BYTES : MAX_CHALLENGE_BYTES);
  const play = readPlayRequest(request);
  if (system === null) return serveLicence(publication, { request: body.toString(), play }, deps);
  return serveSystemLicence(publication, { system, challenge: body, play }, deps, leave());
}

async function answerBeacon(request: IncomingMessage, { beacons }: AnswerDeps): Promise<Answer> {
  const body = await readBody(request, MAX_BEACON_BYTES);
  const address = request.socket.remoteAddress ?? '';
  takeBeacon({ body: body.toString(), address, headers: request.headers }, beacons, Date.now());
  const [contentType, cacheControl] = ['text/plain; charset=utf-8', CACHE_NOTHING];
  return { kind: 'bytes', bytes: Buffer.alloc(0), contentType, cacheControl, etag: null };
}

async function findPublication(target: MediaTarget, { reader }: AnswerDeps): Promise<Publication | null> {
  const pullZone = await reader.findPullZone(target.pullZone);
  return pullZone === null ? null : reader.find(pullZone.libraryId, target.mediaId);
}

/** What of a live stream is still growing; its pictures are served like any other's. */
async function answerLive(
  publication: Publication,
  file: MediaFile,
  { request, leave }: Asked,
  deps: AnswerDeps,
): Promise<Answer> {
  const { live } = publication;
  if (live === undefined || deps.live === null) return unknown();
  switch (file.kind) {
    case 'multivariant':
    case 'rendition-playlist':
    case 'init':
    case 'segment':
    case 'part': {
      const acceptsGzip = /\bgzip\b/.test(request.headers['accept-encoding'] ?? '');
      const mayPreview = await deps.permits.holdsToken(publication, readPlayRequest(request));
      const asked = { file, query: queryOf(request), acceptsGzip, mayPreview, leave };
      return serveLive(publication, live, asked, deps.live);
    }
    case 'picture':
    case 'still':
    case 'storyboard':
    case 'captions':
    case 'captions-playlist':
      return answerFile(publication, file, { request, leave }, deps);
    default:
      return unknown();
  }
}

async function answerFile(
  publication: Publication,
  file: MediaFile,
  { request, leave }: Asked,
  deps: AnswerDeps,
): Promise<Answer> {
  switch (file.kind) {
    case 'multivariant':
    case 'rung-playlist':
    case 'rendition-playlist':
    case 'captions-playlist': {
      const viewer = { play: readPlayRequest(request), wantsIdentity: queryOf(request).get('drm') === 'identity' };
      return servePlaylist(publication, { file, viewer }, { ...deps, written: deps.objects.hot });
    }
    case 'i-frame-playlist':
    case 'i-frame':
      return serveIFrames(publication, file, { ...deps, leave });
    case 'manifest': {
      const licenceUrl = licenceUrlOf(request, deps.edgeUrl);
      return serveManifest(publication, { licenceUrl }, { ...deps, written: deps.objects.hot });
    }
    case 'mp4': {
      const wanted = { heightPx: file.heightPx, wantsDownload: asksForDownload(request) };
      return serveMp4(publication, wanted, deps.movies);
    }
    case 'init':
    case 'segment':
      return serveSegment(publication, file, { ...deps, leave });
    case 'part':
      return notFound('unknown-part', 'There is no such part.');
    case 'key':
      return serveKey(publication, { name: file.name, play: readPlayRequest(request) }, deps);
    case 'fair-play-certificate':
      return serveCertificate(deps);
    case 'licence':
      return notFound('post-only', 'Licences are asked for by POST.');
    case 'still':
      return serveStill(publication, file.atMs, deps.storage);
    case 'picture':
    case 'storyboard':
      return servePicture(publication, file, deps.storage);
    case 'captions':
    case 'original':
      return serveFile(publication, file, deps.storage);
  }
}

/** `?download`, with any value but a plain no. */
function asksForDownload(request: IncomingMessage): boolean {
  const value = queryOf(request).get('download');
  return value !== null && !['0', 'false'].includes(value.toLowerCase());
}

function queryOf({ url = '' }: IncomingMessage): URLSearchParams {
  const query = url.indexOf('?');
  return new URLSearchParams(query === -1 ? '' : url.slice(query));
}

function encodingsOf({ headers }: IncomingMessage): string | undefined {
  const accepted = headers['accept-encoding'];
  return Array.isArray(accepted) ? accepted.join(',') : accepted;
}

function unknown(): Answer {
  return notFound('not-found', 'There is nothing at this address.');
}
