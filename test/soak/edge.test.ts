import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { createS3Storage } from '../../src/adapters/storage/s3-storage.ts';
import { signFolder } from '../../src/catalog/pull-zones/verify-url-token.ts';
import { createGrowingFixture, SEGMENT_BYTES, statusOf } from '../delivery/growing-video.ts';
import { startS3Stub } from '../ports/s3-stub.ts';
import { openCatalogue } from '../support/leftovers.ts';
import { encode } from '../support/media/read-test-media.ts';
import { forgetPeak, readMemory } from '../support/process-memory.ts';
import { ACCOUNT_KEY, discard, LIBRARY_KEY, type Service, startService } from '../support/service.ts';
import { findProcesses } from '../support/service-processes.ts';
import { createVideo, FINISHED, untilVideo } from '../support/videos.ts';
import type { Flood, Flooded } from './edge/flood.ts';
import { KeptConnection, loopbackAddress } from './edge/kept-connection.ts';

/** `npm run soak -- edge` runs at full length; `npm test` runs a few seconds. */
const isSoak = process.env.MODE === 'soak';
const VIEWERS = isSoak ? 10_000 : 300;
const WATCH_MS = isSoak ? 60_000 : 4_000;
const AT_ONE_SEGMENT = isSoak ? 2_000 : 200;
const BAD_PER_SEC = isSoak ? 5_000 : 500;
const FLOOD_MS = isSoak ? 20_000 : 2_000;
const FLOODING_CLIENTS = isSoak ? 200 : 50;
const MEDIA_CLIENTS = 50;
const BETWEEN_MS = 100;
const SEGMENT_MS = 4_000;
/** Memory bound in MiB: the caches (64 for objects, 64 for publications, 32 for texts) and one request per viewer. */
const RSS_MIB = 192 + 128 + VIEWERS * 0.04;
/** Latency that no player notices, in ms. Below it, a p99 of single milliseconds may double by chance. */
const AT_ONCE_MS = 20;

const KEY = 'the security key of the soak';
let service: Service;
let edgePort: number;
let files: { playlist: string; segments: string[] };

beforeAll(async () => {
  service = await startService(null);
  edgePort = Number(new URL(service.edgeUrl).port);
  const guid = await uploadClip();
  await post('/pullzone/1/resetSecurityKey', { SecurityKey: KEY }, 204);
  await post('/pullzone/1', { ZoneSecurityEnabled: true }, 200);
  const token = signFolder({ key: KEY, folder: `/${guid}/`, expiresSec: 4_000_000_000, address: null });
  files = await listFiles(`/vz-1/${token}/${guid}`);
});
afterAll(() => discard(service));

async function uploadClip(): Promise<string> {
  const source = ['-f', 'lavfi', '-i', 'testsrc2=s=426x240:r=24:d=16'];
  const codec = ['-c:v', 'libx264', '-preset', 'ultrafast', '-g', '48', '-pix_fmt', 'yuv420p'];
  const clip = await encode([...source, ...codec, '-f', 'mp4', '-movflags', 'frag_keyframe+empty_moov']);
  const guid = await createVideo(service, 'A film of the soak');
  const address = `${service.apiUrl}/library/1/videos/${guid}?enabledResolutions=240p`;
  await fetch(address, { method: 'PUT', headers: { AccessKey: LIBRARY_KEY }, body: new Uint8Array(clip) });
  await untilVideo(service, guid, ({ status }) => status === FINISHED);
  return guid;
}

async function post(address: string, body: object, status: number): Promise<void> {
  const headers = { AccessKey: ACCOUNT_KEY, 'Content-Type': 'application/json' };
  const answer = await fetch(`${service.apiUrl}${address}`, { method: 'POST', headers, body: JSON.stringify(body) });
  expect(answer.status).toBe(status);
}

async function listFiles(folder: string): Promise<typeof files> {
  const textOf = async (file: string) => (await fetch(`${service.edgeUrl}${folder}/${file}`)).text();
  await vi.waitFor(async () => expect(await textOf('playlist.m3u8')).toContain('#EXTM3U'), 10_000);
  const [playlist = ''] = /^r\/.*video\.m3u8$/m.exec(await textOf('playlist.m3u8')) ?? [];
  const segments = (await textOf(playlist)).match(/^.*\.m4s$/gm) ?? [];
  const base = `${folder}/${path.posix.dirname(playlist)}`;
  return { playlist: `${folder}/${playlist}`, segments: segments.map((name) => `${base}/${name}`) };
}

