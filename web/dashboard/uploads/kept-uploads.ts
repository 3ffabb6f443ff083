import type { UploadSettings } from '../../../sdk/src/millrace.ts';

/** What is remembered of an upload over a reload; `handle` leads to the file where the browser gives one. */
export type KeptUpload = {
  key: string;
  libraryId: number;
  collectionId: string;
  settings?: UploadSettings;
  videoId: string;
  /** Where the service keeps what it has of the file; null until that is known. */
  address: string | null;
  name: string;
  sizeBytes: number;
  lastModifiedMs: number;
  handle: FileSystemFileHandle | null;
};

const STORE = 'uploads';

/**
 * Remembers an upload until it is forgotten. A browser without storage remembers nothing, and uploads go on all the
 * same.
 */
export async function keepUpload(kept: KeptUpload): Promise<void> {
  await inStore('readwrite', (store) => store.put(kept)).catch(() => undefined);
}

export async function forgetUpload(key: string): Promise<void> {
  await inStore('readwrite', (store) => store.delete(key)).catch(() => undefined);
}

export async function loadKept(): Promise<KeptUpload[]> {
  return inStore<KeptUpload[]>('readonly', (store) => store.getAll()).catch(() => []);
}

async function inStore<T>(mode: IDBTransactionMode, act: (store: IDBObjectStore) => IDBRequest<T>): Promise<T> {
  const database = await openDatabase();
  try {
    return await settled(act(database.transaction(STORE, mode).objectStore(STORE)));
  } finally {
    database.close();
  }
}

function openDatabase(): Promise<IDBDatabase> {
  const request = indexedDB.open('millrace-uploads', 1);
  request.onupgradeneeded = () => request.result.createObjectStore(STORE, { keyPath: 'key' });
  return settled(request);
}

function settled<T>(request: IDBRequest<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error ?? new Error('The browser could not read its storage.'));
  });
}
