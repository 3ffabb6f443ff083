import type { Guid } from '../../lib/guid.ts';
import type { SourceFacts, VideoFacts } from '../../media/probe/source-facts.ts';
import type { StorageKey } from '../../ports/storage.ts';
import type { Db, MediaKey } from '../db.ts';
import type { EncodeTask } from '../tasks/encode-task.ts';

/** A stretch of a stored rendition. */
export type PictureChunk = { storageKey: StorageKey; startTick: number; durationTicks: number };

/** A finished H.264 rendition from which pictures are taken, chunks in order of time. */
export type PictureRendition = {
  id: Guid;
  origin: 'encode' | 'pass-through';
  rung: number;
  widthPx: number;
  heightPx: number;
  timescale: number;
  init: Buffer;
  chunks: readonly PictureChunk[];
};

/** All that making a video's pictures takes, read at once. Renditions are of the encode task's timeline, the lowest first. */
export type PictureView = {
  video: VideoFacts;
  durationMs: number;
  thumbnailTimeMs: number | null;
  renditions: readonly PictureRendition[];
};

/** Reads what an encode task makes pictures of. Null when its video is gone, or has no picture any more. */
export async function loadPictureView(db: Db, { key, timelineId }: EncodeTask): Promise<PictureView | null> {
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
  const renditions = await loadRenditions(db, key, timelineId);
  if (renditions.length === 0) return null;
  return {
    video: facts.video,
    durationMs: Math.round((media.end_ticks * 1000) / media.timescale),
    thumbnailTimeMs: media.thumbnail_time_ms,
    renditions,
  };
}

async function loadRenditions(db: Db, key: MediaKey, timelineId: Guid): Promise<PictureRendition[]> {
  const rows = await db
    .selectFrom('rendition')
    .select(['id', 'origin', 'rung', 'width_px', 'height_px', 'timescale', 'init'])
    .where('library_id', '=', key.libraryId)
    .where('media_id', '=', key.mediaId)
    .where('timeline_id', '=', timelineId)
    .where('kind', '=', 'video')
    .where('codec', '=', 'x264')
    .where('state', '=', 'finished')
    .where('retired_at', 'is', null)
    .orderBy('rung')
    .execute();
  const renditions: PictureRendition[] = [];
  for (const { id, origin, timescale, ...row } of rows) {
    const { rung, width_px: widthPx, height_px: heightPx, init } = row;
    if (rung === null || widthPx === null || heightPx === null || init === null) continue;
    const chunks = await loadChunks(db, key, id);
    renditions.push({ id, origin, rung, widthPx, heightPx, timescale, init, chunks });
  }
  return renditions;
}

function loadChunks(db: Db, { libraryId, mediaId }: MediaKey, renditionId: Guid): Promise<PictureChunk[]> {
  return db
    .selectFrom('chunk')
    .select(['storage_key as storageKey', 'start_tick as startTick', 'duration_ticks as durationTicks'])
    .where('library_id', '=', libraryId)
    .where('media_id', '=', mediaId)
    .where('rendition_id', '=', renditionId)
    .orderBy('first_segment')
    .execute();
}
