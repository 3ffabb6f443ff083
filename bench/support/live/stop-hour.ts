import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { startStream } from '../../../src/catalog/live/live-stream.ts';
import { LIVE_SETTINGS, type openLiveCatalogue, readText, until } from '../../../test/live/live-service.ts';
import { publishLoop } from '../../../test/support/flv-loop.ts';
import { LIBRARY_KEY, type Service } from '../../../test/support/service.ts';
import type { Measurement } from '../report.ts';
import { connectTo } from '../seed-videos.ts';

const HOUR_SEGMENTS = 1_800;
const STOPS = 3;

type Place = { service: Service; catalogue: Awaited<ReturnType<typeof openLiveCatalogue>>; clip: string };

/** From the stop of a stream of an hour to the end of its whole playlist with its last segment read. */
export async function measureStop(place: Place): Promise<Measurement> {
  const times: number[] = [];
  for (let turn = 0; turn < STOPS; turn += 1) times.push(await stopHour(place));
  const name = `stop of 1 h to playable video, slowest of ${STOPS}`;
  return { name, ours: Math.max(...times), anchor: null, bar: 2, unit: 's' };
}

async function stopHour({ service, catalogue, clip }: Place): Promise<number> {
  const { stream, streamKey } = await catalogue.streams.create({ ...LIVE_SETTINGS, libraryId: 1 });
  await catalogue.streams.change({ libraryId: 1, mediaId: stream.id }, startStream);
  const { listeners } = await service.health();
  const publisher = await publishLoop(`rtmp://127.0.0.1:${listeners.rtmp}/live/${streamKey}`, readFileSync(clip));
  const base = `${service.edgeUrl}/vz-1/${stream.id}`;
  const address = await until(() => mediaPlaylistOf(base), 'a playlist');
  await until(async () => ((await readText(address))?.match(/#EXTINF/g)?.length ?? 0) > 2 || null, 'segments');
  publisher.stop();
  // Its last segment is stored; the stream goes on to wait for it.
  await sleep(1_500);
  await ageByAnHour(service, stream.id);
  const startedMs = performance.now();
  const path = `/library/1/live/${stream.id}/stop`;
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
  if ((text.match(/#EXTINF/g)?.length ?? 0) < HOUR_SEGMENTS) throw new Error('Expected a video of an hour.');
  return sec;
}

async function mediaPlaylistOf(base: string): Promise<string | null> {
  const found = /^r\/.*\.m3u8$/m.exec((await readText(`${base}/playlist.m3u8`)) ?? '')?.[0];
  return found === undefined ? null : `${base}/${found}`;
}

/** Moves what is stored an hour on and puts copies of the first segment's rows before it, over the same objects. */
async function ageByAnHour(service: Service, mediaId: string): Promise<void> {
  const client = await connectTo(service);
  try {
    const columns = await client.query<{ name: string }>(
      `select column_name as name from information_schema.columns where table_name = 'chunk' and is_generated = 'NEVER'`,
    );
    const names = columns.rows.map(({ name }) => name);
    const values = names.map(
      (name) =>
        ({ first_segment: `c.first_segment - n`, start_tick: `c.start_tick - n * c.duration_ticks` })[name] ??
        `c.${name}`,
    );
    await client.query('begin');
    await client.query(
      `with last as (select rendition_id, max(first_segment) as segment from chunk where media_id = $1 group by rendition_id)
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
