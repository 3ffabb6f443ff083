import type { ListedItem } from '../../../catalog/imports/listed-item.ts';
import { readGuid } from '../../../lib/guid.ts';
import { Refused } from '../../../lib/refused.ts';
import type { ImportSource, ListedPage, Listing, Located, LocatedFiles, SourceRequest } from '../import-source.ts';
import { type FileRequest, fileAt, requireNoObstacle, type SourceClient } from '../source-client.ts';
import { countReturn } from './numbered-pages.ts';
import {
  chaptersOf,
  countOf,
  emptyVideo,
  type Fields,
  fieldsOf,
  listOf,
  secOf,
  sizeOf,
  tagsOf,
  textOf,
  timeOf,
  titleOf,
  visibilityOf,
} from './read-fields.ts';

/** Maximum page size of the lists. */
const PAGE_ITEMS = 100;
/** A token is valid for a day. */
const REFRESH_SEC = 12 * 3600;
const [PUBLIC, UNLISTED, PASSWORD] = [1, 2, 5] as const;
const PUBLISHED = 1;
/** States that do not change by themselves: the transcoding failed, or a move to another storage. */
const FAILED: readonly unknown[] = [7, 8, 11];

/** Videos of a PeerTube account, with their GUIDs. Each channel becomes a collection. */
export const peertube: ImportSource = {
  name: 'peertube',
  awaitsUploads: false,
  preparesFiles: false,
  refreshSec: REFRESH_SEC,
  prepare: signIn,
  list: listVideos,
  locate,
};

function at({ apiUrl, accessKey }: SourceRequest, path: string): FileRequest {
  return { url: `${apiUrl}/api/v1${path}`, headers: { Authorization: `Bearer ${accessKey}` } };
}

/** Gets a token for the user name and password, unless the request has a token. */
async function signIn(request: SourceRequest, client: SourceClient, signal: AbortSignal): Promise<SourceRequest> {
  const { apiUrl, account, secretKey } = request;
  if (account === null || secretKey === null) return request;
  const local = { url: `${apiUrl}/api/v1/oauth-clients/local`, headers: {} };
  const { client_id: id, client_secret: secret } = fieldsOf(await client.readJson(local, signal));
  const form = new URLSearchParams({
    client_id: String(id),
    client_secret: String(secret),
    grant_type: 'password',
    username: account,
    password: secretKey,
  });
  const headers = { 'Content-Type': 'application/x-www-form-urlencoded' };
  const url = `${apiUrl}/api/v1/users/token`;
  const token = fieldsOf(await client.readJson({ url, headers, method: 'POST', body: String(form) }, signal));
  return { ...request, accessKey: textOf(token.access_token) };
}

async function listVideos(
  request: SourceRequest,
  { cursor, client, guidFor }: Listing,
  signal: AbortSignal,
): Promise<ListedPage> {
  const [start = 0, before = 0, returns = 0] = (cursor ?? '0').split(' ').map(Number);
  const path = `/users/me/videos?start=${start}&count=${PAGE_ITEMS}&sort=createdAt`;
  const read = fieldsOf(await client.readJson(at(request, path), signal));
  const videos = listOf(read.data);
  const channels = new Map(videos.map(({ channel }) => [channelId(channel), channel]));
  channels.delete(null);
  const collections = [...channels.values()].map((channel) => readChannel(fieldsOf(channel), guidFor));
  const items = [...collections, ...videos.map((video) => readVideo(video, guidFor))];
  return { items, next: nextStart({ start, before, returns, found: videos.length, total: countOf(read.total) }) };
}

type Read = { start: number; before: number; returns: number; found: number; total: number };

/** Videos after deleted ones have moved forward, so the list continues as many places earlier. */
function nextStart({ start, before, returns, found, total }: Read): string | null {
  const deleted = Math.max(0, before - total);
  if (deleted > 0 && start > 0) return `${Math.max(0, start - deleted)} ${total} ${countReturn(returns)}`;
  return found === 0 || start + found >= total ? null : `${start + found} ${total} ${returns}`;
}

function channelId(channel: unknown): string | null {
  const { id } = fieldsOf(channel);
  return typeof id === 'number' ? `channel ${id}` : null;
}

function readChannel(channel: Fields, guidFor: Listing['guidFor']): ListedItem {
  const sourceId = channelId(channel) ?? '';
  const title = titleOf(channel.displayName ?? channel.name, 'Channel');
  return { kind: 'collection', sourceId, id: guidFor(sourceId), title, order: null };
}

