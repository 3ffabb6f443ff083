import type { Guid } from '../../lib/guid.ts';
import { BASE_CODEC } from '../../media/encode/codecs/all.ts';
import type { Colours } from '../../media/probe/colours.ts';
import type { SourceFacts, VideoFacts } from '../../media/probe/source-facts.ts';
import type { StorageKey } from '../../ports/storage.ts';
import type { Db, MediaKey, Tx } from '../db.ts';
import type { EncodeTask } from '../tasks/encode-task.ts';

/** A time range of a stored rendition. */
export type ImageChunk = { storageKey: StorageKey; startTick: number; durationTicks: number };

/** An H.264 rendition from which images are extracted, with its chunks in time order. */
export type ImageRendition = {
  id: Guid;
  origin: 'encode' | 'pass-through';
  rung: number;
  widthPx: number;
  heightPx: number;
  timescale: number;
  init: Buffer;
  /** Colours of the rendition's plan, or null for the defaults. */
  colours: Colours | null;
  chunks: readonly ImageChunk[];
};

/**
 * Storyboard sheets that were created while the video was encoded, with some of their frames as greyscale miniatures.
 */
export type StoredSheets = {
  first: number;
  end: number;
  folder: string;
  sizesBytes: readonly number[];
  moments: readonly { tick: number; grey: Uint8Array }[];
};

/**
 * Data needed to create a video's images, from one read. The renditions belong to the encode task's timeline and are
 * sorted, lowest first.
 */
export type ImageView = {
  video: VideoFacts;
  durationMs: number;
  thumbnailTimeMs: number | null;
  renditions: readonly ImageRendition[];
  sheets: readonly StoredSheets[];
};

/**
 * Reads the renditions from which an encode task creates images: finished ones, and for the task `sheets` also
 * unfinished ones. Returns null if the video no longer exists or has no video track any more.
 */
export async function loadImageView(db: Db, { key, timelineId, kind }: EncodeTask): Promise<ImageView | null> {
  const media = await db
    .selectFrom('media')
    .innerJoin('timeline', (join) =>
      join.onRef('timeline.library_id', '=', 'media.library_id').onRef('timeline.media_id', '=', 'media.id'),
    )
    .select(['facts', 'thumbnail_time_ms', 'timeline.end_ticks', 'timeline.timescale'])
    .where('media.library_id', '=', key.libraryId)
    .where('media.id', '=', key.mediaId)
    .where('timeline.id', '=', timelineId)
    .executeTakeFirst();
  const facts: SourceFacts | null = media?.facts ?? null;
  if (media === undefined || facts === null || facts.video === null) return null;
  return {
    video: facts.video,
    durationMs: Math.round((media.end_ticks * 1000) / media.timescale),
    thumbnailTimeMs: media.thumbnail_time_ms,
    renditions: await loadRenditions(
      db,
      { key, timelineId },
      kind === 'sheets' ? ['building', 'finished'] : ['finished'],
    ),
    sheets: await loadSheets(db, { key, timelineId }),
  };
}

type Place = Pick<EncodeTask, 'key' | 'timelineId'>;

async function loadRenditions(
  db: Db,
  { key, timelineId }: Place,
  states: readonly ('building' | 'finished')[],
): Promise<ImageRendition[]> {
  const rows = await db
    .selectFrom('rendition')
    .select(['id', 'origin', 'rung', 'width_px', 'height_px', 'timescale', 'init', 'plan'])
    .where('library_id', '=', key.libraryId)
    .where('media_id', '=', key.mediaId)
    .where('timeline_id', '=', timelineId)
    .where('kind', '=', 'video')
    .where('codec', '=', BASE_CODEC)
    .where('state', 'in', states)
    .where('retired_at', 'is', null)
    .orderBy('rung')
    .execute();
  const renditions: ImageRendition[] = [];
  for (const { id, origin, timescale, ...row } of rows) {
    const { rung, width_px: widthPx, height_px: heightPx, init } = row;
    if (rung === null || widthPx === null || heightPx === null || init === null) continue;
    const chunks = await loadChunks(db, key, id);
    const colours = row.plan.colours ?? null;
    renditions.push({ id, origin, rung, widthPx, heightPx, timescale, init, colours, chunks });
  }
  return renditions;
}

/** Loads the stored chunks of a rendition in time order. */
export function loadChunks(db: Db | Tx, { libraryId, mediaId }: MediaKey, renditionId: Guid): Promise<ImageChunk[]> {
  return db
    .selectFrom('chunk')
    .select(['storage_key as storageKey', 'start_tick as startTick', 'duration_ticks as durationTicks'])
    .where('library_id', '=', libraryId)
    .where('media_id', '=', mediaId)
    .where('rendition_id', '=', renditionId)
    .orderBy('first_segment')
    .execute();
}

async function loadSheets(db: Db, { key, timelineId }: Place): Promise<StoredSheets[]> {
  const rows = await db
    .selectFrom('encode_task')
    .select(['from_segment as first', 'to_segment as end', 'output'])
    .where('library_id', '=', key.libraryId)
    .where('media_id', '=', key.mediaId)
    .where('timeline_id', '=', timelineId)
    .where('kind', '=', 'sheets')
    .where('state', '=', 'done')
    .orderBy('from_segment')
    .execute();
  return rows.flatMap(({ first, end, output }) => {
    if (output === null) return [];
    const { folder, sizesBytes } = output;
    const moments = output.moments.map(({ tick, grey }) => ({ tick, grey: Buffer.from(grey, 'base64') }));
    return [{ first, end, folder, sizesBytes, moments }];
  });
}
