import type { IncomingMessage } from 'node:http';
import type { Publication } from '../catalog/publications/publication.ts';
import {
  type AdmissionContext,
  type Admitted,
  admitToMedia,
  asksForToken,
  isBlocked,
} from '../catalog/shield/admission/admit.ts';
import type { CompiledPolicy } from '../catalog/shield/admission/compiled-policy.ts';
import type { EdgeTarget, MediaFile } from '../catalog/shield/admission/edge-path.ts';
import type { ViewerAuthorizer } from '../catalog/viewers/viewer-authorizer.ts';
import { readBytes } from '../lib/read-bytes.ts';
import { readClockRange } from '../media/hls/clock-range.ts';
import { MAX_CHALLENGE_BYTES } from '../ports/licence-proxy.ts';
import { answerPlayer } from './answer-player.ts';
import type { ClientBudgets } from './clients/client-budgets.ts';
import { serveManifest } from './dash/serve-manifest.ts';
import type { ProtectionDeps } from './drm/encrypt-bytes.ts';
import { type KeyDeps, serveCertificate, serveKey, serveLicence, serveSystemLicence } from './drm/serve-keys.ts';
import type { EdgeViewing } from './edge-deps.ts';
import { serveFile } from './files/serve-file.ts';
import type { IFrameLists } from './hls/i-frame-lists.ts';
import type { SegmentAddress, SegmentResponseCache } from './hls/segment-response-cache.ts';
import { serveIFrames } from './hls/serve-i-frames.ts';
import { servePlaylist } from './hls/serve-playlist.ts';
import { serveSegment } from './hls/serve-segment.ts';
import { type Answer, blockedProblem, notFound } from './http/answer.ts';
import { handOnQuery } from './http/hand-on-query.ts';
import { allowsOrigins, withStale } from './http/zone-headers.ts';
import { serveImage } from './images/serve-image.ts';
import type { LiveStreams } from './live/live-streams.ts';
import { isPreviewOnly, serveLive } from './live/serve-live.ts';
import { serveStill } from './live/serve-still.ts';
import type { MoviePlans } from './mp4/movie-plans.ts';
import { serveMp4 } from './mp4/serve-mp4.ts';
import type { ObjectSender } from './objects/object-sender.ts';
import type { SegmentRequests } from './on-demand/segment-requests.ts';
import { serveAsset, serveEmbedClient } from './player/serve-asset.ts';
import type { PublicationReader } from './publication-reader.ts';
import type { EdgeRequest } from './receive/receive.ts';
import { serveShare, takeShareComment, takeShareForm } from './share/serve-share.ts';
import type { ShareDeps } from './share/share-answers.ts';
import { licenceUrlOf } from './shield/licence-url.ts';
import { readPlayRequest, tokenQuery } from './shield/play-request.ts';
import type { DeliveredMedia } from './traffic/delivered-media.ts';

export type AnswerDeps = ProtectionDeps &
  KeyDeps &
  ShareDeps & {
    admission: AdmissionContext;
    reader: PublicationReader;
    objects: ObjectSender;
    movies: MoviePlans;
    iFrames: IFrameLists;
    responses: SegmentResponseCache;
    requests: SegmentRequests;
    live: LiveStreams | null;
    viewers: Pick<ViewerAuthorizer, 'judge'>;
    viewing: EdgeViewing;
    deliveredMedia: DeliveredMedia;
    budgets: Pick<ClientBudgets<'coldLookups' | 'waits'>, 'take' | 'give'>;
  };

type Media = Admitted<EdgeRequest & { target: Extract<EdgeTarget, { kind: 'media' }>; policy: CompiledPolicy }>;
type Leave = () => AbortSignal;
type Requested = { request: IncomingMessage; leave: Leave; wait: () => (() => void) | null };

/** Maximum sizes of a beacon, and of a licence request, which is a short JSON text, in bytes. */
const MAX_BEACON_BYTES = 8_192;
const MAX_LICENCE_REQUEST_BYTES = 8_192;

/**
 * Returns the response to an admitted GET or HEAD. `leave` returns a signal that aborts when the viewer disconnects.
 */
