import { Type } from 'typebox';
import type { Feed } from '../../catalog/feeds/feed.ts';
import { type FeedStore, mayRead } from '../../catalog/feeds/feed-store.ts';
import type { LibraryStore } from '../../catalog/libraries/library-store.ts';
import { Refused } from '../../lib/refused.ts';
import { defineOperation } from '../define-operation.ts';
import { FeedModel, UpdateFeedModel } from '../models/feed.ts';
import { guidParam, LibraryParams } from '../read-params.ts';
import { maybe, queryText, queryWord } from '../read-query.ts';
import { loadZoneSigner, type ZoneSignerDeps } from '../zone-signer.ts';
import { FEED_FORMATS, type FeedFormat, writeFeed } from './write-feed.ts';

/** Without a public URL, the URLs begin with the one at which the caller reached the API. */
type Deps = { feeds: FeedStore; publicUrl: string | null };
type ReadDeps = Deps & ZoneSignerDeps & { libraries: LibraryStore; edgeUrl: string };

const PATH = '/library/{libraryId}/collections/{collectionId}/feed';
const Params = Type.Object({ ...LibraryParams.properties, collectionId: guidParam('collection') });
const MAX_PAGE = 1_000;

/** Not part of the hosted API, like all operations of feeds. Requires write access, because it shows the secret. */
export const getFeed = defineOperation({
  name: 'getFeed',
  summary: 'Get the feeds of a collection',
  method: 'GET',
  path: PATH,
  description: 'Returns the settings and URLs of the feeds of a collection. Requires a key with write access.',
  auth: 'access-key',
  keyScope: 'write',
  permission: 'videos.edit',
  params: Params,
  answer: FeedModel,
  refusals: { forbidden: 403, 'not-found': 404 },
  run: async ({ params: key, reachedUrl }, { feeds, publicUrl }: Deps) =>
    toModel(await feeds.find(key), publicUrl ?? reachedUrl),
});

export const updateFeed = defineOperation({
  name: 'updateFeed',
  summary: 'Change the feeds of a collection',
  method: 'POST',
  path: PATH,
  description:
    'Switches the feeds of a collection on or off, or changes their texts. Absent fields are left unchanged. Texts ' +
    'and secret are kept while the feeds are off.',
  auth: 'access-key',
  permission: 'videos.edit',
  params: Params,
  body: UpdateFeedModel,
  answer: FeedModel,
  refusals: { invalid: 400, forbidden: 403, 'not-found': 404 },
  async run({ params: key, body, reachedUrl }, { feeds, publicUrl }: Deps) {
    const { access, renewToken, explicit, ...texts } = body;
    const change = {
      ...texts,
      ...(explicit != null && { isExplicit: explicit }),
      ...(access != null && { access }),
      renewsToken: renewToken ?? false,
    };
    return toModel(await feeds.change(key, change), publicUrl ?? reachedUrl);
  },
});

export const readFeed = defineOperation({
  name: 'readFeed',
  summary: 'Read a feed',
  method: 'GET',
  path: '/feeds/{libraryId}/{collectionId}',
  description:
    'Returns the finished public videos of a collection as RSS 2.0, newest first, 100 on a page: `rss` with tags of ' +
    'podcasts, `mrss` with Media RSS. A feed that is not public needs its `token`.',
  auth: 'none',
  permission: 'public',
  params: Params,
  query: Type.Object({ format: queryWord('rss', FEED_FORMATS), token: queryText(), page: maybe.int32(1) }),
  answer: 'feed',
  refusals: { invalid: 400, 'not-found': 404 },
  async run({ params: key, query, address, reachedUrl }, deps: ReadDeps) {
    const [feed, library] = await Promise.all([findFeed(key, deps.feeds), deps.libraries.recall(key.libraryId)]);
    const page = Math.min(query.page ?? 1, MAX_PAGE);
    // An unknown feed and a wrong token look the same.
    if (feed === null || library === null || !mayRead(feed, query.token)) {
      throw new Refused('not-found', 'Feed not found. Check its URL, which contains a secret if it is not public.');
    }
    const { videos, hasMore } = await deps.feeds.videos(feed, page);
    const signer = await loadZoneSigner(library, { address, hasPrivate: false }, deps);
    const location = { library, edgeUrl: deps.edgeUrl, signer };
    const { mp4, drm } = library.settings;
    const baseUrl = deps.publicUrl ?? reachedUrl;
    const urlOf = (number: number) => feedUrl(feed, { format: query.format, page: number }, baseUrl);
    const text = writeFeed({
      feed,
      format: query.format,
      videos,
      location,
      offersMp4: mp4.enabled && !drm.enabled,
      selfUrl: urlOf(page),
      nextUrl: hasMore && page < MAX_PAGE ? urlOf(page + 1) : null,
    });
    return { text, isPrivate: feed.token !== null || signer !== null || deps.publicUrl === null };
  },
});

/** Returns the feed, or null also for an unknown collection. */
async function findFeed(key: Parameters<FeedStore['find']>[0], feeds: FeedStore): Promise<Feed | null> {
  try {
    return await feeds.find(key);
  } catch (error) {
    if (error instanceof Refused && error.kind === 'not-found') return null;
    throw error;
  }
}

function feedUrl(
  { libraryId, collectionId, token }: Feed,
  { format, page }: { format: FeedFormat; page: number },
  baseUrl: string,
): string {
  const query = new URLSearchParams({
    ...(format !== 'rss' && { format }),
    ...(token !== null && { token }),
    ...(page > 1 && { page: String(page) }),
  });
  const text = String(query);
  return `${baseUrl}/feeds/${libraryId}/${collectionId}${text === '' ? '' : `?${text}`}`;
}

function toModel(feed: Feed, baseUrl: string): FeedModel {
  const { access, title, description, author, language, category, isExplicit: explicit } = feed;
  const urlOf = (format: FeedFormat) => (access === 'off' ? null : feedUrl(feed, { format, page: 1 }, baseUrl));
  const urls = { podcastUrl: urlOf('rss'), mediaRssUrl: urlOf('mrss') };
  return { access, ...urls, title, description, author, language, category, explicit };
}
