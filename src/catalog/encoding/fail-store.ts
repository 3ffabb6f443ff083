import { sql } from 'kysely';
import { newGuid } from '../../lib/guid.ts';
import { bumpPublication, type Tx } from '../db.ts';
import { LostClaim } from './chunk-store.ts';
import { workRow } from './plan-store.ts';
import { settleMedia } from './settle-store.ts';
import { type Claim, MAX_FAILURES, type Work } from './work.ts';
import { endWork, lockClaim, refreshProgress } from './work-store.ts';

/**
 * Ends a work that was tried often enough. A work of several rungs is split first, one work a rung with one
 * try each, so that a rung that cannot be made does not take the others with it: the answer is what to send.
 * Else its renditions fail, their other works are dropped, and the video ends if nothing is open.
 * Throws LostClaim when the claim does not hold any more.
 */
export async function failWork(tx: Tx, claim: Claim, reason: string): Promise<Work[]> {
  const { key, renditionIds } = claim.work;
  await bumpPublication(tx, key).catch((cause: unknown) => {
    throw new Error(`Expected video ${key.mediaId} to exist while its work fails.`, { cause });
  });
  if (!(await lockClaim(tx, claim))) throw new LostClaim({ attempt: claim.attempt, id: claim.work.id });
  if (renditionIds.length > 1) return splitWork(tx, claim, reason);
  await endWork(tx, claim, 'failed', reason);
  for (const renditionId of renditionIds) {
    if (claim.work.kind === 'thumbnail') continue;
    await sql`
      update encode_work set rendition_ids = array_remove(rendition_ids, ${renditionId}::uuid)
      where library_id = ${key.libraryId} and media_id = ${key.mediaId} and state in ('waiting', 'running')
        and kind <> 'thumbnail'
    `.execute(tx);
  }
  await sql`
    delete from encode_work where library_id = ${key.libraryId} and media_id = ${key.mediaId}
      and rendition_ids = '{}' and kind <> 'thumbnail'
  `.execute(tx);
  await settleMedia(tx, key);
  await refreshProgress(tx, key);
  return [];
}

async function splitWork(tx: Tx, claim: Claim, reason: string): Promise<Work[]> {
  const { work } = claim;
  const parts = work.renditionIds.map((renditionId) => ({
    ...work,
    id: newGuid(),
    renditionIds: [renditionId],
    weight: work.weight / work.renditionIds.length,
  }));
  await tx
    .deleteFrom('encode_work')
    .where('library_id', '=', work.key.libraryId)
    .where('media_id', '=', work.key.mediaId)
    .where('id', '=', work.id)
    .execute();
  const rows = parts.map((part) => ({ ...workRow(part), failures: MAX_FAILURES - 1, reason }));
  await tx.insertInto('encode_work').values(rows).execute();
  return parts;
}