export async function answerRequest(admitted: Admitted<EdgeRequest>, deps: AnswerDeps, leave: Leave): Promise<Answer> {
  const { message, target, policy } = admitted.request;
  if (target === null) return unknown();
  switch (target.kind) {
    case 'beacon':
      return notFound('post-only');
    case 'asset':
      return serveAsset(target.name, message, deps.player);
    case 'embed-client':
      return serveEmbedClient(target.script, message, deps.player);
    case 'player':
      return answerPlayer(admitted, target, deps);
    case 'share':
      return serveShare(admitted, target.part, deps);
    case 'media':
      return isMedia(admitted) && policy !== null ? answerMedia(admitted, deps, leave) : unknown();
  }
}

async function answerMedia(admitted: Media, deps: AnswerDeps, leave: Leave): Promise<Answer> {
  const { message, target, address } = admitted.request;
  const publication = await findPublication(admitted, deps);
  if (publication === null) return unknown();
  const media = admitToMedia(admitted, publication, deps.admission);
  if (isBlocked(media)) return { kind: 'problem', problem: blockedProblem(media) };
  deps.deliveredMedia.see(admitted.request, publication);
  const wait = () => takeWait(admitted, deps);
  const answerOne = publication.live === undefined ? answerFile : answerLive;
  const found = await answerOne(publication, target.file, { request: message, leave, wait }, deps);
  const answer = limitSharing(found, media);
  // Responses are looked up before the video is known, with the policy of the zone.
  if (media === admitted && allowsOrigins(admitted.request))
    deps.responses.keep(segmentAddress(admitted), target, { publication, answer });
  return address.form === 'query' && media.token?.tokenPath != null ? handOnQuery(answer, address.query) : answer;
}

/**
 * Returns the response to an admitted POST: a beacon (`taken`), a licence request, or the form or a comment of a
 * share. Returns null if the target does not support POST.
 */
export async function answerPost(
  admitted: Admitted<EdgeRequest>,
  deps: AnswerDeps,
  leave: Leave,
): Promise<Answer | 'taken' | null> {
  const named = admitted.request.target;
  if (named?.kind === 'beacon') {
    await takeBeacon(admitted, deps);
    return 'taken';
  }
  if (named?.kind === 'share' && named.part === 'page') return takeShareForm(admitted, deps);
  if (named?.kind === 'share' && named.part === 'comments') return takeShareComment(admitted, deps);
  if (!isMedia(admitted) || admitted.request.target.file.kind !== 'licence') return null;
  const publication = await findPublication(admitted, deps);
  if (publication === null) return unknown();
  const media = admitToMedia(admitted, publication, deps.admission);
  if (isBlocked(media)) return { kind: 'problem', problem: blockedProblem(media) };
  const { message, target } = admitted.request;
  const system = target.file.kind === 'licence' ? target.file.system : null;
  const body = await readBytes(message, {
    what: 'a licence request',
    limitBytes: system === null ? MAX_LICENCE_REQUEST_BYTES : MAX_CHALLENGE_BYTES,
  });
  const play = readPlayRequest(message);
  if (system === null) return serveLicence(publication, { request: body.toString(), play }, deps);
  return serveSystemLicence(publication, { system, challenge: body, play }, deps, leave());
}

/**
 * Processes a beacon. The response does not explain why a beacon is invalid, so that senders of forged beacons learn
 * nothing.
 */
async function takeBeacon({ request }: Admitted<EdgeRequest>, { viewing }: AnswerDeps): Promise<void> {
  const { message, client } = request;
  const body = await readBytes(message, { what: 'a report', limitBytes: MAX_BEACON_BYTES });
  const { address, country } = client;
  const userAgent = message.headers['user-agent'] ?? '';
  viewing.visits.take({ body: body.toString(), country, address, userAgent, nowMs: Date.now() });
}

/** Returns the cache key of a segment response. */
export function segmentAddress({ request: { policy, address, purpose } }: Admitted<EdgeRequest>): SegmentAddress {
  const isPrivate = asksForToken({ policy, purpose });
  return { zone: policy?.zone.name ?? '', path: address.path, isPrivate };
}

function isMedia(admitted: Admitted<EdgeRequest>): admitted is Media {
  const { target, policy } = admitted.request;
  return target?.kind === 'media' && policy !== null;
}

function findPublication(admitted: Media, { reader, budgets }: AnswerDeps): Promise<Publication | null> {
  const { target, policy } = admitted.request;
  return reader.find(admitted, { libraryId: policy.zone.libraryId, mediaId: target.mediaId }, budgets);
}

function takeWait({ request: { client } }: Media, { budgets }: AnswerDeps): (() => void) | null {
  return budgets.take(client.key, 'waits') ? () => budgets.give(client.key, 'waits') : null;
}

