import type { ImportSourceName } from '../../../catalog/imports/library-import.ts';
import type { ImportedVideo, ImportFile, ListedItem } from '../../../catalog/imports/listed-item.ts';
import { signFile, signFolder } from '../../../catalog/pull-zones/verify-url-token.ts';
import { readVisibility } from '../../../catalog/visibility.ts';
import { readGuid } from '../../../lib/guid.ts';
import { Refused } from '../../../lib/refused.ts';
import type { ImportSource, ListedPage, Located, LocatedFiles, SourceRequest } from '../import-source.ts';
import type { SourceSettings } from '../settings-importer.ts';
import {
  type FileRequest,
  isTransient,
  PLAYLIST,
  requireNoObstacle,
  SourceBusy,
  type SourceClient,
} from '../source-client.ts';
import { findCdnUrl } from './find-cdn-url.ts';
import { cursorAfter, placeOf } from './numbered-pages.ts';
import {
  countOf,
  daysOf,
  emptyVideo,
  type Fields,
  fieldsOf,
  listOf,
  MAX_INT32,
  marksOf,
  textOf,
  timeOf,
  titleOf,
} from './read-fields.ts';

/** Maximum page size of the lists of this API, which reduces larger values and returns the reduced one. */
const PAGE_ITEMS = 1000;
/** Lifetime of a signed URL, in s. A transfer that takes longer is signed again. */
const SIGNED_SEC = 24 * 3600;
/** States in `VideoModel.status`. */
const CREATED = 0;
const FINISHED = 4;
const FAILED = 5;
const UPLOAD_FAILED = 6;
const FALLBACKS: Readonly<Record<string, string>> = {
  mp4: 'The best MP4 is used.',
  [PLAYLIST]: 'The best rendition of its HLS stream is used.',
};
const NO_FILE = 'The source has no file of this video.';

/** A library of bunny Stream. */
export const bunny: ImportSource = createStreamSource('bunny');

/** Creates a source that uses the API of bunny Stream, which Millrace also implements. */
export function createStreamSource(name: ImportSourceName): ImportSource {
  return {
    name,
    awaitsUploads: false,
    preparesFiles: false,
    refreshSec: null,
    async prepare(request, client, signal) {
      const opened = await readAccount(request, { client, name }, signal);
      return { ...opened, cdnUrl: opened.cdnUrl ?? (await findCdnUrl(opened, client, signal)) };
    },
    readSettings: readStreamSettings,
    list: (request, { cursor, client }, signal) => listPage(request, { cursor, client }, signal),
    async locate(request, { item: { sourceId: id, video: listed }, client }, signal) {
      const video = listed.files.length > 0 ? listed : await readAgain(request, { id, client }, signal);
      const at = (address: string) => fileRequest(request, `/${id}/${address}`);
      return {
        files: video.files.map(({ kind, address }) => ({ kind, ...candidate(request, kind, `/${id}/${address}`) })),
        captions: video.captions.map(({ address, ...caption }) => ({ ...caption, ...at(address) })),
        thumbnail: video.thumbnail === null ? null : at(video.thumbnail),
        ...(await readDays(request, { id, video, client }, signal)),
      };
    },
  };
}

/** Reads the library, its pull zone and its storage zone with the key of the account, if there is one. */
async function readAccount(
  request: SourceRequest,
  { client, name }: { client: SourceClient; name: ImportSourceName },
  signal: AbortSignal,
): Promise<SourceRequest> {
  const { accountKey, coreUrl, libraryId } = request;
  if (accountKey === null || coreUrl === null) return request;
  const read = async (path: string) =>
    fieldsOf(await client.readJson({ url: `${coreUrl}${path}`, headers: { AccessKey: accountKey } }, signal));
  const library = await read(`/videolibrary/${libraryId}`);
  const zone = await read(`/pullzone/${countOf(library.PullZoneId)}`);
  // Private videos of Millrace need a token in any zone.
  const needsToken = zone.ZoneSecurityEnabled === true || name === 'millrace';
  const storageId = countOf(library.StorageZoneId);
  const storage = storageId === 0 ? null : fieldsOf(await read(`/storagezone/${storageId}`));
  const host = textOf(listOf(zone.Hostnames)[0]?.Value);
  return {
    ...request,
    accessKey: request.accessKey ?? textOf(library.ApiKey),
    cdnUrl: request.cdnUrl ?? (host?.includes('.') === true ? `https://${host}` : null),
    securityKey: request.securityKey ?? (needsToken ? textOf(zone.ZoneSecurityKey) : null),
    referrer: request.referrer ?? referrerOf(zone),
    storage: storageOf(storage),
  };
}

/** Fields of a library that are no settings, or belong to its pull zone here. */
const NOT_OF_LIBRARY: readonly string[] = [
  ...['ResetToken', 'EnableTokenAuthentication', 'EnableTokenIPVerification'],
  ...['AllowedReferrers', 'BlockedReferrers', 'BlockNoneReferrer'],
];

