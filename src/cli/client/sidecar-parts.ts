import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import type { Context } from './context.ts';
import { printError } from './output.ts';
import { type FoundVideo, MARKS, type Mark } from './read-folder.ts';
import type { SentParts } from './sent-parts.ts';
import { concernsOnlyFile } from './upload-files.ts';

/** Name under which the media file of a video is recorded. */
export const MEDIA = 'media';

type Caption = FoundVideo['captions'][number];

/**
 * The captions of a language, the image, or a list of marks of a video, with the files that contain it. Several caption
 * files of a language are alternatives.
 */
export type SidecarPart = { name: string; paths: string[]; hash: string } & (
  | { kind: 'captions'; captions: Caption[] }
  | { kind: 'image' }
  | { kind: 'marks'; field: Mark; value: unknown }
);

/** Reads the parts of a video that can be sent to it. */
export async function readParts({ item, captions, image, marksPaths }: FoundVideo): Promise<SidecarPart[]> {
  const parts: SidecarPart[] = [];
  for (const srclang of new Set(captions.map((caption) => caption.srclang))) {
    const files = captions.filter((caption) => caption.srclang === srclang);
    const paths = files.map(({ path }) => path);
    const [{ label = null } = {}] = files;
    const hash = await hashOf(paths, label ?? '');
    parts.push({ kind: 'captions', name: `captions ${srclang}`, paths, hash, captions: files });
  }
  if (image !== null) parts.push({ kind: 'image', name: 'image', paths: [image], hash: await hashOf([image]) });
  for (const field of MARKS) {
    const value = item[field];
    if (!Array.isArray(value)) continue;
    const hash = createHash('sha256').update(JSON.stringify(value)).digest('hex');
    const path = marksPaths[field];
    parts.push({ kind: 'marks', name: field, paths: path === undefined ? [] : [path], hash, field, value });
  }
  return parts;
}

/** Returns a hash that tells media files of different sizes apart. */
export function hashOfMedia({ item }: FoundVideo): string {
  return createHash('sha256').update(String(item.sizeBytes)).digest('hex');
}

/** Returns the hash of the content of files. An unreadable file has the hash of an empty one. */
async function hashOf(paths: readonly string[], text = ''): Promise<string> {
  const hash = createHash('sha256').update(text);
  for (const path of paths) {
    hash.update('\n');
    hash.update(
      await readFile(path).catch((error: unknown) => {
        // The attempt to send the file reports this error.
        if (error instanceof Error && 'syscall' in error) return '';
        throw error;
      }),
    );
  }
  return hash.digest('hex');
}

/**
 * Sends a part to its video, and records it. Captions are sent from the first file that the service accepts. Prints why
 * files were refused, and returns their number and the path of the accepted file.
 */
export async function sendPart(
  context: Context,
  part: SidecarPart,
  { videoId, sent }: Target,
): Promise<{ refused: number; sentPath: string | null }> {
  const files = part.kind === 'captions' ? part.captions.map(({ path }) => path) : part.paths.slice(0, 1);
  for (const [index, file] of files.entries()) {
    try {
      await sendFile(context, part, { videoId, index, path: file });
      await sent.store(videoId, part.name, part.hash);
      for (const other of files.slice(index + 1)) printFault(`${other} is not imported, because ${file} is.`);
      return { refused: index, sentPath: file };
    } catch (error) {
      if (!concernsOnlyFile(error)) throw error;
      printSkipped(file, error);
    }
  }
  return { refused: files.length, sentPath: null };
}

type Target = { videoId: string; sent: SentParts };

type SentFile = { videoId: string; index: number; path: string };

async function sendFile(context: Context, part: SidecarPart, { videoId, index, path }: SentFile): Promise<void> {
  const { millrace, library: libraryId } = context;
  if (part.kind === 'image') {
    await millrace.call('setThumbnail', { libraryId, videoId, body: await readFile(path) });
  } else if (part.kind === 'marks') {
    await millrace.call('updateVideo', { libraryId, videoId, body: { [part.field]: part.value } });
  } else {
    const { srclang = '', label = null, path: _path, ...made } = part.captions[index] ?? {};
    const body = { srclang, label, captionsFile: (await readFile(path)).toString('base64') };
    await millrace.call('addCaption', { libraryId, videoId, srclang, ...made, body });
  }
}

/** Prints why a file was not imported. */
export function printSkipped(path: string, error: unknown): void {
  printFault(`${path}: ${error instanceof Error ? error.message : String(error)}`);
}

export function printFault(text: string): void {
  printError(`millrace import: ${text}`);
}
