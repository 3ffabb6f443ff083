import type { Feed, FeedVideo } from '../../catalog/feeds/feed.ts';
import { chooseMp4Rung } from '../../catalog/publications/mp4-rungs.ts';
import { AUDIO_FILE } from '../../catalog/shield/admission/edge-path.ts';
import { type Xml, type XmlAttributes, xmlElement, xmlText } from '../../media/dash/xml.ts';
import { type EdgeLocation, edgeFileUrl, type LocatedMedia } from '../addresses.ts';

/** `rss`: RSS 2.0 with the tags of podcasts. `mrss`: RSS 2.0 with Media RSS. */
export const FEED_FORMATS = ['rss', 'mrss'] as const;
export type FeedFormat = (typeof FEED_FORMATS)[number];

/** A page of a feed. `selfUrl` is the URL of this page. `offersMp4` is true if the library offers MP4 files. */
export type FeedPage = {
  feed: Feed;
  format: FeedFormat;
  videos: readonly FeedVideo[];
  location: EdgeLocation;
  offersMp4: boolean;
  selfUrl: string;
  nextUrl: string | null;
};

const NAMESPACES = {
  'xmlns:atom': 'http://www.w3.org/2005/Atom',
  'xmlns:itunes': 'http://www.itunes.com/dtds/podcast-1.0.dtd',
  'xmlns:podcast': 'https://podcastindex.org/namespace/1.0',
  'xmlns:media': 'http://search.yahoo.com/mrss/',
};
/** Directories require a language and a category. */
const DEFAULT_LANGUAGE = 'en';
const DEFAULT_CATEGORY = 'TV & Film';
/** A directory requires a description. */
const MAX_DESCRIPTION_LENGTH = 4_000;

/**
 * A file that readers can download. `bytes` is the total size of its renditions, because the file is assembled while it
 * is sent.
 */
type Enclosure = { url: string; type: string; bytes: number; heightPx: number | null };

/** Writes a page of a feed as RSS 2.0. A podcast lists only videos with a file, because its items require one. */
export function writeFeed(page: FeedPage): string {
  const { feed, format, videos, selfUrl, nextUrl } = page;
  const entries = videos.map((video) => ({ video, enclosure: enclosureOf(video, page) }));
  const listed = format === 'mrss' ? entries : entries.filter(({ enclosure }) => enclosure !== null);
  const title = feed.title ?? feed.collectionName;
  const description = feed.description ?? title;
  const newest = videos[0];
  const image = newest === undefined ? null : thumbnailOf(newest, page);
  const link = homeOf(page);
  const channel = xmlElement('channel', {}, [
    tag('title', title),
    tag('link', link),
    tag('description', description.slice(0, MAX_DESCRIPTION_LENGTH)),
    tag('language', feed.language ?? DEFAULT_LANGUAGE),
    ...(newest === undefined ? [] : [tag('lastBuildDate', newest.createdAt.toUTCString())]),
    tag('generator', 'Millrace'),
    xmlElement('atom:link', { rel: 'self', type: 'application/rss+xml', href: selfUrl }),
    ...(nextUrl === null ? [] : [xmlElement('atom:link', { rel: 'next', type: 'application/rss+xml', href: nextUrl })]),
    ...(image === null ? [] : [xmlElement('image', {}, [tag('url', image), tag('title', title), tag('link', link)])]),
    ...(format === 'rss' ? podcastTags(feed, title, image) : []),
    ...listed.map((entry) => xmlElement('item', {}, itemTags(entry, page))),
  ]);
  return `<?xml version="1.0" encoding="UTF-8"?>\n${xmlElement('rss', { version: '2.0', ...NAMESPACES }, [channel])}\n`;
}

function tag(name: string, text: string, attributes: XmlAttributes = {}): Xml {
  return xmlElement(name, attributes, [xmlText(text)]);
}

function podcastTags(feed: Feed, title: string, image: string | null): Xml[] {
  return [
    tag('itunes:author', feed.author ?? title),
    tag('itunes:type', 'episodic'),
    tag('itunes:explicit', String(feed.isExplicit)),
    xmlElement('itunes:category', { text: feed.category ?? DEFAULT_CATEGORY }),
    ...(image === null ? [] : [xmlElement('itunes:image', { href: image })]),
  ];
}

/** A feed has no page of its own, so it links to its newest video. */
function homeOf({ feed, location, videos }: FeedPage): string {
  const [newest] = videos;
  return newest === undefined ? location.edgeUrl : playerUrl(feed, newest, location);
}

function playerUrl({ libraryId }: Feed, { id }: FeedVideo, { edgeUrl }: EdgeLocation): string {
  return `${edgeUrl}/play/${libraryId}/${id}`;
}

type Entry = { video: FeedVideo; enclosure: Enclosure | null };