/** Reads the settings of the library and of its pull zone. Only the key of the account may read them. */
export async function readStreamSettings(
  request: SourceRequest,
  client: SourceClient,
  signal: AbortSignal,
): Promise<SourceSettings | null> {
  const { accountKey, coreUrl, libraryId } = request;
  if (accountKey === null || coreUrl === null) return null;
  const read = async (path: string) =>
    fieldsOf(await client.readJson({ url: `${coreUrl}${path}`, headers: { AccessKey: accountKey } }, signal));
  const library = await read(`/videolibrary/${libraryId}`);
  const zone = await read(`/pullzone/${countOf(library.PullZoneId)}`);
  const isOwn = ([name, value]: [string, unknown]) => value !== null && !NOT_OF_LIBRARY.includes(name);
  const own = Object.fromEntries(Object.entries(library).filter(isOwn));
  const hostnames = listOf(zone.Hostnames).filter(({ IsSystemHostname }) => IsSystemHostname !== true);
  return {
    settings: { library: own, pullZone: zone },
    // Both have many other fields.
    listsUnknown: false,
    securityKey: textOf(zone.ZoneSecurityKey),
    hostnames: hostnames.map(({ Value }) => textOf(Value) ?? '').filter((name) => name.includes('.')),
  };
}

function referrerOf(zone: Fields): string | null {
  const [host] = Array.isArray(zone.AllowedReferrers) ? zone.AllowedReferrers : [];
  return typeof host === 'string' ? `https://${host.replace(/^\*\./, 'www.')}/` : null;
}

function storageOf(zone: Fields | null): SourceRequest['storage'] {
  const [host, name, key] = [textOf(zone?.StorageHostname), textOf(zone?.Name), textOf(zone?.Password)];
  return host === null || name === null || key === null ? null : { url: `https://${host}/${name}`, key };
}

/** Reads a video that had no files when it was listed, because it was being encoded. */
async function readAgain(
  request: SourceRequest,
  { id, client }: { id: string; client: SourceClient },
  signal: AbortSignal,
): Promise<ImportedVideo> {
  const url = `${request.apiUrl}/library/${request.libraryId}/videos/${id}`;
  const headers = { AccessKey: request.accessKey ?? '' };
  const { obstacle, video } = readVideo(fieldsOf(await client.readJson({ url, headers }, signal)), request);
  requireNoObstacle(obstacle);
  return video;
}

type Watched = { id: string; video: Located['video']; client: SourceClient };

/** Reads the charts of a video that somebody watched. */
async function readDays(
  { apiUrl, libraryId, accessKey }: SourceRequest,
  { id, video, client }: Watched,
  signal: AbortSignal,
): Promise<Pick<LocatedFiles, 'details' | 'notes'>> {
  if (video.views === 0 && video.watchSec === 0) return {};
  const dateFrom = video.uploadedAt?.slice(0, 10) ?? '2015-01-01';
  const query = new URLSearchParams({ videoGuid: id, dateFrom, dateTo: new Date().toISOString().slice(0, 10) });
  const url = `${apiUrl}/library/${libraryId}/statistics?${query}`;
  try {
    const charts = await client.findJson({ url, headers: { AccessKey: accessKey ?? '' } }, signal);
    return { details: { days: daysOf(fieldsOf(charts)) } };
  } catch (error) {
    if (isTransient(error) || error instanceof SourceBusy) throw error;
    const reason = error instanceof Error ? error.message : String(error);
    return { notes: [`Statistics by day could not be imported: ${reason}`] };
  }
}

type At = { cursor: string | null; client: SourceClient };

/** Collections are listed before videos. */
async function listPage(request: SourceRequest, { cursor, client }: At, signal: AbortSignal): Promise<ListedPage> {
  const place = placeOf(cursor ?? 'collections 1');
  const { list, page } = place;
  const query = `page=${page}&itemsPerPage=${PAGE_ITEMS}&orderBy=date`;
  const url = `${request.apiUrl}/library/${request.libraryId}/${list}?${query}`;
  const headers = { AccessKey: request.accessKey ?? '' };
  const answer = fieldsOf(await client.readJson({ url, headers }, signal));
  const items = listOf(answer.items);
  const [total, pageItems] = [countOf(answer.totalItems), countOf(answer.itemsPerPage)];
  const isAll = total > 0 && page * pageItems >= total;
  const after = cursorAfter(place, { total, pageItems, isLast: items.length === 0 || isAll });
  const read = list === 'videos' ? (item: Fields) => readVideo(item, request) : readCollection;
  return { items: items.map(read), next: after ?? (list === 'videos' ? null : 'videos 1') };
}

function readCollection(item: Fields): ListedItem {
  const id = idOf(item);
  const title = titleOf(item.name, 'Collection');
  return { kind: 'collection', sourceId: `collection ${id}`, id, title, order: null };
}

function idOf(item: Fields) {
  const id = readGuid(String(item.guid));
  if (id !== null) return id;
  throw new Refused('invalid', `Expected the source to list GUIDs, got ${JSON.stringify(item.guid)}. Check its URL.`);
}

