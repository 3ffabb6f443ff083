import type { Guid } from '../../lib/guid.ts';
import type { Db } from '../db.ts';

/** The one account of an installation: it is known by its first key, whether or not that is still valid. */
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
