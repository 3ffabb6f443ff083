import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'kysely';
import type { Database } from '../src/catalog/db.ts';
import { SEGMENT_CHANNEL } from '../src/catalog/on-demand/segment-request-store.ts';
import { findCodec } from '../src/media/encode/codecs/all.ts';
import { MAX_BITRATES_BPS } from '../src/media/encode/ladder.ts';
import { openCatalogue } from '../test/support/leftovers.ts';
import { ACCOUNT_KEY, type Service } from '../test/support/service.ts';
import { playlistUrl, REAL_CLIP, untilVideo } from '../test/support/videos.ts';
import { runFfmpeg } from './support/ffmpeg.ts';
import { type Client, openClient } from './support/http.ts';
import {
  dropVideo,
  makeFolder,
  sendFile,
  startMillrace,
  untilEncodersRest,
  untilNoEncoder,
} from './support/millrace.ts';
import { median, quantile, report, say } from './support/report.ts';

// Measures the time from the first request of a 720p segment to its last byte, alternating with ffmpeg that starts at
// the keyframe before the same segment. The first source is a clip with its own keyframes, up to 10 s apart. Only
// segments with a keyframe at most 4 s before them count. The second source has the same frames with a keyframe every
// 50 frames.
const SEGMENT_SEC = 4;
const RATE = { num: 24, den: 1 };
const PLAYLISTS_CREATED = 8;
const VIEWERS = 1000;
const LIMIT_MS = 60_000;
const WARM_RUNS = 200;
/** Segments of the clip with a keyframe at most 4 s before them. Its keyframes are at 0, 10.4, 11.9, 15.75 and 23 s. */
const CLIP_SEGMENTS = [4, 1, 6, 3];
const CLIP_UPLOADS = 2;
const EVEN_TIMES = 13;
const EVEN_SEEKS = 21;
/**
 * Step between two requested segments, and the number of segments. With these values, each segment is requested once.
 */
const [STEP, SEGMENTS] = [23, 97];

await report('on-demand', async (scope) => {
  const folder = makeFolder(scope);
  const client = openClient(VIEWERS);
  scope.own(() => client.close());
  const even = await makeEven(folder);
  const service = await startMillrace(scope);
  await encodeOnDemand(service);
  const database = openCatalogue(service);
  scope.own(() => database.close());
  const rig: Rig = { service, client, folder, database };
  await measureVideo(rig, REAL_CLIP, [3]);
  const own = { ours: [] as number[], baseline: [] as number[] };
  for (let upload = 0; upload < CLIP_UPLOADS; upload += 1) add(own, await measureVideo(rig, REAL_CLIP, CLIP_SEGMENTS));
  const places = Array.from({ length: EVEN_SEEKS }, (_, index) => (STEP * (index + 1)) % SEGMENTS);
  const regular = await measureVideo(rig, even, places);
  const all = { ours: [...own.ours, ...regular.ours], baseline: [...own.baseline, ...regular.baseline] };
  const crowd = await measureCrowd(rig, even);
  return [
    { name: 'cold 720p, p95; baseline: bare ffmpeg', ...high(all), bar: 1.3, unit: 's', needsIdle: true },
    { name: 'cold 720p, p95', ...high(all), bar: 2, unit: 's', isAbsolute: true },
    { name: 'cold 720p, own keyframes, median', ...middle(own), bar: null, unit: 's' },
    { name: 'cold 720p, keyframe each 2.1 s, median', ...middle(regular), bar: null, unit: 's' },
    { name: 'warm segment, median', ours: crowd.warmMs, baseline: null, bar: 5, unit: 'ms', isAbsolute: true },
    { name: `encodes for ${VIEWERS} viewers at once`, ours: crowd.encodes, baseline: 1, bar: 1, unit: 'encodes' },
  ];
});

type Rig = { service: Service; client: Client; folder: string; database: Database };
type Samples = { ours: number[]; baseline: number[] };

/**
 * Repeats the clip several times with a keyframe every 50 frames, so that the keyframes drift relative to the segments'
 * starts.
 */
async function makeEven(folder: string): Promise<string> {
  const [once, times] = [path.join(folder, 'once.mp4'), path.join(folder, 'even.mp4')];
  const h264 = ['-c:v', 'libx264', '-preset', 'superfast', '-b:v', '6M', '-g', '50', '-sc_threshold', '0'];
  await runFfmpeg(['-i', REAL_CLIP, '-map', '0:v', ...h264, '-bf', '2', once]);
  await runFfmpeg(['-stream_loop', String(EVEN_TIMES - 1), '-i', once, '-map', '0', '-c', 'copy', times]);
  return times;
}

/**
 * Sets one rung below the source's size, so that the source does not pass through and segments are on the grid of 4 s.
 */
async function encodeOnDemand({ apiUrl }: Service): Promise<void> {
  const answer = await fetch(`${apiUrl}/videolibrary/1`, {
    method: 'POST',
    headers: { AccessKey: ACCOUNT_KEY, 'Content-Type': 'application/json' },
    body: JSON.stringify({ JitEncodingEnabled: true, EnabledResolutions: '720p' }),
  });
  if (answer.status !== 200) throw new Error(`Expected 200 for the change of the library, got ${answer.status}.`);
}

