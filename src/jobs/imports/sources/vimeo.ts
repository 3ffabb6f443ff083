import type { ImportedVideo, ListedItem } from '../../../catalog/imports/listed-item.ts';
import type { ImportSource, ListedPage, Listing, Located, LocatedFiles, SourceRequest } from '../import-source.ts';
import { requireNoObstacle, type SourceClient } from '../source-client.ts';
import { cursorAfter, placeOf } from './numbered-pages.ts';
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
/** Maximum number of pages of the text tracks or chapters of a video. */
const MAX_LIST_PAGES = 10;
/** A request for fewer fields has a higher rate limit. */
const FIELDS = [
  'uri,name,description,duration,created_time,release_time,status,privacy.view,tags.name,categories.name,stats.plays',
  'parent_folder.uri,parent_folder.name,pictures.type,pictures.base_link,pictures.sizes.link,download,files',
  'metadata.connections.texttracks.total,metadata.connections.chapters.total',
].join(',');

/** Videos of a Vimeo account. The links to the files expire, so they are read again before each transfer. */
export const vimeo: ImportSource = {
  name: 'vimeo',
  awaitsUploads: false,
  preparesFiles: false,
  refreshSec: null,
  prepare: async (request) => request,
  list: listPage,
  locate,
};

function at({ apiUrl, accessKey }: SourceRequest, path: string) {
  const headers = { Authorization: `bearer ${accessKey}`, Accept: 'application/vnd.vimeo.*+json;version=3.4' };
  return { url: `${apiUrl}${path}`, headers };
}

/** Folders are listed before videos. The list of folders lacks nested and shared ones, which the videos name. */
async function listPage(
  request: SourceRequest,
  { cursor, client, guidFor }: Listing,
  signal: AbortSignal,
): Promise<ListedPage> {
  const place = placeOf(cursor ?? 'projects 1');
  const { list, page } = place;
  const isVideos = list === 'videos';
  const query = new URLSearchParams({
    per_page: String(PAGE_ITEMS),
    page: String(page),
    direction: 'asc',
    sort: 'date',
    fields: isVideos ? FIELDS : 'uri,name',
  });
  const read = fieldsOf(await client.readJson(at(request, `/me/${list}?${query}`), signal));
  const found = listOf(read.data);
  const folders = isVideos ? foldersOf(found) : found;
  const items = folders.map((folder) => readFolder(folder, guidFor));
  if (isVideos) items.push(...found.map((video) => readVideo(video, guidFor)));
  const isLast = textOf(fieldsOf(read.paging).next) === null;
  const after = cursorAfter(place, { total: countOf(read.total), pageItems: PAGE_ITEMS, isLast });
  return { items, next: after ?? (isVideos ? null : 'videos 1') };
}

/** Returns the folders of videos, each once. */
function foldersOf(videos: readonly Fields[]): Fields[] {
  const folders = videos.map(({ parent_folder: folder }) => fieldsOf(folder)).filter(({ uri }) => textOf(uri) !== null);
  return [...new Map(folders.map((folder) => [idOf(folder.uri), folder])).values()];
}

/** Ids of folders and videos are the last part of their `uri`. */
function idOf(uri: unknown): string {
  return (textOf(uri) ?? '').split('/').at(-1)?.split(':')[0] ?? '';
}

function readFolder({ uri, name }: Fields, guidFor: Listing['guidFor']): ListedItem {
  const sourceId = `folder ${idOf(uri)}`;
  return { kind: 'collection', sourceId, id: guidFor(sourceId), title: titleOf(name, 'Folder'), order: null };
}

function readVideo(video: Fields, guidFor: Listing['guidFor']): ListedItem {
  const sourceId = idOf(video.uri);
  const folder = textOf(fieldsOf(video.parent_folder).uri);
  const files = filesOf(video);
  return {
    kind: 'video',
    sourceId,
    id: guidFor(sourceId),
    title: titleOf(video.name, sourceId),
    sizeBytes: files[0]?.sizeBytes ?? null,
    durationSec: secOf(video.duration),
    obstacle: obstacleOf(video, files.length),
    notes: notesOf(video, files[0]?.kind),
    video: {
      ...emptyVideo(),
      description: textOf(video.description),
      category: textOf(listOf(video.categories)[0]?.name),
      collectionId: folder === null ? null : guidFor(`folder ${idOf(folder)}`),
      isPublic: fieldsOf(video.privacy).view === 'anybody',
      visibility: visibilityOf(fieldsOf(video.privacy).view, VISIBILITIES),
      uploadedAt: timeOf(video.release_time ?? video.created_time),
      views: countOf(fieldsOf(video.stats).plays),
      metaTags: tagsOf(
        'vimeoId',
        sourceId,
        listOf(video.tags).map(({ name }) => textOf(name)),
      ),
    },
  };
}

