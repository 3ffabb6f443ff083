import { randomBytes } from 'node:crypto';
import type { Guid } from '../../lib/guid.ts';
import type { SecretBox } from '../../lib/secret-box.ts';
import type { Db, MediaKey } from '../db.ts';

const SECRET_BYTES = 32;

type Deps = { db: Db; secretBox: SecretBox };

/** Returns the secret that signs the requests to the endpoint of a library, or null if it has none yet. */
export async function findViewerSecret({ db, secretBox }: Deps, libraryId: number): Promise<string | null> {
  const row = await db
    .selectFrom('library')
    .select('viewer_secret_sealed')
    .where('id', '=', libraryId)
    .executeTakeFirst();
  const sealed = row?.viewer_secret_sealed ?? null;
  return sealed === null ? null : secretBox.open(sealed);
}

/** Gives a library a new secret. `isKept`: does nothing if it already has one. */
export async function drawViewerSecret({ db, secretBox }: Deps, libraryId: number, isKept: boolean): Promise<void> {
  await db
    .updateTable('library')
    .set({ viewer_secret_sealed: secretBox.seal(randomBytes(SECRET_BYTES).toString('base64url')) })
    .where('id', '=', libraryId)
    .$if(isKept, (query) => query.where('viewer_secret_sealed', 'is', null))
    .execute();
}

/** Returns the collection of a video, or null if it has none, or is a live stream. */
export async function findCollection(db: Db, { libraryId, mediaId }: MediaKey): Promise<Guid | null> {
  const row = await db
    .selectFrom('media')
    .select('collection_id')
    .where('library_id', '=', libraryId)
    .where('id', '=', mediaId)
    .where('type', '<>', 'live')
    .executeTakeFirst();
  return row?.collection_id ?? null;
}
