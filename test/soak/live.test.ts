import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { sql } from 'kysely';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startStream, stopStream } from '../../src/catalog/live/live-stream.ts';
import { faultsOf, playLive, readPlayback } from '../live/live-player.ts';
import { LIVE_SETTINGS, openLiveCatalogue, until } from '../live/live-service.ts';
import { mediaPlaylistOf } from '../live/read-recording.ts';
import { openBrowser } from '../support/browser.ts';
import { publishLoop } from '../support/flv-loop.ts';
import { readMemory } from '../support/process-memory.ts';
import { discard, type Service, startService } from '../support/service.ts';
import { findProcesses } from '../support/service-processes.ts';

/**
 * `npm run soak -- live` runs at full length; `npm test` runs 18 s with few streams, so that the soak keeps working.
 */
// vitest sets its mode in `process.env`. `import.meta.env` belongs to Vite, which does not run these files.
const isSoak = process.env.MODE === 'soak';
const MINUTE_MS = 60_000;
const RUNS = isSoak
  ? [
      { streams: 100, lengthMs: 10 * MINUTE_MS, dvrWindowSec: null },
      { streams: 5, lengthMs: 120 * MINUTE_MS, dvrWindowSec: 1_800 },
    ]
  : [{ streams: 6, lengthMs: 18_000, dvrWindowSec: 6 }];
/** Maximum offset between the ends of a segment's audio and video, including an audio frame of 21 ms. */
const MAX_DRIFT_MS = 50 + 22;
/** Maximum growth from a third of a run to its end. */
const MAX_GROWTH_MIB = 64;

let service: Service;
let browser: Browser;
let folder: string;
let clip: Buffer;
let catalogue: Awaited<ReturnType<typeof openLiveCatalogue>>;
beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'mr-soak-live-'));
  const file = path.join(folder, 'clip.flv');
  const sources = ['-f', 'lavfi', '-i', 'testsrc2=s=320x180:r=25:d=8', '-f', 'lavfi', '-i', 'sine=r=48000:d=8'];
  const codecs = [
    '-c:v',
    'libx264',
    '-preset',
    'veryfast',
    '-pix_fmt',
    'yuv420p',
    '-g',
    '50',
    '-bf',
    '2',
    '-c:a',
    'aac',
  ];
  await promisify(execFile)('ffmpeg', ['-nostdin', '-v', 'error', ...sources, ...codecs, file]);
  clip = await readFile(file);
  [service, browser] = await Promise.all([startService(null, { MILLRACE_LIVE_CORES: '0' }), openBrowser()]);
  catalogue = await openLiveCatalogue(service);
});
afterAll(async () => {
  await browser.close();
  await catalogue.database.close();
  await discard(service);
  await rm(folder, { recursive: true, force: true });
});

async function goLive(dvrWindowSec: number | null) {
  const settings = { ...LIVE_SETTINGS, dvrEnabled: dvrWindowSec !== null, dvrWindowSec };
  const { stream, streamKey } = await catalogue.streams.create({ ...settings, libraryId: 1 });
  const key = { libraryId: 1, mediaId: stream.id };
  await catalogue.streams.change(key, startStream);
  const { listeners } = await service.health();
  const publisher = await publishLoop(`rtmp://127.0.0.1:${listeners.rtmp}/live/${streamKey}`, clip);
  return { key, publisher, base: `${service.edgeUrl}/vz-1/${stream.id}` };
}

/** Returns the memory of a role's processes in MiB. */
async function memoryOf(role: string): Promise<number> {
  const processes = await findProcesses(service, `role.ts ${role}`);
  return processes.reduce((sum, { pid }) => sum + readMemory(pid).nowMib, 0);
}

/**
 * Returns the maximum offset between the ends of a segment's audio and video, in ms, and the number of segments.
 * Excludes the last one, during which its publisher stopped.
 */
async function driftOf(mediaId: string): Promise<{ segments: number; driftMs: number }> {
  const { rows } = await sql<{ segments: number; driftMs: number }>`
    with ends as (select c.first_segment, r.kind, (c.start_tick + c.duration_ticks) * 1000.0 / r.timescale as ms
      from chunk c join rendition r on r.library_id = c.library_id and r.media_id = c.media_id and r.id = c.rendition_id
      where c.media_id = ${mediaId})
    select count(*)::int as segments, max(abs(v.ms - a.ms))::float8 as "driftMs"
    from ends v join ends a on a.first_segment = v.first_segment and v.kind = 'video' and a.kind = 'audio'
    where v.first_segment < (select max(first_segment) from ends)`.execute(catalogue.database.db);
  const [row] = rows;
  if (row === undefined) throw new Error('Expected a response from the database.');
  return row;
}

test.each(RUNS)(
  'with $streams simultaneous streams, players continue, audio and video stay in sync, and memory is constant',
  async ({ streams: count, lengthMs, dvrWindowSec }) => {
    // Starts the streams one by one, because unauthenticated connections per address are limited.
    const streams: Awaited<ReturnType<typeof goLive>>[] = [];
    while (streams.length < count) streams.push(await goLive(dvrWindowSec));
    const [first] = streams;
    if (first === undefined) throw new Error('Expected a stream.');
    await until(() => mediaPlaylistOf(first.base).catch(() => null), 'a playlist', 60_000);
    const page = await playLive(browser, service.edgeUrl, `${first.base}/playlist.m3u8`);
    await until(async () => ((await readPlayback(page)).timeSec > 1 ? true : null), 'playback', 60_000);
    await sleep(lengthMs / 3);
    const early = {
      playback: await readPlayback(page),
      ingest: await memoryOf('ingest'),
      edge: await memoryOf('edge'),
    };
    await sleep((lengthMs * 2) / 3);
    const late = { playback: await readPlayback(page), ingest: await memoryOf('ingest'), edge: await memoryOf('edge') };
    for (const { key, publisher } of streams) {
      await catalogue.streams.change(key, stopStream);
      publisher.stop();
    }
    for (const { key } of streams) {
      await until(async () => ((await catalogue.streams.load(key)).isVideo ? true : null), 'each video', 120_000);
    }
    const drifts = await Promise.all(streams.map(({ key }) => driftOf(key.mediaId)));
    process.stdout.write(`soak: ${count} streams: ${JSON.stringify({ early, late })}\n`);
    for (const { segments, driftMs } of drifts) {
      expect(segments).toBeGreaterThan(lengthMs / 2_000 / 2);
      expect(driftMs).toBeLessThanOrEqual(MAX_DRIFT_MS);
    }
    expect(late.playback.timeSec).toBeGreaterThan(early.playback.timeSec + lengthMs / 3_000);
    expect(faultsOf(late.playback.errors)).toEqual([]);
    expect(late.ingest - early.ingest).toBeLessThan(MAX_GROWTH_MIB);
    expect(late.edge - early.edge).toBeLessThan(MAX_GROWTH_MIB);
    // The short run shares the CPUs with other tests.
    if (isSoak) expect(late.playback).toMatchObject({ stalls: early.playback.stalls });
    await page.close();
  },
  4 * 3_600_000,
);
