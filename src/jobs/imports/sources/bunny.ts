import type { ImportSourceName } from '../../../catalog/imports/library-import.ts';
import type { ImportedVideo, ImportFile, ListedItem } from '../../../catalog/imports/listed-item.ts';
import { signFile } from '../../../catalog/pull-zones/verify-url-token.ts';
import { readGuid } from '../../../lib/guid.ts';
import { Refused } from '../../../lib/refused.ts';
import type { ImportSource, ListedPage, SourceRequest } from '../import-source.ts';
import type { FileRequest, SourceClient } from '../source-client.ts';
import {
  countOf,
  emptyVideo,
  type Fields,
  fieldsOf,
  listOf,
  MAX_INT32,
  marksOf,
  textOf,
  timeOf,
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
      return findFiles(await readAccount(request, client, signal), client, signal);
    },
    list: (request, { cursor, client }, signal) => listPage(request, { cursor, client }, signal),
    async locate(request, { item: { id, video } }) {
      const at = (address: string) => fileRequest(request, `/${id}/${address}`);
      return {
        files: video.files.map(({ kind, address }) => ({ kind, ...candidate(request, kind, `/${id}/${address}`) })),
        captions: video.captions.map(({ address, ...caption }) => ({ ...caption, ...at(address) })),
        thumbnail: video.thumbnail === null ? null : at(video.thumbnail),
      };
    },
  };
}

/** Reads the library, its pull zone and its storage zone with the key of the account, if there is one. */
async function readAccount(request: SourceRequest, client: SourceClient, signal: AbortSignal): Promise<SourceRequest> {
  const { accountKey, coreUrl, libraryId } = request;
  if (accountKey === null || coreUrl === null) return request;
  const read = async (path: string) =>
    fieldsOf(await client.readJson({ url: `${coreUrl}${path}`, headers: { AccessKey: accountKey } }, signal));
  const library = await read(`/videolibrary/${libraryId}`);
  const zone = await read(`/pullzone/${countOf(library.PullZoneId)}`);
  const needsToken = zone.ZoneSecurityEnabled === true;
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

/** Reads the URL of the pull zone from the thumbnail of a video, if the request and the account do not state it. */
async function findFiles(request: SourceRequest, client: SourceClient, signal: AbortSignal): Promise<SourceRequest> {
  if (request.cdnUrl !== null) return request;
  const url = `${request.apiUrl}/library/${request.libraryId}/videos?page=1&itemsPerPage=1`;
  const [video] = listOf(
    fieldsOf(await client.readJson({ url, headers: { AccessKey: request.accessKey ?? '' } }, signal)).items,
  );
  if (video === undefined) return request;
  const [folder] = (textOf(video.thumbnailUrl) ?? '').split(`/${String(video.guid)}/`);
  if (folder?.startsWith('http') === true) return { ...request, cdnUrl: folder.replace(/\/bcdn_token=[^/]*$/, '') };
  throw new Refused('invalid', 'Expected cdnUrl, because the source does not list the URLs of its files. Send it.');
}

function referrerOf(zone: Fields): string | null {
  const [host] = Array.isArray(zone.AllowedReferrers) ? zone.AllowedReferrers : [];
  return typeof host === 'string' ? `https://${host.replace(/^\*\./, 'www.')}/` : null;
}

function storageOf(zone: Fields | null): SourceRequest['storage'] {
  const [host, name, key] = [textOf(zone?.StorageHostname), textOf(zone?.Name), textOf(zone?.Password)];
  return host === null || name === null || key === null ? null : { url: `https://${host}/${name}`, key };
}

type At = { cursor: string | null; client: SourceClient };

/** The cursor is the list and its page: `collections 2`, `videos 1`. */
async function listPage(request: SourceRequest, { cursor, client }: At, signal: AbortSignal): Promise<ListedPage> {
  const [list = '', number = ''] = (cursor ?? 'collections 1').split(' ');
  const page = Number(number);
  const query = `page=${page}&itemsPerPage=${PAGE_ITEMS}&orderBy=date`;
  const url = `${request.apiUrl}/library/${request.libraryId}/${list}?${query}`;
  const headers = { AccessKey: request.accessKey ?? '' };
  const answer = fieldsOf(await client.readJson({ url, headers }, signal));
  const items = listOf(answer.items);
  const isLast = items.length === 0 || page * countOf(answer.itemsPerPage) >= countOf(answer.totalItems);
  const read = list === 'videos' ? (item: Fields) => readVideo(item, request) : readCollection;
  const next = list === 'videos' ? null : 'videos 1';
  return { items: items.map(read), next: isLast ? next : `${list} ${page + 1}` };
}

function readCollection(item: Fields): ListedItem {
  const id = idOf(item);
  const title = textOf(item.name) ?? 'Collection';
  return { kind: 'collection', sourceId: `collection ${id}`, id, title, order: null };
}

function idOf(item: Fields) {
  const id = readGuid(String(item.guid));
  if (id !== null) return id;
  throw new Refused('invalid', `Expected the source to list GUIDs, got ${JSON.stringify(item.guid)}. Check its URL.`);
}

function readVideo(item: Fields, request: SourceRequest): ListedItem {
  const id = idOf(item);
  const status = countOf(item.status);
  const files = filesOf(item, request);
  return {
    kind: 'video',
    sourceId: id,
    id,
    title: textOf(item.title) ?? id,
    sizeBytes: countOf(item.storageSize),
    durationSec: Math.min(MAX_INT32, countOf(item.length)),
    obstacle: obstacleOf(status, files),
    notes:
      item.hasOriginal === true || files.length === 0 ? [] : ['The source keeps no original. The best MP4 is used.'],
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
  return [...kept, ...stored, ...(item.hasMP4Fallback === true ? mp4s : [])];
}

function candidate(request: SourceRequest, kind: string, path: string): FileRequest {
  const { storage } = request;
  if (kind !== 'storage' || storage === null) return fileRequest(request, path);
  return { url: `${storage.url}${path}`, headers: { AccessKey: storage.key } };
}

function fileRequest({ cdnUrl, securityKey: key, referrer }: SourceRequest, path: string): FileRequest {
  const expiresSec = Math.floor(Date.now() / 1000) + SIGNED_SEC;
  const query = key === null ? '' : `?${signFile({ key, path, expiresSec, address: null })}`;
  return { url: `${cdnUrl}${path}${query}`, headers: referrer === null ? {} : { Referer: referrer } };
}
