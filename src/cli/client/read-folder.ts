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
  parseManifest,
  pickKnown,
  type SidecarFields,
} from '../../catalog/imports/sidecars.ts';
import { EXPORT_FILES } from '../../jobs/exports/export-target.ts';
import { guidOfBytes, readGuid } from '../../lib/guid.ts';
import { Refused } from '../../lib/refused.ts';
import type { Context } from './context.ts';
import { printLine } from './output.ts';

type Item = { kind: 'video' | 'collection'; sourceId: string; guid: string; title: string } & SidecarFields;
type Caption = { srclang: string; label: string | null; path: string } & CaptionOrigin;
/** A medium with the files that belong to it. */
export type FoundVideo = { path: string; item: Item; captions: Caption[]; image: string | null };
/** `withoutMedia` are videos of an export that are only listed, with the reason. */
export type FoundFolder = { collections: Item[]; videos: FoundVideo[]; withoutMedia: Item[] };

/** Reads the media below a folder, their sidecars and the manifest. Each folder directly below it is a collection. */
export async function readFolder(context: Context, root: string): Promise<FoundFolder> {
  const names = await listFiles(root);
  const sidecars = groupNames(names);
  const manifest = await readManifest(root, names);
  const collections = await readCollections(root, names);
  const videos: FoundVideo[] = [];
  for (const name of names.filter(isMedium)) {
    const [folder = '', ...rest] = name.split(sep);
    const fields = { ...(await readSidecar(root, name, sidecars(name))), ...manifest.get(name) };
    // A cell of a manifest may be empty.
    if (rest.length > 0 && !fields.collectionId) {
      const sourceId = `folder ${folder}`;
      const guid = guidFor(context, sourceId);
      collections.set(folder, { kind: 'collection', sourceId, guid, title: folder });
      fields.collectionId = guid;
    }
    videos.push(await describe(context, { root, name, names: sidecars(name), fields }));
  }
  return { collections: [...collections.values()], videos, withoutMedia: await readMediaLess(root, names) };
}

async function readMediaLess(root: string, names: readonly string[]): Promise<Item[]> {
  const items: Item[] = [];
  for (const { guid, path } of findMediaLess(names)) {
    const fields = parseFields(await readFile(join(root, path), 'utf8'), path);
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

/** `names` are the files that may belong to the medium `name`. */
type Described = { root: string; name: string; names: readonly string[]; fields: SidecarFields };

/** Describes a medium with its sidecars and the fields that are known about it. */
export async function describe(context: Context, { root, name, names, fields }: Described): Promise<FoundVideo> {
  const path = join(root, name);
  const sidecars = findSidecars(name, names, String(context.pairs.language ?? 'en'));
  const captions = inListedOrder(sidecars.captions, fields).map(({ srclang, path: other }) => {
    return { srclang, label: labelOf(fields, srclang), ...originOf(fields, srclang), path: join(root, other) };
  });
  const guid = readGuid(String(fields.guid ?? '')) ?? guidFor(context, name);
  const title = String(fields.title || basename(name, extname(name)));
  const sizeBytes = (await stat(path)).size;
  const comments = await readComments(root, sidecars.comments);
  const known = pickKnown(fields, (error) => {
    throw new Refused('invalid', `${name}: ${error.message}`, { cause: error });
  });
  const item: Item = { ...known, ...comments, kind: 'video', sourceId: name, guid, title, sizeBytes };
  return { path, item, captions, image: sidecars.image === null ? null : join(root, sidecars.image) };
}

async function readComments(root: string, name: string | null): Promise<SidecarFields> {
  if (name === null) return {};
  return { comments: Object.values(parseFields(await readFile(join(root, name), 'utf8'), name)) };
}

async function readSidecar(root: string, name: string, names: readonly string[]): Promise<SidecarFields> {
  const sidecar = `${name.slice(0, -extname(name).length)}.json`;
  return names.includes(sidecar) ? parseFields(await readFile(join(root, sidecar), 'utf8'), sidecar) : {};
}

async function readManifest(root: string, names: readonly string[]): Promise<Map<string, SidecarFields>> {
  const name = MANIFESTS.find((one) => names.includes(one));
  if (name === undefined) return new Map();
  const manifest = parseManifest(await readFile(join(root, name), 'utf8'), name);
  const existing = new Set(names);
  for (const file of manifest.keys()) {
    if (!existing.has(file)) printLine(`${name}: ${file} does not exist and is left out.`);
  }
  return manifest;
}
