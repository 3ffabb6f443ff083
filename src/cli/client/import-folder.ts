import { createHash } from 'node:crypto';
import { readdir, readFile, stat } from 'node:fs/promises';
import { basename, extname, join, relative, sep } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { guidOfBytes, readGuid } from '../../lib/guid.ts';
import { Refused } from '../../lib/refused.ts';
import type { Context } from './context.ts';
import { EXPORT_FILES } from './export-library.ts';
import { followImport } from './follow-import.ts';
import { printLine } from './output.ts';
import { MEDIA, openUploader, uploadOne } from './upload-files.ts';

const IMAGES = ['.jpg', '.jpeg', '.png'];
const CAPTIONS = ['.vtt', '.srt'];
const MANIFESTS = ['manifest.json', 'manifest.csv'];
const MAX_ITEMS = 10_000;
const POLL_MS = 500;

type Fields = Record<string, unknown>;
type Caption = { srclang: string; label: string | null; path: string };
type Found = { path: string; item: Item; captions: Caption[]; image: string | null };
type Item = { kind: 'video' | 'collection'; sourceId: string; guid: string; title: string } & Fields;

/**
 * `import folder PATH`: uploads the media below a folder with their sidecars. A second run uploads only what is
 * missing, because GUIDs are made from the paths unless a sidecar or the manifest states them.
 */
export async function importFolder(context: Context, root: string): Promise<void> {
  const { items, videos } = await readFolder(context, root);
  if (items.length === 0 || items.length > MAX_ITEMS) {
    throw new Refused('invalid', `expected 1 to ${MAX_ITEMS} media files in ${root}, got ${items.length}.`);
  }
  const { millrace, library: libraryId, pairs } = context;
  await stopEarlier(context);
  const body = { source: 'upload' as const, items, dryRun: pairs.dryRun === true };
  const { guid: importId } = await millrace.call('createImport', { libraryId, body });
  if (!body.dryRun) await uploadFiles(context, { importId, videos });
  await followImport(context, libraryId, importId);
}

/** An interrupted run left an import that waits for its files. This run takes over its videos. */
async function stopEarlier({ millrace, library: libraryId }: Context): Promise<void> {
  for await (const { guid: importId, source, dateEnded } of millrace.pages('listImports', { libraryId })) {
    if (source !== 'upload' || dateEnded !== null) continue;
    await millrace.call('cancelImport', { libraryId, importId });
    while ((await millrace.call('getImport', { libraryId, importId })).dateEnded === null) await sleep(POLL_MS);
  }
}

type Uploads = { importId: string; videos: readonly Found[] };

async function uploadFiles(context: Context, { importId, videos }: Uploads): Promise<void> {
  const uploader = await openUploader(context);
  const left = new Map(videos.map((video) => [video.item.guid, video]));
  while (left.size > 0) {
    const ready = await readyItems(context, importId);
    for (const guid of ready.settled) left.delete(guid);
    for (const guid of ready.fetching) {
      const video = left.get(guid);
      left.delete(guid);
      if (video === undefined) continue;
      await attach(context, video);
      const values = { ...context.values, title: video.item.title, 'no-wait': true };
      await uploadOne({ ...context, values }, uploader, { path: video.path, collectionId: null }, guid);
    }
    if (ready.isOver) return;
    if (left.size > 0) await sleep(POLL_MS);
  }
}

async function readyItems({ millrace, library: libraryId }: Context, importId: string) {
  const fetching: string[] = [];
  const settled: string[] = [];
  for (let page = 1; ; page += 1) {
    const read = await millrace.call('getImport', { libraryId, importId, page, itemsPerPage: 1000 });
    for (const { guid, state } of read.items) {
      if (state === 'fetching') fetching.push(guid);
      else if (state !== 'waiting') settled.push(guid);
    }
    if (page * read.itemsPerPage >= read.totalItems) return { fetching, settled, isOver: read.dateEnded !== null };
  }
}

/** Sends captions and image before the file, so that an interrupted run sends them again. */
async function attach({ millrace, library: libraryId }: Context, { item, captions, image }: Found): Promise<void> {
  const videoId = item.guid;
  for (const { srclang, label, path } of captions) {
    const captionsFile = (await readFile(path)).toString('base64');
    await millrace.call('addCaption', { libraryId, videoId, srclang, body: { srclang, label, captionsFile } });
  }
  if (image !== null) await millrace.call('setThumbnail', { libraryId, videoId, body: await readFile(image) });
}

async function readFolder(context: Context, root: string): Promise<{ items: Item[]; videos: Found[] }> {
  const options = { recursive: true, withFileTypes: true } as const;
  const found = await readdir(root, options).catch((cause: unknown) => {
    throw new Refused('invalid', `expected a folder that can be read, got ${root} (${Object(cause).code}).`, { cause });
  });
  // Links are left out, because they may lead to files that the user does not mean to upload.
  const names = found
    .filter((entry) => entry.isFile())
    .map((entry) => relative(root, join(entry.parentPath, entry.name)))
    .toSorted((a, b) => (a < b ? -1 : 1));
  const manifest = await readManifest(root, names);
  const media = names.filter((name) => MEDIA.has(extname(name).toLowerCase()));
  const collections = await readCollections(root, names);
  const videos: Found[] = [];
  for (const name of media) {
    const [folder = '', ...rest] = name.split(sep);
    const fields = { ...(await readSidecar(root, name, names)), ...manifest.get(name) };
    if (rest.length > 0 && fields.collectionId === undefined) {
      const sourceId = `folder ${folder}`;
      const guid = guidFor(context, sourceId);
      collections.set(folder, { kind: 'collection', sourceId, guid, title: folder });
      fields.collectionId = guid;
    }
    videos.push(await describe(context, { root, name, names, fields }));
  }
  return { items: [...collections.values(), ...videos.map(({ item }) => item)], videos };
}