/** `retries`: playlists that were requested again on a new connection. */
type Watched = { segmentsMs: number[]; faults: string[]; retries: number };

/**
 * Runs viewers that each read the playlist and a segment every 4 s, evenly spread, until the end of the measurement.
 */
async function watch(viewers: number, durationMs: number, firstClient: number): Promise<Watched> {
  const watched: Watched = { segmentsMs: [], faults: [], retries: 0 };
  const untilMs = performance.now() + durationMs;
  const view = async (viewer: number) => {
    await sleep((viewer / viewers) * Math.min(SEGMENT_MS, durationMs));
    const connect = () => new KeptConnection(edgePort, loopbackAddress(firstClient + viewer));
    let connection = connect();
    try {
      // Runs at least one turn, because a busy machine may wake a viewer after the end of the measurement.
      let turn = viewer;
      do {
        const nextMs = performance.now() + SEGMENT_MS;
        const list = await connection.ask(files.playlist).catch((error: unknown) => {
          // Retries once, like every client whose kept-alive connection was closed while idle (RFC 9112, 9.3.1).
          if (turn === viewer) throw error;
          watched.retries += 1;
          connection = connect();
          return connection.ask(files.playlist);
        });
        const { status, ms, bytes } = await connection.ask(files.segments[turn % files.segments.length] ?? '');
        if (list.status !== 200 || status !== 200 || bytes === 0) watched.faults.push(`${list.status} and ${status}`);
        watched.segmentsMs.push(ms);
        await sleep(Math.max(0, Math.min(nextMs, untilMs) - performance.now()));
        turn += 1;
      } while (performance.now() < untilMs);
    } catch (error) {
      watched.faults.push(String(error));
    } finally {
      connection.close();
    }
  };
  await Promise.all(Array.from({ length: viewers }, (_, viewer) => view(viewer)));
  return watched;
}

/** Fetches segments one after the other, with pauses distributed like those of viewers. */
async function fetchOn(durationMs: number): Promise<number[]> {
  const untilMs = performance.now() + durationMs;
  const times: number[] = [];
  const view = async (viewer: number) => {
    await sleep((viewer / MEDIA_CLIENTS) * BETWEEN_MS);
    const connection = new KeptConnection(edgePort, loopbackAddress(150_000 + viewer));
    for (let turn = viewer; performance.now() < untilMs; turn += 1) {
      const { status, ms } = await connection.ask(files.segments[turn % files.segments.length] ?? '');
      expect(status).toBe(200);
      times.push(ms);
      await sleep(BETWEEN_MS);
    }
    connection.close();
  };
  await Promise.all(Array.from({ length: MEDIA_CLIENTS }, (_, viewer) => view(viewer)));
  return times;
}

function quantile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((one, other) => one - other);
  return sorted[Math.floor(share * (sorted.length - 1))] ?? Number.NaN;
}

const report = (line: string) => process.stdout.write(`soak edge: ${line}\n`);

test(`serves ${VIEWERS} viewers without an error, within bounded memory`, async () => {
  const [edge] = await findProcesses(service, 'role.ts edge');
  if (edge === undefined) throw new Error('Expected the process of the edge.');
  forgetPeak(edge.pid);
  const { segmentsMs, faults, retries } = await watch(VIEWERS, WATCH_MS, 0);
  const { peakMib } = readMemory(edge.pid);
  const [p50, p99] = [0.5, 0.99].map((share) => quantile(segmentsMs, share).toFixed(1));
  report(
    `${VIEWERS} viewers, ${segmentsMs.length} segments, p50 ${p50} ms, p99 ${p99} ms, peak ${peakMib.toFixed(0)} ` +
      `MiB, ${retries} retries`,
  );
  expect(faults.slice(0, 5)).toEqual([]);
  expect(segmentsMs.length).toBeGreaterThanOrEqual(VIEWERS);
  expect(peakMib).toBeLessThan(RSS_MIB);
}, 240_000);

