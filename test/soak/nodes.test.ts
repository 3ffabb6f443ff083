import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startStream, stopStream } from '../../src/catalog/live/live-stream.ts';
import { createLiveStore, type LiveStore } from '../../src/catalog/live/streams/live-store.ts';
import { createSecretBox } from '../../src/lib/secret-box.ts';
import { collectPlaylists } from '../live/collect-playlists.ts';
import { ended, LIVE_SETTINGS, readText, until } from '../live/live-service.ts';
import { FRAMES, makeNumberedClips, type NumberedClips, publishClip } from '../live/numbered-publisher.ts';
import { countSegments, mediaPlaylistOf, missingOf, readMedia, readRuns } from '../live/read-recording.ts';
import { openRealS3 } from '../ports/real-s3.ts';
import { startS3Stub } from '../ports/s3-stub.ts';
import { startTestDatabase, type TestDatabase } from '../support/database.ts';
import { freezeDatabase } from '../support/freeze-database.ts';
import { checkReloads, checkVariants } from '../support/rfc8216/live/check-reloads.ts';
import { readLivePlaylist } from '../support/rfc8216/live/read-live-playlist.ts';
import { freePort } from '../support/service.ts';

const root = path.resolve(import.meta.dirname, '../..');
const SECRET = Buffer.alloc(32, 7);
/** Duration of each outage, in ms. */
const AWAY_MS = process.env.MODE === 'soak' ? 60_000 : 8_000;
/** Number of loops of the clip, enough for the longest test. */
const TURNS = 12;
/** Number of playlist responses to wait for. A player gets a few per second. */
const MANY = 5;

/**
 * `setAway` is null for a real engine (requested by the environment as in `test/ports/README.md`), which cannot be made
 * unavailable.
 */
type Store = {
  url: string;
  credentials: { accessKeyId: string; secretAccessKey: string };
  setAway: ((isAway: boolean) => void) | null;
  stop(): Promise<void>;
};

const realStore = openRealS3();

async function startStore(): Promise<Store> {
  if (realStore !== null) {
    const { options, stop } = await realStore.start();
    const { url, credentials } = options;
    if (credentials === null) throw new Error('Expected the keys of the real engine.');
    // In a service's setting, the prefix is after the bucket.
    return { url: url.replace(/\?(.*)&prefix=(.*)$/, '/$2?$1'), credentials, setAway: null, stop };
  }
  const stub = await startS3Stub();
  const credentials = { accessKeyId: 'stub', secretAccessKey: 'stub' };
  return { ...stub, url: stub.url.replace(/&prefix=.*/, ''), credentials };
}

/** One role on a separate machine, with a unique data folder and health port. */
type Machine = { child: ChildProcess; ended: Promise<unknown>; health: string };

let database: TestDatabase;
let store: Store;
let clips: NumberedClips;
let folder: string;
let streams: LiveStore;
let edgeUrl: string;
let nodes: Machine[];
const machines: Machine[] = [];
/**
 * RTMP ports by node, remembered because the health port of a node without its store reports the failure even though
 * the node still accepts publishers.
 */
const rtmpPorts = new Map<Machine, number>();

beforeAll(async () => {
  [database, store, clips, folder] = await Promise.all([
    startTestDatabase(),
    startStore(),
    makeNumberedClips(),
    mkdtemp(path.join(tmpdir(), 'mr-nodes-')),
  ]);
  streams = createLiveStore({ db: database.db, secretBox: createSecretBox(SECRET) });
  // The first one creates the tables of the database and library 1.
  const api = await startMachine('api');
  await until(() => listenersOf(api), 'the interface', 90_000);
  const edge = await startMachine('edge');
  nodes = [
    await startMachine('ingest', { MILLRACE_REGION: 'west' }),
    await startMachine('ingest', { MILLRACE_REGION: 'east' }),
  ];
  const { edge: port } = await until(() => listenersOf(edge), 'the edge', 90_000);
  edgeUrl = `http://127.0.0.1:${port}`;
  for (const node of nodes) {
    const { rtmp } = await until(() => listenersOf(node), 'an ingest node', 90_000);
    rtmpPorts.set(node, rtmp ?? 0);
  }
}, 200_000);
afterAll(async () => {
  for (const { child } of machines) child.kill('SIGKILL');
  await Promise.all(machines.map((machine) => machine.ended));
  await Promise.all([store.stop(), database.stop()]);
  await rm(folder, { recursive: true, force: true });
});

