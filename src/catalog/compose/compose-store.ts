import { sql } from 'kysely';
import { Refused } from '../../lib/refused.ts';
import type { SourceFacts } from '../../media/probe/source-facts.ts';
import type { Db, FollowUp, MediaKey } from '../db.ts';
import type { PlannedTimeline } from '../lifecycle/encode-plan.ts';
import { saveTimeline } from '../lifecycle/plan-store.ts';
import { mustEnterState } from '../media-state-store.ts';
import { WAITING_FOR_SLOT } from '../tasks/encode-task.ts';
import { loadCutList } from '../tasks/task-view-store.ts';
import type { PartRendition, PartView } from './part-view.ts';
import type { Recipe } from './recipe.ts';

/** Data of a video that is composed of parts of other videos. */
export type ComposedVideo = { timeline: PlannedTimeline; recipe: Recipe; facts: SourceFacts; durationMs: number };

/** Loads a video to take a part from. Throws `Refused` (`invalid`) if it is not in the library or is not finished. */
export async function loadPart(db: Db, key: MediaKey): Promise<PartView> {
  const media = await db
    .selectFrom('media')
    .select(['state', 'facts', 'source_key', 'thumbnail_key'])
    .select(({ selectFrom }) =>
      selectFrom('timeline')
        .select('id')
        .whereRef('timeline.library_id', '=', 'media.library_id')
        .whereRef('timeline.media_id', '=', 'media.id')
        .where('active', '=', true)
        .as('timelineId'),
    )
    .where('library_id', '=', key.libraryId)
    .where('id', '=', key.mediaId)
    .where('type', '=', 'video')
    .executeTakeFirst();
  if (media === undefined) throw unfit(key, 'is not in this library: check its id');
  if (media.state !== 'finished') throw unfit(key, `is ${media.state}: wait until it is finished`);
  if (media.facts === null || media.timelineId === null) throw unfit(key, 'has no media to take a part of');
  const cutList = await loadCutList(db, { key, timelineId: media.timelineId });
  if (cutList === null) throw new Error(`Expected video ${key.mediaId} to have timeline ${media.timelineId}.`);
  const renditions = await loadRenditions(db, key);
  return {
    mediaId: key.mediaId,
    facts: media.facts,
    hasOriginal: media.source_key !== null,
    hasThumbnail: media.thumbnail_key !== null,
    cutList,
    renditions,
    isRecorded: false,
  };
}

async function loadRenditions(db: Db, { libraryId, mediaId }: MediaKey): Promise<PartRendition[]> {
  const { rows } = await sql<PartRendition>`
    select id, kind, origin, codec, rung, language, name, is_default as "isDefault", timescale, width_px as "widthPx",
      height_px as "heightPx", codec_string as "codecString", init, plan, storage_bytes as "storageBytes"
    from rendition where library_id = ${libraryId} and media_id = ${mediaId} and active and state = 'finished'
      and init is not null and codec_string is not null
    order by kind desc, rung desc, codec, is_default desc, id
  `.execute(db);
  return rows;
}

/** Returns a follow-up that stores the composition of a new video in the transaction that creates it. */
export function composing(key: MediaKey, { timeline, recipe, facts, durationMs }: ComposedVideo): FollowUp {
  return async (tx) => {
    const video = facts.video;
    await mustEnterState(tx, key, 'transcoding', {
      reason: WAITING_FOR_SLOT,
      set: {
        facts: JSON.stringify(facts),
        duration_ms: durationMs,
        width_px: video?.displayWidthPx ?? 0,
        height_px: video?.displayHeightPx ?? 0,
        frame_rate: video === null ? 0 : video.rate.num / video.rate.den,
      },
    });
    await tx
      .insertInto('composition')
      .values({ library_id: key.libraryId, media_id: key.mediaId, recipe: JSON.stringify(recipe) })
      .execute();
    await saveTimeline(tx, key, timeline);
  };
}

function unfit({ mediaId }: MediaKey, why: string): Refused {
  return new Refused('invalid', `Cannot use a part of video ${mediaId}: it ${why}.`);
}
