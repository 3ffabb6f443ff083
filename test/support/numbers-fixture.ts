import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { expect } from 'vitest';
import { untilGone, untilWell } from '../house/service.ts';
import { freezeCluster } from './freeze-database.ts';
import type { Random } from './seeded-random.ts';
import { discard, type Service, startService } from './service.ts';
import { findProcesses, killAll } from './service-processes.ts';
import { createVideo, FINISHED, untilVideo, uploadFile } from './videos.ts';
import { openViewer, readNumbers, type TestViewer } from './viewers.ts';

/** Timeout against hangs. */
const SETTLE_MS = 60_000;
const VIEWERS = 4;

/** Parts of a service that may be killed, identified by their command lines. */
export const VICTIMS = ['role.ts edge', 'role.ts api', 'role.ts worker', 'postgres -D'] as const;

/** A service with a video, and viewers who are counted while faults occur. */
export type NumbersFixture = {
  /**
   * Lets viewers watch during `fault`. Afterwards, checks that the statistics count their watched time exactly once.
   */
  watchThrough(fault: () => Promise<void>): Promise<void>;
  /** Kills a process of the service with -9. Resolves when the service works again. */
  kill(victim: (typeof VICTIMS)[number]): Promise<void>;
  /** Suspends all PostgreSQL processes. Returns how many requests of a player failed in that time. */
  takeDatabaseAway(forMs: number): Promise<number>;
  close(): Promise<void>;
};

export async function openNumbersFixture(random: Random): Promise<NumbersFixture> {
  const folder = await mkdtemp(path.join(tmpdir(), 'millrace-numbers-'));
  const clip = path.join(folder, 'clip.mp4');
  const input = ['-f', 'lavfi', '-i', 'testsrc2=s=320x180:r=25:d=8'];
  const codec = ['-c:v', 'libx264', '-preset', 'ultrafast', '-g', '50', '-pix_fmt', 'yuv420p'];
  await promisify(execFile)('ffmpeg', ['-nostdin', '-v', 'error', ...input, ...codec, clip]);
  const service = await startService(null);
  const close = async () => {
    await discard(service);
    await rm(folder, { recursive: true, force: true });
  };
  const guid = await uploadClip(service, clip).catch(async (error: unknown) => {
    await close();
    throw error;
  });
  return {
    watchThrough: (fault) => watchThrough({ service, guid, random }, fault),
    async kill(victim) {
      const victims = await findProcesses(service, victim);
      killAll(victims);
      await untilGone(victims.map(({ pid }) => pid));
      await untilWell(Number(new URL(service.apiUrl).port));
    },
    takeDatabaseAway: (forMs) => playWithoutDatabase({ service, guid }, forMs),
    close,
  };
}

async function uploadClip(service: Service, clip: string): Promise<string> {
  const guid = await createVideo(service, 'clip');
  expect((await uploadFile(service, guid, clip)).status).toBe(200);
  await untilVideo(service, guid, ({ status }) => status === FINISHED);
  return guid;
}

type Watched = { service: Service; guid: string };

async function watchThrough(
  { service, guid, random }: Watched & { random: Random },
  fault: () => Promise<void>,
): Promise<void> {
  const before = (await readNumbers(service, guid)).video;
  const views = before.views + VIEWERS + 1;
  const here: TestViewer[] = [];
  const [, , segmentUrl = ''] = await findMedia({ service, guid });
  const begin = async () => {
    const viewer = await openViewer(service, guid, segmentUrl);
    here.push(viewer);
    viewer.watch();
    return viewer;
  };
  try {
    const early = await begin();
    const viewers = await Promise.all(Array.from({ length: VIEWERS }, begin));
    await sleep(random.between(1_200, 2_500));
    const earlySec = await early.leave();
    // A viewer who has left cannot resend a lost second, so this waits until it is counted.
    const isCounted = async () => (await readNumbers(service, guid)).video;
    const least = before.watchSec + earlySec;
    await expect.poll(async () => (await isCounted()).views, { timeout: SETTLE_MS }).toBe(views);
    await expect.poll(async () => (await isCounted()).watchSec, { timeout: SETTLE_MS }).toBeGreaterThanOrEqual(least);
    await sleep(random.below(1_200));
    await fault();
    await sleep(random.below(1_000));
    const watched = await Promise.all(viewers.map((viewer) => viewer.leave()));
    const expected = { views, watchSec: least + watched.reduce((sum, sec) => sum + sec, 0) };
    const same = { daily: expected, hourly: expected, video: expected };
    await expect.poll(() => readNumbers(service, guid), { timeout: SETTLE_MS }).toEqual(same);
  } finally {
    await Promise.all(here.map((viewer) => viewer.abandon()));
  }
}

async function playWithoutDatabase({ service, guid }: Watched, forMs: number): Promise<number> {
  const urls = await findMedia({ service, guid });
  const goOn = freezeCluster(path.join(service.dataDir, 'postgres'));
  const endMs = performance.now() + forMs;
  let failed = 0;
  try {
    while (performance.now() < endMs) {
      const answers = await Promise.allSettled(urls.map((url) => readWhole(url)));
      failed += answers.filter((answer) => answer.status === 'rejected').length;
      await sleep(50);
    }
  } finally {
    goOn();
  }
  return failed;
}

/** Fetches the playlists of a video and the first segment once, and returns their URLs. */
async function findMedia({ service, guid }: Watched): Promise<string[]> {
  const master = `${service.edgeUrl}/vz-1/${guid}/playlist.m3u8`;
  const firstOf = async (url: string) => new URL(/^(?!#).+$/m.exec(await readWhole(url))?.[0] ?? '', url).href;
  const media = await firstOf(master);
  const segment = await firstOf(media);
  await readWhole(segment);
  return [master, media, segment];
}

async function readWhole(url: string): Promise<string> {
  const response = await fetch(url, { signal: AbortSignal.timeout(20_000) });
  const text = await response.text();
  if (response.status !== 200) throw new Error(`Expected 200 for ${url}, got ${response.status}.`);
  return text;
}