/** Visibility by the privacy of a video. `disable` hides it on Vimeo, but not where it is embedded. */
const VISIBILITIES = { anybody: 'public', unlisted: 'unlisted', disable: 'unlisted' } as const;

/** Returns the source file if the plan has it, then the renditions by height. */
function filesOf({ download, files }: Fields) {
  const progressive = listOf(files).filter(({ quality }) => quality !== 'hls' && quality !== 'dash');
  const heightOf = ({ quality, height }: Fields) => (quality === 'source' ? Number.MAX_SAFE_INTEGER : countOf(height));
  return [...listOf(download), ...progressive]
    .toSorted((a, b) => heightOf(b) - heightOf(a))
    .flatMap(({ quality, link, size }) => {
      const url = textOf(link);
      const kind = quality === 'source' ? 'source' : 'mp4';
      return url === null ? [] : [{ kind, url, headers: {}, sizeBytes: sizeOf(size) }];
    });
}

function obstacleOf({ status }: Fields, files: number) {
  if (files > 0) return null;
  if (status === 'available' || status === undefined) {
    const reason =
      'Vimeo gave no link to the file. The token needs the scopes private and video_files, and the plan Standard.';
    return { reason, isRetryable: false };
  }
  const isPending = ['transcoding', 'transcode_starting', 'uploading'].includes(String(status));
  const reason = isPending ? 'The source is still encoding this video.' : 'The source has no file of this video.';
  return { reason, isRetryable: isPending };
}

function notesOf(video: Fields, kind: string | undefined): string[] {
  const { view } = fieldsOf(video.privacy);
  const others = listOf(video.categories).slice(1);
  return [
    ...(kind === 'mp4' ? ['The source offers no original. The best MP4 is used.'] : []),
    ...(view === 'password' ? ['Its password is not imported. Use a share page with a password.'] : []),
    ...(others.length > 0 ? [`${others.length} further categories are not imported.`] : []),
  ];
}

async function locate(
  request: SourceRequest,
  { item, client }: { item: Located; client: SourceClient },
  signal: AbortSignal,
): Promise<LocatedFiles> {
  const path = `/videos/${encodeURIComponent(item.sourceId)}`;
  const read = async (rest: string) => fieldsOf(await client.readJson(at(request, `${path}${rest}`), signal));
  const video = await read(`?fields=${FIELDS}`);
  const files = filesOf(video);
  requireNoObstacle(obstacleOf(video, files.length));
  const { texttracks, chapters } = fieldsOf(fieldsOf(video.metadata).connections);
  const notes: string[] = [];
  const readAll = async (list: string, { total }: Fields, what: string) => {
    const found: Fields[] = [];
    for (let page = 1; page <= Math.min(MAX_LIST_PAGES, Math.ceil(countOf(total) / PAGE_ITEMS)); page += 1) {
      found.push(...listOf((await read(`/${list}?per_page=${PAGE_ITEMS}&page=${page}`)).data));
    }
    const max = MAX_LIST_PAGES * PAGE_ITEMS;
    const left = countOf(total) - max;
    if (left > 0) notes.push(`${left} of ${countOf(total)} ${what} were not imported. The maximum is ${max}.`);
    return found;
  };
  // Players at the source show the active track of a language.
  const tracks = (await readAll('texttracks', fieldsOf(texttracks), 'text tracks')).toSorted(
    (one, other) => Number(other.active === true) - Number(one.active === true),
  );
  const marks = await readAll('chapters', fieldsOf(chapters), 'chapters');
  const details: Partial<ImportedVideo> = {
    chapters: chaptersOf(
      marks.map(({ title, timecode }) => ({ title: textOf(title), start: countOf(timecode) })),
      secOf(video.duration),
    ),
  };
  const picture = fieldsOf(video.pictures);
  const thumbnail = picture.type === 'custom' ? textOf(listOf(picture.sizes).at(-1)?.link ?? picture.base_link) : null;
  return {
    files,
    captions: tracks.flatMap(({ language, name, link }) => {
      const [srclang, url] = [textOf(language), textOf(link)];
      return srclang === null || url === null ? [] : [{ url, headers: {}, srclang, label: textOf(name) ?? '' }];
    }),
    thumbnail: thumbnail === null ? null : { url: thumbnail, headers: {} },
    details,
    notes,
  };
}
