import type { ListedItem } from '../../../catalog/imports/listed-item.ts';
import { readGuid } from '../../../lib/guid.ts';
import { Refused } from '../../../lib/refused.ts';
import type { ImportSource, ListedPage, Listing, Located, LocatedFiles, SourceRequest } from '../import-source.ts';
import { requireNoObstacle, type SourceClient, SourcePreparing } from '../source-client.ts';
import {
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
} from './read-fields.ts';

/** The list has at most 1,000. */
const PAGE_ITEMS = 500;
const SIGNED_SEC = 6 * 3600;

/** Videos of a Cloudflare Stream account. It keeps no originals, but makes an MP4 file of each video on request. */
export const cloudflare: ImportSource = {
  name: 'cloudflare',
  awaitsUploads: false,
  preparesFiles: true,
  refreshSec: null,
  prepare: async (request) => request,
  list: listVideos,
  locate,
};

function at({ apiUrl, account, accessKey }: SourceRequest, path: string) {
  const url = `${apiUrl}/accounts/${encodeURIComponent(account ?? '')}/stream${path}`;
  return { url, headers: { Authorization: `Bearer ${accessKey}` } };
}

/**
 * The list has no pages, but begins after a time with a precision of one second. Each part repeats the last second of
 * the part before, and the engine adds each video once.
 */
async function listVideos(
  request: SourceRequest,
  { cursor, client, guidFor }: Listing,
  signal: AbortSignal,
): Promise<ListedPage> {
  const query = new URLSearchParams({
    asc: 'true',
    limit: String(PAGE_ITEMS),
    ...(cursor !== null && { after: cursor }),
  });
  const videos = listOf(fieldsOf(await client.readJson(at(request, `?${query}`), signal)).result);
  const items = videos.map((video) => readVideo(video, guidFor));
  const last = timeOf(videos.at(-1)?.created);
  const next = last === null ? null : new Date(Math.floor(Date.parse(last) / 1000) * 1000 - 1000).toISOString();
  // The service may reduce the limit, so a part that is not full is not always the last one.
  if (next !== null && (cursor === null || next > cursor)) return { items, next };
  if (videos.length < PAGE_ITEMS) return { items, next: null };
  throw new Refused('invalid', `Expected fewer than ${PAGE_ITEMS} videos per second at the source, got more.`);
}

function readVideo(video: Fields, guidFor: Listing['guidFor']): ListedItem {
  const sourceId = textOf(video.uid) ?? '';
  const { name, ...meta } = fieldsOf(video.meta);
  const isPublic = video.requireSignedURLs !== true;
  const details = [...Object.entries(meta), ['creator', video.creator] as const].flatMap(([property, value]) => {
    const text = textOf(typeof value === 'number' || typeof value === 'boolean' ? String(value) : value);
    return text === null ? [] : [{ property, value: text }];
  });
  const isChosen = typeof video.thumbnailTimestampPct === 'number' && video.thumbnailTimestampPct > 0;
  return {
    kind: 'video',
    sourceId,
    // The ids are the 32 hexadecimal digits of a GUID.
    id: readGuid(sourceId) ?? guidFor(sourceId),
    title: titleOf(name, sourceId),
    sizeBytes: sizeOf(video.size),
    durationSec: secOf(video.duration),
    obstacle: obstacleOf(fieldsOf(video.status)),
    notes: notesOf(video),
    video: {
      ...emptyVideo(),
      isPublic,
      visibility: isPublic ? 'public' : 'private',
      uploadedAt: timeOf(video.uploaded ?? video.created),
      metaTags: [...tagsOf('cloudflareUid', sourceId, []), ...details],
      thumbnail: isChosen ? textOf(video.thumbnail) : null,
    },
  };
}

function obstacleOf({ state, errorReasonText }: Fields) {
  if (state === 'ready') return null;
  if (state === 'error') {
    const reason = `Cloudflare could not process this video. ${textOf(errorReasonText) ?? ''}`.trim();
    return { reason, isRetryable: false };
  }
  const reason = 'The file is not ready at the source, which still receives or encodes it.';
  return { reason, isRetryable: true };
}

function notesOf({ allowedOrigins, scheduledDeletion, requireSignedURLs }: Fields): string[] {
  const origins = Array.isArray(allowedOrigins) ? allowedOrigins.length : 0;
  return [
    ...(origins > 0 ? ['Its allowed origins are not imported. Set the allowed referrers of the pull zone.'] : []),
    ...(textOf(scheduledDeletion) === null ? [] : ['Its scheduled deletion is not imported.']),
    ...(requireSignedURLs === true ? ['It requires signed URLs at the source, so it is private.'] : []),
  ];
}

async function locate(
  request: SourceRequest,
  { item, client }: { item: Located; client: SourceClient },
  signal: AbortSignal,
): Promise<LocatedFiles> {
  const path = `/${encodeURIComponent(item.sourceId)}`;
  const read = async (rest: string) => fieldsOf(await client.readJson(at(request, `${path}${rest}`), signal)).result;
  const send = async (rest: string, body: object) =>
    fieldsOf(
      fieldsOf(
        await client.readJson({ ...at(request, path + rest), method: 'POST', body: JSON.stringify(body) }, signal),
      ).result,
    );
  const known = fieldsOf(fieldsOf(await read('/downloads')).default);
  const isKnown = textOf(known.status) !== null;
  if (!isKnown) requireNoObstacle(obstacleOf(fieldsOf(fieldsOf(await read('')).status)));
  const found = isKnown ? known : fieldsOf((await send('/downloads', {})).default);
  if (found.status === 'inprogress') throw new SourcePreparing('Cloudflare is preparing the download of this video.');
  const url = textOf(found.url);
  if (found.status !== 'ready' || url === null) {
    throw new Refused('invalid', `Expected a download from Cloudflare, got the status ${String(found.status)}.`);
  }
  const exp = Math.floor(Date.now() / 1000) + SIGNED_SEC;
  const token = item.video.isPublic ? null : textOf((await send('/token', { downloadable: true, exp })).token);
  const captions = listOf(await read('/captions'))
    .filter(({ status }) => (status ?? 'ready') === 'ready')
    .flatMap(({ language, label }) => {
      const srclang = textOf(language);
      if (srclang === null) return [];
      const file = at(request, `${path}/captions/${encodeURIComponent(srclang)}/vtt`);
      return [{ ...file, srclang, label: textOf(label) ?? '' }];
    });
  const { thumbnail } = item.video;
  const signed = (address: string) => ({ url: address.replace(item.sourceId, token ?? item.sourceId), headers: {} });
  return {
    files: [{ kind: 'mp4', ...signed(url) }],
    captions,
    thumbnail: thumbnail === null ? null : signed(thumbnail),
  };
}
