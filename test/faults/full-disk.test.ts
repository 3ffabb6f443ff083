import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { type QueryResult, type RawBuilder, sql } from 'kysely';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { stopStream } from '../../src/catalog/live/live-stream.ts';
import { descendantsOf } from '../house/service.ts';
import {
  ended,
  type LiveCatalogue,
  openLiveCatalogue,
  publish,
  readText,
  startLive,
  until,
} from '../live/live-service.ts';
import { makeNumberedClips, type NumberedClips, publishClip } from '../live/numbered-publisher.ts';
import { countSegments, mediaPlaylistOf, missingOf, readMedia, readRuns } from '../live/read-recording.ts';
import { expectNothingLeft, openCatalogue, sweepOnce } from '../support/leftovers.ts';
import { discard } from '../support/service.ts';
import { findProcesses } from '../support/service-processes.ts';
import { beginPut } from '../support/slow-put.ts';
import { type SmallDisk, startOnSmallDisk, whyNoMount } from '../support/small-disk.ts';
import { createVideo, FINISHED, getVideo, untilVideo, uploadFile } from '../support/videos.ts';
import { checkWholeVideo } from '../support/whole-video/check-whole-video.ts';

const run = promisify(execFile);
const MIB = 2 ** 20;
const UPLOAD_FAILED = 6;
/** Encoders run at low priority, so they are slow on a busy machine. */
const HANG_MS = 150_000;
const FULL_MS = 6_000;
/** Niceness of the encoders of uploads. */
const GIVES_WAY = 10;
const refusal = await whyNoMount();
const note = refusal === null ? '' : ` (NOT APPLICABLE: ${refusal})`;

let disk: SmallDisk;
let folder: string;
let clip: string;
let other: string;
let clips: NumberedClips;
let catalogue: LiveCatalogue;

beforeAll(async () => {
  if (refusal !== null) return;
  folder = await mkdtemp(path.join(tmpdir(), 'millrace-full-'));
  clip = path.join(folder, 'clip.mkv');
  const picture = ['-f', 'lavfi', '-i', 'testsrc2=s=426x240:r=25:d=12', '-c:v', 'mpeg4', '-q:v', '5'];
  await run('ffmpeg', ['-nostdin', '-v', 'error', ...picture, clip]);
  [disk, clips] = await Promise.all([startOnSmallDisk(), makeNumberedClips()]);
  catalogue = await openLiveCatalogue(disk.service);
  other = await uploadClip();
  await untilVideo(disk.service, other, ({ status }) => status === FINISHED, HANG_MS);
}, 2 * HANG_MS);
afterAll(async () => {
  await catalogue?.database.close();
  if (disk !== undefined) await discard(disk.service);
  if (folder !== undefined) await rm(folder, { recursive: true, force: true });
});
beforeEach(async () => {
  if (refusal !== null) return;
  await disk.makeRoomy();
  await expect.poll(healthStatus, { timeout: 20_000 }).toBe(200);
});

async function uploadClip(): Promise<string> {
  const guid = await createVideo(disk.service, 'clip');
  expect((await uploadFile(disk.service, guid, clip)).status).toBe(200);
  return guid;
}

async function healthStatus(): Promise<number> {
  return (await fetch(`${disk.service.apiUrl}/healthz`)).status;
}

async function expectOnlyNamedObjects(): Promise<void> {
  await expectNothingLeft(disk.service, disk.objects);
}

test.skipIf(refusal !== null)(
  `below the disk floor, refuses an upload with 507, and health explains why${note}`,
  async () => {
    const guid = await createVideo(disk.service, 'refused');
    await disk.leaveFree(2 * MIB);
    const answer = await uploadFile(disk.service, guid, clip);
    expect([answer.status, await answer.json()]).toMatchObject([507, { success: false }]);
    await expect.poll(healthStatus, { timeout: 20_000 }).toBe(503);
    expect(await disk.service.health()).toMatchObject({
      status: 'failing',
      roles: { api: 'ok', edge: 'ok', worker: 'ok' },
      problems: [expect.stringContaining('storage: nearly full')],
    });
    expect(await getVideo(disk.service, guid)).toMatchObject({ status: UPLOAD_FAILED });
    await checkWholeVideo(disk.service, other, { mayBeAway: true });
    await expectOnlyNamedObjects();
  },
);

test.skipIf(refusal !== null)(
  `a disk that fills up during an upload ends it with 507 and no leftovers${note}`,
  async () => {
    const guid = await createVideo(disk.service, 'cut off');
    const bytes = randomBytes(12 * MIB);
    const put = await beginPut(disk.service, guid, bytes, { sendBytes: 4 * MIB, announcesLength: true });
    await disk.leaveFree(1 * MIB);
    put.finish();
    expect(await put.answer).toEqual({ status: 507 });
    expect(await getVideo(disk.service, guid)).toMatchObject({ status: UPLOAD_FAILED, storageSize: 0 });
    await expectOnlyNamedObjects();
    await disk.makeRoomy();
    expect((await uploadFile(disk.service, guid, clip)).status).toBe(200);
    await untilVideo(disk.service, guid, ({ status }) => status === FINISHED, HANG_MS);
  },
);

