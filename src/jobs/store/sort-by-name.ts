import type { Db, MediaKey } from '../../catalog/db.ts';
import { findNamedObjects } from '../../catalog/lifecycle/sweep-store.ts';
import { parseGuid } from '../../lib/guid.ts';
import type { StorageKey } from '../../ports/storage.ts';

/**
 * Names of objects that exist without a row if their writer dies early: chunks of a rendition, packs, images, captions.
 */
const NAMED_OBJECTS = [
  /^[0-9a-f-]{36}\/\d+-\d+\.(cmaf|idx)$/,
  /^packs\/[0-9a-f-]{36}\.pack$/,
  /^thumbnail\/[0-9a-f-]+\.jpg$/,
  /^captions\/[a-z0-9-]+\.vtt$/,
  /^pictures\/[0-9a-f-]+\/(seek\/)?[a-z0-9_]+\.(jpg|webp|gif|webm|mp4)$/,
];

/** Returns the first two segments of a key, `{libraryId}/{mediaId}`. */
export function ownerOf(key: string): string {
  return key.split('/').slice(0, 2).join('/');
}

/**
 * Splits the objects of one owner into those without a row and those with one. Objects of a video with work in
 * progress, or of no video, are undecided and in neither list.
 */
export async function sortByName(
  db: Db,
  owner: string,
  keys: readonly StorageKey[],
): Promise<{ unnamed: StorageKey[]; named: StorageKey[] }> {
  const media = parseOwner(owner);
  if (media === null || keys.length === 0) return { unnamed: [], named: [] };
  const found = await findNamedObjects(db, media);
  if (found === null) return { unnamed: [...keys], named: [] };
  if (found.isBusy) return { unnamed: [], named: [] };
  const isNamed = (name: string) => NAMED_OBJECTS.some((form) => form.test(name));
  const isUnnamed = (key: string) => isNamed(key.slice(owner.length + 1)) && !found.keys.has(key);
  return { unnamed: keys.filter(isUnnamed), named: keys.filter((key) => !isUnnamed(key)) };
}

function parseOwner(owner: string): MediaKey | null {
  const [library = '', media = ''] = owner.split('/');
  const mediaId = parseGuid(media);
  return /^\d{1,15}$/.test(library) && mediaId !== null ? { libraryId: Number(library), mediaId } : null;
}
