import { type ImportedVideo, type ListedItem, readDays } from '../../../catalog/imports/listed-item.ts';
import {
  FAILED_STATUS,
  findMediaLess,
  findSidecars,
  groupOf,
  inListedOrder,
  isMedium,
  labelOf,
  MANIFESTS,
  noMediaReasonOf,
  originOf,
  parseCollections,
  parseFields,
  parseManifest,
  pickKnown,
  type SidecarFields,
} from '../../../catalog/imports/sidecars.ts';
import { readVisibility } from '../../../catalog/visibility.ts';
import { readGuid } from '../../../lib/guid.ts';
import { parseXml } from '../../../lib/parse-xml.ts';
import { Refused } from '../../../lib/refused.ts';
import type { ImportSource, ListedPage, Listing, LocatedFiles, SourceRequest } from '../import-source.ts';
import { isTransient, type SourceClient } from '../source-client.ts';
import { readBucketSettings } from './read-bucket-settings.ts';
import {
  commentDetails,
  countOf,
  emptyVideo,
  fieldsOf,
  listOf,
  marksOf,
  momentOf,
  textOf,
  timeOf,
  titleOf,
} from './read-fields.ts';
import { signObject } from './sign-object.ts';

const PAGE_KEYS = 500;
const MAX_LIST_BYTES = 8 * 2 ** 20;
const MAX_MANIFEST_BYTES = 32 * 2 ** 20;
const MAX_SIDECAR_BYTES = 2 ** 20;
const MAX_COMMENTS_BYTES = 16 * 2 ** 20;
/** Number of sidecars that are read at once. */
const PARALLEL_READS = 8;
const COLLECTIONS = 'collections.json';
const USUAL_LANGUAGE = 'en';

/** Media in an S3 bucket with their sidecars, as in a folder. */
export const s3: ImportSource = {
  name: 's3',
  awaitsUploads: false,
  preparesFiles: false,
  refreshSec: null,
  prepare: async (request) => request,
  readSettings: (request, client, signal) => readBucketSettings(request, { prefix: prefixOf(request), client }, signal),
  list: listObjects,
  async locate(request, { item: { video }, client }, signal) {
    const sign = (key: string) => signObject(request, key, {});
    return {
      files: await Promise.all(video.files.map(async ({ kind, address }) => ({ kind, ...(await sign(address)) }))),
      captions: await Promise.all(
        video.captions.map(async ({ address, ...caption }) => ({ ...caption, ...(await sign(address)) })),
      ),
      thumbnail: video.thumbnail === null ? null : await sign(video.thumbnail),
      ...(await commentsOf(request, { video, client }, signal)),
    };
  },
};

/** Reads the comments of an export, if it has some of the video. */
async function commentsOf(
  request: SourceRequest,
  { video: { commentsFile }, client }: { video: ImportedVideo; client: SourceClient },
  signal: AbortSignal,
): Promise<Pick<LocatedFiles, 'details' | 'notes'>> {
  if (commentsFile == null) return {};
  const file = { ...(await signObject(request, commentsFile, {})), maxBytes: MAX_COMMENTS_BYTES };
  const text = (await client.readFile(file, signal)).toString('utf8');
  return commentDetails(parseList(text));
}

function parseList(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return ['no JSON'];
  }
}

type StoredObject = { key: string; sizeBytes: number; modifiedAt: string | null };
/** Keys and names are relative to the prefix. */
type Folder = { manifest: Map<string, SidecarFields>; prefix: string; names: readonly string[] };
type Parts = { request: SourceRequest; client: SourceClient; guidFor: Listing['guidFor'] };

/**
 * Lists keys in their order, in which a medium and its sidecars are neighbours. Objects of the last name are left for
 * the next page, because their other sidecars may be there. The cursor is the last key of a page.
 */
