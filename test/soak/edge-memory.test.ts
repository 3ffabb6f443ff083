import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Db, MediaKey } from '../../src/catalog/db.ts';
import { encodeFragmentTable } from '../../src/media/cmaf/fragment-table.ts';
import { storageKey } from '../../src/ports/storage.ts';
import { type FilmTrack, makeFilm } from '../delivery/make-film.ts';
import { addRendition, addTimeline, addVideo, finishVideo, type RenditionKey } from '../delivery/publish.ts';
import { objectsOf, openCatalogue } from '../support/leftovers.ts';
import { forgetPeak, readMemory } from '../support/process-memory.ts';
import { faultSeed, seededRandom } from '../support/seeded-random.ts';
import { discard, type Service, startService } from '../support/service.ts';
import { findProcesses } from '../support/service-processes.ts';
import { playlistUrl } from '../support/videos.ts';

const VIDEOS = 3;
const SEGMENTS = 10_000;
const SEGMENTS_A_CHUNK = 32;
const SEGMENT_BYTES = 128 * 1024;
const SEGMENT_TICKS = 48_000;
const TIMESCALE = 24_000;
/** Number of objects that hold the chunks of all videos. Together, they exceed the edge's caches. */
const OBJECTS = 20;
const REQUESTS = 2_500;
const AT_ONCE = 8;
/** Maximum total of the edge's three caches (64 MiB each). */
const CACHES_MIB = 192;
const SLACK_MIB = 128;
const seed = faultSeed();

let service: Service;
let videos: RenditionKey[];

beforeAll(async () => {
  service = await startService(null);
  const [track] = (await makeFilm(24, [360])).videos;
  if (track === undefined) throw new Error('Expected a track.');
  const { db, close } = openCatalogue(service);
  try {
    videos = [];
    for (let index = 0; index < VIDEOS; index += 1) videos.push(await addLongVideo(db, track));
  } finally {
    await close();
  }
});
afterAll(() => discard(service));

async function addLongVideo(db: Db, track: FilmTrack): Promise<RenditionKey> {
  const key = await addVideo(db, 1);
  const startTicks = Array.from({ length: SEGMENTS }, (_, index) => index * SEGMENT_TICKS);
  const endTicks = SEGMENTS * SEGMENT_TICKS;
  const timelineId = await addTimeline(db, key, {
    timescale: TIMESCALE,
    startTicks,
    endTicks,
    grid: { kind: 'source' },
  });
  const rendition = await addRendition(db, key, { timelineId, track });
  await addChunks(db, rendition, await writeObjects(key));
  await finishVideo(db, key);
  return rendition;
}

async function writeObjects({ libraryId, mediaId }: MediaKey): Promise<string[]> {
  const names = Array.from({ length: OBJECTS }, (_, index) => `${libraryId}/${mediaId}/shared/${index}-1.cmaf`);
  await mkdir(path.join(objectsOf(service), path.dirname(names[0] ?? '')), { recursive: true });
  const bytes = Buffer.alloc(SEGMENTS_A_CHUNK * SEGMENT_BYTES, 7);
  for (const name of names) await writeFile(path.join(objectsOf(service), name), bytes);
  return names;
}

async function addChunks(db: Db, key: RenditionKey, objects: readonly string[]): Promise<void> {
  const rows = Array.from({ length: Math.ceil(SEGMENTS / SEGMENTS_A_CHUNK) }, (_, chunk) => {
    const first = chunk * SEGMENTS_A_CHUNK;
    const count = Math.min(SEGMENTS_A_CHUNK, SEGMENTS - first);
    const fragment = { payloadBytes: SEGMENT_BYTES - 100, prefixBytes: 100, samples: 48, startsSegment: true };
    return {
      library_id: key.libraryId,
      media_id: key.mediaId,
      rendition_id: key.renditionId,
      first_segment: first,
      segment_count: count,
      attempt: 1,
      revision: 1,
      storage_key: storageKey(objects[chunk % OBJECTS] ?? ''),
      size_bytes: count * SEGMENT_BYTES,
      idx_bytes: 1,
      sha256: Buffer.alloc(32),
      start_tick: first * SEGMENT_TICKS,
      duration_ticks: count * SEGMENT_TICKS,
      fragment_table: encodeFragmentTable(Array.from({ length: count }, () => fragment)),
      samples: count * 48,
      cts_runs: 0,
      sync_count: count,
      peak_segment_bps: SEGMENT_BYTES * 4,
    };
  });
  await db.insertInto('chunk').values(rows).execute();
}

/** Runs viewers that read playlists and seek at random. Each response must be complete. */
async function watch(random: { below(limit: number): number }): Promise<void> {
  let left = REQUESTS;
  const viewer = async () => {
    for (; left > 0; left -= 1) {
      const { mediaId, renditionId } = videos[random.below(videos.length)] ??
        videos[0] ?? { mediaId: '', renditionId: '' };
      const isPlaylist = left % 50 === 0;
      const name = isPlaylist ? 'video.m3u8' : `${random.below(SEGMENTS)}.m4s`;
      const response = await fetch(new URL(`r/${renditionId}/${name}`, playlistUrl(service, mediaId)));
      const bytes = await response.arrayBuffer();
      expect(response.status, Buffer.from(bytes).toString('utf8', 0, 300)).toBe(200);
      if (isPlaylist)
        expect(
          Buffer.from(bytes)
            .toString()
            .match(/#EXTINF/g),
        ).toHaveLength(SEGMENTS);
      else expect(bytes.byteLength).toBe(SEGMENT_BYTES);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, viewer));
}

test(`the edge's memory is bounded by its caches for videos of 10,000 fragments (seed ${seed})`, async () => {
  const random = seededRandom(seed);
  const [edge] = await findProcesses(service, 'role.ts edge');
  if (edge === undefined) throw new Error('Expected the process of the edge.');
  const idle = forgetPeak(edge.pid);
  await watch(random);
  const filled = readMemory(edge.pid);
  expect(filled.peakMib - idle.nowMib).toBeLessThan(CACHES_MIB + SLACK_MIB);
  await watch(random);
  expect(readMemory(edge.pid).peakMib - filled.peakMib).toBeLessThan(SLACK_MIB / 2);
}, 240_000);