test(`${AT_ONE_SEGMENT} viewers of one cold segment in a bucket cause one read of it`, async () => {
  const [videos, bucket] = await Promise.all([createGrowingFixture(), startS3Stub()]);
  try {
    const credentials = { accessKeyId: 'stub', secretAccessKey: 'stub' };
    const storage = createS3Storage({ url: bucket.url, credentials });
    const key = await videos.addVideo();
    await videos.publish(key, 0);
    const chunks = videos.database.db.selectFrom('chunk').select('storage_key').where('media_id', '=', key.mediaId);
    const { storage_key: object } = await chunks.executeTakeFirstOrThrow();
    const stored = await readFile(videos.fixture.storage.localPath(object) ?? '');
    await storage.put(object, stored, {}, new AbortController().signal);
    const edge = await videos.open({ storage });
    const { pathname } = new URL(videos.segmentOf(edge, key, 0));
    // The edge has cached the video's rows but not its bytes.
    await expect.poll(() => statusOf(videos.address(edge, key, 'playlist.m3u8'))).toBe(200);
    const connections = Array.from(
      { length: AT_ONE_SEGMENT },
      (_, client) => new KeptConnection(edge.port, loopbackAddress(client)),
    );
    const replies = await Promise.all(connections.map((connection) => connection.ask(pathname)));
    for (const connection of connections) connection.close();
    expect(replies.filter(({ status, bytes }) => status !== 200 || bytes !== SEGMENT_BYTES)).toEqual([]);
    expect(bucket.countOf('Get')).toBe(1);
  } finally {
    await videos.closeEdges();
    await videos.close();
    await bucket.stop();
  }
}, 240_000);

/**
 * Requests that are unsigned, for another zone, or for missing files. A rule or the blocking firewall refuses each one.
 */
const BAD = [
  '/vz-1/00000000-0000-7000-8000-000000000001/playlist.m3u8',
  '/.env',
  '/?id=1%20union%20select%20a,b%20from%20c',
];

test(`${BAD_PER_SEC} bad requests per second delay no viewer, and each is logged or counted`, async () => {
  const headers = { AccessKey: ACCOUNT_KEY, 'Content-Type': 'application/json' };
  const body = JSON.stringify({ shieldZoneId: 0, shieldZone: { wafExecutionMode: 1 } });
  expect((await fetch(`${service.apiUrl}/shield/shield-zone`, { method: 'PATCH', headers, body })).status).toBe(200);
  await expect.poll(async () => (await fetch(`${service.edgeUrl}/.env`)).status, { timeout: 10_000 }).toBe(403);
  const calmMs = quantile(await fetchOn(FLOOD_MS / 2), 0.99);
  const workerData: Flood = {
    port: edgePort,
    paths: BAD,
    perSec: BAD_PER_SEC,
    clients: FLOODING_CLIENTS,
    durationMs: FLOOD_MS,
  };
  const worker = new Worker(new URL('./edge/flood.ts', import.meta.url), { workerData });
  const [[flooded], times] = await Promise.all([once(worker, 'message') as Promise<[Flooded]>, fetchOn(FLOOD_MS)]);
  const floodedMs = quantile(times, 0.99);
  const { sent, statuses } = flooded;
  report(
    `${sent} bad requests (${JSON.stringify(statuses)}), p99 of segments ${calmMs.toFixed(1)} and ` +
      `${floodedMs.toFixed(1)} ms`,
  );
  expect(Object.keys(statuses).filter((status) => !['403', '429'].includes(status))).toEqual([]);
  await expect.poll(countEvents, { timeout: 20_000 }).toBe(sent);
  // The short run shares the machine with other tests, so only the soak checks rates and times.
  if (!isSoak) return;
  expect(sent).toBeGreaterThan(((BAD_PER_SEC * FLOOD_MS) / 1_000) * 0.9);
  expect(floodedMs).toBeLessThan(Math.max(2 * calmMs, AT_ONCE_MS));
}, 240_000);

/** Counts the stored events of the flooding clients, each with the number of events that it represents. */
async function countEvents(): Promise<number> {
  const database = openCatalogue(service);
  try {
    const { rows } = await sql<{ count: number }>`
      select coalesce(sum(1 + coalesce((log::json->>'Suppressed')::int, 0)), 0)::int as count
      from shield_event where log::json->>'RemoteIp' like '127.4.%'`.execute(database.db);
    return rows[0]?.count ?? 0;
  } finally {
    await database.close();
  }
}
