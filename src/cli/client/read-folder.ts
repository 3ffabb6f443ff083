import { createHash } from 'node:crypto';
import { readdir, readFile, stat } from 'node:fs/promises';
import { basename, extname, join, relative, sep } from 'node:path';
import type { CaptionOrigin } from '../../catalog/imports/listed-item.ts';
import {
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
  parseList,
  parseManifest,
  pickKnown,
  type SidecarFields,
} from '../../catalog/imports/sidecars.ts';
import { readVisibility } from '../../catalog/visibility.ts';
import { EXPORT_FILES } from '../../jobs/exports/export-target.ts';
import { guidOfBytes, readGuid } from '../../lib/guid.ts';
import { quote } from '../../lib/quote.ts';
import { Refused } from '../../lib/refused.ts';
import type { Context } from './context.ts';
import { printLine } from './output.ts';
import { withoutMisfits } from './without-misfits.ts';

type Item = { kind: 'video' | 'collection'; sourceId: string; guid: string; title: string } & SidecarFields;
type Caption = { srclang: string; label: string | null; path: string } & CaptionOrigin;
/** Lists of marks that a second run replaces if they were changed in the sidecar. */
export const MARKS = ['chapters', 'moments'] as const;
export type Mark = (typeof MARKS)[number];

/** A medium with the files that belong to it. `marksPaths` are the files with its chapters and moments. */
export type FoundVideo = {
  path: string;
  item: Item;
  captions: Caption[];
  image: string | null;
  marksPaths: Partial<Record<Mark, string>>;
};
/**
 * `withoutMedia` are videos of an export that are only listed, with the reason. `faults` are sentences about sidecars
 * with wrong values, which were left out, and unreadable ones, whose video was left out.
 */
export type FoundFolder = { collections: Item[]; videos: FoundVideo[]; withoutMedia: Item[]; faults: string[] };

/** Reads the media below a folder, their sidecars and the manifest. Each folder directly below it is a collection. */
export async function readFolder(context: Context, root: string): Promise<FoundFolder> {
  const names = await listFiles(root);
  const sidecars = groupNames(names);
  const manifest = await readManifest(root, names);
  const collections = await readCollections(root, names);
  const videos: FoundVideo[] = [];
  const faults: string[] = [];
  for (const name of names.filter(isMedium)) {
    const [folder = '', ...rest] = name.split(sep);
    const sidecar = await readSidecar(root, name, sidecars(name)).catch((error: unknown) => {
      // Its video may be private, or have another GUID.
      faults.push(`${reasonOf(error)} ${name} is not imported.`);
      return null;
    });
    if (sidecar === null) continue;
    const row = manifest.rows.get(name) ?? {};
    const fields = { ...sidecar.fields, ...row };
    // A cell of a manifest may be empty.
    if (rest.length > 0 && !fields.collectionId) {
      const sourceId = `folder ${folder}`;
      const guid = guidFor(context, sourceId);
      collections.set(folder, { kind: 'collection', sourceId, guid, title: folder });
      fields.collectionId = guid;
    }
    const fileOf = (field: string) => (field in row ? manifest.name : sidecar.name);
    videos.push(await describe(context, { root, name, names: sidecars(name), fields, fileOf, faults }));
  }
  const withoutMedia = await readMediaLess(root, names, faults);
  return { collections: [...collections.values()], videos, withoutMedia, faults };
}

/** Returns the message of an error of a file that the user can correct. Throws other errors. */
function reasonOf(error: unknown): string {
  if (error instanceof Refused) return error.message;
  if (error instanceof Error && 'syscall' in error) return `${error.message}.`;
  throw error;
}

async function readMediaLess(root: string, names: readonly string[], faults: string[]): Promise<Item[]> {
  const items: Item[] = [];
  for (const { guid, path } of findMediaLess(names)) {
    const fields = await readFields(root, path).catch((error: unknown) => {
      faults.push(`${reasonOf(error)} Its video is not listed.`);
      return null;
    });
    if (fields === null) continue;
    const noMediaReason = noMediaReasonOf(fields, guid);
    if (noMediaReason === null) continue;
    items.push({ kind: 'video', sourceId: path, guid, title: String(fields.title || guid), noMediaReason });
  }
  return items;
}

/** Returns the paths of all files relative to the folder, sorted. */
export async function listFiles(root: string): Promise<string[]> {
  const options = { recursive: true, withFileTypes: true } as const;
  const found = await readdir(root, options).catch((cause: unknown) => {
    throw new Refused('invalid', `expected a folder that can be read, got ${root} (${Object(cause).code}).`, { cause });
  });
  // Links are left out, because they may lead to files that the user does not mean to upload.
  return found
    .filter((entry) => entry.isFile())
    .map((entry) => relative(root, join(entry.parentPath, entry.name)))
    .toSorted((a, b) => (a < b ? -1 : 1));
}

