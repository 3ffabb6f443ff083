import { Type } from 'typebox';
import type { Db } from '../../catalog/db.ts';
import type { Library } from '../../catalog/libraries/library.ts';
import type { LibraryStore } from '../../catalog/libraries/library-store.ts';
import { loadPlaylist } from '../../catalog/playlists/playlist-store.ts';
import type { PullZoneStore } from '../../catalog/pull-zones/pull-zone-store.ts';
import { hasShareExpired, isShareOpen } from '../../catalog/shares/share.ts';
import { findShare } from '../../catalog/shares/share-store.ts';
import type { VideoView } from '../../catalog/videos/video-view.ts';
import type { VideoViewStore } from '../../catalog/videos/video-view-store.ts';
import { escapeHtml } from '../../lib/escape-html.ts';
import { quote } from '../../lib/quote.ts';
import { Refused } from '../../lib/refused.ts';
import { type EdgeLocation, edgeFileUrl, locationForViewer } from '../addresses.ts';
import { defineOperation } from '../define-operation.ts';
import { VideoOEmbedModel } from '../models/play-data.ts';
import { maybe, queryInt64, queryText } from '../read-query.ts';
import { requireEmbedToken, requireTokenIfPrivate } from '../require-embed-token.ts';
import { requireReferrer } from '../require-referrer.ts';
import { loadZoneSigner, type ZoneSignerDeps } from '../zone-signer.ts';
import { type EmbeddedVideo, readEmbedAddress, readShareAddress } from './embed-address.ts';

type Deps = ZoneSignerDeps & {
  db: Db;
  videoViews: VideoViewStore;
  libraries: LibraryStore;
  pullZones: PullZoneStore;
  edgeUrl: string;
  ownHosts: readonly string[];
};
type Size = { widthPx: number; heightPx: number };
type Frame = { address: string; title: string; size: Size };

/** Player size for a video whose size is not known yet. */
const USUAL_SIZE: Size = { widthPx: 1280, heightPx: 720 };
/** Maximum long side of thumbnails made from a video, in pixels. */
const MAX_THUMBNAIL_PX = 1920;
const PROVIDER = 'Millrace';

export const getOEmbed = defineOperation({
  name: 'getOEmbed',
  summary: 'Get oEmbed data',
  method: 'GET',
  path: '/OEmbed',
  description:
    'Returns the oEmbed description of a player page or share page. Referrer rules and the embed token apply. ' +
    'A private video needs a token, or the URL of its share page.',
  exampleQuery: 'url=http%3A%2F%2F127.0.0.1%3A7701%2Fembed%2F1%2F0192f000-0000-7000-8000-000000000001',
  auth: 'none',
  permission: 'public',
  params: Type.Object({}),
  query: Type.Object({
    url: queryText(),
    maxWidth: maybe.int32(1),
    maxHeight: maybe.int32(1),
    token: queryText(),
    expires: queryInt64(0),
  }),
  answer: VideoOEmbedModel,
  refusals: { invalid: 400, 'not-found': 404 },
  async run({ query, referrer, address: caller }, deps: Deps) {
    if (query.url === '') {
      throw new Refused(
        'invalid',
        `Expected the URL of a player page as url, got none. Example: ${deps.edgeUrl}/embed/1/{videoId}.`,
      );
    }
    const share = await findOpenShare(query.url, deps);
    const key = share ?? readEmbedAddress(query.url, deps.edgeUrl);
    if (key === null) throw noPage(query.url, deps.edgeUrl);
    const library = await deps.libraries.recall(key.libraryId);
    if (library === null) throw noPage(query.url, deps.edgeUrl);
    requireReferrer(referrer, library, deps.ownHosts);
    requireDirectPlay(key, library);
    const shown = { token: query.token, expiresSec: query.expires };
    if (share === null) await requireEmbedToken(shown, { mediaId: key.mediaId, library }, deps);
    const video = await deps.videoViews.load(key);
    const { visibility } = video;
    if (share === null) await requireTokenIfPrivate(shown, { mediaId: key.mediaId, library, visibility }, deps);
    const proof =
      query.token === '' ? '' : `?${new URLSearchParams({ token: query.token, expires: `${query.expires}` })}`;
    const address = share?.playerUrl ?? `${deps.edgeUrl}/embed/${key.libraryId}/${key.mediaId}${proof}`;
    const size = shrink(
      sizeOf(video),
      query.maxWidth ?? Number.POSITIVE_INFINITY,
      query.maxHeight ?? Number.POSITIVE_INFINITY,
    );
    const signer = await loadZoneSigner(library, { address: caller, hasPrivate: visibility === 'private' }, deps);
    const location = { library, edgeUrl: deps.edgeUrl, signer };
    const thumbnail = describeThumbnail(video, share === null ? locationForViewer(location, shown) : location);
    return describe({ address, title: share?.name ?? video.title, size }, thumbnail, deps.edgeUrl);
  },
});

