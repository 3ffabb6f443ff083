import { signal } from '@preact/signals';
import type { VideoLibraryModel } from '../../../src/api/models/video-library.ts';
import { api } from '../base/api.ts';
import { libraries, may } from '../base/session.ts';

/** Library and keys in the code of the reference. They stay in this page. */
const chosen = signal<number | null>(null);
export const libraryKey = signal('');
export const accountKey = signal('');

/** Text in code while no key is known. */
export const NO_KEY = 'YOUR_KEY';

/** Returns the id of the library in the examples. */
export function exampleLibrary(): number {
  return chosen.value ?? libraries.value[0]?.id ?? 1;
}

/** Chooses a library, and reads its key if the session may see it. */
export async function chooseExampleLibrary(libraryId: number): Promise<void> {
  chosen.value = libraryId;
  libraryKey.value = '';
  if (!may('library.manage', libraryId)) return;
  const { ApiKey } = await api<VideoLibraryModel>('GET', `/videolibrary/${libraryId}`);
  if (chosen.value === libraryId) libraryKey.value = ApiKey ?? '';
}
