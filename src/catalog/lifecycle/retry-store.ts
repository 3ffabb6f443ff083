import { type Selectable, sql } from 'kysely';
import { newGuid } from '../../lib/guid.ts';
import { Refused } from '../../lib/refused.ts';
import type { Db, FollowUp, MediaKey, Tx } from '../db.ts';
import { inTransaction } from '../in-transaction.ts';
import { RENDITION_NAME } from '../rendition-name-store.ts';
import type { RenditionTable } from '../schema.ts';
import { type ActiveView, addToActive, type CodecPlan, loadActive, reopen } from './codec-store.ts';
import type { PlannedRendition } from './encode-plan.ts';
import { finalizeMedia } from './finalize-store.ts';
import { findIncomplete, haveImagesFailed } from './incomplete-store.ts';
import { IMAGES_VALUE } from './messages.ts';

/** Failed renditions of the active timeline, each with its plan for another attempt. */
export type RetryView = ActiveView & { failed: readonly PlannedRendition[] };

/** Retries renditions that failed in a video that did not fail. */
export type RetryStore = {
  /**
   * Creates failed renditions again: all of them, or only the video of one rung. Existing renditions stay active, and
   * the new ones join them. If all are retried, failed images are too. Throws `Refused` (`invalid`) if no matching
   * rendition failed, and anything that `CodecStore.add` throws.
   */
  retry(
    key: MediaKey,
    rung: number | null,
    plan: (view: RetryView) => CodecPlan,
    ...followUps: FollowUp[]
  ): Promise<void>;
  /**
   * Retries everything that failed in finished, incomplete videos of a library: a bounded number, oldest first. Returns
   * the number of retried videos, and the number of examined videos that cannot be retried.
   */
  retryAll(libraryId: number, plan: (view: RetryView) => CodecPlan): Promise<{ retried: number; refused: number }>;
};

const VIDEOS_AT_ONCE = 1_000;

export function createRetryStore(db: Db): RetryStore {
  const store: RetryStore = {
    retry: (key, rung, plan, ...followUps) =>
      inTransaction(db, async (tx) => {
        await retryFailed(tx, { key, rung, plan });
        for (const followUp of followUps) await followUp(tx);
      }),
    async retryAll(libraryId, plan) {
      const count = { retried: 0, refused: 0 };
      for (const mediaId of await findIncomplete(db, libraryId, VIDEOS_AT_ONCE)) {
        try {
          await store.retry({ libraryId, mediaId }, null, plan);
          count.retried += 1;
        } catch (error) {
          if (!(error instanceof Refused)) throw error;
          count.refused += 1;
        }
      }
      return count;
    },
  };
  return store;
}

type WantedRetry = { key: MediaKey; rung: number | null; plan: (view: RetryView) => CodecPlan };

async function retryFailed(tx: Tx, { key, rung, plan }: WantedRetry): Promise<void> {
  const active = await loadActive(tx, key);
  const failed = await takeFailed(tx, active, rung);
  if (failed.length === 0) {
    if (rung === null && active.state === 'finished' && (await haveImagesFailed(tx, key))) {
      await retryImages(tx, key);
      return;
    }
    const what = rung === null ? 'No rendition' : `No rendition of ${rung}p`;
    throw new Refused(
      'invalid',
      `${what} of video ${key.mediaId} failed. Use reencode to encode the whole video again.`,
    );
  }
  const view = { ...active, failed };
  await addToActive(tx, view, plan(view));
}

/** Images are planned when all other tasks of a video have ended, unless they were attempted before. */
async function retryImages(tx: Tx, key: MediaKey): Promise<void> {
  await tx.deleteFrom('encode_task').where('media_id', '=', key.mediaId).execute();
  await forgetMessages(tx, key, [IMAGES_VALUE]);
  await reopen(tx, key);
  await finalizeMedia(tx, key);
}

/**
 * Deletes the rows of failed renditions. Their replacements get new ids, because URLs contain them and responses are
 * cached.
 */
async function takeFailed(tx: Tx, { key, timelineId }: ActiveView, rung: number | null): Promise<PlannedRendition[]> {
  const { rows } = await sql<Selectable<RenditionTable> & { title: string }>`
    delete from rendition r where library_id = ${key.libraryId} and media_id = ${key.mediaId}
      and timeline_id = ${timelineId} and state = 'failed' and retired_at is null
      and (${rung}::int is null or rung = ${rung}::int)
    returning r.*, ${RENDITION_NAME} as title
  `.execute(tx);
  await forgetMessages(
    tx,
    key,
    rows.map(({ title }) => title),
  );
  return rows.map(toPlanned);
}

/** Deletes the video's messages about these renditions, because they no longer apply. */
async function forgetMessages(tx: Tx, { libraryId, mediaId }: MediaKey, names: readonly string[]): Promise<void> {
  await sql`
    update media set messages = coalesce((select jsonb_agg(line order by place)
      from jsonb_array_elements(messages) with ordinality lines (line, place)
      where not (line->>'value' = any(${names}))), '[]')
    where library_id = ${libraryId} and id = ${mediaId}
  `.execute(tx);
}

function toPlanned(row: Selectable<RenditionTable>): PlannedRendition {
  const { init, codec_string: codecString, planned_segments: plannedSegments } = row;
  return {
    id: newGuid(),
    kind: row.kind,
    origin: row.origin,
    codec: row.codec,
    rung: row.rung,
    language: row.language,
    name: row.name,
    isDefault: row.is_default,
    timescale: row.timescale,
    widthPx: row.width_px,
    heightPx: row.height_px,
    plan: row.plan,
    listed: row.on_demand || init === null || codecString === null ? null : { init, codecString },
    plannedSegments: row.on_demand ? null : plannedSegments,
    isOnDemand: false,
  };
}
