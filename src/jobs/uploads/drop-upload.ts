import type { Db } from '../../catalog/db.ts';
import { sourceKeyOf } from '../../catalog/uploads/source-key.ts';
import { partsOf } from '../../catalog/uploads/tus-upload-store.ts';
import { forgetUpload, giveUpUpload, type UploadRef } from '../../catalog/uploads/upload-store.ts';
import type { Storage } from '../../ports/storage.ts';

type Deps = { db: Db; storage: Storage };

/**
 * Ends a failed upload and deletes all its bytes and parts. Leaves a complete one alone. If its video is gone, the
 * staged bytes are deleted. The upload session is deleted last: after a crash the sweep finds it and continues.
 */
export async function dropUpload({ id, key }: UploadRef, { db, storage }: Deps): Promise<void> {
  const method = await giveUpUpload(db, id);
  if (method === 'complete') return;
  await storage.staging.abort(id);
  if (method === 'gone') return;
  for (const { id: part } of await partsOf(db, id)) {
    await storage.staging.abort(part);
    await forgetUpload(db, part);
  }
  await storage.delete([sourceKeyOf(key, id)]);
  await forgetUpload(db, id);
}