/**
 * Makes a response private if the request needs a token. A shared cache would also serve it to clients without the
 * token.
 */
function limitSharing(answer: Answer, { request }: Admitted<EdgeRequest>): Answer {
  if (answer.kind === 'problem') return answer;
  if (asksForToken(request)) return { ...answer, cacheControl: answer.cacheControl.replace('public', 'private') };
  const settings = request.policy?.zone.settings;
  return settings === undefined ? answer : { ...answer, cacheControl: withStale(answer.cacheControl, settings) };
}

/**
 * Returns the response to a request for playlists or media of a live stream. Its images are served like those of a
 * video.
 */
async function answerLive(
  publication: Publication,
  file: MediaFile,
  asking: Requested,
  deps: AnswerDeps,
): Promise<Answer> {
  const { request, leave } = asking;
  const { live } = publication;
  if (live === undefined || deps.live === null) return unknown();
  switch (file.kind) {
    case 'multivariant':
    case 'rendition-playlist':
    case 'init':
    case 'segment':
    case 'part':
    case 'manifest':
    case 'i-frame-playlist':
    case 'i-frame': {
      const acceptsGzip = /\bgzip\b/.test(request.headers['accept-encoding'] ?? '');
      const play = readPlayRequest(request);
      const mayPreview = await deps.playback.holdsToken(publication, play);
      const licenceUrl = licenceUrlOf(request, deps);
      const requested = { file, query: queryOf(request), acceptsGzip, play, mayPreview, leave, licenceUrl };
      const liveDeps = { ...deps, streams: deps.live, written: deps.objects.hot };
      const answer = await serveLive(publication, live, requested, liveDeps);
      // Before the stream starts, every request needs the token, so the URLs in the playlist contain it.
      return mayPreview && isPreviewOnly(live) ? handOnQuery(answer, tokenQuery(play)) : answer;
    }
    case 'key':
    case 'licence':
    case 'fair-play-certificate':
    case 'image':
    case 'still':
    case 'storyboard':
    case 'captions':
    case 'captions-playlist':
    case 'mp4':
      return answerFile(publication, file, asking, deps);
    default:
      return unknown();
  }
}

async function answerFile(
  publication: Publication,
  file: MediaFile,
  { request, leave, wait }: Requested,
  deps: AnswerDeps,
): Promise<Answer> {
  switch (file.kind) {
    case 'multivariant':
    case 'rung-playlist':
    case 'rendition-playlist':
    case 'captions-playlist': {
      const query = queryOf(request);
      const viewer = { play: readPlayRequest(request), wantsIdentity: query.get('drm') === 'identity' };
      const range = readClockRange(query);
      return servePlaylist(publication, { file, viewer, range }, { ...deps, written: deps.objects.hot });
    }
    case 'i-frame-playlist':
    case 'i-frame':
      return serveIFrames(publication, file, { ...deps, leave });
    case 'manifest': {
      const licenceUrl = licenceUrlOf(request, deps);
      return serveManifest(publication, { licenceUrl }, { ...deps, written: deps.objects.hot });
    }
    case 'mp4': {
      const wanted = { heightPx: file.heightPx, wantsDownload: asksForDownload(request) };
      return serveMp4(publication, wanted, deps.movies);
    }
    case 'init':
    case 'segment':
      return serveSegment(publication, file, { ...deps, leave, wait });
    case 'part':
      return notFound('unknown-part');
    case 'key':
      return serveKey(publication, { name: file.name, play: readPlayRequest(request) }, deps);
    case 'fair-play-certificate':
      return serveCertificate(deps);
    case 'licence':
      return notFound('post-only');
    case 'still':
      return serveStill(publication, file.atMs, deps.storage);
    case 'image':
    case 'storyboard':
      return serveImage(publication, file, deps.storage);
    case 'captions':
    case 'original':
      return serveFile(publication, file, deps.storage);
  }
}

/** Returns whether the query contains `download` with a value other than `0` or `false`. */
function asksForDownload(request: IncomingMessage): boolean {
  const value = queryOf(request).get('download');
  return value !== null && !['0', 'false'].includes(value.toLowerCase());
}

function queryOf({ url = '' }: IncomingMessage): URLSearchParams {
  const query = url.indexOf('?');
  return new URLSearchParams(query === -1 ? '' : url.slice(query));
}

function unknown(): Answer {
  return notFound('not-found');
}
