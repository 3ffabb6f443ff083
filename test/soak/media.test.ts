import { execFile } from 'node:child_process';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { descendantsOf } from '../house/service.ts';
import { expectNothingLeft, objectsOf, openCatalogue } from '../support/leftovers.ts';
import { faultSeed, type Random, seededRandom } from '../support/seeded-random.ts';
import { discard, type Service, startService } from '../support/service.ts';
import { call, createVideo, FAILED, FINISHED, getVideo, playlistUrl, uploadFile } from '../support/videos.ts';
import { findMutator } from './mutate.ts';

const run = promisify(execFile);

const SAMPLES = 300;
const EACH_MS = 60_000;
const AT_ONCE = 4;

const seed = faultSeed(Math.floor(Math.random() * 1e9));
const mutator = findMutator();

const PICTURE = ['-f', 'lavfi', '-i', 'testsrc2=s=160x120:r=25:d=2'];
const SOUND = ['-f', 'lavfi', '-i', 'sine=d=2'];
const CONTAINERS: Record<string, string[]> = {
  mp4: ['-c:v', 'libx264', '-preset', 'ultrafast', '-pix_fmt', 'yuv420p', '-g', '25', '-c:a', 'aac'],
  mkv: ['-c:v', 'libx264', '-preset', 'ultrafast', '-bf', '2', '-c:a', 'libvorbis', '-ac', '2'],
  webm: ['-c:v', 'libvpx', '-deadline', 'realtime', '-c:a', 'libopus'],
  avi: ['-c:v', 'mpeg4', '-q:v', '5', '-c:a', 'libmp3lame'],
  ts: ['-c:v', 'mpeg2video', '-q:v', '5', '-c:a', 'mp2'],
  flv: ['-c:v', 'flv1', '-q:v', '5', '-c:a', 'libmp3lame', '-ar', '44100'],
};

type Ended = { name: string; sec: number; outcome: string };

let service: Service;
let folder: string;
const clips = new Map<string, Buffer>();

beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'mr-soak-'));
  for (const [container, codec] of Object.entries(CONTAINERS)) {
    const file = path.join(folder, `sound.${container}`);
    await run('ffmpeg', ['-nostdin', '-v', 'error', '-y', ...PICTURE, ...SOUND, ...codec, '-shortest', file]);
    clips.set(container, await readFile(file));
  }
  service = await startService(null);
});
afterAll(async () => {
  if (service !== undefined) await discard(service);
  await rm(folder, { recursive: true, force: true });
});

const rolesOf = () =>
  descendantsOf(service.pid)
    .filter(({ command }) => command.includes('role.ts'))
    .map(({ pid }) => pid)
    .sort((a, b) => a - b);

/** Uploads a damaged clip and waits until it plays or has failed with a reason. */
async function soak(number: number, random: Random): Promise<Ended> {
  const containers = [...clips.keys()];
  const container = containers[number % containers.length] ?? 'mp4';
  const name = `${number}.${container}`;
  const file = path.join(folder, name);
  await writeFile(file, await mutator.mutate(clips.get(container) ?? Buffer.alloc(0), random));
  const guid = await createVideo(service, name);
  const startedMs = performance.now();
  expect((await uploadFile(service, guid, file, '?enabledResolutions=240p')).status).toBe(200);
  await rm(file);
  const isOver = async () => [FINISHED, FAILED].includes((await getVideo(service, guid)).status);
  await expect.poll(isOver, { timeout: EACH_MS, interval: 200, message: `${name} of seed ${seed} to end` }).toBe(true);
  const sec = (performance.now() - startedMs) / 1000;
  const { status, transcodingMessages } = await getVideo(service, guid);
  if (status === FINISHED) {
    await expectPlays(guid, name);
    return { name, sec, outcome: 'plays' };
  }
  const reason = transcodingMessages.findLast(({ level }) => level === 3);
  expect(reason?.message, `a reason for ${name} of seed ${seed}`).toMatch(/\w{3,}/);
  return { name, sec, outcome: `failed: ${reason?.issueCode}` };
}

/**
 * Checks that ffmpeg reads everything listed in the playlist and decodes some of it. A source that is copied without
 * encoding keeps its damage.
 */
async function expectPlays(guid: string, name: string): Promise<void> {
  const { stdout } = await run('ffmpeg', ['-v', 'fatal', '-i', playlistUrl(service, guid), '-f', 'framecrc', '-']);
  const decoded = stdout.split('\n').filter((line) => /^\d/.test(line));
  expect(decoded.length, `decoded frames of ${name} of seed ${seed}`).toBeGreaterThan(0);
}

async function soakAll(): Promise<Ended[]> {
  const random = seededRandom(seed);
  const ended: Ended[] = [];
  let next = 0;
  const queue = async () => {
    while (next < SAMPLES) {
      const number = next;
      next += 1;
      ended.push(await soak(number, seededRandom(random.below(2 ** 31))));
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, queue));
  return ended;
}

async function filesUnder(place: string): Promise<string[]> {
  const entries = await readdir(place, { recursive: true, withFileTypes: true }).catch(() => []);
  return entries.filter((entry) => entry.isFile()).map(({ parentPath, name }) => path.join(parentPath, name));
}

/** Returns all files except the store's marker, which stays. */
async function storedFiles(): Promise<string[]> {
  const files = await filesUnder(objectsOf(service));
  return files.filter((file) => path.basename(file) !== '.installation');
}

/** Deletes every video and waits until no trace of any remains. */
async function deleteAll(): Promise<void> {
  const database = openCatalogue(service);
  try {
    const { rows } = await sql<{ id: string }>`select id from media`.execute(database.db);
    for (const { id } of rows) await call(service, 'DELETE', `/library/1/videos/${id}`);
    await expect.poll(storedFiles, { timeout: 60_000, interval: 200 }).toEqual([]);
    for (const table of ['media', 'timeline', 'rendition', 'chunk', 'encode_task', 'upload', 'retired_object']) {
      const { rows: left } = await sql`select 1 from ${sql.table(table)}`.execute(database.db);
      expect({ table, left: left.length }).toEqual({ table, left: 0 });
    }
  } finally {
    await database.close();
  }
}

test(
  `damaged files of six containers play or fail with a reason, and leave nothing (${mutator.name}, seed ${seed})`,
  async () => {
    const roles = rolesOf();
    const ended = await soakAll();
    const outcomes = Object.entries(Object.groupBy(ended, ({ outcome }) => outcome));
    const reported = outcomes.map(([outcome, of = []]) => `${of.length} ${outcome}`).join(', ');
    const slowest = Math.max(...ended.map(({ sec }) => sec));
    process.stdout.write(
      `soak: ${ended.length} samples by ${mutator.name}, seed ${seed}: ${reported}; slowest ${slowest.toFixed(1)} s\n`,
    );
    expect(ended.length).toBeGreaterThan(0);
    expect(rolesOf()).toEqual(roles);
    expect((await service.health()).status).toBe('ok');
    await expectNothingLeft(service);
    await deleteAll();
    const tools = descendantsOf(service.pid).filter(({ command }) => /ff(mpeg|probe)|bwrap/.test(command));
    expect(tools).toEqual([]);
    const cached = await filesUnder(path.join(service.dataDir, 'cache'));
    // Lock files of workers are kept intentionally. The table of networks is compiled once for all workers.
    expect(cached.filter((file) => !/\.lock$|\/asn-[^/]*\.bin$/.test(file))).toEqual([]);
  },
  4 * 3_600_000,
);
