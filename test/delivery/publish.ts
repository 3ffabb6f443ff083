import { createHash } from 'node:crypto';
import { sql } from 'kysely';
import { bumpPublication, type Db, type MediaKey, PUBLICATION_CHANNEL } from '../../src/catalog/db.ts';
import { type Guid, newGuid } from '../../src/lib/guid.ts';
import { createSecretBox } from '../../src/lib/secret-box.ts';
import type { ChunkFacts } from '../../src/media/cmaf/chunk.ts';
import type { CutList } from '../../src/media/timeline/cut-list.ts';
import { TEST_SECRET } from '../support/packager.ts';
import type { EdgeStorage } from './edge-storage.ts';
import type { Film, FilmTrack } from './make-film.ts';

export type RenditionKey = MediaKey & { renditionId: Guid };

let libraries = 0;

/** Creates a library with its pull zone `vz-{id}`. */
export async function addLibrary(db: Db, settings: Record<string, unknown> = {}): Promise<number> {
  libraries += 1;
  const secret = (name: string) => Buffer.from(`${name}-${libraries}`);
  const sealed = (name: string) => createSecretBox(TEST_SECRET).seal(`${name}-${libraries}`);
  const { id } = await db
    .insertInto('library')
    .values({
      name: `library ${libraries}`,
      settings: JSON.stringify(settings),
      api_key_sealed: sealed('library-key'),
      api_key_hash: secret('b'),
      read_only_key_sealed: secret('c'),
      read_only_key_hash: secret('d'),
    })
    .returning('id')
    .executeTakeFirstOrThrow();
  const zone = { library_id: id, name: `vz-${id}`, security_key_sealed: sealed('security-key') };
  await db.insertInto('pull_zone').values(zone).execute();
  return id;
}

export async function addVideo(db: Db, libraryId: number, title = 'A film', durationMs = 20_000): Promise<MediaKey> {
  const mediaId = newGuid();
  const row = {
    library_id: libraryId,
    id: mediaId,
    type: 'video',
    title,
    state: 'transcoding',
    duration_ms: durationMs,
  } as const;
  await db
    .insertInto('media')
    .values({ ...row, frame_rate: 23.976 })
    .execute();
  return { libraryId, mediaId };
}

export async function addTimeline(db: Db, key: MediaKey, cutList: CutList): Promise<Guid> {
  const id = newGuid();
  const { grid } = cutList;
  const frames =
    grid.kind === 'source'
      ? {}
      : {
          rate_num: grid.rate.num,
          rate_den: grid.rate.den,
          segment_frames: grid.segmentFrames,
          total_frames: grid.totalFrames,
        };
  await db
    .insertInto('timeline')
    .values({
      library_id: key.libraryId,
      media_id: key.mediaId,
      id,
      grid: grid.kind,
      timescale: cutList.timescale,
      start_ticks: [...cutList.startTicks],
      end_ticks: cutList.endTicks,
      rate_num: null,
      rate_den: null,
      segment_frames: null,
      total_frames: null,
      ...frames,
      active: true,
    })
    .execute();
  return id;
}

export async function addRendition(
  db: Db,
  key: MediaKey,
  {
    timelineId,
    track,
    planned = null,
  }: { timelineId: Guid; track: Omit<FilmTrack, 'chunks'>; planned?: Buffer | null },
): Promise<RenditionKey> {
  const renditionId = newGuid();
  await db
    .insertInto('rendition')
    .values({
      library_id: key.libraryId,
      media_id: key.mediaId,
      id: renditionId,
      timeline_id: timelineId,
      kind: track.kind,
      origin: planned === null ? 'encode' : 'pass-through',
      codec: track.kind === 'video' ? 'h264' : 'aac',
      rung: track.heightPx,
      language: track.kind === 'audio' ? 'en' : 'und',
      key_group: track.kind === 'audio' ? 'audio' : 'sd',
      state: 'building',
      active: true,
      timescale: track.timescale,
      width_px: track.widthPx,
      height_px: track.heightPx,
      codec_string: track.codecString,
      init: track.init,
      planned_segments: planned,
      plan: '{}',
    })
    .execute();
  return { ...key, renditionId };
}

