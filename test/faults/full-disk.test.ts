import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { type QueryResult, type RawBuilder, sql } from 'kysely';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { expectNothingLeft, openCatalogue, sweepOnce } from '../support/leftovers.ts';
import { discard } from '../support/service.ts';
import { beginPut } from '../support/slow-put.ts';
import { type SmallDisk, startOnSmallDisk, whyNoMount } from '../support/small-disk.ts';
import { createVideo, FINISHED, getVideo, untilVideo, uploadFile } from '../support/videos.ts';
import { checkWholeVideo } from '../support/whole-video/check-whole-video.ts';

const run = promisify(execFile);
const MIB = 2 ** 20;
const CREATED = 0;
/** Encoders are polite: on a busy machine they take their time. */
const HANG_MS = 150_000;
const refusal = await whyNoMount();
const note = refusal === null ? '' : ` (NOT APPLICABLE: ${refusal})`;

let disk: SmallDisk;
let folder: string;
let clip: string;
let other: string;

beforeAll(async () => {
  if (refusal !== null) return;
  folder = await mkdtemp(path.join(tmpdir(), 'millrace-full-'));
  clip = path.join(folder, 'clip.mkv');
  const picture = ['-f', 'lavfi', '-i', 'testsrc2=s=426x240:r=25:d=12', '-c:v', 'mpeg4', '-q:v', '5'];
  await run('ffmpeg', ['-nostdin', '-v', 'error', ...picture, clip]);
  disk = await startOnSmallDisk();
  other = await uploadClip();
  await untilVideo(disk.service, other, ({ status }) => status === FINISHED, HANG_MS);
}, 2 * HANG_MS);
afterAll(async () => {
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

test.skipIf(refusal !== null)(`below the floor an upload is refused with 507 and health says why${note}`, async () => {
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
  expect(await getVideo(disk.service, guid)).toMatchObject({ status: CREATED });
  await checkWholeVideo(disk.service, other, { mayBeAway: true });
  await expectOnlyNamedObjects();
});

test.skipIf(refusal !== null)(
  `a medium that fills up under an upload ends it with 507 and no trace${note}`,
  async () => {
    const guid = await createVideo(disk.service, 'cut off');
    const bytes = randomBytes(12 * MIB);
    const put = await beginPut(disk.service, guid, bytes, { sendBytes: 4 * MIB, announcesLength: true });
    await disk.leaveFree(1 * MIB);
    put.finish();
    expect(await put.answer).toEqual({ status: 507 });
    expect(await getVideo(disk.service, guid)).toMatchObject({ status: CREATED, storageSize: 0 });
    await expectOnlyNamedObjects();
    await disk.makeRoomy();
    expect((await uploadFile(disk.service, guid, clip)).status).toBe(200);
    await untilVideo(disk.service, guid, ({ status }) => status === FINISHED, HANG_MS);
  },
);

test.skipIf(refusal !== null)(
  `a medium that fills up under an encode publishes nothing broken; the video waits, says so, and goes on${note}`,
  async () => {
    const guid = await uploadClip();
    await disk.leaveFree(64 * 1024);
    await expect.poll(() => reasonOf(guid), { timeout: HANG_MS }).toMatch(/waiting for free space/);
    await expect.poll(() => countOpenTasks('running'), { timeout: HANG_MS }).toBe(0);
    await checkWholeVideo(disk.service, other, { mayBeAway: true });
    await disk.makeRoomy();
    // An encode task that was made just now counts as under way: the sweep leaves it alone for 15 s.
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
