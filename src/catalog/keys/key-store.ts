import { timingSafeEqual } from 'node:crypto';
import { sql } from 'kysely';
import { type Guid, newGuid } from '../../lib/guid.ts';
import type { Db } from '../db.ts';
import { type Grant, hashKey, newKey } from './access-key.ts';

const REMEMBERED_KEYS = 1_000;
const REMEMBERED_MS = 1_000;

export type NewKey = { scope: Grant['scope']; libraryId: number | null; label: string; expiresAt: Date | null };

/** The keys that open libraries and the account. */
export type KeyStore = {
  /** What a key opens, or null. A revoked or expired key opens nothing after 1 s at most. */
  find(key: string): Promise<Grant | null>;
  /** Makes a further key; its text is shown this once and kept as a hash only. */
  create(wanted: NewKey): Promise<{ id: Guid; key: string }>;
  /** Ends a key for good; doing it twice is harmless. */
  revoke(id: Guid): Promise<void>;
};

type Found = Grant & { hash: Buffer };

/** Keys in PostgreSQL, the valid ones remembered for 1 s so that most requests ask nothing. */
export function createKeyStore(db: Db): KeyStore {
  const remembered = new Map<string, { grant: Grant; until: number }>();
  return {
    async find(key) {
      const hash = hashKey(key);
      const name = hash.toString('base64');
      const known = remembered.get(name);
      if (known !== undefined && known.until > Date.now()) return known.grant;
      remembered.delete(name);
      const grant = await lookUp(db, hash);
      if (grant === null) return null;
      const oldest = remembered.keys().next();
      if (remembered.size >= REMEMBERED_KEYS && !oldest.done) remembered.delete(oldest.value);
      remembered.set(name, { grant, until: Date.now() + REMEMBERED_MS });
      return grant;
    },
    async create({ scope, libraryId, label, expiresAt }) {
      const made = { id: newGuid(), key: newKey() };
      const row = { id: made.id, library_id: libraryId, hash: hashKey(made.key), scope, label, expires_at: expiresAt };
      await db.insertInto('access_key').values(row).execute();
      return made;
    },
    async revoke(id) {
      await db
        .updateTable('access_key')
        .set({ revoked_at: sql`now()` })
        .where('id', '=', id)
        .where('revoked_at', 'is', null)
        .execute();
    },
  };
}

async function lookUp(db: Db, hash: Buffer): Promise<Grant | null> {
  const { rows } = await sql<Found>`
    with used as (
      update access_key set last_used_at = now()
      where hash = ${hash} and revoked_at is null and (expires_at is null or expires_at > now())
        and (last_used_at is null or last_used_at < now() - interval '1 minute'))
    select api_key_hash as hash, 'write' as scope, id as "libraryId" from library where api_key_hash = ${hash}
    union all
    select read_only_key_hash, 'read', id from library where read_only_key_hash = ${hash}
    union all
    select hash, scope, library_id from access_key
    where hash = ${hash} and revoked_at is null and (expires_at is null or expires_at > now())`.execute(db);
  const found = rows.find((row) => timingSafeEqual(row.hash, hash));
  return found === undefined ? null : { scope: found.scope, libraryId: found.libraryId };
}