function itemTags({ video, enclosure }: Entry, page: FeedPage): Xml[] {
  const { feed, format, location } = page;
  const description = video.description?.slice(0, MAX_DESCRIPTION_LENGTH) ?? video.title;
  const file = enclosure === null ? null : { url: enclosure.url, length: enclosure.bytes, type: enclosure.type };
  return [
    tag('title', video.title === '' ? 'Untitled' : video.title),
    tag('description', description),
    tag('link', playerUrl(feed, video, location)),
    tag('guid', video.id, { isPermaLink: 'false' }),
    tag('pubDate', video.createdAt.toUTCString()),
    ...(video.category === null ? [] : [tag('category', video.category)]),
    ...(file === null ? [] : [xmlElement('enclosure', file)]),
    ...(format === 'rss' ? episodeTags(video, page) : mediaTags({ video, enclosure }, page)),
  ];
}

function episodeTags(video: FeedVideo, page: FeedPage): Xml[] {
  const image = thumbnailOf(video, page);
  return [
    tag('itunes:duration', String(Math.round(video.durationMs / 1000))),
    tag('itunes:explicit', String(page.feed.isExplicit)),
    ...(image === null ? [] : [xmlElement('itunes:image', { href: image })]),
    ...captionsOf(video, page).map(({ url, language }) =>
      xmlElement('podcast:transcript', { url, type: 'text/vtt', language, rel: 'captions' }),
    ),
  ];
}

function mediaTags({ video, enclosure }: Entry, page: FeedPage): Xml[] {
  const { feed, location } = page;
  const duration = Math.round(video.durationMs / 1000);
  const medium = video.hasVideo ? 'video' : 'audio';
  const playlist = edgeFileUrl(location, mediaOf(video), 'playlist.m3u8');
  const file = enclosure && {
    url: enclosure.url,
    fileSize: enclosure.bytes,
    type: enclosure.type,
    medium,
    isDefault: 'true',
    duration,
    height: enclosure.heightPx,
  };
  const stream = { url: playlist, type: 'application/vnd.apple.mpegurl', medium, duration };
  // The playlist of a zone with tokens needs a token for its folder, which expires too early for a feed.
  const contents = [file, location.signer === null ? stream : null].filter((one) => one !== null);
  const image = thumbnailOf(video, page);
  const rest = [
    tag('media:title', video.title === '' ? 'Untitled' : video.title, { type: 'plain' }),
    ...(video.description === null ? [] : [tag('media:description', video.description, { type: 'plain' })]),
    ...(video.keywords === null ? [] : [tag('media:keywords', video.keywords)]),
    ...(image === null ? [] : [xmlElement('media:thumbnail', { url: image })]),
    xmlElement('media:player', { url: `${location.edgeUrl}/embed/${feed.libraryId}/${video.id}` }),
    ...captionsOf(video, page).map(({ url, language }) =>
      xmlElement('media:subTitle', { type: 'text/vtt', lang: language, href: url }),
    ),
    tag('media:rating', feed.isExplicit ? 'adult' : 'nonadult', { scheme: 'urn:simple' }),
  ];
  const group = contents.map((one) => xmlElement('media:content', one));
  return group.length === 0 ? rest : [xmlElement('media:group', {}, group), ...rest];
}

function enclosureOf(video: FeedVideo, { location, offersMp4 }: FeedPage): Enclosure | null {
  if (!offersMp4) return null;
  const audioBytes = video.audioBytes ?? 0;
  if (!video.hasVideo) {
    if (video.audioBytes === null) return null;
    const url = edgeFileUrl(location, mediaOf(video), AUDIO_FILE);
    return { url, type: 'audio/x-m4a', bytes: audioBytes, heightPx: null };
  }
  const rung = chooseMp4Rung(video.rungs.map((one) => one.rung).toSorted((a, b) => a - b));
  const chosen = video.rungs.find((one) => one.rung === rung);
  if (chosen === undefined) return null;
  const url = edgeFileUrl(location, mediaOf(video), `play_${chosen.rung}p.mp4`);
  return { url, type: 'video/mp4', bytes: chosen.bytes + audioBytes, heightPx: chosen.rung };
}

function thumbnailOf(video: FeedVideo, { location }: FeedPage): string | null {
  const { thumbnailFileName } = video;
  return thumbnailFileName === null ? null : edgeFileUrl(location, mediaOf(video), thumbnailFileName);
}

function captionsOf(video: FeedVideo, { location }: FeedPage): { url: string; language: string }[] {
  return video.captions.map(({ srclang }) => ({
    url: edgeFileUrl(location, mediaOf(video), `captions/${encodeURIComponent(srclang)}.vtt`),
    language: srclang,
  }));
}

/** A feed has only public videos. */
function mediaOf({ id }: FeedVideo): LocatedMedia {
  return { mediaId: id, visibility: 'public' };
}