/**
 * The video of a share page; of a collection, its first video. `name` is that of the collection, or null for a video.
 */
type OpenShare = EmbeddedVideo & { playerUrl: string; name: string | null };

/**
 * Returns the video of a share page, or null if the URL is not that of a share page. Throws `Refused` (`not-found`) for
 * a page that does not exist, has expired, requires a password or e-mail address, or shows no video.
 */
async function findOpenShare(
  address: string,
  { db, edgeUrl }: Pick<Deps, 'db' | 'edgeUrl'>,
): Promise<OpenShare | null> {
  const token = readShareAddress(address, edgeUrl);
  if (token === null) return null;
  const share = await findShare(db, token);
  if (share === null || !isShareOpen(share) || hasShareExpired(share, Date.now())) throw noPage(address, edgeUrl);
  const { libraryId, target } = share;
  const shown = { libraryId, isDirect: false, playerUrl: `${edgeUrl}/share/${token}/player` };
  if (target.kind === 'video') return { ...shown, mediaId: target.mediaId, name: null };
  const playlist = await loadPlaylist(db, { libraryId, collectionId: target.collectionId });
  const [first] = playlist?.items ?? [];
  if (playlist === null || first === undefined) throw noPage(address, edgeUrl);
  return { ...shown, mediaId: first.mediaId, name: playlist.name };
}

function requireDirectPlay({ isDirect }: EmbeddedVideo, { settings: { access } }: Library): void {
  if (!isDirect || access.allowDirectPlay) return;
  throw new Refused('unauthenticated', 'This library does not allow direct play. Use the /embed/ URL of the video.');
}

type Thumbnail = { url: string | null; size: Size | null };

function describe(frame: Frame, { url, size }: Thumbnail, providerUrl: string): VideoOEmbedModel {
  const [width, height] = [size?.widthPx ?? null, size?.heightPx ?? null];
  return {
    version: '1.0',
    title: frame.title,
    type: 'video',
    thumbnail_url: url,
    thumbnail_width: width,
    thumbnail_height: height,
    width: frame.size.widthPx,
    height: frame.size.heightPx,
    html: writeFrame(frame),
    provider_name: PROVIDER,
    provider_url: providerUrl,
    thumbnailUrl: url,
    thumbnailWidth: width,
    thumbnailHeight: height,
    providerName: PROVIDER,
    providerUrl,
  };
}

function describeThumbnail(video: VideoView, location: EdgeLocation): Thumbnail {
  if (video.thumbnail_key === null) return { url: null, size: null };
  const { thumbnail_width_px: widthPx, thumbnail_height_px: heightPx } = video;
  const isOwn = widthPx !== null && heightPx !== null;
  const size = isOwn ? { widthPx, heightPx } : shrink(sizeOf(video), MAX_THUMBNAIL_PX, MAX_THUMBNAIL_PX);
  return {
    url: edgeFileUrl(location, { mediaId: video.id, visibility: video.visibility }, video.thumbnail_file_name),
    size,
  };
}

function sizeOf({ width_px: widthPx, height_px: heightPx }: VideoView): Size {
  return widthPx > 0 && heightPx > 0 ? { widthPx, heightPx } : USUAL_SIZE;
}

/** Shrinks a size to fit both limits; never enlarges it. */
function shrink({ widthPx, heightPx }: Size, maxWidthPx: number, maxHeightPx: number): Size {
  const scale = Math.min(1, maxWidthPx / widthPx, maxHeightPx / heightPx);
  if (scale === 1) return { widthPx, heightPx };
  const side = (px: number) => Math.max(1, Math.round(px * scale));
  return { widthPx: Math.min(side(widthPx), maxWidthPx), heightPx: Math.min(side(heightPx), maxHeightPx) };
}

function writeFrame({ address, title, size }: Frame): string {
  const attributes = {
    src: address,
    title,
    width: `${size.widthPx}`,
    height: `${size.heightPx}`,
    style: 'border:0',
    loading: 'lazy',
    allow: 'accelerometer;gyroscope;autoplay;encrypted-media;picture-in-picture',
  };
  const written = Object.entries(attributes).map(([name, value]) => `${name}="${escapeHtml(value)}"`);
  return `<iframe ${written.join(' ')} allowfullscreen></iframe>`;
}

function noPage(address: string, edgeUrl: string): Refused {
  return new Refused(
    'not-found',
    `Expected url to be a player page such as ${edgeUrl}/embed/{libraryId}/{videoId}, got ${quote(address)}. ` +
      'Check the URL.',
  );
}