async function startMachine(role: string, change: Record<string, string> = {}): Promise<Machine> {
  const port = await freePort();
  const env = {
    MILLRACE_DATABASE_URL: `postgres:///postgres?host=${encodeURIComponent(`${database.config.host}`)}&user=millrace`,
    MILLRACE_STORAGE: store.url,
    MILLRACE_SECRET_KEY: SECRET.toString('base64'),
    MILLRACE_DATA_DIR: await mkdtemp(path.join(folder, `${role}-`)),
    MILLRACE_HEALTH_PORT: String(port),
    AWS_ACCESS_KEY_ID: store.credentials.accessKeyId,
    AWS_SECRET_ACCESS_KEY: store.credentials.secretAccessKey,
  };
  const ports = Object.fromEntries(
    ['PORT', 'EDGE_PORT', 'RTMP_PORT', 'SRT_PORT', 'WHIP_PORT'].map((name) => [`MILLRACE_${name}`, '0']),
  );
  const child = spawn(process.execPath, [path.join(root, 'bin/millrace.js'), 'serve', '--role', role], {
    env: { ...process.env, ...env, ...ports, ...change },
    stdio: ['ignore', 'ignore', 'ignore'],
  });
  const machine = { child, ended: ended(child), health: `http://127.0.0.1:${port}` };
  machines.push(machine);
  return machine;
}

async function listenersOf({ health }: Machine): Promise<Record<string, number> | null> {
  const response = await fetch(`${health}/healthz`).catch(() => null);
  if (response === null || !response.ok) return null;
  const { listeners } = (await response.json()) as { listeners?: Record<string, number> };
  return listeners !== undefined && Object.keys(listeners).length > 0 ? listeners : null;
}

async function goLive() {
  const { stream, streamKey } = await streams.create({ ...LIVE_SETTINGS, libraryId: 1 });
  const key = { libraryId: 1, mediaId: stream.id };
  await streams.change(key, startStream);
  return { key, streamKey, base: `${edgeUrl}/vz-1/${stream.id}` };
}

function publishTo(node: Machine | undefined, streamKey: string, turns = 1): ChildProcess {
  const port = node === undefined ? undefined : rtmpPorts.get(node);
  if (port === undefined) throw new Error('Expected a node.');
  return publishClip(`rtmp://127.0.0.1:${port}/live/${streamKey}`, clips.small, turns);
}

const untilListed = (base: string, count: number) =>
  until(async () => ((await countSegments(base)) >= count ? true : null), `${count} segments`, 60_000);

async function recordingOf(base: string): Promise<string> {
  return until(
    async () => ((await readMedia(base))?.includes('#EXT-X-ENDLIST') ? readMedia(base) : null),
    'the video',
    90_000,
  );
}

