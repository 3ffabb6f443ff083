import { sql } from 'kysely';
import { newGuid } from '../../lib/guid.ts';
import { bumpPublication, type Tx } from '../db.ts';
import { tellDamage } from '../scrub/repair-store.ts';
import { LostClaim } from './chunk-store.ts';
import { IMAGES_VALUE, renditionMessage } from './messages.ts';
import { readyOnDemand } from './ready-store.ts';
import { addMessages, settleMedia } from './settle-store.ts';
import { type Claim, MAX_FAILURES, type Work } from './work.ts';
import { workRow } from './work-row-store.ts';
import { endWork, lockClaim, refreshProgress } from './work-store.ts';

const PICTURE_NAMES = { thumbnail: 'The thumbnail', pictures: IMAGES_VALUE } as const;

/**
 * Ends a work that was tried often enough. A work of several rungs is split first, one work a rung with one
 * try each, so that a rung that cannot be made does not take the others with it.
 * Else its renditions fail, their other works are dropped, and the video ends if nothing is open. Pictures that cannot
 * be made are missing, and a message says so. Throws LostClaim when the claim does not hold any more.
 */
export async function failWork(tx: Tx, claim: Claim, reason: string): Promise<void> {
  const { key } = claim.work;
  await bumpPublication(tx, key).catch((cause: unknown) => {
    throw new Error(`Expected video ${key.mediaId} to exist while its work fails.`, { cause });
  });
  const held = await lockClaim(tx, claim);
  if (held === null) throw new LostClaim({ attempt: claim.attempt, id: claim.work.id });
  if (claim.work.renditionIds.length > 1) return splitWork(tx, { ...claim.work, ...held }, reason);
  const { renditionIds } = claim.work;
  await endWork(tx, claim, 'failed', reason);
  if (claim.work.kind === 'repair') return tellUnmended(tx, claim.work, reason);
  for (const renditionId of renditionIds) {
    await sql`
      update encode_work set rendition_ids = array_remove(rendition_ids, ${renditionId}::uuid)
      where library_id = ${key.libraryId} and media_id = ${key.mediaId} and state in ('waiting', 'running')
    `.execute(tx);
  }
  await sql`
    delete from encode_work where library_id = ${key.libraryId} and media_id = ${key.mediaId}
      and rendition_ids = '{}' and kind not in ('thumbnail', 'pictures')
  `.execute(tx);
  const { kind } = claim.work;
  if (kind === 'thumbnail' || kind === 'pictures') {
    await addMessages(tx, key, [renditionMessage(PICTURE_NAMES[kind], reason, new Date())]);
  }
  await settleMedia(tx, key);
  // The rung that failed may be the last that was waited for.
  await readyOnDemand(tx, key);
  await refreshProgress(tx, key);
}

/** What cannot be made anew stays as it is: the rest of the rendition can be played. */
async function tellUnmended(tx: Tx, { key, renditionIds, fromSegment, toSegment }: Work, why: string): Promise<void> {
  const segments: [number, number] = [fromSegment, toSegment - 1];
  const [what, reason] = ['its stored bytes are damaged', `making it anew failed (${why})`];
  for (const renditionId of renditionIds) await tellDamage(tx, key, { renditionId, segments, what, reason });
}

/** Rungs that failed in another work since this one was claimed are no part of it any more. */
async function splitWork(tx: Tx, work: Work, reason: string): Promise<void> {
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
}
