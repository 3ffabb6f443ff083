import { randomBytes } from 'node:crypto';
import type { Db } from '../../db.ts';

const SALT_BYTES = 32;
const DAY_MS = 24 * 3600_000;

/**
 * Returns the salt of a day, shared by all edges. The first edge that needs it creates it, for today or the previous
 * day. Null for an earlier day whose salt is deleted: no address can be matched with that day's sketch any more.
 */
export async function loadViewerSalt(db: Db, dayMs: number, nowMs: number): Promise<Uint8Array | null> {
  const day = new Date(dayMs).toISOString().slice(0, 10);
  if (dayMs > nowMs - 2 * DAY_MS) {
    const salt = randomBytes(SALT_BYTES);
    await db
      .insertInto('viewer_salt')
      .values({ day, salt })
      .onConflict((conflict) => conflict.doNothing())
      .execute();
  }
  const row = await db.selectFrom('viewer_salt').select('salt').where('day', '=', day).executeTakeFirst();
  return row?.salt ?? null;
}