/** Returns the number of video segments that have a row. */
async function storedOf(mediaId: string): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*)::int as count from chunk c join rendition r on r.library_id = c.library_id
      and r.media_id = c.media_id
      and r.id = c.rendition_id where c.media_id = ${mediaId} and r.kind = 'video'`.execute(database.db);
  return rows[0]?.count ?? 0;
}

/**
 * Index of the first response after a node was killed, and the segment that was still open in the response before it.
 */
type Death = { from: number; open: number };

/** Returns whether a fault is due to parts that only the dead node had, which no node can list again. */
function isOfLostParts(fault: string, { from, open }: Death): boolean {
  const [, answer, message = ''] = /^answer (\d+): (.*)$/.exec(fault) ?? [];
  const [, gone = Number.NaN] = /^segment (\d+) is gone$/.exec(message) ?? [];
  const what = /segment \d+ (changed its (map|discontinuity)|lost a part)|part \S+ changed|was hinted at/;
  return Number(answer) >= from && (Number(gone) >= open || what.test(message));
}

/** I-frame playlists follow other rules. */
const isWhole = (text: string) => !text.includes('EXT-X-I-FRAMES-ONLY');

test('after the owner of a stream is killed, another node takes over with at most one lost segment', async () => {
  const { key, streamKey, base } = await goLive();
  const known = await database.db.selectFrom('live_node').select(['region', 'capacity']).orderBy('region').execute();
  expect(known).toEqual([
    { region: 'east', capacity: 300 },
    { region: 'west', capacity: 300 },
  ]);
  const first = publishTo(nodes[0], streamKey);
  await untilListed(base, 2);
  const address = await mediaPlaylistOf(base);
  const { byPlaylist, readTogether, stop } = await collectPlaylists(base);
  const beforeKill = new Map<string, number>();
  const areFollowed = async () =>
    [...byPlaylist].every(([at, { length }]) => length > MANY + (beforeKill.get(at) ?? 0)) ? true : null;
  try {
    await until(async () => ((await storedOf(key.mediaId)) >= 2 ? true : null), 'stored segments');
    await until(areFollowed, 'reloads of each playlist');
    for (const [address, { length }] of byPlaylist) beforeKill.set(address, length);
    nodes[0]?.child.kill('SIGKILL');
    await ended(first);
    const second = publishTo(nodes[1], streamKey);
    await until(async () => ((await storedOf(key.mediaId)) >= 4 ? true : null), 'segments of the other node', 60_000);
    await untilListed(base, 4);
    await until(areFollowed, 'reloads of each playlist after the kill');
    await stop();
    expect(checkVariants((await readTogether()).filter(isWhole))).toEqual([]);
    await streams.change(key, stopStream);
    await ended(second);
  } finally {
    await stop();
  }
  await recordingOf(base);
  const whole = [...byPlaylist].filter(([, texts]) => texts.every(isWhole));
  expect(whole.length).toBeGreaterThan(0);
  for (const [address, texts] of whole) {
    const from = beforeKill.get(address) ?? 0;
    const open = readLivePlaylist(texts[from - 1] ?? '').media.at(-1)?.sequence ?? Number.NaN;
    expect(checkReloads(texts).filter((fault) => !isOfLostParts(fault, { from, open }))).toEqual([]);
  }
  const runs = await readRuns(address);
  expect(runs.map(({ from }) => from)).toEqual([0, 0]);
  // Segments last two seconds, and the open one may be lost.
  expect(runs[0]?.to).toBeGreaterThanOrEqual(99);
}, 240_000);

test('an edge that got a request before the publisher connected serves the same media as another edge', async () => {
  const second = await startMachine('edge');
  const { edge: port } = await until(() => listenersOf(second), 'a second edge', 90_000);
  for (let turn = 0; turn < 3; turn += 1) {
    const { key, streamKey, base } = await goLive();
    const otherBase = base.replace(edgeUrl, `http://127.0.0.1:${port}`);
    expect(await readText(`${otherBase}/playlist.m3u8`)).toBe(null);
    const publisher = publishTo(nodes[1], streamKey);
    const address = (await until(() => mediaPlaylistOf(base).catch(() => null), 'a playlist')).replace(base, otherBase);
    const response = await fetch(address);
    expect({ status: response.status, body: await response.text() }).toMatchObject({
      status: 200,
      body: expect.stringContaining('#EXTINF'),
    });
    publisher.kill('SIGKILL');
    await streams.change(key, stopStream);
  }
}, 120_000);

test.skipIf(realStore !== null)(
  'a stream continues during an outage of the store and then of the database, without a lost frame',
  async () => {
    const { key, streamKey, base } = await goLive();
    const publisher = publishTo(nodes[1], streamKey, TURNS);
    await untilListed(base, 1);
    const address = await mediaPlaylistOf(base);
    store.setAway?.(true);
    await expectGrowth(base);
    const other = publishTo(nodes[1], (await goLive()).streamKey);
    expect(await ended(other)).not.toBe(0);
    store.setAway?.(false);
    const listedMeanwhile = await countSegments(base);
    await until(async () => ((await storedOf(key.mediaId)) >= listedMeanwhile ? true : null), 'the rows', 60_000);
    const thaw = freezeDatabase(database);
    try {
      await expectGrowth(base);
    } finally {
      thaw();
    }
    const live = (await readText(address)) ?? '';
    await streams.change(key, stopStream);
    await ended(publisher);
    // The lease may have expired during the database outage. The stop then makes the video, and the owner adds its
    // remaining segments once the database is back.
    await recordingOf(base);
    const missing = async () => missingOf(address, live, (await readMedia(base)) ?? '#EXTM3U\n');
    await expect.poll(missing, { timeout: 60_000 }).toEqual([]);
    // Each loop of the clip begins with 0, and only the last may end before its last frame.
    const runs = await readRuns(address);
    expect(runs.length).toBeGreaterThan(0);
    expect(runs.filter(({ from }) => from !== 0)).toEqual([]);
    expect(runs.slice(0, -1).filter(({ to }) => to !== FRAMES - 1)).toEqual([]);
  },
  400_000,
);

/** During an outage, playlists grow in real time. */
async function expectGrowth(base: string): Promise<void> {
  const before = await countSegments(base);
  await sleep(AWAY_MS);
  await until(
    async () => ((await countSegments(base)) >= before + AWAY_MS / 2_000 - 1 ? true : null),
    'segments meanwhile',
    10_000,
  );
}
