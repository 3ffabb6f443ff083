import type { StorageHealth } from '../cli/health.ts';
import type { StorageSettings } from '../config/storage.ts';
import type { Storage } from '../ports/storage.ts';

const SPACE_REFRESH_MS = 5_000;

/** Opens the object store that the settings name. What is not used is not even imported. */
export async function openStorage(settings: StorageSettings): Promise<Storage> {
  if (settings.kind === 'file') {
    const { createFileStorage } = await import('../adapters/storage/file.ts');
    return createFileStorage(settings.folder);
  }
  const { createS3Storage } = await import('../adapters/storage/s3.ts');
  const query = new URLSearchParams({ region: settings.region });
  if (settings.endpoint !== null) query.set('endpoint', settings.endpoint);
  if (settings.keyPrefix !== '') query.set('prefix', settings.keyPrefix);
  return createS3Storage({ url: `s3://${settings.bucket}?${query}`, credentials: null });
}

/** Keeps the free space of the store at hand: a health answer must not wait for a disk. */
export async function watchSpace(storage: Storage): Promise<{ last(): StorageHealth; close(): void }> {
  const read = async (): Promise<StorageHealth> => ({ kind: storage.kind, ...(await storage.space()) });
  let last = await read();
  const timer = setInterval(() => {
    read().then(
      (space) => {
        last = space;
      },
      () => {
        last = { kind: storage.kind };
      },
    );
  }, SPACE_REFRESH_MS);
  return { last: () => last, close: () => clearInterval(timer) };
}
