import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'kysely';
import { bumpPublication, type Db, type MediaKey, openDatabase } from '../src/catalog/db.ts';
import { migrate } from '../src/catalog/migrate-store.ts';
import type { Publication } from '../src/catalog/publications/publication.ts';
import { createPublicationStore } from '../src/catalog/publications/publication-store.ts';
import { watchPublications } from '../src/catalog/publications/publication-watch-store.ts';
import { placesIn, SOCKET_PORT } from '../src/cli/supervisor/postgres-places.ts';
import { type Guid, newGuid } from '../src/lib/guid.ts';
import { encodeFragmentTable } from '../src/media/cmaf/fragment-table.ts';
import { normaliseInit } from '../src/media/cmaf/init-segment.ts';
import { encode, FRAGMENTED, splitStream } from '../test/support/media/read-test-media.ts';
import { startMillrace } from './support/millrace.ts';
import { cpuTicks, listTree, programOf } from './support/process-tree.ts';
import { report, say } from './support/report.ts';

// Measures the cost of reading growing publications for an edge and for the database. Fifty one-hour videos are being
// encoded, each publishing a chunk of its six renditions every four seconds, and twenty edges have viewers of all of
// them. The edges run in this process, with the store and the notifications of real edges. Nothing is encoded.
const VIDEOS = 50;
const EDGES = 20;
const RENDITIONS = 6;
const PUBLISH_EVERY_MS = 4_000;
const SEGMENTS = 900;
const SEGMENTS_OF_CHUNK = 8;
const STORED_CHUNKS = 60;
const LOAD_MS = 30_000;
const DATABASE = 'publications_bench';
const CHUNK_TABLE = encodeFragmentTable(
  Array.from({ length: 2 * SEGMENTS_OF_CHUNK }, (_, index) => {
    return { payloadBytes: 500_000 + index, prefixBytes: 500, samples: 48, startsSegment: index % 2 === 0 };
  }),
);

type Video = { key: MediaKey; renditionIds: readonly Guid[]; chunks: number };

await report('publications', async (scope) => {
  const service = await startMillrace(scope);
  const config = { host: placesIn(service.dataDir).socket, port: SOCKET_PORT, user: 'millrace' };
  const main = openDatabase({ ...config, database: 'millrace', max: 1 }, () => {});
  await sql.raw(`create database ${DATABASE}`).execute(main.db);
  await main.close();
  const own = { ...config, database: DATABASE };
  const { db, close } = openDatabase({ ...own, max: 10, connectionTimeoutMillis: 60_000 }, () => {});
  scope.own(close);
  await migrate(db);
  const videos = await seed(db);
  const reads = openDatabase({ ...own, max: 8, connectionTimeoutMillis: 60_000 }, () => {});
  scope.own(reads.close);
  const edges = Array.from({ length: EDGES }, () => openEdge(reads.db, own));
  scope.own(async () => void (await Promise.all(edges.map((edge) => edge.close()))));
  for (const edge of edges) for (const { key } of videos) await edge.read(key);
  const idle = await measure(() => sleep(5_000), service.pid);
  const before = sum(edges.map((edge) => edge.loads()));
  const busy = await measure(() => publishAll(db, videos), service.pid);
  const loads = sum(edges.map((edge) => edge.loads())) - before;
  say(`${loads} loads by ${EDGES} edges in ${LOAD_MS / 1000} s.`);
  const percent = (cores: number) => (100 * cores) / EDGES;
  return [
    bar(`an edge with ${VIDEOS} videos that are encoded`, percent(busy.own - idle.own), 2),
    bar('the same in PostgreSQL, for each edge', percent(busy.postgres - idle.postgres), 2),
  ];
});

function bar(name: string, ours: number, most: number) {
  return { name, ours, baseline: null, bar: most, unit: '% of a core', isAbsolute: true };
}

/**
 * Simulates the work of an edge for viewers who reload a playlist as soon as it grows: it reads the newest publication
 * of each video.
 */
function openEdge(db: Db, config: { host: string; port: number; user: string; database: string }) {
  const { pool, close } = openDatabase({ ...config, max: 1 }, () => {});
  const store = createPublicationStore(db);
  const known = new Map<Guid, Publication | null>();
  const reading = new Map<Guid, Promise<void>>();
  let loads = 0;
  const read = async (key: MediaKey) => {
    loads += 1;
    known.set(key.mediaId, await store.load(key, known.get(key.mediaId) ?? null));
  };
  const watch = watchPublications(pool, {
    change: ({ libraryId, mediaId }) => {
      const before = reading.get(mediaId) ?? Promise.resolve();
      reading.set(
        mediaId,
        before.then(() => read({ libraryId, mediaId })),
      );
    },
    listening: () => {},
    lost: () => {},
  });
  return { read, loads: () => loads, close: () => watch.close().then(close) };
}