/** Reads `collections.json` of an export: a list of `guid` and `name`. */
async function readCollections(root: string, names: readonly string[]): Promise<Map<string, Item>> {
  const name = EXPORT_FILES.collections;
  if (!names.includes(name)) return new Map();
  const listed = Object.values(parse(await readFile(join(root, name), 'utf8'), name)).map((one): [string, Item] => {
    const guid = readGuid(String(Object(one).guid ?? ''));
    if (guid === null) throw new Refused('invalid', `expected a guid in each entry of ${name}. Correct the file.`);
    const title = String(Object(one).name ?? guid);
    return [`${guid}/`, { kind: 'collection', sourceId: `collection ${guid}`, guid, title }];
  });
  return new Map(listed);
}

type Described = { root: string; name: string; names: readonly string[]; fields: Fields };

async function describe(context: Context, { root, name, names, fields }: Described): Promise<Found> {
  const path = join(root, name);
  const stem = name.slice(0, -extname(name).length);
  const beside = names.filter((other) => other.startsWith(`${stem}.`) && other !== name);
  const captions = beside
    .filter((other) => CAPTIONS.includes(extname(other).toLowerCase()))
    .map((other) => {
      const srclang = languageOf(other, stem, context);
      return { srclang, label: labelOf(fields, srclang), path: join(root, other) };
    });
  const image = beside.find((other) => IMAGES.includes(extname(other).toLowerCase())) ?? null;
  const guid = readGuid(String(fields.guid ?? '')) ?? guidFor(context, name);
  const title = String(fields.title ?? basename(stem));
  const sizeBytes = (await stat(path)).size;
  const item: Item = { ...pickKnown(fields), kind: 'video', sourceId: name, guid, title, sizeBytes };
  return { path, item, captions, image: image === null ? null : join(root, image) };
}

/** `talk.de.vtt` is German. Without a language in the name, the pair `language=` or English is used. */
function languageOf(name: string, stem: string, { pairs }: Context): string {
  const language = name.slice(stem.length + 1, -extname(name).length);
  return language === '' ? String(pairs.language ?? 'en') : language;
}

/** Returns the label of captions from the field `captions`, a list of `srclang` and `label`. */
function labelOf({ captions }: Fields, srclang: string): string | null {
  const found: unknown = Array.isArray(captions) ? captions.find((one) => Object(one).srclang === srclang) : null;
  const label: unknown = Object(found).label;
  return typeof label === 'string' && label !== '' ? label : null;
}

function guidFor({ url, library }: Context, sourceId: string): string {
  return guidOfBytes(
    createHash('sha256')
      .update(JSON.stringify([url, library, sourceId]))
      .digest(),
  );
}

const TEXTS = ['description', 'category', 'collectionId', 'dateUploaded'];
const NUMBERS = ['views', 'totalWatchTime'];
const LISTS = ['chapters', 'moments', 'metaTags'];

/** Keeps the fields that an import carries. Values in CSV are texts, with JSON for lists. */
function pickKnown(fields: Fields): Fields {
  const known: Fields = {};
  for (const [name, value] of Object.entries(fields)) {
    if (value === '' || value === null) continue;
    if (TEXTS.includes(name)) known[name] = String(value);
    if (NUMBERS.includes(name)) known[name] = Number(value);
    if (name === 'isPublic') known[name] = String(value).toLowerCase() === 'true';
    if (LISTS.includes(name)) known[name] = typeof value === 'string' ? JSON.parse(value) : value;
  }
  return known;
}

async function readSidecar(root: string, name: string, names: readonly string[]): Promise<Fields> {
  const sidecar = `${name.slice(0, -extname(name).length)}.json`;
  return names.includes(sidecar) ? parse(await readFile(join(root, sidecar), 'utf8'), sidecar) : {};
}

function parse(text: string, name: string): Fields {
  try {
    return { ...Object(JSON.parse(text.replace(/^\uFEFF/, ''))) };
  } catch (cause) {
    throw new Refused('invalid', `expected JSON in ${name}. Correct the file.`, { cause });
  }
}

/** Reads `manifest.json` (a list) or `manifest.csv`, whose `file` is the path of a medium below the folder. */
async function readManifest(root: string, names: readonly string[]): Promise<Map<string, Fields>> {
  const name = MANIFESTS.find((one) => names.includes(one));
  if (name === undefined) return new Map();
  const text = (await readFile(join(root, name), 'utf8')).replace(/^\uFEFF/, '');
  const rows = name.endsWith('.csv')
    ? readCsv(text)
    : Object.values(parse(text, name)).map((row) => ({ ...Object(row) }));
  for (const row of rows) {
    if (!names.includes(String(row.file))) printLine(`${name}: ${String(row.file)} does not exist and is left out.`);
  }
  return new Map(rows.map((row) => [String(row.file), row]));
}

/** Parses CSV (RFC 4180) with a header. */
function readCsv(text: string): Fields[] {
  const rows: string[][] = [[]];
  for (const [, quoted, plain = '', end = ''] of text.matchAll(/(?:"((?:[^"]|"")*)"|([^",\r\n]*))(,|\r?\n|$)/g)) {
    rows.at(-1)?.push(quoted === undefined ? plain : quoted.replaceAll('""', '"'));
    if (end !== ',') rows.push([]);
  }
  const [header = [], ...lines] = rows;
  return lines
    .filter((cells) => cells.some((cell) => cell !== ''))
    .map((cells) => Object.fromEntries(header.map((field, index) => [field, cells[index] ?? ''])));
}
