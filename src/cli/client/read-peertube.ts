import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { join as joinNames } from 'node:path/posix';
import { parseFields } from '../../catalog/imports/sidecars.ts';
import {
  chaptersOf,
  countOf,
  type Fields,
  fieldsOf,
  listOf,
  secOf,
  tagsOf,
  textOf,
  timeOf,
  titleOf,
} from '../../jobs/imports/sources/read-fields.ts';
import { readGuid } from '../../lib/guid.ts';
import { Refused } from '../../lib/refused.ts';
import type { Context } from './context.ts';
import { printLine } from './output.ts';
import { type FoundFolder, type FoundVideo, guidFor, listFiles } from './read-folder.ts';

/** Files of an unpacked user export. Paths in them are relative to their folder. */
const [FOLDER, VIDEOS, CHANNELS] = ['peertube', 'peertube/videos.json', 'peertube/channels.json'];
const [PUBLIC, UNLISTED] = [1, 2];

/** Names of the categories of PeerTube by id. Plugins may add others, which are left out. */
const CATEGORIES = [
  ...['', 'Music', 'Films', 'Vehicles', 'Art', 'Sports', 'Travels', 'Gaming', 'People', 'Comedy', 'Entertainment'],
  ...['News & Politics', 'How To', 'Education', 'Activism', 'Science & Technology', 'Animals', 'Kids', 'Food'],
];

/** Returns whether a folder is an unpacked user export of PeerTube. */
export async function isPeertubeExport(root: string): Promise<boolean> {
  return stat(join(root, VIDEOS)).then(
    (found) => found.isFile(),
    () => false,
  );
}

/**
 * Reads an unpacked user export of PeerTube (6.1 and later): its videos with their GUIDs, and their channels as
 * collections. Prints the videos that have no file in the archive, such as live streams.
 */
export async function readPeertube(context: Context, root: string): Promise<FoundFolder> {
  const names = new Set(await listFiles(root));
  const read = async (name: string) =>
    names.has(name) ? parseFields(await readFile(join(root, name), 'utf8'), name) : {};
  const titles = new Map(
    listOf((await read(CHANNELS)).channels).map(({ name, displayName }) => [textOf(name), textOf(displayName)]),
  );
  const collections = new Map<string, FoundFolder['collections'][number]>();
  const videos: FoundVideo[] = [];
  for (const video of listOf((await read(VIDEOS)).videos)) {
    const found = await describe({ root, names, video });
    if (found === null) continue;
    const channel = textOf(fieldsOf(video.channel).name);
    if (channel !== null) {
      const sourceId = `channel ${channel}`;
      const guid = guidFor(context, sourceId);
      collections.set(channel, { kind: 'collection', sourceId, guid, title: titles.get(channel) ?? channel });
      found.item.collectionId = guid;
    }
    videos.push(found);
  }
  return { collections: [...collections.values()], videos, withoutMedia: [], faults: [] };
}

type Described = { root: string; names: ReadonlySet<string>; video: Fields };

async function describe({ root, names, video }: Described): Promise<FoundVideo | null> {
  const guid = readGuid(String(video.uuid));
  if (guid === null) throw new Refused('invalid', `expected a uuid of each video in ${VIDEOS}. Export it again.`);
  const archive = fieldsOf(video.archiveFiles);
  const pathOf = (value: unknown) => {
    const name = joinNames(FOLDER, textOf(value) ?? '');
    // A wrong archive could name files outside of the folder.
    return names.has(name) ? join(root, name) : null;
  };
  const [path, title] = [pathOf(archive.videoFile), titleOf(video.name, guid)];
  if (path === null) {
    const reason =
      video.isLive === true ? 'a live stream has no file' : 'the archive has no file. Export video files too';
    printLine(`${guid} ${title}: ${reason}.`);
    return null;
  }
  const captions = Object.entries(fieldsOf(archive.captions)).flatMap(([srclang, value]) => {
    const file = pathOf(value);
    return file === null ? [] : [{ srclang, label: null, path: file }];
  });
  const marks = listOf(video.chapters).map((one) => ({ title: textOf(one.title), start: countOf(one.timecode) }));
  const tags = Array.isArray(video.tags) ? video.tags.map(textOf) : [];
  return {
    path,
    captions,
    image: pathOf(archive.thumbnail),
    marksPaths: { chapters: join(root, VIDEOS) },
    item: {
      kind: 'video',
      sourceId: guid,
      guid,
      title,
      sizeBytes: (await stat(path)).size,
      description: textOf(video.description),
      category: CATEGORIES[countOf(video.category)] || null,
      dateUploaded: timeOf(video.originallyPublishedAt ?? video.publishedAt ?? video.createdAt),
      isPublic: video.privacy === PUBLIC,
      visibility: video.privacy === PUBLIC ? 'public' : video.privacy === UNLISTED ? 'unlisted' : 'private',
      views: countOf(video.views),
      chapters: chaptersOf(marks, secOf(video.duration)),
      metaTags: tagsOf('peertubeUuid', guid, tags),
    },
  };
}
