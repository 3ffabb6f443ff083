import { sql } from 'kysely';
import type { Db } from '../db.ts';
import { hashKey, newKey } from './access-key.ts';

/** Minutes that a link is good for. */
export const LINK_MINUTES = 60;

/** Makes the secret of a link that signs one browser in with this key, once. Expired links are deleted. */
export async function createSignInLink(db: Db, key: string): Promise<string> {
  // 256 random bits, as a key has.
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

/** Uses a link up: the hash of its key, or null for one that was used, has expired or never was. */
export async function redeemSignInLink(db: Db, secret: string): Promise<Buffer | null> {
  const { rows } = await sql<{ key_hash: Buffer; is_valid: boolean }>`
    delete from sign_in_link where hash = ${hashKey(secret)} returning key_hash, expires_at > now() as is_valid
  `.execute(db);
  const [link] = rows;
  return link?.is_valid === true ? link.key_hash : null;
}
