import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { type LivePlace, openLiveCatalogue, readText, until } from '../../../test/live/live-service.ts';
import { publishLoop } from '../../../test/support/flv-loop.ts';
import { LIBRARY_KEY, type Service } from '../../../test/support/service.ts';
import { findProcesses, killAll } from '../../../test/support/service-processes.ts';
import { call } from '../../../test/support/videos.ts';
import { startMillrace } from '../millrace.ts';
import type { Measurement } from '../report.ts';
import type { Scope } from '../scope.ts';
import { connectTo } from '../seed-videos.ts';
import { type BenchStream, countStored, goLive, mediaPlaylists } from './bench-streams.ts';

const HOUR_SEGMENTS = 1_800;
/** Number of segments that each of two publishers stores, one before and one after the hour is inserted. */
const OWN_SEGMENTS = 3;
const STOPS = 3;

/**
 * Measures the time from the stop of a one-hour stream, while its publisher is sending, until its complete playlist and
 * its last segment have been read. Its ingest process is killed, so it runs on a separate service.
 */
export async function measureStop(scope: Scope, clip: string): Promise<Measurement> {
  const service = await startMillrace(scope, { MILLRACE_PREVIEWS: 'off', MILLRACE_LIVE_CORES: '0' });
  const catalogue = await openLiveCatalogue(service);
  const times: number[] = [];
  try {
    for (let turn = 0; turn < STOPS; turn += 1) times.push(await stopHour({ service, catalogue }, readFileSync(clip)));
  } finally {
    await catalogue.database.close();
  }
  const name = `stop of 1 h to playable video, slowest of ${STOPS}`;
  return { name, ours: Math.max(...times), baseline: null, bar: 2, unit: 's' };
}

async function stopHour(place: LivePlace, clip: Buffer): Promise<number> {
  const { service } = place;
  const stream = await goLive(place);
  const publisher = await publishHour(place, stream, clip);
  const address = await until(async () => (await mediaPlaylists(stream.base))[0] ?? null, 'a playlist');
  let isPublished = true;
  void publisher.closed.then(() => {
    isPublished = false;
  });
  const startedMs = performance.now();
  const path = `/library/1/live/${stream.id}/stop`;
  if (!isPublished) throw new Error('Expected the publisher to continue until the stop, but it ended before.');
  const answer = await fetch(`${service.apiUrl}${path}`, { method: 'PUT', headers: { AccessKey: LIBRARY_KEY } });
  if (answer.status !== 200) throw new Error(`Expected 200 for the stop, got ${answer.status}.`);
  const text = await until(async () => {
    const now = await readText(address);
    return now?.includes('#EXT-X-ENDLIST') ? now : null;
  }, 'the video');
  const last = text.match(/^[^#\n]+$/gm)?.at(-1) ?? '';
  const segment = await fetch(new URL(last, address));
  if (!segment.ok || (await segment.arrayBuffer()).byteLength === 0)
    throw new Error(`Expected ${last}, got ${segment.status}.`);
  const sec = (performance.now() - startedMs) / 1000;
  const segments = text.match(/#EXTINF/g)?.length ?? 0;
  if (segments < HOUR_SEGMENTS + 2 * OWN_SEGMENTS)
    throw new Error(`Expected at least an hour of segments, got ${segments}.`);
  publisher.stop();
  // Otherwise workers would continue to encode its rungs.
  await call(service, 'DELETE', `/library/1/videos/${stream.id}`);
  return sec;
}

/**
 * Publishes to a stream with an hour of history. The process that owns a stream keeps segment numbers in memory, so
 * another process must continue after the hour is inserted.
 */
async function publishHour(place: LivePlace, { id, ingest }: BenchStream, clip: Buffer) {
  const { service } = place;
  const untilStored = (count: number) =>
    until(async () => (((await countStored(place, [id])).get(id) ?? 0) >= count ? true : null), `${count} segments`);
  const first = await publishLoop(ingest, clip);
  await untilStored(OWN_SEGMENTS);
  first.stop();
  // The last segment is stored by now. The stream continues to wait for its publisher.
  await sleep(1_500);
  await ageByAnHour(service, id);
  killAll(await findProcesses(service, 'role.ts ingest'));
  const port = await until(async () => {
    const health = await service.health().catch(() => null);
    return health?.status === 'ok' ? (health.listeners.rtmp ?? null) : null;
  }, 'the next ingest process');
  const second = new URL(ingest);
  second.port = `${port}`;
  const publisher = await until(() => publishLoop(second.href, clip).catch(() => null), 'the next publisher');
  await untilStored(HOUR_SEGMENTS + 2 * OWN_SEGMENTS);
  return publisher;
}

/**
 * Moves the stored segments by an hour and inserts copies of the first segment's rows before them, over the same
 * objects.
 */
async function ageByAnHour(service: Service, mediaId: string): Promise<void> {
  const client = await connectTo(service);
  try {
    const columns = await client.query<{ name: string }>(
      "select column_name as name from information_schema.columns where table_name = 'chunk' and is_generated = " +
        "'NEVER'",
    );
    const names = columns.rows.map(({ name }) => name);
    const values = names.map(
      (name) =>
        ({ first_segment: `c.first_segment - n`, start_tick: `c.start_tick - n * c.duration_ticks` })[name] ??
        `c.${name}`,
    );
    await client.query('begin');
    await client.query(
      `with last as (select rendition_id, max(first_segment) as segment from chunk where media_id = $1
         group by rendition_id)
       update chunk c set first_segment = c.first_segment + $2, start_tick = c.start_tick + $2 * 2 * r.timescale
       from rendition r, last l where c.media_id = $1 and r.library_id = c.library_id and r.media_id = c.media_id
         and r.id = c.rendition_id and l.rendition_id = r.id`,
      [mediaId, HOUR_SEGMENTS],
    );
    await client.query(
      `insert into chunk (${names.join()}) select ${values.join()}
       from chunk c, generate_series(1, $2::int) n where c.media_id = $1 and c.first_segment = $2`,
      [mediaId, HOUR_SEGMENTS],
    );
    await client.query('commit');
  } finally {
    await client.end();
  }
}
