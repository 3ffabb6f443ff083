import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { until } from '../live/live-service.ts';
import { FRAMES, makeNumberedClips } from '../live/numbered-publisher.ts';
import { mediaPlaylistOf, readMedia, readRuns, segmentsOf } from '../live/read-recording.ts';
import { startTestDatabase } from '../support/database.ts';
import { onceARun } from '../support/once-a-run.ts';
import { faultRounds, faultSeed, type Random, seededRandom } from '../support/seeded-random.ts';
import { FLEET_ROLES, Fleet, type FleetRole, type Member, type Release } from './upgrade/fleet.ts';
import { openPreviousRelease } from './upgrade/previous-release.ts';
import { Workload } from './upgrade/workload.ts';

const isSoak = process.env.MODE === 'soak';
const seed = faultSeed(isSoak ? Math.floor(Math.random() * 1e9) : undefined);
const rounds = Array.from({ length: faultRounds(isSoak ? 20 : 1) }, (_, index) => seed + index);
const root = path.resolve(import.meta.dirname, '../..');
const LENGTH_SEC = 4;
const RATE = 25;
const END_LIMIT_MS = 120_000;

/** `new-first`: each new role starts just before its old one leaves. `old-last`: all old ones leave at the end. */
type Order = 'new-first' | 'old-last';

test.each(rounds)(
  'an upgrade and a downgrade while videos are uploaded and a stream is live lose nothing (seed %i)',
  async (drawn) => {
    const random = seededRandom(drawn);
    const [database, old, clips, upload, place] = await Promise.all([
      startTestDatabase(),
      openPreviousRelease(),
      makeNumberedClips(),
      makeUpload(),
      mkdtemp(path.join(tmpdir(), 'mr-rolling-')),
    ]);
    const fleet = new Fleet({ database, folders: { old, new: root }, place });
    const workload = new Workload(fleet, { upload, live: clips.small });
    try {
      await fleet.start('old', 'api');
      await Promise.all((['edge', 'worker', 'ingest'] as const).map((role) => fleet.start('old', role)));
      await workload.start();
      await until(async () => (workload.finished.size > 0 ? true : null), 'a finished video', END_LIMIT_MS);
      const orders: Order[] = random.below(2) === 0 ? ['new-first', 'old-last'] : ['old-last', 'new-first'];
      const left = await roll({ fleet, random, from: 'old', order: orders[0] ?? 'new-first' });
      await recordExpandStep(database.db);
      left.push(...(await roll({ fleet, random, from: 'new', order: orders[1] ?? 'old-last' })));
      await Promise.all(left);
      await expectGrowth(workload);
      await workload.stop();
      await expectAllKept(fleet, workload);
      expect(fleet.faults).toEqual([]);
      expect(fleet.loggedErrors()).toEqual([]);
    } finally {
      workload.abandon();
      await fleet.close();
      await database.stop();
      await rm(place, { recursive: true, force: true });
    }
  },
  600_000,
);

type Rolling = { fleet: Fleet; random: Random; from: Release; order: Order };

/**
 * Replaces all processes of a release by those of the other one, in an order that the seed draws. Returns the ends of
 * the replaced ones, which are still draining.
 */
async function roll({ fleet, random, from, order }: Rolling): Promise<Promise<void>[]> {
  const to: Release = from === 'old' ? 'new' : 'old';
  const leaving = fleet.members.filter(({ release, child }) => release === from && child.exitCode === null);
  const left: Promise<void>[] = [];
  const leave = (member: Member) => left.push(fleet.leave(member, drawWay(random, member.role)));
  for (const role of shuffle(random, FLEET_ROLES)) {
    await fleet.start(to, role);
    if (order === 'new-first') for (const member of leaving) if (member.role === role) leave(member);
  }
  if (order === 'old-last') {
    // A machine of the release that leaves restarts next to the other release.
    // An api or an edge would drain first, which takes 20 s.
    const mayRestart = ({ role }: Member) => isSoak || role === 'worker' || role === 'ingest';
    const [restarted] = shuffle(random, leaving.filter(mayRestart));
    if (restarted !== undefined) {
      await fleet.leave(restarted, ['api', 'edge'].includes(restarted.role) ? to : 'SIGTERM');
      leaving.push(await fleet.start(from, restarted.role, restarted.folder));
    }
    for (const member of shuffle(random, leaving)) if (member.child.exitCode === null) leave(member);
  }
  return left;
}

