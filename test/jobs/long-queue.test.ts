import { stat } from 'node:fs/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { MediaKey } from '../../src/catalog/db.ts';
import { saveTimeline } from '../../src/catalog/lifecycle/plan-store.ts';
import { refreshProgress } from '../../src/catalog/tasks/claim-store.ts';
import { claimNext, MIN_PRIORITY, writeProgress } from '../../src/catalog/tasks/task-store.ts';
import { describeOutlook } from '../../src/catalog/videos/outlook.ts';
import { loadOutlook } from '../../src/catalog/videos/outlook-store.ts';
import { planVideo } from '../../src/jobs/planning/plan-video.ts';
import { newGuid } from '../../src/lib/guid.ts';
import { probeSource } from '../../src/media/probe/run-probe.ts';
import type { SourceFacts } from '../../src/media/probe/source-facts.ts';
import { addLibrary, loadMedia, makeClip, startWorkerFixture, type WorkerFixture } from './worker-fixture.ts';

const HOUR_SEC = 3600;

let fixture: WorkerFixture;
let libraryId: number;
let facts: SourceFacts;
beforeAll(async () => {
  fixture = await startWorkerFixture();
  libraryId = await addLibrary(fixture);
  const inputs = ['-f', 'lavfi', '-i', 'testsrc2=s=1920x1080:r=25:d=0.2', '-f', 'lavfi', '-i', 'sine=d=0.2'];
  const clip = await makeClip(fixture, 'long.mkv', ...inputs, '-c:v', 'mpeg4', '-c:a', 'aac');
  const probed = await probeSource(clip, (await stat(clip)).size, new AbortController().signal);
  if ('kind' in probed) throw new Error(probed.message);
  facts = probed;
});
afterAll(() => fixture.stop());

/** Plans a video of a given duration as if it had been probed. */
async function plan(durationSec: number): Promise<MediaKey> {
  const key = { libraryId, mediaId: newGuid() };
  const video = facts.video === null ? null : { ...facts.video, durationSec };
  const planned = planVideo({
    key,
    facts: { ...facts, durationSec, video, audio: facts.audio.map((track) => ({ ...track, durationSec })) },
    ladder: { allowedRungs: [240, 360, 480, 720, 1080] },
    codecs: ['h264'],
    loudnessTargetLufs: null,
    hasAllAudioTracks: true,
    hasSurround: false,
    sourceKey: null,
    addedTracks: [],
    passThrough: null,
    isReplacement: false,
    isOnDemand: false,
    watermark: null,
    messages: [],
    now: new Date(),
  });
  await fixture.database.db.transaction().execute(async (tx) => {
    const media = { library_id: libraryId, id: key.mediaId, type: 'video', title: 'T', state: 'transcoding' } as const;
    await tx.insertInto('media').values(media).execute();
    for (const timeline of planned.timelines) await saveTimeline(tx, key, timeline);
  });
  return key;
}
const outlook = async (key: MediaKey) => describeOutlook(await loadOutlook(fixture.database.db, key));

test('with 100 hours of work queued, videos show estimates and progress, and short videos go first', async () => {
  const long: MediaKey[] = [];
  for (let n = 0; n < 10; n += 1) long.push(await plan(10 * HOUR_SEC));
  const short = await plan(60);
  const { db } = fixture.database;
  const etas = await Promise.all(long.map(async (key) => (await outlook(key)).etaSec ?? 0));
  // Each has an estimated end, in queue order, and all work is counted once.
  for (const eta of etas) expect(eta).toBeGreaterThan(HOUR_SEC);
  expect(etas.toSorted((a, b) => a - b)).toEqual(etas);
  const first = await outlook(short);
  expect(first.etaSec).toBeLessThan((etas[0] ?? 0) / 20);
  expect(first.message).toMatch(/^Next in the queue|^Waiting for/);
  const tasks = await db.selectFrom('encode_task').selectAll().where('queue', '=', 'long').execute();
  const options = {
    queue: 'long',
    owner: 'test',
    leaseSec: 30,
    leastPriority: MIN_PRIORITY,
    withoutMedia: [],
  } as const;
  const claim = await claimNext(db, options);
  if (claim === null) throw new Error('Expected a claim.');
  expect(claim.task.key.mediaId).toBe(short.mediaId);
  // A task of a long video covers at most half a minute of it, and reports its progress every few seconds.
  const [own] = tasks.filter(({ media_id: id, kind }) => id === long[0]?.mediaId && kind === 'video').slice(-1);
  expect((own?.to_segment ?? 0) - (own?.from_segment ?? 0)).toBeLessThanOrEqual(9);
  await refreshProgress(db, short);
  expect(await writeProgress(db, [{ claim, fraction: 0.5, written: 0 }])).toEqual(new Set([claim.task.id]));
  expect((await loadMedia(fixture, short)).encode_progress).toBeGreaterThan(0);
});
