import type { Db } from '../../catalog/db.ts';
import { sourceKeyOf } from '../../catalog/uploads/source-key.ts';
import { partsOf } from '../../catalog/uploads/tus-upload-store.ts';
import { forgetUpload, giveUpUpload, type UploadRef } from '../../catalog/uploads/upload-store.ts';
import type { Storage } from '../../ports/storage.ts';

type Deps = { db: Db; storage: Storage };

/**
 * Ends a failed upload and deletes its bytes and parts. Does nothing for a complete upload. Deletes the staged bytes if
 * the video was deleted. Deletes the upload's row last, so that the sweep finds it after a crash and continues.
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