type Publishable = { pieces: readonly Buffer[]; facts: Omit<ChunkFacts, 'sha256'>; idx?: Buffer };

/** Stores a chunk's bytes, then its row and the new revision in one transaction, as a worker does. */
export async function publishChunk(db: Db, storage: EdgeStorage, key: RenditionKey, chunk: Publishable): Promise<void> {
  const { libraryId, mediaId, renditionId } = key;
  const bytes = Buffer.concat(chunk.pieces);
  const name = `${libraryId}/${mediaId}/${renditionId}/${chunk.facts.firstSegment}-1.cmaf`;
  const storageKey = await storage.write(name, bytes);
  if (chunk.idx !== undefined) await storage.write(name.replace('.cmaf', '.idx'), chunk.idx);
  await db.transaction().execute(async (tx) => {
    const revision = await bumpPublication(tx, key);
    await tx
      .insertInto('chunk')
      .values({
        library_id: libraryId,
        media_id: mediaId,
        rendition_id: renditionId,
        first_segment: chunk.facts.firstSegment,
        segment_count: chunk.facts.segmentCount,
        attempt: 1,
        revision,
        storage_key: storageKey,
        size_bytes: bytes.length,
        idx_bytes: 1,
        sha256: createHash('sha256').update(bytes).digest(),
        start_tick: chunk.facts.startTick,
        duration_ticks: chunk.facts.durationTicks,
        fragment_table: chunk.facts.fragmentTable,
        samples: chunk.facts.samples,
        cts_runs: chunk.facts.ctsRuns,
        sync_count: chunk.facts.syncCount,
        peak_segment_bps: chunk.facts.peakSegmentBps,
      })
      .execute();
  });
}

/** Marks every rendition and the video itself as finished. */
export async function finishVideo(db: Db, { libraryId, mediaId }: MediaKey): Promise<void> {
  await db.transaction().execute(async (tx) => {
    await tx.updateTable('rendition').set({ state: 'finished' }).where('media_id', '=', mediaId).execute();
    await tx.updateTable('media').set({ state: 'finished' }).where('id', '=', mediaId).execute();
    await bumpPublication(tx, { libraryId, mediaId });
  });
}

export async function deleteVideo(db: Db, { libraryId, mediaId }: MediaKey, tells = true): Promise<void> {
  await db.transaction().execute(async (tx) => {
    await tx.deleteFrom('media').where('id', '=', mediaId).execute();
    if (tells) await sql`select pg_notify(${PUBLICATION_CHANNEL}, ${`${libraryId}:${mediaId}:deleted`})`.execute(tx);
  });
}

export type PublishedFilm = MediaKey & { videos: RenditionKey[]; audio: RenditionKey; timelineId: Guid };

/** Adds a video with the film's renditions and no chunks yet. */
export async function addFilm(db: Db, libraryId: number, film: Film, title?: string): Promise<PublishedFilm> {
  const key = await addVideo(db, libraryId, title, Math.round((film.frames * 1001) / 24));
  const timelineId = await addTimeline(db, key, film.cutList);
  const videos: RenditionKey[] = [];
  for (const track of film.videos) videos.push(await addRendition(db, key, { timelineId, track }));
  const audio = await addRendition(db, key, { timelineId, track: film.audio });
  return { ...key, videos, audio, timelineId };
}

/** Publishes every chunk of a film and finishes it. */
export async function publishWholeFilm(
  db: Db,
  storage: EdgeStorage,
  film: Film,
  published: PublishedFilm,
): Promise<void> {
  const tracks: [RenditionKey | undefined, FilmTrack | undefined][] = published.videos.map((key, index) => [
    key,
    film.videos[index],
  ]);
  for (const [key, track] of [...tracks, [published.audio, film.audio] as const]) {
    if (key === undefined || track === undefined) continue;
    for (const chunk of track.chunks) await publishChunk(db, storage, key, chunk);
  }
  await finishVideo(db, published);
}