/** A load balancer needs time to notice that a process is leaving, and SIGTERM does not allow for it. */
function drawWay(random: Random, role: FleetRole): Release | 'SIGTERM' {
  const ways = role === 'api' || role === 'edge' ? (['old', 'new'] as const) : (['old', 'new', 'SIGTERM'] as const);
  return ways[random.below(ways.length)] ?? 'new';
}

function shuffle<T>(random: Random, list: readonly T[]): T[] {
  const left = [...list];
  return list.flatMap(() => left.splice(random.below(left.length), 1));
}

/** Records an expand step of a later version, which the releases do not know. */
async function recordExpandStep(db: Parameters<ReturnType<typeof sql>['execute']>[0]): Promise<void> {
  // In one transaction, like a migration: a process that saw only the first row would stop its work.
  await sql`
    with step as (insert into kysely_migration values ('998-expand', '2026') returning name)
    insert into schema_compatibility select name, '0.1.0', '0.2.0' from step`.execute(db);
}

/** The stream continues with the last ingest. */
async function expectGrowth(workload: Workload): Promise<void> {
  const before = workload.liveSegments.size;
  await until(async () => (workload.liveSegments.size > before + 1 ? true : null), 'more live segments', END_LIMIT_MS);
}

/** Checks that each uploaded video is finished with all frames, and that the recording has everything that was live. */
async function expectAllKept(fleet: Fleet, workload: Workload): Promise<void> {
  const { url } = fleet.pick('edge');
  expect(workload.uploaded.length).toBeGreaterThan(0);
  for (const guid of workload.uploaded) {
    const status = async () =>
      Object(await (await fleet.need('api', `/library/1/videos/${guid}`)).json()).status as number;
    await expect.poll(status, { timeout: END_LIMIT_MS, interval: 300 }).toBe(4);
    expect(await countFrames(`${url}/vz-1/${guid}/playlist.m3u8`)).toBe(LENGTH_SEC * RATE);
  }
  const base = `${url}/vz-1/${workload.streamId}`;
  const ended = async () => ((await readMedia(base))?.includes('#EXT-X-ENDLIST') ? true : null);
  await until(ended, 'the recording', END_LIMIT_MS);
  const address = await mediaPlaylistOf(base);
  const recorded = segmentsOf((await readMedia(base)) ?? '#EXTM3U\n');
  const kept = new Set(recorded.map(({ uri }) => new URL(uri ?? '', address).pathname));
  expect([...workload.liveSegments.keys()].filter((at) => !kept.has(at))).toEqual([]);
  // Each connection of the publisher begins with frame 0, and so does each loop of the clip. Only a connection
  // may end before the last frame.
  const runs = await readRuns(address);
  expect(runs.filter(({ from }) => from !== 0)).toEqual([]);
  expect(runs.filter(({ to }) => to !== FRAMES - 1).length).toBeLessThanOrEqual(workload.publishers);
}

async function countFrames(playlist: string): Promise<number> {
  const argv = ['-v', 'error', '-select_streams', 'v:0', '-count_frames', '-show_entries', 'stream=nb_read_frames'];
  const { stdout } = await promisify(execFile)('ffprobe', [...argv, '-of', 'csv=p=0', playlist], { timeout: 60_000 });
  return Number.parseInt(stdout, 10);
}

/** A source that must be encoded. */
function makeUpload(): Promise<string> {
  return onceARun('rolling-upload.mkv', async (place) => {
    const inputs = ['-f', 'lavfi', '-i', `testsrc2=s=320x240:r=${RATE}:d=${LENGTH_SEC}`];
    const sound = ['-f', 'lavfi', '-i', `sine=d=${LENGTH_SEC}`];
    const codecs = ['-c:v', 'mpeg4', '-q:v', '5', '-c:a', 'pcm_s16le'];
    await promisify(execFile)('ffmpeg', ['-nostdin', '-v', 'error', ...inputs, ...sound, ...codecs, place]);
  });
}