function readVideo(video: Fields, guidFor: Listing['guidFor']): ListedItem {
  const id = readGuid(String(video.uuid));
  if (id === null) {
    throw new Refused('invalid', `Expected a uuid of each video from PeerTube, got ${JSON.stringify(video.uuid)}.`);
  }
  const channel = channelId(video.channel);
  const privacy = countOf(fieldsOf(video.privacy).id);
  return {
    kind: 'video',
    sourceId: id,
    id,
    title: titleOf(video.name, id),
    sizeBytes: null,
    durationSec: secOf(video.duration),
    obstacle: obstacleOf(video),
    notes: [
      ...(privacy === PASSWORD ? ['Its passwords are not imported. Use a share page with a password.'] : []),
      ...(video.nsfw === true ? ['Its mark as sensitive content is not imported.'] : []),
    ],
    video: {
      ...emptyVideo(),
      category: textOf(fieldsOf(video.category).label),
      collectionId: channel === null ? null : guidFor(channel),
      isPublic: privacy === PUBLIC,
      visibility: visibilityOf(privacy, { [PUBLIC]: 'public', [UNLISTED]: 'unlisted' }),
      uploadedAt: timeOf(video.originallyPublishedAt ?? video.publishedAt ?? video.createdAt),
      views: countOf(video.views),
      metaTags: tagsOf('peertubeUuid', id, []),
    },
  };
}

function obstacleOf({ isLive, state }: Fields) {
  if (isLive === true) return { reason: 'A live stream has no file.', isRetryable: false };
  const { id, label } = fieldsOf(state);
  if (id === undefined || id === PUBLISHED) return null;
  const reason = `The source has not published this video: ${textOf(label) ?? 'unknown state'}.`;
  return { reason, isRetryable: !FAILED.includes(id) };
}

async function locate(
  request: SourceRequest,
  { item, client }: { item: Located; client: SourceClient },
  signal: AbortSignal,
): Promise<LocatedFiles> {
  const path = `/videos/${item.sourceId}`;
  const find = async (rest: string) => fieldsOf(await client.findJson(at(request, `${path}${rest}`), signal));
  const video = fieldsOf(await client.readJson(at(request, path), signal));
  requireNoObstacle(obstacleOf(video));
  const original = await find('/source');
  const captions = listOf((await find('/captions')).data);
  const marks = listOf((await find('/chapters')).chapters);
  const { totalWatchTime } = await find('/stats/overall');
  const files = filesOf(request, { video, original });
  const tags = Array.isArray(video.tags) ? video.tags.map((tag) => textOf(tag)) : [];
  return {
    files,
    captions: captions.flatMap(({ language, captionPath, fileUrl, automaticallyGenerated: isGenerated }) => {
      const { id, label } = fieldsOf(language);
      const [srclang, url] = [textOf(id), textOf(fileUrl) ?? textOf(captionPath)];
      if (srclang === null || url === null) return [];
      const origin = isGenerated === true ? { origin: 'speech' as const } : {};
      return [{ ...fileAt(request, 'Bearer', url), srclang, label: textOf(label) ?? '', ...origin }];
    }),
    thumbnail: thumbnailOf(request, video),
    details: {
      description: textOf(video.description),
      watchSec: countOf(totalWatchTime),
      metaTags: tagsOf('peertubeUuid', item.sourceId, tags),
      chapters: chaptersOf(
        marks.map(({ title, timecode }) => ({ title: textOf(title), start: countOf(timecode) })),
        secOf(video.duration),
      ),
    },
    notes: files[0]?.kind === 'original' ? [] : ['The source keeps no original. The best MP4 is used.'],
  };
}

/**
 * Returns the original if the server keeps it, then web videos and HLS files by height. Files without audio are left
 * out.
 */
function filesOf(request: SourceRequest, { video, original }: { video: Fields; original: Fields }) {
  const ofPlaylists = listOf(video.streamingPlaylists).flatMap(({ files }) => listOf(files));
  const renditions = [listOf(video.files), ofPlaylists].flatMap((files) =>
    files
      .filter(({ hasAudio, hasVideo }) => hasAudio !== false && hasVideo !== false)
      .toSorted((a, b) => countOf(fieldsOf(b.resolution).id) - countOf(fieldsOf(a.resolution).id)),
  );
  return [{ ...original, kind: 'original' }, ...renditions.map((file) => ({ ...file, kind: 'mp4' }))].flatMap(
    ({ kind, ...file }: Fields & { kind: string }) => {
      const url = textOf(file.fileDownloadUrl) ?? textOf(file.fileUrl);
      return url === null ? [] : [{ kind, ...fileAt(request, 'Bearer', url), sizeBytes: sizeOf(file.size) }];
    },
  );
}

function thumbnailOf(request: SourceRequest, { previewPath, thumbnails }: Fields): FileRequest | null {
  const path = textOf(previewPath) ?? textOf(listOf(thumbnails).at(-1)?.fileUrl);
  return path === null ? null : fileAt(request, 'Bearer', path);
}
