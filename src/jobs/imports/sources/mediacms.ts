import type { ListedItem } from '../../../catalog/imports/listed-item.ts';
import type { Chapter } from '../../../catalog/schema.ts';
import type { ImportSource, ListedPage, Listing, Located, LocatedFiles, SourceRequest } from '../import-source.ts';
import { type FileRequest, fileAt, type SourceClient } from '../source-client.ts';
import { cursorAfter, placeOf } from './numbered-pages.ts';
import {
  countOf,
  emptyVideo,
  type Fields,
  fieldsOf,
  listOf,
  secOf,
  tagsOf,
  textOf,
  timeOf,
  titleOf,
  visibilityOf,
} from './read-fields.ts';

/** Usual page size of the list, which the administrator may change. */
const PAGE_ITEMS = 50;

/** Videos of a MediaCMS: those of one author, or all of them with the token of an editor. */
export const mediacms: ImportSource = {
  name: 'mediacms',
  awaitsUploads: false,
  preparesFiles: false,
  refreshSec: null,
  prepare: async (request) => request,
  list: listMedia,
  locate,
};

function at(request: SourceRequest, address: string): FileRequest {
  return fileAt(request, 'Token', address);
}

async function listMedia(
  request: SourceRequest,
  { cursor, client, guidFor }: Listing,
  signal: AbortSignal,
): Promise<ListedPage> {
  const { apiUrl, account } = request;
  const place = placeOf(cursor ?? 'media 1');
  const { page } = place;
  const query = new URLSearchParams({ page: String(page), ...(account !== null && { author: account }) });
  const list = account === null ? 'manage_media' : 'media';
  const wanted = at(request, `${apiUrl}/api/v1/${list}?${query}`);
  // The last page does not exist any more if its items were deleted.
  const read = fieldsOf(await (page === 1 ? client.readJson(wanted, signal) : client.findJson(wanted, signal)));
  const found = listOf(read.results);
  const total = read.count === undefined ? Math.max(0, (place.total ?? 0) - 1) : countOf(read.count);
  const next = cursorAfter(place, { total, pageItems: PAGE_ITEMS, isLast: textOf(read.next) === null });
  return { items: found.map((one) => readMedium(one, guidFor)), next };
}

function readMedium(medium: Fields, guidFor: Listing['guidFor']): ListedItem {
  const sourceId = textOf(medium.friendly_token) ?? '';
  const type = textOf(medium.media_type);
  const isMedia = type === 'video' || type === 'audio';
  return {
    kind: 'video',
    sourceId,
    id: guidFor(sourceId),
    title: titleOf(medium.title, sourceId),
    sizeBytes: bytesOf(textOf(medium.size)),
    durationSec: secOf(medium.duration),
    obstacle: isMedia ? null : { reason: `It is no video, but of the type ${type}.`, isRetryable: false },
    notes: [],
    video: {
      ...emptyVideo(),
      description: textOf(medium.description),
      isPublic: medium.state === 'public',
      visibility: visibilityOf(medium.state, { public: 'public', unlisted: 'unlisted' }),
      uploadedAt: timeOf(medium.add_date),
      views: countOf(medium.views),
      metaTags: tagsOf('mediacmsToken', sourceId, []),
    },
  };
}

/** Parses a size such as `12.3MB`, as MediaCMS writes it. */
function bytesOf(size: string | null): number | null {
  const [, number, unit = ''] = /^([\d.]+)\s*([KMGT]?)i?B?$/i.exec(size ?? '') ?? [];
  if (number === undefined) return null;
  return Math.round(Number(number) * 1024 ** ['', 'K', 'M', 'G', 'T'].indexOf(unit.toUpperCase()));
}

async function locate(
  request: SourceRequest,
  { item, client }: { item: Located; client: SourceClient },
  signal: AbortSignal,
): Promise<LocatedFiles> {
  const path = `${request.apiUrl}/api/v1/media/${encodeURIComponent(item.sourceId)}`;
  const medium = fieldsOf(await client.readJson(at(request, path), signal));
  const categories = listOf(medium.categories_info).flatMap(({ title }) => textOf(title) ?? []);
  const tags = listOf(medium.tags_info).map(({ title }) => textOf(title));
  const original = textOf(medium.original_media_url);
  const poster = textOf(medium.poster_url) ?? textOf(medium.thumbnail_url);
  const originals = original === null ? [] : [{ kind: 'original', ...at(request, original) }];
  return {
    files: [...originals, ...encodingsOf(request, medium)],
    captions: listOf(medium.subtitles_info).flatMap(({ src, srclang, label }) => {
      const [language, address] = [textOf(srclang), textOf(src)];
      if (language === null || address === null) return [];
      return [{ ...at(request, address), srclang: language, label: textOf(label) ?? '' }];
    }),
    thumbnail: poster === null ? null : at(request, poster),
    details: {
      description: textOf(medium.description) ?? item.video.description,
      category: categories[0] ?? null,
      chapters: listOf(medium.chapter_data).map(readChapter),
      metaTags: tagsOf('mediacmsToken', item.sourceId, tags),
    },
    notes: [
      ...(original === null ? ['The source keeps no original. The best MP4 is used.'] : []),
      ...(categories.length > 1 ? [`The categories ${categories.slice(1).join(', ')} are not imported.`] : []),
      ...(medium.is_shared === true ? ['Its permissions of single people are not imported.'] : []),
    ],
  };
}

function readChapter(chapter: Fields): Chapter {
  const { startTime, endTime, chapterTitle, text, name } = chapter;
  const [start, end] = [clockOf(startTime), clockOf(endTime)];
  return { title: textOf(chapterTitle) ?? textOf(text) ?? textOf(name) ?? '', start, end: Math.max(start, end) };
}

/** Parses `hh:mm:ss.mmm`, or a number of seconds. */
function clockOf(value: unknown): number {
  if (typeof value === 'number') return countOf(value);
  const parts = (textOf(value) ?? '').split(':').map(Number);
  return countOf(parts.reduce((sum, part) => sum * 60 + part, 0));
}

/** Encodings by height, as `{"720": {"h264": {"url": "/media/…", "status": "success"}}}`. */
function encodingsOf(request: SourceRequest, { encodings_info: encodings }: Fields): LocatedFiles['files'] {
  return Object.entries(fieldsOf(encodings))
    .toSorted(([a], [b]) => Number(b) - Number(a))
    .flatMap(([, codecs]) => Object.entries(fieldsOf(codecs)))
    .flatMap(([codec, encoding]) => {
      const { url, status } = fieldsOf(encoding);
      const address = textOf(url);
      return codec !== 'h264' || address === null || status !== 'success'
        ? []
        : [{ kind: 'mp4', ...at(request, address) }];
    });
}
