import type { UploadSettings } from '../../../sdk/src/millrace.ts';

/** Data of an upload that survives a reload. `handle` refers to the file if the browser provides one. */
export type KeptUpload = {
  key: string;
  libraryId: number;
  collectionId: string;
  settings?: UploadSettings;
  videoId: string;
  /** URL of the partial file at the service. Null until known. */
  address: string | null;
  name: string;
  sizeBytes: number;
  lastModifiedMs: number;
  handle: FileSystemFileHandle | null;
};

const STORE = 'uploads';

/** Stores an upload until it is forgotten. Without browser storage, nothing is stored and uploads still work. */
export async function keepUpload(kept: KeptUpload): Promise<void> {
  await inStore('readwrite', (store) => store.put(kept)).catch(() => undefined);
}

export async function forgetUpload(key: string): Promise<void> {
  await inStore('readwrite', (store) => store.delete(key)).catch(() => undefined);
}

export async function loadKept(): Promise<KeptUpload[]> {
  return inStore<KeptUpload[]>('readonly', (store) => store.getAll()).catch(() => []);
}

/** Returns a name unique in this browser. `randomUUID` does not exist on plain-http pages. */
export function newKey(): string {
  return Array.from(crypto.getRandomValues(new Uint8Array(12)), (byte) => byte.toString(16).padStart(2, '0')).join('');
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