test.skipIf(refusal !== null)(
  `a disk that fills up during an encode publishes nothing damaged, and the video continues later${note}`,
  async () => {
    const guid = await uploadClip();
    await disk.leaveFree(64 * 1024);
    await expect.poll(() => reasonOf(guid), { timeout: HANG_MS }).toMatch(/waiting for free space/);
    await expect.poll(() => countOpenTasks('running'), { timeout: HANG_MS }).toBe(0);
    await checkWholeVideo(disk.service, other, { mayBeAway: true });
    await disk.makeRoomy();
    // A new encode task counts as running, so the sweep ignores it for 15 s.
    const status = async () => {
      await sweepOnce(disk.service, disk.objects);
      return (await getVideo(disk.service, guid)).status;
    };
    await expect.poll(status, { timeout: HANG_MS, interval: 1_000 }).toBe(FINISHED);
    expect(await checkWholeVideo(disk.service, guid, { mayBeAway: true })).toMatchObject({ rungs: [240], frames: 300 });
    await expectOnlyNamedObjects();
  },
  4 * HANG_MS,
);

async function reasonOf(guid: string): Promise<string | null> {
  const { rows } = await ask<{ reason: string | null }>(
    sql`select state_reason as reason from media where id = ${guid}`,
  );
  return rows[0]?.reason ?? null;
}

async function countOpenTasks(state: string): Promise<number> {
  const { rows } = await ask<{ tasks: number }>(sql`select count(*) as tasks from encode_task where state = ${state}`);
  return rows[0]?.tasks ?? 0;
}

async function ask<Row>(query: RawBuilder<unknown>): Promise<QueryResult<Row>> {
  const database = openCatalogue(disk.service);
  try {
    return (await query.execute(database.db)) as QueryResult<Row>;
  } finally {
    await database.close();
  }
}

test.skipIf(refusal !== null)(
  `a full disk does not delay viewers, and everything completes once there is space again${note}`,
  async () => {
    const { key, ingest, base } = await startLive({ service: disk.service, catalogue });
    const publisher = publishClip(ingest, clips.small);
    await until(async () => ((await countSegments(base)) >= 1 ? true : null), 'a segment');
    const address = await mediaPlaylistOf(base);
    await disk.leaveFree(0);
    const before = await countSegments(base);
    await sleep(FULL_MS);
    const isGrown = async () => ((await countSegments(base)) >= before + FULL_MS / 2_000 - 1 ? true : null);
    await until(isGrown, 'segments while the disk is full', 10_000);
    await disk.makeRoomy();
    const live = (await readText(address)) ?? '';
    await catalogue.streams.change(key, stopStream);
    await ended(publisher);
    const recording = await until(
      async () => {
        const text = await readMedia(base);
        return text?.includes('#EXT-X-ENDLIST') ? text : null;
      },
      'the video',
      60_000,
    );
    expect(missingOf(address, live, recording)).toEqual([]);
    expect((await readRuns(address)).map(({ from }) => from)).toEqual([0]);
  },
  180_000,
);

test.skipIf(refusal !== null)(
  `encoders of uploads yield to encoders of live streams${note}`,
  async () => {
    const { key, ingest, base } = await startLive({ service: disk.service, catalogue });
    const publisher = await publish(ingest);
    await until(() => readText(`${base}/playlist.m3u8`), 'a playlist');
    const file = path.join(folder, 'upload.mkv');
    const picture = ['-f', 'lavfi', '-i', 'testsrc2=s=640x360:r=30:d=20', '-c:v', 'mpeg4', '-q:v', '5'];
    await promisify(execFile)('ffmpeg', ['-nostdin', '-v', 'error', ...picture, file]);
    const live = await encodersOf('ingest');
    expect((await uploadFile(disk.service, await createVideo(disk.service, 'upload'), file)).status).toBe(200);
    const least = Math.min(...live) + GIVES_WAY;
    const isPolite = async () => ((await encodersOf('worker')).some((niceness) => niceness >= least) ? true : null);
    await until(isPolite, `an encoder of the upload with a niceness of ${least}`, 60_000);
    await catalogue.streams.change(key, stopStream);
    await ended(publisher);
  },
  180_000,
);

/** Returns the niceness of the encoders that a role currently runs. */
async function encodersOf(role: string): Promise<number[]> {
  const processes = await findProcesses(disk.service, `role.ts ${role}`);
  const below = processes.flatMap(({ pid }) => descendantsOf(pid)).filter(({ command }) => /^\S*ffmpeg /.test(command));
  return below.flatMap(({ pid }) => nicenessOf(pid));
}

/** Returns the nice value of a process, field 19 of proc_pid_stat(5). Returns nothing if the process has exited. */
function nicenessOf(pid: number): number[] {
  try {
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1)?.split(' ') ?? [];
    return [Number(fields[16])];
  } catch {
    return [];
  }
}