async function measure(work: () => Promise<unknown>, pid: number): Promise<{ own: number; postgres: number }> {
  const [ticks, cpu, startMs] = [postgresTicks(pid), process.cpuUsage(), performance.now()];
  await work();
  const tookSec = (performance.now() - startMs) / 1000;
  const { user, system } = process.cpuUsage(cpu);
  return { own: (user + system) / 1e6 / tookSec, postgres: (postgresTicks(pid) - ticks) / 100 / tookSec };
}

function postgresTicks(pid: number): number {
  return sum(listTree(pid).map((one) => (programOf(one) === 'postgres' ? cpuTicks(one) : 0)));
}

async function publishAll(db: Db, videos: readonly Video[]): Promise<void> {
  const untilMs = performance.now() + LOAD_MS;
  const publish = async (video: Video, at: number) => {
    await sleep((at * PUBLISH_EVERY_MS) / VIDEOS);
    while (performance.now() < untilMs) {
      const dueMs = performance.now() + PUBLISH_EVERY_MS;
      await db.transaction().execute(async (tx) => {
        const revision = await bumpPublication(tx, video.key);
        await insertChunks(tx, video, { from: video.chunks, count: 1, revision });
      });
      video.chunks += 1;
      await sleep(dueMs - performance.now());
    }
  };
  await Promise.all(videos.map(publish));
}

async function seed(db: Db): Promise<Video[]> {
  const { rows } = await sql<{ id: number }>`
    insert into library (name, api_key_sealed, api_key_hash, read_only_key_sealed, read_only_key_hash)
    values ('L', 'k', 'k', 'k', 'k') returning id`.execute(db);
  const libraryId = rows[0]?.id ?? 0;
  await sql`insert into pull_zone (library_id, name, security_key_sealed) values (${libraryId}, 'vz', 'k')`.execute(db);
  const init = await makeInit();
  const videos: Video[] = [];
  for (let index = 0; index < VIDEOS; index += 1) videos.push(await addVideo(db, libraryId, init));
  await sql`vacuum analyze`.execute(db);
  return videos;
}

/** Creates a real init segment, because edges parse it. */
async function makeInit(): Promise<Buffer> {
  const input = ['-f', 'lavfi', '-i', 'color=s=640x360', '-frames:v', '1', '-c:v', 'libx264', '-pix_fmt', 'yuv420p'];
  return normaliseInit(splitStream(await encode([...input, ...FRAGMENTED])).init);
}

async function addVideo(db: Db, libraryId: number, init: Buffer): Promise<Video> {
  const [mediaId, timelineId] = [newGuid(), newGuid()];
  const renditionIds = Array.from({ length: RENDITIONS }, () => newGuid());
  const key = { library_id: libraryId, media_id: mediaId };
  await sql`insert into media (library_id, id, type, title, state, revision)
    values (${libraryId}, ${mediaId}, 'video', 'V', 'transcoding', 1)`.execute(db);
  const startTicks = Array.from({ length: SEGMENTS }, (_, index) => index * 4_000);
  const times = { timescale: 1_000, start_ticks: startTicks, end_ticks: SEGMENTS * 4_000, active: true };
  await db
    .insertInto('timeline')
    .values({ ...key, id: timelineId, grid: 'source', ...times })
    .execute();
  for (const id of renditionIds) {
    await sql`insert into rendition (library_id, media_id, id, timeline_id, kind, origin, codec, rung, key_group, state,
        active, plan, timescale, codec_string, init)
      values (${libraryId}, ${mediaId}, ${id}, ${timelineId}, 'video', 'encode', 'h264', 240, 'sd', 'building', true,
        '{}',
        1000, 'avc1.64001e', ${init})`.execute(db);
  }
  const video = { key: { libraryId, mediaId }, renditionIds, chunks: STORED_CHUNKS };
  await insertChunks(db, video, { from: 0, count: STORED_CHUNKS, revision: 1 });
  return video;
}

/** Inserts chunks of all renditions with a single cheap statement, because writing is not measured. */
async function insertChunks(
  db: Db,
  { key, renditionIds }: Video,
  { from, count, revision }: { from: number; count: number; revision: number },
): Promise<void> {
  await sql`
    insert into chunk (library_id, media_id, rendition_id, first_segment, segment_count, attempt, revision,
      storage_key,
      size_bytes, idx_bytes, sha256, start_tick, duration_ticks, fragment_table, samples, cts_runs, sync_count,
      peak_segment_bps)
    select ${key.libraryId}::bigint, ${key.mediaId}::uuid, r, n * ${SEGMENTS_OF_CHUNK}::int, ${SEGMENTS_OF_CHUNK}::int,
      1,
      ${revision}::bigint, r || '/' || n, 4000000, 1000, '', n * ${SEGMENTS_OF_CHUNK}::bigint * 4000,
      ${SEGMENTS_OF_CHUNK}::bigint * 4000, ${CHUNK_TABLE}::bytea, 768, 0, 16, 1
    from unnest(${[...renditionIds]}::uuid[]) r, generate_series(${from}::int, ${from + count - 1}::int) n`.execute(db);
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}
