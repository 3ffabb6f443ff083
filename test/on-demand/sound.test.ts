import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { promisify } from 'node:util';
import { sql } from 'kysely';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import type { MediaKey } from '../../src/catalog/db.ts';
import type { TestEdge } from '../delivery/start-test-edge.ts';
import { checkObjects } from '../jobs/check-video.ts';
import { encodersOf, ffmpegsOf, readCpuSec } from '../jobs/encoders.ts';
import { loadChunks, loadRenditions, makeClip, until, type Worker, type WorkerSlots } from '../jobs/worker-fixture.ts';
import { decodeRaw, forever } from '../support/media/run-clip.ts';
import { seededRandom } from '../support/seeded-random.ts';
import { readSegmentTimes } from '../support/whole-video/read-moof.ts';
import {
  addOnDemandLibrary,
  countOpen,
  drop,
  fetchFile,
  fetchPatiently,
  type OnDemandFixture,
  segmentUrl,
  startOnDemandFixture,
  uploadReady,
} from './on-demand-fixture.ts';

const run = promisify(execFile);

const VIEWER_SLOTS = 2;
/** Runs only the tasks that make a video playable and those that viewers request. */
const NOTHING_ELSE: WorkerSlots = { quickSlots: 4, longSlots: 0, viewerSlots: VIEWER_SLOTS };

let fixture: OnDemandFixture;
let edge: TestEdge;
let libraryId: number;
let worker: Worker;
beforeAll(async () => {
  fixture = await startOnDemandFixture();
  libraryId = await addOnDemandLibrary(fixture, [240]);
});
beforeEach(async () => {
  edge = await fixture.edgeFixture.start({ storage: fixture.storage });
  worker = await fixture.startWorker(NOTHING_ELSE);
});
afterEach(async () => {
  await edge.close();
  await worker.stop();
});
afterAll(() => fixture.stop());

/** Uploads a video and waits until its quick encode tasks have finished. Tasks for long slots wait. */
async function uploadQuick(clip: string): Promise<MediaKey> {
  const key = await uploadReady(fixture, libraryId, clip);
  const tasks = sql<{ open: number }>`select count(*)::int as open from encode_task where media_id = ${key.mediaId}
    and queue = 'quick' and state in ('waiting', 'running')`;
  await until(
    async () => (await tasks.execute(fixture.database.db)).rows[0]?.open === 0,
    'its first encode tasks to be over',
  );
  return key;
}

const LONG_SEC = 7200;
const PART_SEC = 120;
/** A cheap part of a long film: few and small frames, and audio that needs no encoder. */
const PART = [
  ...['-f', 'lavfi', '-i', `testsrc=s=64x48:r=1:d=${PART_SEC}`],
  ...['-f', 'lavfi', '-i', `sine=sample_rate=8000:d=${PART_SEC}`],
  ...['-c:v', 'mpeg4', '-g', '10', '-c:a', 'pcm_mulaw'],
];
const SEEKS = 6;
/**
 * Maximum numbers of segments that a seek encodes. A request for a video segment also covers the next one. Audio
 * segments are encoded in groups of eight.
 */
const MAX_FRAMES_PER_SEEK = 2;
const MAX_AUDIO_FRAMES_PER_SEEK = 8;
const SOUND_SEGMENT_TICKS = 188 * 1024;

test('each of many seeks through two hours returns video and audio, and no encoder remains', async () => {
  const part = await makeClip(fixture, 'part.avi', ...PART);
  const again = String(LONG_SEC / PART_SEC - 1);
  const clip = await makeClip(fixture, 'long.avi', '-stream_loop', again, '-i', part, '-c', 'copy');
  const key = await uploadQuick(clip);
  const [picture, sound] = await loadRenditions(fixture, key);
  if (picture === undefined || sound === undefined) throw new Error('Expected video and audio.');
  const before = await countSegments(key);
  const random = seededRandom(7);
  const wholeSoundCpuSec = await measureWholeSound(clip);
  const cpuBeforeSec = childrenCpuSec();
  /** CPU time of encoders killed within their sandbox, which no sum of children includes. */
  const cpuSecOf = new Map<number, number>();
  for (let seek = 0; seek < SEEKS; seek += 1) {
    // Seeks to an intermediate position first, and disconnects from it immediately.
    const passing = new AbortController();
    const passed = segmentUrl(edge, key, picture.id, random.below(LONG_SEC / 4));
    const left = fetchFile(passed, passing.signal).catch(() => null);
    await until(async () => (await countOpen(fixture, key)).requests > 0, 'the request to be noticed');
    passing.abort();
    await left;
    const atSec = random.below(LONG_SEC);
    const [pictures, sounds] = [Math.floor(atSec / 4), Math.floor((atSec * 48_000) / SOUND_SEGMENT_TICKS)];
    const [seen, heard] = await Promise.all([
      fetchPatiently(segmentUrl(edge, key, picture.id, pictures)),
      fetchPatiently(segmentUrl(edge, key, sound.id, sounds)),
    ]);
    expect(readSegmentTimes(seen).baseTick).toBe(pictures * 4 * picture.timescale);
    expect(readSegmentTimes(heard).baseTick).toBe(sounds * SOUND_SEGMENT_TICKS);
    for (const encoder of ffmpegsOf(process.pid)) cpuSecOf.set(encoder, readCpuSec(encoder));
    // An encoder that was stopped may be visible for a moment. One that waits for viewers waits longer than this.
    await until(async () => ffmpegsOf(process.pid).length <= VIEWER_SLOTS, 'no more encoders than slots', 10);
  }
  await edge.close();
  await until(async () => encodersOf(process.pid).length === 0, 'no encoder');
  await until(async () => (await countOpen(fixture, key)).runs === 0, 'no run');
  expect(await countOpen(fixture, key)).toMatchObject({ requests: 0 });
  const after = await countSegments(key);
  expect(after.video - before.video).toBeLessThanOrEqual(2 * SEEKS * MAX_FRAMES_PER_SEEK);
  expect(after.audio - before.audio).toBeLessThanOrEqual(SEEKS * MAX_AUDIO_FRAMES_PER_SEEK);
  // A bound on the order of magnitude: no seek encodes preceding segments or continues to the end.
  const seenCpuSec = [...cpuSecOf.values()].reduce((sum, sec) => sum + sec, 0);
  expect(childrenCpuSec() - cpuBeforeSec + seenCpuSec).toBeLessThan(wholeSoundCpuSec / 3);
  await checkObjects(fixture, key);
  await drop(fixture, key);
});

