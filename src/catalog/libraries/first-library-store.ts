import { sql } from 'kysely';
import { newGuid } from '../../lib/guid.ts';
import type { SecretBox } from '../../lib/secret-box.ts';
import type { Db, Tx } from '../db.ts';
import { inTransaction } from '../in-transaction.ts';
import { hashKey, newKey } from '../keys/access-key.ts';
import { insertLibrary } from './library-store.ts';
import { readLibraryKeys } from './read-library-store.ts';

const FIRST_START_LOCK = 7_700_001;

/** Keys for the first start; null generates one. */
export type FirstKeys = { accountKey: string | null; libraryKey: string | null };

/**
 * `accountKey` is null on later starts, because only its hash is stored, unless the settings contain it and it is
 * valid.
 */
export type FirstLibrary = {
  created: boolean;
  libraryId: number;
  accountKey: string | null;
  libraryKey: string;
  readOnlyKey: string;
};

type Deps = { db: Db; secretBox: SecretBox };

/** `keep` stores the keys of a new library just before the commit. */
type EnsureDeps = Deps & { keep?: (keys: { accountKey: string; libraryKey: string }) => Promise<void> };

/**
 * Creates the first library (named `default`, pull zone `vz-{id}`) and the account key, with the given keys. Changes
 * nothing if a library exists. Safe if two machines start simultaneously.
 */
export async function ensureFirstLibrary(
  wanted: FirstKeys,
  { db, secretBox, keep = async () => undefined }: EnsureDeps,
): Promise<FirstLibrary> {
  return inTransaction(db, async (tx) => {
    await sql`select pg_advisory_xact_lock(${FIRST_START_LOCK})`.execute(tx);
    const first = await tx
      .selectFrom('library')
      .select('id')
      .where('deleted_at', 'is', null)
      .orderBy('id')
      .limit(1)
      .executeTakeFirst();
    if (first !== undefined) {
      const keys = await readLibraryKeys(tx, secretBox, first.id);
      return { created: false, libraryId: first.id, accountKey: await validAccountKey(tx, wanted), ...keys };
    }
    const { libraryKey } = wanted;
    const { id, keys } = await insertLibrary(tx, secretBox, { name: 'default', pullZoneName: null, libraryKey });
    const zone = tx.updateTable('pull_zone').set({ name: `vz-${id}` });
    await zone.where('library_id', '=', id).execute();
    const accountKey = wanted.accountKey ?? newKey();
    await adoptAccountKey(accountKey, { db: tx });
    await keep({ accountKey, libraryKey: keys.libraryKey });
    return { created: true, libraryId: id, accountKey, ...keys };
  });
}

/** Makes a key that the owner chose valid for the account, in addition to existing keys; idempotent. */
export async function adoptAccountKey(key: string, { db }: Pick<Deps, 'db'>): Promise<void> {
  await db
    .insertInto('access_key')
    .values({ id: newGuid(), library_id: null, hash: hashKey(key), scope: 'account', label: 'account' })
    .onConflict((conflict) => conflict.column('hash').doNothing())
    .execute();
}

/** Throws `WrongSecretKey` if the box cannot decrypt the keys of a library. Does nothing if there is no library. */
export async function requireOpenSecrets({ db, secretBox }: Deps): Promise<void> {
  const library = await db.selectFrom('library').select('api_key_sealed').limit(1).executeTakeFirst();
  if (library !== undefined) secretBox.open(library.api_key_sealed);
}

async function validAccountKey(tx: Tx, { accountKey }: FirstKeys): Promise<string | null> {
  if (accountKey === null) return null;
  const row = await tx
    .selectFrom('access_key')
    .select('id')
    .where('hash', '=', hashKey(accountKey))
    .where('scope', '=', 'account')
    .where('revoked_at', 'is', null)
    .executeTakeFirst();
  return row === undefined ? null : accountKey;
}