async function listObjects(
  request: SourceRequest,
  { cursor, client, guidFor }: Listing,
  signal: AbortSignal,
): Promise<ListedPage> {
  const parts = { request, client, guidFor };
  const prefix = prefixOf(request);
  const { objects, isLast } = await readKeys(parts, cursor, signal);
  const last = groupOf(objects.at(-1)?.key ?? '');
  const complete = isLast ? objects : objects.filter(({ key }) => groupOf(key) !== last);
  // If all objects of the page have the same name, the page is used completely.
  const taken = complete.length === 0 ? objects : complete;
  const folder = { manifest: await readManifest(parts, signal), prefix, names: taken.map(({ key }) => key) };
  const collections = cursor === null ? await readCollections(parts, signal) : [];
  const media = taken.filter(({ key }) => isMedium(key));
  const videos: ListedItem[] = [];
  for (let start = 0; start < media.length; start += PARALLEL_READS) {
    const some = media.slice(start, start + PARALLEL_READS);
    videos.push(...(await Promise.all(some.map((medium) => describe(medium, { parts, folder }, signal)))));
  }
  const without = await listMediaLess({ parts, folder }, signal);
  const folders = new Set(media.map(({ key }) => folderOf(key.slice(prefix.length))).filter((name) => name !== null));
  const shelves = [...folders].map((name): ListedItem => {
    const sourceId = `folder ${name}`;
    return { kind: 'collection', sourceId, id: guidFor(sourceId), title: titleOf(name, 'Folder'), order: null };
  });
  return {
    items: [...collections, ...shelves, ...videos, ...without],
    next: isLast ? null : (taken.at(-1)?.key ?? null),
  };
}

function prefixOf({ prefix }: SourceRequest): string {
  const folder = (prefix ?? '').replace(/^\/+|\/+$/g, '');
  return folder === '' ? '' : `${folder}/`;
}

function folderOf(name: string): string | null {
  const [folder, ...rest] = name.split('/');
  return rest.length === 0 ? null : (folder ?? null);
}

async function readKeys(
  { request, client }: Parts,
  after: string | null,
  signal: AbortSignal,
): Promise<{ objects: StoredObject[]; isLast: boolean }> {
  const query = {
    'list-type': '2',
    'max-keys': String(PAGE_KEYS),
    'encoding-type': 'url',
    prefix: prefixOf(request),
    ...(after !== null && { 'start-after': after }),
  };
  const file = await signObject(request, '', query);
  const root = parseXml((await client.readFile({ ...file, maxBytes: MAX_LIST_BYTES }, signal)).toString('utf8'));
  if (root.name !== 'ListBucketResult') {
    throw new Refused('invalid', `Expected a list of objects from ${request.apiUrl}, got <${root.name}>.`);
  }
  const child = (of: typeof root, name: string) => of.children.find((one) => one.name === name)?.content ?? '';
  // Some stores ignore `encoding-type`.
  const isEncoded = child(root, 'EncodingType') === 'url';
  const objects = root.children
    .filter(({ name }) => name === 'Contents')
    .map((one) => ({
      key: isEncoded ? decodeURIComponent(child(one, 'Key').replaceAll('+', ' ')) : child(one, 'Key'),
      sizeBytes: Number(child(one, 'Size')),
      modifiedAt: timeOf(child(one, 'LastModified')),
    }));
  return { objects, isLast: child(root, 'IsTruncated') !== 'true' };
}

async function readManifest(parts: Parts, signal: AbortSignal): Promise<Folder['manifest']> {
  for (const name of MANIFESTS) {
    const text = await readText(parts, { key: prefixOf(parts.request) + name, maxBytes: MAX_MANIFEST_BYTES }, signal);
    if (text !== null) return parseManifest(text, name);
  }
  return new Map();
}

async function readCollections(parts: Parts, signal: AbortSignal): Promise<ListedItem[]> {
  const wanted = { key: prefixOf(parts.request) + COLLECTIONS, maxBytes: MAX_MANIFEST_BYTES };
  const text = await readText(parts, wanted, signal);
  if (text === null) return [];
  return parseCollections(text, COLLECTIONS).map(({ guid, name, order }) => {
    return { kind: 'collection', sourceId: `collection ${guid}`, id: guid, title: titleOf(name, guid), order };
  });
}

async function readText(
  { request, client }: Parts,
  { key, maxBytes }: { key: string; maxBytes: number },
  signal: AbortSignal,
): Promise<string | null> {
  const bytes = await client.findFile({ ...(await signObject(request, key, {})), maxBytes }, signal);
  return bytes?.toString('utf8') ?? null;
}

