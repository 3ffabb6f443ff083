import { readFile } from 'node:fs/promises';
import { basename, extname, join } from 'node:path';
import { isMedium, readCsv, type SidecarFields } from '../../catalog/imports/sidecars.ts';
import { readVisibility } from '../../catalog/visibility.ts';
import type { Context } from './context.ts';
import { printLine } from './output.ts';
import { describe, type FoundFolder, type FoundVideo, groupNames, guidFor, listFiles } from './read-folder.ts';

type Row = Record<string, string>;
type Listed = { id: string; title: string; row: Row };

/** Columns of the tables. Takeout translates their names, but keeps the English ones for an English account. */
const [ID, TITLE, DESCRIPTION] = ['Video ID', 'Video Title (Original)', 'Video Description (Original)'];
/** Minimum length of a file name that may be the beginning of a longer title. */
const SHORTENED_CHARS = 40;

/**
 * Reads an unpacked YouTube Takeout: media, the tables of their titles, dates and visibility, and playlists. The tables
 * may be split over several files. File names are titles, shortened and without special characters, so each file is
 * matched with the title that it begins like.
 */
export async function readTakeout(context: Context, root: string): Promise<FoundFolder> {
  const names = await listFiles(root);
  const listed = await readVideos(root, names);
  const playlists = await readPlaylists(root, names);
  const sidecars = groupNames(names);
  const media = names.filter(isMedium);
  const ids = matchFiles(media, listed);
  const collections = new Map<string, FoundFolder['collections'][number]>();
  const videos: FoundVideo[] = [];
  const faults: string[] = [];
  for (const name of media) {
    const video = ids.get(name);
    if (video === undefined) printLine(`${name}: no row of the tables has this title. Only its name is imported.`);
    const playlist = video === undefined ? undefined : playlists.get(video.id);
    const fields = video === undefined ? {} : fieldsOf(video);
    if (playlist !== undefined) {
      const sourceId = `playlist ${playlist}`;
      const guid = guidFor(context, sourceId);
      collections.set(playlist, { kind: 'collection', sourceId, guid, title: playlist });
      fields.collectionId = guid;
    }
    const fileOf = () => name;
    const found = await describe(context, { root, name, names: sidecars(name), fields, fileOf, faults });
    // The id does not depend on how the archive was split and unpacked.
    const sourceId = video === undefined ? `takeout ${basename(name)}` : `youtube ${video.id}`;
    videos.push({ ...found, item: { ...found.item, sourceId, guid: guidFor(context, sourceId) } });
  }
  return { collections: [...collections.values()], videos, withoutMedia: [], faults };
}

async function readVideos(root: string, names: readonly string[]): Promise<Listed[]> {
  const listed = new Map<string, Listed>();
  for (const row of await readTables(root, names)) {
    const [id, title] = [row[ID] ?? '', row[TITLE] ?? ''];
    if (id !== '' && title !== '') listed.set(id, { id, title, row });
  }
  return [...listed.values()];
}

async function readTables(root: string, names: readonly string[]): Promise<Row[]> {
  const tables = names.filter((name) => extname(name).toLowerCase() === '.csv');
  const read = await Promise.all(tables.map((name) => readTable(root, name)));
  return read.flat();
}

async function readTable(root: string, name: string): Promise<Row[]> {
  return readCsv(await readFile(join(root, name), 'utf8'), name);
}

/** Returns the first playlist of each video. The tables of playlists are in a separate folder. */
async function readPlaylists(root: string, names: readonly string[]): Promise<Map<string, string>> {
  const found = new Map<string, string>();
  for (const name of names.filter((one) => /(^|[/\\])playlists[/\\][^/\\]+\.csv$/i.test(one))) {
    const playlist = basename(name, extname(name)).replace(/[-_ ]videos(\(\d+\))?$/i, '');
    for (const row of await readTable(root, name)) {
      const id = row[ID];
      if (id === undefined || row[TITLE] !== undefined) continue;
      if (found.has(id))
        printLine(`${id}: the playlist ${playlist} is not imported, because a video has one collection.`);
      else found.set(id, playlist);
    }
  }
  return found;
}

/**
 * Matches files with rows. A row belongs to one file. Files with the same title are matched in the order of their
 * names. Exact names are matched first, so that a shortened one does not take them.
 */
function matchFiles(media: readonly string[], listed: readonly Listed[]): Map<string, Listed> {
  const left = new Map<string, Listed[]>();
  for (const video of listed) {
    const title = plain(video.title);
    left.set(title, [...(left.get(title) ?? []), video]);
  }
  const matches = new Map<string, Listed>();
  const claim = (name: string, title: string | undefined) => {
    const [video, ...others] = left.get(title ?? '') ?? [];
    if (video === undefined || title === undefined) return;
    matches.set(name, video);
    if (others.length > 0) left.set(title, others);
    else left.delete(title);
  };
  const stems = media.map((name) => [name, basename(name, extname(name)).replace(/\(\d+\)$/, '')] as const);
  for (const [name, stem] of stems) claim(name, plain(stem));
  for (const [name, stem] of stems) {
    if (matches.has(name) || stem.length < SHORTENED_CHARS) continue;
    const text = plain(stem);
    // Every title begins with the empty text that is left of a name of emoji.
    if (text === '') continue;
    const title = [...left.keys()].find((one) => one.startsWith(text));
    claim(name, title);
  }
  return matches;
}

/** Keeps letters and digits, because Takeout replaces other characters in file names. */
function plain(text: string): string {
  return text
    .normalize('NFC')
    .replace(/[^\p{L}\p{N}]+/gu, '')
    .toLowerCase();
}

function fieldsOf({ id, title, row }: Listed): SidecarFields {
  const dates = [row['Video Publish Timestamp'], row['Video Create Timestamp']];
  return {
    title,
    description: row[DESCRIPTION] ?? '',
    category: row['Video Category'] ?? '',
    dateUploaded: dates.find((date) => date !== undefined && date !== '') ?? '',
    isPublic: row.Privacy === 'Public',
    visibility: readVisibility(row.Privacy) ?? 'private',
    metaTags: [{ property: 'youtubeId', value: id }],
  };
}
