import { timingSafeEqual } from 'node:crypto';
import { sql } from 'kysely';
import { type Guid, newGuid } from '../../lib/guid.ts';
import { logEvent } from '../../lib/log/log-event.ts';
import { Refused } from '../../lib/refused.ts';
import { remember } from '../../lib/remember.ts';
import type { Db, Tx } from '../db.ts';
import { inTransaction, logOnCommit } from '../in-transaction.ts';
import { noteChange } from '../note-change.ts';
import { type AccessKey, type Grant, hashKey, MAX_KEYS, newKey } from './access-key.ts';

const REMEMBERED_KEYS = 1_000;
const MAX_LISTED_KEYS = 1_000;
const REMEMBERED_MS = 1_000;
/** Number of days for which ended keys are kept. After that, they are deleted when the library gets its next key. */
const KEPT_DAYS = 30;

export type NewKey = Pick<AccessKey, 'libraryId' | 'scope' | 'label' | 'expiresAt'>;

/** The keys of libraries and of the account. */
export type KeyStore = {
  /** Returns the grant of a key, or null. A revoked or expired key stops working within 1 s. */
  findGrant(key: string): Promise<Grant | null>;
  /** Finds a grant by the key's hash, for sessions. */
  findHashed(hash: Buffer): Promise<Grant | null>;
  /**
   * Creates an additional key of a library. Its text is only returned here; the database stores a hash. Throws
   * `Refused` (`not-found`) for an unknown library, and (`invalid`) for a library that already has 100 keys.
   */
  create(wanted: NewKey): Promise<AccessKey & { key: string }>;
  /**
   * Lists the additional keys of a library that are not revoked, oldest first, at most 1,000. Throws `Refused`
   * (`not-found`) for an unknown library.
   */
  list(libraryId: number): Promise<AccessKey[]>;
  /** Revokes a key permanently; idempotent. Throws `Refused` (`not-found`) if this library has no such key. */
  revoke(libraryId: number, id: Guid): Promise<void>;
};

type Found = Grant & { hash: Buffer };

/** Stores keys in PostgreSQL. Valid keys are cached for 1 s, so that most requests need no query. */
export function createKeyStore(db: Db): KeyStore {
  const remembered = new Map<string, { grant: Grant; until: number }>();
  const findHashed = async (hash: Buffer) => {
    const name = hash.toString('base64');
    const known = remembered.get(name);
    if (known !== undefined && known.until > Date.now()) return known.grant;
    remembered.delete(name);
    const grant = await lookUp(db, hash);
    if (grant === null) return null;
    remember(remembered, [name, { grant, until: Date.now() + REMEMBERED_MS }], REMEMBERED_KEYS);
    return grant;
  };
  return {
    findGrant: (key) => findHashed(hashKey(key)),
    findHashed,
    create: (wanted) => inTransaction(db, (tx) => insertKey(tx, wanted)),
    async list(libraryId) {
      await requireLibrary(db, libraryId, false);
      return selectKeys(db, libraryId);
    },
    async revoke(libraryId, id) {
      const revoked = await db
        .updateTable('access_key')
        .set({ revoked_at: sql`coalesce(revoked_at, now())`, signing_key_sealed: null })
        .where('library_id', '=', libraryId)
        .where('id', '=', id)
        .returning(['label', 'scope', 'expires_at'])
        .executeTakeFirst();
      if (revoked !== undefined) {
        const before = { Label: revoked.label, Scope: revoked.scope, DateExpires: revoked.expires_at };
        noteChange({ kind: 'fields', before, after: null });
        return logEvent('key.revoked', { keyId: id, libraryId });
      }
      throw new Refused('not-found', `Key ${id} of library ${libraryId} not found. Check both ids.`);
    },
  };
}

