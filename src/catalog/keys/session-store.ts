import { sql } from 'kysely';
import type { Db } from '../db.ts';
import { type Grant, hashKey, newKey } from './access-key.ts';
import type { KeyStore } from './key-store.ts';

/** Days after which a browser must sign in again. */
export const SESSION_DAYS = 7;
/** Maximum number of sessions of one key. The next sign-in ends the oldest session. */
const MAX_SESSIONS = 100;

export type StartedSession = { id: string; grant: Grant };

/** Sessions of browsers that presented a key once and have sent a random id since. */
export type SessionStore = {
  /**
   * Starts a session with the rights of a key. The session is valid for as long as the key. Returns null for an invalid
   * key.
   */
  start(key: string): Promise<StartedSession | null>;
  /**
   * Starts a session with the secret of a sign-in link, which is then used up. Returns null if the link is no longer
   * valid.
   */
  startByLink(secret: string): Promise<StartedSession | null>;
  /** Returns the grant of a session, or null. A session ends at most 1 s after its key. */
  findSession(id: string): Promise<Grant | null>;
  /** Ends a session; idempotent. */
  end(id: string): Promise<void>;
};

/**
 * Stores sessions in PostgreSQL, so that every API process can read them. Only hashes are stored: a copy of the table
 * grants no access.
 */
export function createSessionStore(db: Db, keys: Pick<KeyStore, 'findHashed'>): SessionStore {
  return {
    start: (key) => startSession(hashKey(key), db, keys),
    async startByLink(secret) {
      const keyHash = await redeemSignInLink(db, secret);
      return keyHash === null ? null : startSession(keyHash, db, keys);
    },
    async findSession(id) {
      const row = await db
        .selectFrom('dashboard_session')
        .select('key_hash')
        .where('hash', '=', hashKey(id))
        .where('expires_at', '>', sql<Date>`now()`)
        .executeTakeFirst();
      return row === undefined ? null : keys.findHashed(row.key_hash);
    },
    async end(id) {
      await db.deleteFrom('dashboard_session').where('hash', '=', hashKey(id)).execute();
    },
  };
}

async function startSession(
  keyHash: Buffer,
  db: Db,
  keys: Pick<KeyStore, 'findHashed'>,
): Promise<StartedSession | null> {
  const grant = await keys.findHashed(keyHash);
  if (grant === null) return null;
  await dropOld(db, keyHash);
  // 256 random bits, like a key.
  const id = newKey();
  const expiresAt = new Date(Date.now() + SESSION_DAYS * 24 * 3600 * 1000);
  await db
    .insertInto('dashboard_session')
    .values({ hash: hashKey(id), key_hash: keyHash, expires_at: expiresAt })
    .execute();
  return { id, grant };
}

async function dropOld(db: Db, keyHash: Buffer): Promise<void> {
  await sql`
    delete from dashboard_session
    where expires_at < now() or hash in (
      select hash from dashboard_session where key_hash = ${keyHash}
      order by created_at desc offset ${MAX_SESSIONS - 1})`.execute(db);
}

/** Minutes for which a link is valid. */
export const LINK_MINUTES = 60;

/** Creates the secret of a link that signs in one browser with this key, once. Deletes expired links. */
export async function createSignInLink(db: Db, key: string): Promise<string> {
  // 256 random bits, like a key.
  const secret = newKey();
  await sql`delete from sign_in_link where expires_at < now()`.execute(db);
  await db
    .insertInto('sign_in_link')
    .values({
      hash: hashKey(secret),
      key_hash: hashKey(key),
      expires_at: sql<Date>`now() + make_interval(mins => ${LINK_MINUTES})`,
    })
    .execute();
  return secret;
}

/** Uses up a link. Returns the hash of its key, or null if it was used, has expired or never existed. */
export async function redeemSignInLink(db: Db, secret: string): Promise<Buffer | null> {
  const { rows } = await sql<{ key_hash: Buffer; is_valid: boolean }>`
    delete from sign_in_link where hash = ${hashKey(secret)} returning key_hash, expires_at > now() as is_valid
  `.execute(db);
  const [link] = rows;
  return link?.is_valid === true ? link.key_hash : null;
}