/** Lists the videos of an export that have no media. */
async function listMediaLess(
  { parts, folder }: { parts: Parts; folder: Folder },
  signal: AbortSignal,
): Promise<ListedItem[]> {
  const items: ListedItem[] = [];
  const names = folder.names.map((key) => key.slice(folder.prefix.length));
  for (const { guid, path } of findMediaLess(names)) {
    const fields = await readSidecar(parts, { key: folder.prefix + path, notes: [] }, signal);
    const reason = noMediaReasonOf(fields, guid);
    if (reason === null) continue;
    const video = emptyVideo();
    const obstacle = { reason, isRetryable: false };
    const title = titleOf(fields.title, guid);
    const sizes = { sizeBytes: null, durationSec: null };
    items.push({ kind: 'video', sourceId: path, id: guid, title, ...sizes, obstacle, notes: [], video });
  }
  return items;
}

async function describe(
  { key, sizeBytes, modifiedAt }: StoredObject,
  { parts, folder }: { parts: Parts; folder: Folder },
  signal: AbortSignal,
): Promise<ListedItem> {
  const { guidFor } = parts;
  const name = key.slice(folder.prefix.length);
  const sidecars = findSidecars(key, folder.names, USUAL_LANGUAGE);
  const notes: string[] = [];
  const sidecar = sidecars.fields === null ? {} : await readSidecar(parts, { key: sidecars.fields, notes }, signal);
  const fields = { ...sidecar, ...folder.manifest.get(name) };
  const shelf = folderOf(name);
  const collectionId =
    readGuid(textOf(fields.collectionId) ?? '') ?? (shelf === null ? null : guidFor(`folder ${shelf}`));
  const captions = inListedOrder(sidecars.captions, fields).map(({ srclang, path }) => ({
    srclang,
    label: labelOf(fields, srclang) ?? '',
    ...originOf(fields, srclang),
    address: path,
  }));
  const title = name.slice(name.lastIndexOf('/') + 1).replace(/\.[^.]*$/, '');
  const files = [{ kind: 'object', address: key }];
  const attached = { collectionId, captions, thumbnail: sidecars.image, commentsFile: sidecars.comments, files };
  return {
    kind: 'video',
    sourceId: name,
    id: readGuid(textOf(fields.guid) ?? '') ?? guidFor(name),
    title: titleOf(fields.title, title),
    sizeBytes,
    durationSec: null,
    obstacle: sizeBytes === 0 ? { reason: 'The object is empty.', isRetryable: false } : null,
    notes,
    video: { ...emptyVideo(), uploadedAt: modifiedAt, ...videoOf(fields, notes), ...attached },
  };
}

/** Reads a sidecar. One that cannot be read, or is too large, is left out and noted. */
async function readSidecar(
  parts: Parts,
  { key, notes }: { key: string; notes: string[] },
  signal: AbortSignal,
): Promise<SidecarFields> {
  try {
    const text = await readText(parts, { key, maxBytes: MAX_SIDECAR_BYTES }, signal);
    return text === null ? {} : parseFields(text, key);
  } catch (error) {
    if (!(error instanceof Refused) || isTransient(error)) throw error;
    notes.push(`The sidecar could not be read: ${error.message}`);
    return {};
  }
}

function videoOf(fields: SidecarFields, notes: string[]): Partial<ImportedVideo> {
  const leaveOut = ({ message }: Refused) => void notes.push(`A field was left out: ${message}`);
  const known = fieldsOf(pickKnown(fields, leaveOut));
  const uploadedAt = timeOf(known.dateUploaded);
  if (known.dateUploaded !== undefined && uploadedAt === null) notes.push('Its upload date could not be read.');
  return {
    ...(uploadedAt !== null && { uploadedAt }),
    description: textOf(known.description),
    category: textOf(known.category),
    isPublic: known.isPublic === true,
    visibility: readVisibility(known.visibility) ?? 'public',
    views: countOf(known.views),
    watchSec: countOf(known.totalWatchTime),
    days: readDays(listOf(known.statistics)),
    thumbnailTimeMs: momentOf(known.thumbnailTime),
    hasFailed: known.status === FAILED_STATUS,
    ...marksOf(known),
  };
}
