import type { PaginationListOfCollectionModel } from '../../../src/api/models/collection.ts';
import { api, describeError } from '../base/api.ts';
import { t } from '../base/language.ts';
import { plural } from '../base/words.ts';
import { toast } from '../parts/toasts.tsx';
import type { Target } from './upload-item.ts';
import { addFiles, type GivenFile } from './uploads.ts';

/** Maximum number of files in a folder. A larger folder is likely a mistake. */
const MAX_FILES = 20_000;

/** Uploads dropped items: files into the target, and each folder into a collection of its name. */
export async function addDropped(target: Target, { items }: DataTransfer): Promise<void> {
  // Read all items before the first await: the browser clears them after the event.
  const entries = [...items].map((item) => ({
    entry: item.webkitGetAsEntry(),
    file: item.getAsFile(),
    handle: readHandle(item),
  }));
  const files: GivenFile[] = [];
  for (const { entry, file, handle } of entries) {
    if (entry !== null && isFolder(entry)) await addFolder(target, entry);
    else if (file !== null) files.push({ file, handle: await handle });
  }
  addFiles(target, files);
}

/** Uploads files chosen in the browser's dialog. Files of a folder are added to a collection with the folder's name. */
export async function addChosen(target: Target, files: readonly File[]): Promise<void> {
  const folder = files[0]?.webkitRelativePath.split('/')[0] ?? '';
  const given = files.map((file) => ({ file, handle: null }));
  if (folder === '') addFiles(target, given);
  else await addAll(target, folder, given);
}

async function addFolder(target: Target, folder: FileSystemDirectoryEntry): Promise<void> {
  try {
    const files: GivenFile[] = [];
    for await (const file of filesIn(folder)) {
      files.push({ file, handle: null });
      if (files.length >= MAX_FILES) break;
    }
    await addAll(target, folder.name, files);
  } catch (reason) {
    toast(t('The folder {0} could not be uploaded: {1}', folder.name, describeError(reason)));
  }
}

/** Uploads the media of a folder into the collection with its name. Shows how many other files are left out. */
async function addAll(target: Target, folder: string, files: readonly GivenFile[]): Promise<void> {
  const media = files.filter(isMedia);
  if (media.length === 0) {
    toast(t('The folder {0} contains no video or audio files.', folder));
    return;
  }
  try {
    addFiles({ ...target, collectionId: await collectionNamed(target.libraryId, folder) }, media);
  } catch (reason) {
    toast(t('The folder {0} could not be uploaded: {1}', folder, describeError(reason)));
    return;
  }
  const others = files.length - media.length;
  const added = t('Uploads go to the collection {0}.', folder);
  toast(others === 0 ? added : `${added} ${t('Skipped (not video or audio): {0}', plural(others, 'file'))}`);
}

function isMedia({ file }: GivenFile): boolean {
  return /^(video|audio)\//.test(file.type) || /\.(mkv|ts|m2ts|mts|mxf|mov|flv|wmv|avi|vob|3gp|ogv)$/i.test(file.name);
}

async function* filesIn(folder: FileSystemDirectoryEntry): AsyncGenerator<File> {
  const reader = folder.createReader();
  for (;;) {
    // A reader returns a hundred entries per call, and none at the end.
    const entries = await new Promise<FileSystemEntry[]>((resolve, reject) => reader.readEntries(resolve, reject));
    if (entries.length === 0) return;
    for (const entry of entries) {
      if (isFolder(entry)) yield* filesIn(entry);
      else if (isFile(entry)) yield await new Promise<File>((resolve, reject) => entry.file(resolve, reject));
    }
  }
}

function isFolder(entry: FileSystemEntry): entry is FileSystemDirectoryEntry {
  return entry.isDirectory;
}

function isFile(entry: FileSystemEntry): entry is FileSystemFileEntry {
  return entry.isFile;
}

type WithHandle = DataTransferItem & { getAsFileSystemHandle?: () => Promise<FileSystemHandle | null> };

async function readHandle(item: WithHandle): Promise<FileSystemFileHandle | null> {
  const handle = await item.getAsFileSystemHandle?.().catch(() => null);
  return handle instanceof FileSystemFileHandle ? handle : null;
}

async function collectionNamed(libraryId: number, name: string): Promise<string> {
  const path = `/library/${libraryId}/collections`;
  const query = new URLSearchParams({ search: name, itemsPerPage: '1000' });
  const { items } = await api<PaginationListOfCollectionModel>('GET', `${path}?${query}`);
  const found = items.find((one) => one.name === name)?.guid;
  return found ?? (await api<{ guid: string }>('POST', path, { name })).guid;
}
