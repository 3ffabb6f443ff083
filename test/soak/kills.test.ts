import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { untilGone, untilWell } from '../house/service.ts';
import { freezeEncoders, thawEncoders } from '../jobs/encoders.ts';
import { expectNothingLeft } from '../support/leftovers.ts';
import { drawBytes, faultRounds, faultSeed, type Random, seededRandom } from '../support/seeded-random.ts';
import { discard, type Service, startService } from '../support/service.ts';
import { findProcesses, killAll, killTree } from '../support/service-processes.ts';
import { call, createVideo, FAILED, FINISHED, getVideo, untilVideo, uploadFile } from '../support/videos.ts';
import { checkWholeVideo } from '../support/whole-video/check-whole-video.ts';

const run = promisify(execFile);
/** Maximum time in which all work finishes after the faults stop. On an idle machine it takes 20 s. */
const END_LIMIT_MS = 150_000;
const ROUNDS = faultRounds(20);
/** Maximum pause between two uploads of random bytes, in ms. A new process probes each upload. */
const PAUSE_MS = 200;
const seed = faultSeed(Math.floor(Math.random() * 1e9));

let service: Service;
let folder: string;
let clip: string;

beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'millrace-kill-'));
  clip = path.join(folder, 'clip.mkv');
  const inputs = ['-f', 'lavfi', '-i', 'testsrc2=s=480x360:r=10:d=12', '-f', 'lavfi', '-i', 'sine=d=12'];
  const codecs = ['-c:v', 'mpeg4', '-q:v', '5', '-c:a', 'pcm_s16le'];
  await run('ffmpeg', ['-nostdin', '-v', 'error', ...inputs, ...codecs, clip]);
  service = await startService(null);
});
afterAll(async () => {
  await discard(service);
  await rm(folder, { recursive: true, force: true });
});

async function uploadClip(): Promise<string> {
  const guid = await createVideo(service, 'clip');
  expect((await uploadFile(service, guid, clip)).status).toBe(200);
  return guid;
}

/** Checks that the video exists once, in both rungs, with every frame. */
async function checkClip(guid: string): Promise<void> {
  await untilVideo(service, guid, ({ status }) => status === FINISHED, END_LIMIT_MS);
  expect(await checkWholeVideo(service, guid, { mayBeAway: true })).toMatchObject({
    rungs: [360, 240],
    frames: 120,
    segments: 3,
  });
}

test.each([
  { victim: 'the worker', command: 'role.ts worker' },
  { victim: 'an encoder', command: 'ffmpeg' },
  { victim: 'PostgreSQL', command: 'postgres -D' },
])(
  'kill -9 of $victim in mid-encode: the video is finished once without leftovers',
  async ({ command }) => {
    const guid = await uploadClip();
    // Suspending the encoders ensures that one is running when the victim is killed, at any machine speed.
    const encoders = await freezeEncoders(service.pid);
    const victims = await findProcesses(service, command);
    killAll(victims);
    thawEncoders(encoders);
    await untilGone([...victims.map(({ pid }) => pid), ...(command === 'role.ts worker' ? encoders : [])]);
    await untilWell(Number(new URL(service.apiUrl).port));
    await checkClip(guid);
    await expectNothingLeft(service);
  },
  3 * END_LIMIT_MS,
);

/** Acknowledged calls of the client, whose results must survive all kills. */
type Ledger = { created: Set<string>; uploaded: Set<string>; deleted: Set<string> };

/** Creates, uploads and deletes videos until the service is killed, and records each response. */
async function keepBusy(random: Random, ledger: Ledger, isOver: () => boolean): Promise<void> {
  const noise = path.join(folder, 'noise.mp4');
  await writeFile(noise, drawBytes(random, 300_000));
  while (!isOver()) {
    try {
      const guid = await createVideo(service, 'noise');
      ledger.created.add(guid);
      if ((await uploadFile(service, guid, noise)).status === 200) ledger.uploaded.add(guid);
      await sleep(random.below(PAUSE_MS));
      if (random.below(3) > 0) continue;
      ledger.created.delete(guid);
      await call(service, 'DELETE', `/library/1/videos/${guid}`);
      ledger.deleted.add(guid);
    } catch {
      // Without a response, the action may have happened or not.
      await sleep(5);
    }
  }
}

async function checkLedger({ created, uploaded, deleted }: Ledger): Promise<void> {
  for (const guid of created) {
    const isEnded = async () => [0, FAILED].includes((await getVideo(service, guid)).status);
    await expect.poll(isEnded, { timeout: END_LIMIT_MS }).toBe(true);
    // An acknowledged upload of random bytes ends as failed, and never returns to its first state.
    if (uploaded.has(guid)) expect((await getVideo(service, guid)).status).toBe(FAILED);
  }
  for (const guid of deleted) {
    await expect(getVideo(service, guid)).rejects.toThrow('404');
  }
}

test(
  `after kill -9 of all processes at random moments, the next start keeps every promise (seed ${seed})`,
  async () => {
    const random = seededRandom(seed);
    for (let round = 0; round < ROUNDS; round += 1) {
      const ledger: Ledger = { created: new Set(), uploaded: new Set(), deleted: new Set() };
      let isOver = false;
      const guid = await uploadClip();
      const busy = keepBusy(random, ledger, () => isOver);
      await sleep(random.below(4_000));
      await killTree(service);
      isOver = true;
      await busy;
      service = await startService(service.dataDir);
      await checkClip(guid);
      await checkLedger(ledger);
      await expectNothingLeft(service);
    }
  },
  ROUNDS * 3 * END_LIMIT_MS,
);
