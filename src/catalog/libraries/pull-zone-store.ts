import { Refused } from '../../lib/refused.ts';
import type { SecretBox } from '../../lib/secret-box.ts';
import type { Db } from '../db.ts';

/** Pull zones: each delivers the files of one library. */
export type PullZoneStore = {
  /**
   * Gives a pull zone a new security key, which signs delivery addresses and embed tokens; null has one made.
   * Tokens signed with the old key end with it. Refuses (`not-found`) an unknown pull zone.
   */
  resetSecurityKey(id: number, key: string | null): Promise<void>;
  /** The key in clear. Refuses (`not-found`) an unknown pull zone. */
  securityKey(id: number): Promise<string>;
};

export function createPullZoneStore({ db, secretBox }: { db: Db; secretBox: SecretBox }): PullZoneStore {
  return {
    async resetSecurityKey(id, key) {
      const { numUpdatedRows } = await db
        .updateTable('pull_zone')
        .set({ security_key_sealed: secretBox.seal(key ?? crypto.randomUUID()) })
        .where('id', '=', id)
        .executeTakeFirst();
      if (numUpdatedRows === 0n) throw unknownPullZone(id);
    },
    async securityKey(id) {
      const row = await db
        .selectFrom('pull_zone')
        .select('security_key_sealed')
        .where('id', '=', id)
        .executeTakeFirst();
      if (row === undefined) throw unknownPullZone(id);
      return secretBox.open(row.security_key_sealed);
    },
  };
}

function unknownPullZone(id: number): Refused {
  return new Refused('not-found', `There is no pull zone ${id}. Check the id.`);
}
