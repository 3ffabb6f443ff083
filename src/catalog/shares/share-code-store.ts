import { timingSafeEqual } from 'node:crypto';
import { sql } from 'kysely';
import type { Guid } from '../../lib/guid.ts';
import type { Db } from '../db.ts';

/** Wrong codes after which a code is no longer accepted. */
const MAX_FAILURES = 5;
/** Time for which a code is valid, in minutes. */
export const CODE_MINUTES = 10;
/** Maximum number of expired codes that are deleted with each new one. */
const MAX_DELETED = 1_000;

/**
 * An e-mail address and a code for one share. Both are keyed hashes, so that the database contains neither in plain
 * text.
 */
type HashedCode = { shareId: Guid; addressHash: Buffer; codeHash: Buffer };

/** Codes that were sent to viewers of shares. */
export type ShareCodeStore = {
  /** Stores a code for ten minutes. It replaces the previous code of the address. Deletes expired codes. */
  put(code: HashedCode): Promise<void>;
  /** Returns whether a code is right, and deletes it then. Counts a wrong one; the fifth ends the code. */
  take(code: HashedCode): Promise<boolean>;
};

export function createShareCodeStore(db: Db): ShareCodeStore {
  return {
    async put({ shareId, addressHash, codeHash }) {
      await sql`delete from share_code where (share_id, address_hash) in (
        select share_id, address_hash from share_code where expires_at <= now() limit ${MAX_DELETED}
        for update skip locked)`.execute(db);
      // The share may have been deleted in the meantime.
      await sql`
        insert into share_code (share_id, address_hash, code_hash, expires_at)
        select id, ${addressHash}, ${codeHash}, now() + ${`${CODE_MINUTES} minutes`}::interval
        from share where id = ${shareId}
        on conflict (share_id, address_hash) do update
          set code_hash = excluded.code_hash, expires_at = excluded.expires_at, failures = 0`.execute(db);
    },
    async take({ shareId, addressHash, codeHash }) {
      // Counted before the comparison, so that simultaneous guesses do not exceed the limit.
      const { rows } = await sql<{ stored: Buffer }>`
        update share_code set failures = failures + 1
        where share_id = ${shareId} and address_hash = ${addressHash} and expires_at > now()
          and failures < ${MAX_FAILURES}
        returning code_hash as stored`.execute(db);
      const stored = rows[0]?.stored;
      if (stored === undefined || !timingSafeEqual(stored, codeHash)) return false;
      const { numAffectedRows } = await sql`
        delete from share_code
        where share_id = ${shareId} and address_hash = ${addressHash} and code_hash = ${codeHash}`.execute(db);
      // Only one of two requests with the same code deletes it.
      return numAffectedRows === 1n;
    },
  };
}