/** Groups names, so that the sidecars of a medium are found without comparing it with all files of a large folder. */
export function groupNames(names: readonly string[]): (medium: string) => readonly string[] {
  // Node 20 has no `Map.groupBy`.
  const groups = new Map<string, string[]>();
  for (const name of names) {
    const group = groups.get(groupOf(name));
    if (group === undefined) groups.set(groupOf(name), [name]);
    else group.push(name);
  }
  return (medium) => groups.get(groupOf(medium)) ?? [];
}

/** Derives a GUID from the id of an item, so that a second run finds its video. */
export function guidFor({ url, library }: Context, sourceId: string): string {
  return guidOfBytes(
    createHash('sha256')
      .update(JSON.stringify([url, library, sourceId]))
      .digest(),
  );
}

async function readCollections(root: string, names: readonly string[]): Promise<Map<string, Item>> {
  const name = EXPORT_FILES.collections;
  if (!names.includes(name)) return new Map();
  const listed = parseCollections(await readFile(join(root, name), 'utf8'), name);
  return new Map(
    listed.map(({ guid, name: title, order }) => [
      `${guid}/`,
      {
        kind: 'collection',
        sourceId: `collection ${guid}`,
        guid,
        title,
        ...(order !== null && { videoOrder: order.order, videoIds: order.videoIds }),
      },
    ]),
  );
}

/** `names` are the files that may belong to the medium `name`, and `fileOf` returns the file with a field. */
type Described = {
  root: string;
  name: string;
  names: readonly string[];
  fields: SidecarFields;
  fileOf: (field: string) => string;
  faults: string[];
};

/**
 * Describes a medium with its sidecars and the fields that are known about it. Leaves out wrong values, and adds a
 * sentence to `faults` for each.
 */
export async function describe(context: Context, described: Described): Promise<FoundVideo> {
  const { root, name, names, fields, fileOf, faults } = described;
  const path = join(root, name);
  const sidecars = findSidecars(name, names, String(context.pairs.language ?? 'en'));
  const captions = inListedOrder(sidecars.captions, fields).map(({ srclang, path: other }) => {
    return { srclang, label: labelOf(fields, srclang), ...originOf(fields, srclang), path: join(root, other) };
  });
  const placeOf = (field: string) => (field === 'comments' ? (sidecars.comments ?? name) : fileOf(field));
  const leaveOut = (field: string, words: string) =>
    void faults.push(`${placeOf(field)}: ${words} ${name} is imported without this value.`);
  const usual = basename(name, extname(name));
  const guid = readGuid(String(fields.guid || ''));
  if (guid === null && fields.guid) leaveOut('guid', `Expected a GUID in guid, got ${quote(String(fields.guid))}.`);
  if (fields.visibility && readVisibility(fields.visibility) === null) {
    const expected = 'Expected public, unlisted or private in visibility';
    faults.push(`${fileOf('visibility')}: ${expected}, got ${quote(String(fields.visibility))}. ${name} is private.`);
  }
  const known = pickKnown(fields, (error, field) => leaveOut(field, error.message));
  const required = {
    kind: 'video' as const,
    sourceId: name,
    guid: guid ?? guidFor(context, name),
    sizeBytes: (await stat(path)).size,
  };
  const comments = await readComments(root, sidecars.comments, faults);
  const { item, misfits } = withoutMisfits({
    ...known,
    ...comments,
    ...required,
    title: String(fields.title || usual),
  });
  for (const { field, words } of misfits) leaveOut(field, words);
  return {
    path,
    item: { ...item, ...required, title: item.title ?? usual },
    captions,
    image: sidecars.image === null ? null : join(root, sidecars.image),
    marksPaths: Object.fromEntries(
      MARKS.filter((field) => field in fields).map((field) => [field, join(root, fileOf(field))]),
    ),
  };
}

async function readComments(root: string, name: string | null, faults: string[]): Promise<SidecarFields> {
  if (name === null) return {};
  try {
    return { comments: parseList(await readFile(join(root, name), 'utf8'), name) };
  } catch (error) {
    faults.push(`${reasonOf(error)} The review comments of its video are not imported.`);
    return {};
  }
}

type Sidecar = { name: string; fields: SidecarFields };

async function readSidecar(root: string, medium: string, names: readonly string[]): Promise<Sidecar> {
  const name = `${medium.slice(0, -extname(medium).length)}.json`;
  return { name, fields: names.includes(name) ? await readFields(root, name) : {} };
}

async function readFields(root: string, name: string): Promise<SidecarFields> {
  return parseFields(await readFile(join(root, name), 'utf8'), name);
}

type Manifest = { name: string; rows: ReadonlyMap<string, SidecarFields> };

async function readManifest(root: string, names: readonly string[]): Promise<Manifest> {
  const name = MANIFESTS.find((one) => names.includes(one));
  if (name === undefined) return { name: '', rows: new Map() };
  const rows = parseManifest(await readFile(join(root, name), 'utf8'), name);
  const existing = new Set(names);
  for (const file of rows.keys()) {
    if (!existing.has(file)) printLine(`${name}: ${file} does not exist and is left out.`);
  }
  return { name, rows };
}