async function countSegments(key: MediaKey): Promise<{ video: number; audio: number }> {
  const sounds = (await loadRenditions(fixture, key)).filter(({ kind }) => kind === 'audio').map(({ id }) => id);
  const count = { video: 0, audio: 0 };
  for (const chunk of await loadChunks(fixture, key)) {
    count[sounds.includes(chunk.rendition_id) ? 'audio' : 'video'] += chunk.segment_count;
  }
  return count;
}

/** Returns the CPU time for encoding all audio of a clip once on this machine, estimated from a part of it. */
async function measureWholeSound(clip: string): Promise<number> {
  const beforeSec = childrenCpuSec();
  const parts = 72;
  const sound = ['-map', '0:a', '-c:a', 'aac', '-ac', '2', '-ar', '48000', '-threads', '1', '-f', 'null', '-'];
  await run('ffmpeg', ['-nostdin', '-v', 'error', '-t', `${LONG_SEC / parts}`, '-i', clip, ...sound]);
  return (childrenCpuSec() - beforeSec) * parts;
}

/**
 * Returns the CPU time of all exited children and their descendants in seconds, from fields 16 and 17 of
 * proc_pid_stat(5), which are in hundredths of a second.
 */
function childrenCpuSec(): number {
  const fields = readFileSync('/proc/self/stat', 'utf8').split(') ')[1]?.split(' ') ?? [];
  return (Number(fields[13]) + Number(fields[14])) / 100;
}

test('audio encoded on demand and audio encoded in the background form one track', async () => {
  const tone = ['-f', 'lavfi', '-i', 'sine=f=300:sample_rate=44100:d=100'];
  const pictures = ['-f', 'lavfi', '-i', 'testsrc=s=64x48:r=5:d=100', '-c:v', 'mpeg4', '-g', '10'];
  const key = await uploadQuick(await makeClip(fixture, 'tone.avi', ...tone, ...pictures, '-c:a', 'pcm_s16le'));
  const sound = (await loadRenditions(fixture, key)).find(({ kind }) => kind === 'audio');
  if (sound === undefined) throw new Error('Expected audio.');
  // The first 16 of 25 exist. The others wait for a slot that this worker does not have.
  for (const segment of [24, 18]) await fetchPatiently(segmentUrl(edge, key, sound.id, segment));
  await until(async () => (await countOpen(fixture, key)).runs === 0, 'no run');
  await worker.stop();
  const listSound = async () =>
    (await loadChunks(fixture, key))
      .filter((chunk) => chunk.rendition_id === sound.id)
      .flatMap(({ first_segment: first, segment_count: count }) => Array.from({ length: count }, (_, n) => first + n));
  // The run that viewers started continues from 18 to the end.
  expect((await listSound()).filter((segment) => segment > 15)).toEqual([18, 19, 20, 21, 22, 23, 24]);
  worker = await fixture.startWorker({ quickSlots: 1, longSlots: 1, viewerSlots: 1 });
  const isFinished = async () =>
    (await loadRenditions(fixture, key)).some((one) => one.id === sound.id && one.state === 'finished');
  await until(isFinished, 'the sound to be finished');
  const chunks = (await loadChunks(fixture, key)).filter((chunk) => chunk.rendition_id === sound.id);
  expect(await listSound()).toEqual(Array.from({ length: 25 }, (_, segment) => segment));
  const bytes = await Promise.all(chunks.map((chunk) => fixture.storage.readBytes(chunk.storage_key, null, forever)));
  const pcm = await decodeRaw(Buffer.concat([sound.init ?? Buffer.alloc(0), ...bytes]), 'a');
  const samples = new Float32Array(pcm.buffer, pcm.byteOffset, pcm.length / 4);
  // A tone of 300 Hz at one eighth rises by at most 0.005 from one sample to the next. A click rises by more.
  const steps = samples.map((sample, index) => Math.abs(sample - (samples[index - 1] ?? sample)));
  expect(steps.slice(4096, -4096).reduce((high, step) => Math.max(high, step), 0)).toBeLessThan(0.01);
});