async function uploadReady({ service, client }: Rig, file: string): Promise<{ guid: string; folderUrl: string }> {
  const { guid, answered } = await sendFile(service, file);
  await answered;
  await untilVideo(service, guid, ({ status }) => status === PLAYLISTS_CREATED);
  const master = playlistUrl(service, guid);
  const { body } = await client.ask(master);
  const video = /^#EXT-X-STREAM-INF:.*\n([^#\n]+)$/m.exec(body.toString())?.[1] ?? '';
  await untilEncodersRest(service);
  return { guid, folderUrl: new URL('.', new URL(video, master)).href };
}

/** Alternates between the service and the baseline, so that both run under the same load of the machine. */
async function measureVideo(rig: Rig, file: string, segments: readonly number[]): Promise<Samples> {
  const { guid, folderUrl } = await uploadReady(rig, file);
  const samples: Samples = { ours: [], baseline: [] };
  for (const segment of segments) {
    samples.ours.push((await fetchSegment(rig, folderUrl, segment)).tookMs / 1000);
    await leave(rig);
    samples.baseline.push(await encodeBare(rig, file, segment));
  }
  say(`${path.basename(file)}: ours ${list(samples.ours)}, baseline ${list(samples.baseline)}`);
  await dropVideo(rig.service, guid);
  return samples;
}

/**
 * Waits until the service no longer counts the viewer. Otherwise, it encodes segments ahead, which takes as long as the
 * requested segment itself.
 */
async function leave({ service, database }: Rig): Promise<void> {
  const deadlineMs = performance.now() + LIMIT_MS;
  // The request for the next segment is written after the segment was found, possibly after it was received here.
  for (let isGone = false; !isGone; await sleep(10)) {
    if (performance.now() > deadlineMs) throw new Error('Expected the viewer to have requested the next segment.');
    const { rows } = await sql<{ is_awaited: boolean }>`
      with gone as (delete from segment_request returning rendition_id, is_awaited)
      select is_awaited, pg_notify(${SEGMENT_CHANNEL}, rendition_id::text) from gone`.execute(database.db);
    isGone = rows.some((row) => !row.is_awaited);
  }
  await untilNoEncoder(service);
}

async function fetchSegment({ client }: Rig, folderUrl: string, segment: number): Promise<{ tookMs: number }> {
  const startedMs = performance.now();
  for (;;) {
    const { status, body } = await client.ask(`${folderUrl}${segment}.m4s`);
    const tookMs = performance.now() - startedMs;
    if (status === 200 && body.length > 0) return { tookMs };
    // Retries like a player. The measured time includes the retries.
    if (status !== 503 || tookMs > LIMIT_MS) throw new Error(`Expected segment ${segment}, got ${status}.`);
  }
}

/**
 * Returns the time in seconds that ffmpeg needs for the same segment. ffmpeg automatically seeks to the keyframe before
 * the segment.
 */
async function encodeBare({ folder }: Rig, file: string, segment: number): Promise<number> {
  const rung = { rung: 720, widthPx: 1280, heightPx: 720, maxBitrateBps: MAX_BITRATES_BPS[720] } as const;
  const settings = findCodec('h264').encoderArgv({ rung, rate: RATE, gopFrames: 48, threads: 0, hdr: null });
  const startedMs = performance.now();
  await runFfmpeg([
    ...['-ss', String(segment * SEGMENT_SEC), '-i', file, '-an', '-t', String(SEGMENT_SEC)],
    ...['-vf', 'scale=1280:720', ...settings, '-f', 'mp4'],
    ...['-movflags', 'empty_moov+default_base_moof+frag_keyframe', path.join(folder, 'bare.mp4')],
  ]);
  return (performance.now() - startedMs) / 1000;
}

async function measureCrowd(rig: Rig, file: string): Promise<{ warmMs: number; encodes: number }> {
  const { guid, folderUrl } = await uploadReady(rig, file);
  const before = await countEncodes(rig.database);
  await Promise.all(Array.from({ length: VIEWERS }, () => fetchSegment(rig, folderUrl, 20)));
  const encodes = (await countEncodes(rig.database)) - before;
  await untilEncodersRest(rig.service);
  const warm: number[] = [];
  for (let run = 0; run < WARM_RUNS; run += 1) warm.push((await fetchSegment(rig, folderUrl, 20)).tookMs);
  await dropVideo(rig.service, guid);
  return { warmMs: median(warm), encodes };
}

/**
 * Returns the number of started encodes. Each claim of a task gets the next number, and no other task is started in the
 * meantime.
 */
async function countEncodes({ db }: Database): Promise<number> {
  const { rows } = await sql<{ last: number }>`
    select case when is_called then last_value else last_value - 1 end as last from encode_attempt`.execute(db);
  return rows[0]?.last ?? 0;
}

function add(sum: Samples, more: Samples): void {
  sum.ours.push(...more.ours);
  sum.baseline.push(...more.baseline);
}

function high({ ours, baseline }: Samples): { ours: number; baseline: number } {
  return { ours: quantile(ours, 0.95), baseline: quantile(baseline, 0.95) };
}

function middle({ ours, baseline }: Samples): { ours: number; baseline: number } {
  return { ours: median(ours), baseline: median(baseline) };
}

function list(values: readonly number[]): string {
  return values.map((value) => value.toFixed(2)).join(' ');
}
