import type { Db, MediaKey } from '../../catalog/db.ts';
import { lacksHash, saveHash } from '../../catalog/videos/original-store.ts';
import { sha256Of } from '../../lib/sha256-of.ts';
import type { Storage, StorageKey } from '../../ports/storage.ts';
import { defineJob } from '../queue/define-job.ts';

type Deps = { db: Db; storage: Storage };

/** Computes the SHA-256 of an original that was uploaded in parts and not as one stream. */
export const hashSource = defineJob<MediaKey & { sourceKey: StorageKey }, Deps>({
  name: 'hash-source',
  queue: 'long',
  retryLimit: 5,
  async run({ libraryId, mediaId, sourceKey }, { db, storage }, signal) {
    const key = { libraryId, mediaId };
    if (!(await lacksHash(db, key, sourceKey))) return;
    const { body } = await storage.read(sourceKey, null, signal);
    await saveHash(db, key, { sourceKey, sha256: await sha256Of(body) });
  },
});