function readVideo(item: Fields, request: SourceRequest): Extract<ListedItem, { kind: 'video' }> {
  const id = idOf(item);
  const status = countOf(item.status);
  const files = filesOf(item, request);
  return {
    kind: 'video',
    sourceId: id,
    id,
    title: titleOf(item.title, id),
    sizeBytes: countOf(item.storageSize),
    durationSec: Math.min(MAX_INT32, countOf(item.length)),
    obstacle: obstacleOf(status, files),
    notes:
      item.hasOriginal === true
        ? []
        : files.slice(0, 1).map(({ kind }) => `The source keeps no original. ${FALLBACKS[kind] ?? ''}`),
    video: toImported(item, files),
  };
}

function obstacleOf(status: number, files: readonly ImportFile[]) {
  if (status === CREATED || status === UPLOAD_FAILED) return { reason: NO_FILE, isRetryable: false };
  if (files.length > 0) return null;
  if (status === FAILED) return { reason: NO_FILE, isRetryable: false };
  if (status !== FINISHED) return { reason: 'The source is still encoding this video.', isRetryable: true };
  const reason =
    'The source keeps neither its original nor an MP4 file. Enable MP4 fallback there and encode it again.';
  return { reason, isRetryable: false };
}

function toImported(item: Fields, files: ImportFile[]): ImportedVideo {
  const thumbnail = textOf(item.thumbnailFileName);
  return {
    ...emptyVideo(),
    hasFailed: countOf(item.status) === FAILED,
    description: textOf(item.description),
    category: textOf(item.category),
    collectionId: readGuid(textOf(item.collectionId) ?? ''),
    isPublic: item.isPublic === true,
    // bunny Stream has no such field: its videos that are not public play for everybody.
    visibility: item.visibility === undefined ? 'public' : (readVisibility(item.visibility) ?? 'private'),
    uploadedAt: timeOf(item.dateUploaded),
    views: countOf(item.views),
    watchSec: countOf(item.totalWatchTime),
    ...marksOf(item),
    captions: listOf(item.captions).flatMap(({ srclang, label }) => {
      const language = textOf(srclang);
      return language === null
        ? []
        : [{ srclang: language, label: textOf(label) ?? '', address: `captions/${encodeURIComponent(language)}.vtt` }];
    }),
    // The default thumbnail is a frame of the video, which is also generated here.
    thumbnail: thumbnail === null || /^thumbnail(_[1-9])?\.jpg$/.test(thumbnail) ? null : thumbnail,
    files,
  };
}

function filesOf(item: Fields, { storage }: SourceRequest): ImportFile[] {
  const heights = (textOf(item.availableResolutions) ?? '').split(',').map((height) => Number.parseInt(height, 10));
  const mp4s = heights
    .filter((height) => height > 0)
    .toSorted((a, b) => b - a)
    .map((height) => ({ kind: 'mp4', address: `play_${height}p.mp4` }));
  const kept = item.hasOriginal === true ? [{ kind: 'original', address: 'original' }] : [];
  const stored = storage !== null && kept.length > 0 ? [{ kind: 'storage', address: 'original' }] : [];
  const status = countOf(item.status);
  const streamed = status === FINISHED && mp4s.length > 0 ? [{ kind: PLAYLIST, address: 'playlist.m3u8' }] : [];
  // While a video is being encoded, its best MP4 file is not made yet.
  const hasMp4s = item.hasMP4Fallback === true && (status === FINISHED || status === FAILED);
  return [...kept, ...stored, ...(hasMp4s ? mp4s : []), ...streamed];
}

function candidate(request: SourceRequest, kind: string, path: string): FileRequest {
  const { storage } = request;
  if (kind === PLAYLIST) return playlistRequest(request, path);
  if (kind !== 'storage' || storage === null) return fileRequest(request, path);
  return { url: `${storage.url}${path}`, headers: { AccessKey: storage.key } };
}

function fileRequest({ cdnUrl, securityKey: key, referrer }: SourceRequest, path: string): FileRequest {
  const expiresSec = Math.floor(Date.now() / 1000) + SIGNED_SEC;
  const query = key === null ? '' : `?${signFile({ key, path, expiresSec, address: null })}`;
  return { url: `${cdnUrl}${path}${query}`, headers: referrer === null ? {} : { Referer: referrer } };
}

/** Signs the folder of a video, so that the relative URLs of its playlists have the token too. */
function playlistRequest({ cdnUrl, securityKey: key, referrer }: SourceRequest, path: string): FileRequest {
  const expiresSec = Math.floor(Date.now() / 1000) + SIGNED_SEC;
  const folder = path.slice(0, path.lastIndexOf('/') + 1);
  const token = key === null ? '' : `/${signFolder({ key, folder, expiresSec, address: null })}`;
  return { url: `${cdnUrl}${token}${path}`, headers: referrer === null ? {} : { Referer: referrer } };
}