// Looks up a hash and compares it again in constant time. The timing of the index may reveal the hash, but not the key.
async function lookUp(db: Db, hash: Buffer): Promise<Grant | null> {
  const { rows } = await sql<Found>`
    with used as (
      update access_key set last_used_at = now()
      where hash = ${hash} and revoked_at is null and (expires_at is null or expires_at > now())
        and (last_used_at is null or last_used_at < now() - interval '1 minute'))
    select api_key_hash as hash, 'write' as scope, id as "libraryId", 'ApiKey' as "keyName"
    from library where api_key_hash = ${hash}
    union all
    select read_only_key_hash, 'read', id, 'ReadOnlyApiKey' from library where read_only_key_hash = ${hash}
    union all
    select hash, scope, library_id, id::text from access_key
    where hash = ${hash} and revoked_at is null and (expires_at is null or expires_at > now())`.execute(db);
  const found = rows.find((row) => timingSafeEqual(row.hash, hash));
  return found === undefined ? null : { scope: found.scope, libraryId: found.libraryId, keyName: found.keyName };
}

async function insertKey(tx: Tx, { libraryId, scope, label, expiresAt }: NewKey): Promise<AccessKey & { key: string }> {
  // Locks the library, so that the count of its keys stays correct until the new key is written.
  await requireLibrary(tx, libraryId, true);
  await dropOldKeys(tx, libraryId);
  const { count } = await tx
    .selectFrom('access_key')
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .where('library_id', '=', libraryId)
    .where('revoked_at', 'is', null)
    .where(({ eb, or }) => or([eb('expires_at', 'is', null), eb('expires_at', '>', sql<Date>`now()`)]))
    .executeTakeFirstOrThrow();
  if (count >= MAX_KEYS) {
    throw new Refused('invalid', `Library ${libraryId} already has ${count} keys. Revoke one that is not needed.`);
  }
  const key = newKey();
  const row = { id: newGuid(), library_id: libraryId, hash: hashKey(key), scope, label, expires_at: expiresAt };
  const { created_at: createdAt } = await tx
    .insertInto('access_key')
    .values(row)
    .returning('created_at')
    .executeTakeFirstOrThrow();
  const after = { Label: label, Scope: scope, DateExpires: expiresAt };
  noteChange({ kind: 'fields', before: null, after });
  logOnCommit('key.created', { keyId: row.id, libraryId, scope });
  return { id: row.id, libraryId, scope, label, createdAt, expiresAt, lastUsedAt: null, key };
}

async function dropOldKeys(tx: Tx, libraryId: number): Promise<void> {
  const longAgo = sql<Date>`now() - make_interval(days => ${KEPT_DAYS})`;
  await tx
    .deleteFrom('access_key')
    .where('library_id', '=', libraryId)
    .where(({ eb, or }) => or([eb('expires_at', '<', longAgo), eb('revoked_at', '<', longAgo)]))
    .execute();
}

async function selectKeys(db: Db, libraryId: number): Promise<AccessKey[]> {
  const rows = await db
    .selectFrom('access_key')
    .select(['id', 'scope', 'label', 'created_at as createdAt', 'expires_at as expiresAt'])
    .select('last_used_at as lastUsedAt')
    .where('library_id', '=', libraryId)
    .where('revoked_at', 'is', null)
    .orderBy('id')
    .limit(MAX_LISTED_KEYS)
    .execute();
  return rows.map(({ scope, ...row }) => ({ ...row, libraryId, scope: scope === 'read' ? 'read' : 'write' }));
}

async function requireLibrary(db: Db, id: number, lock: boolean): Promise<void> {
  const row = await db
    .selectFrom('library')
    .select('id')
    .where('id', '=', id)
    .where('deleted_at', 'is', null)
    .$if(lock, (query) => query.forUpdate())
    .executeTakeFirst();
  if (row === undefined) throw new Refused('not-found', `Library ${id} not found. Check the id.`);
}

/** The one account of an installation, identified by the first key that it ever had, valid or not. */
export type Account = { id: Guid; createdAt: Date };

export async function loadAccount(db: Db): Promise<Account> {
  const { id, created_at: createdAt } = await db
    .selectFrom('access_key')
    .select(['id', 'created_at'])
    .where('scope', '=', 'account')
    .orderBy('created_at')
    .orderBy('id')
    .limit(1)
    .executeTakeFirstOrThrow();
  return { id, createdAt };
}
