import { spawn } from 'node:child_process';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { FlvTag } from '../../src/media/live/flv/flv-tag.ts';
import { measureAvSync } from '../support/av-sync.ts';
import { endWithTest } from '../support/end-with-test.ts';
import { makeSyncClip, publishWithGaps } from './gap-publisher.ts';
import { type LiveFixture, openLiveFixture } from './live-fixture.ts';
import { playLive, readPlayback } from './live-player.ts';
import { ended, framesOf, readText, startLive, until } from './live-service.ts';
import { playUntil, reasonOf, recordingOf } from './odd-stream.ts';
import { readPeriods } from './read-recording.ts';
import { AAC, H264, HEVC, joinTags, makeHeAacClip, makeHeAacTags, makeTags, publishTags } from './tag-publisher.ts';

const MAX_OFFSET_MS = 20;
const RATE = 30;
const LENGTH_SEC = 10;
/** A number of whole GOPs. */
const HALF_SEC = 4;

/** Two frames of AAC at 44.1 kHz, and the distance that hls.js adds: at least 0.1 s, and 0.05 s after the hole. */
const MAX_HOP_SEC = 0.1 + 0.05 + (2 * 1_024) / 44_100;

let fixture: LiveFixture;
beforeAll(async () => {
  fixture = await openLiveFixture({ MILLRACE_LIVE_CORES: '0' });
});
afterAll(() => fixture.close());

/** Returns the seconds that the player jumped over a hole, or null for another fault. */
function readHop(fault: string): number | null {
  const [, from, to] = /^bufferSeekOverHole .*seeking from ([\d.]+) to ([\d.]+)/.exec(fault) ?? [];
  return from === undefined ? null : Number(to) - Number(from);
}

const only = (type: 8 | 9, tags: readonly FlvTag[]) => tags.filter((tag) => tag.type === type);
const isHead = ({ body }: FlvTag) => body.readUInt8(1) === 0;
const isKeyframe = ({ type, body }: FlvTag) => type === 9 && body.readUInt8(0) === 0x17 && body.readUInt8(1) === 1;
const plain = () => makeTags('plain', { lengthSec: LENGTH_SEC, argv: [...H264, ...AAC] });

/** Repeats both sequence headers before each keyframe. `change` alters the one of the video. */
async function repeated(change: (body: Buffer, count: number) => Buffer): Promise<FlvTag[]> {
  const tags = await plain();
  const heads = tags.filter(isHead);
  let count = 0;
  return tags.flatMap((tag) => {
    if (!isKeyframe(tag)) return [tag];
    count += 1;
    const again = heads.map((head) => ({
      ...head,
      timestampMs: tag.timestampMs,
      body: head.type === 9 ? change(Buffer.from(head.body), count) : head.body,
    }));
    return [...again, tag];
  });
}

/** Clears the reserved bits of an AVCDecoderConfigurationRecord in every second header. */
function clearReserved(body: Buffer, count: number): Buffer {
  if (count % 2 === 1) body.writeUInt8(body.readUInt8(9) & 3, 9);
  return body;
}

test.each<{ title: string; tags: () => Promise<FlvTag[]> }>([
  {
    title: 'HE-AAC of two channels, implicit signalling',
    tags: async () => [...only(9, await plain()), ...(await makeHeAacTags(LENGTH_SEC, 2))],
  },
  {
    title: 'HE-AAC of one channel, implicit signalling',
    tags: async () => [...only(9, await plain()), ...(await makeHeAacTags(LENGTH_SEC, 1))],
  },
  {
    title: 'sequence headers that are 1.5 s late',
    tags: async () => (await plain()).map((tag) => (isHead(tag) ? { ...tag, timestampMs: 1_500 } : tag)),
  },
  { title: 'sequence headers in each GOP', tags: () => repeated((body) => body) },
  { title: 'sequence headers in each GOP with other reserved bits', tags: () => repeated(clearReserved) },
])(
  'RTMP plays without a fault in one period, and the recording is in sync: $title',
  async ({ tags }) => {
    const stream = await startLive(fixture);
    const sent = await publishTags(stream.ingest, await tags());
    expect(await playUntil(fixture, { stream, sec: LENGTH_SEC - 3, sent })).toEqual([]);
    const recording = await recordingOf(fixture, stream);
    expect((await readText(recording))?.match(/#EXT-X-MAP/g)).toHaveLength(1);
    const { largestMs, points, soundHoles, pictureHoles } = await measureAvSync(`${stream.base}/playlist.m3u8`);
    expect(points.length).toBeGreaterThan(5);
    expect(largestMs).toBeLessThan(MAX_OFFSET_MS);
    expect([...soundHoles, ...pictureHoles]).toEqual([]);
  },
  120_000,
);

test('HE-AAC over SRT plays without a fault, and the recording is in sync', async () => {
  const clip = await makeHeAacClip(LENGTH_SEC, 2);
  const stream = await startLive(fixture);
  const address = `srt://127.0.0.1:${stream.listeners.srt}?streamid=${stream.streamKey}&latency=1000000`;
  const argv = ['-nostdin', '-v', 'error', '-re', '-i', clip, '-c', 'copy', '-f', 'mpegts', address];
  const publisher = endWithTest(spawn('ffmpeg', argv, { stdio: 'ignore' }));
  const sent = async () => void (await ended(publisher));
  expect(await playUntil(fixture, { stream, sec: LENGTH_SEC - 3, sent })).toEqual([]);
  await recordingOf(fixture, stream);
  const before = await measureAvSync(clip);
  const { points, soundHoles } = await measureAvSync(`${stream.base}/playlist.m3u8`);
  const [from, to] = [before, { points }].map((one) => one.points.at(-1)?.offsetMs ?? Number.NaN);
  expect(Math.abs((to ?? Number.NaN) - (from ?? Number.NaN))).toBeLessThan(MAX_OFFSET_MS);
  expect(soundHoles).toEqual([]);
}, 120_000);

test.each([
  { title: 'a larger picture', before: [...H264, ...AAC], after: [...H264, ...AAC], size: '640x360' },
  {
    title: 'another profile',
    before: [...H264, '-profile:v', 'baseline', '-bf', '0', ...AAC],
    after: [...H264, ...AAC],
  },
  { title: '48 instead of 44.1 kHz', before: [...H264, ...AAC, '-ar', '44100'], after: [...H264, ...AAC] },
  { title: 'two channels instead of one', before: [...H264, ...AAC, '-ac', '1'], after: [...H264, ...AAC] },
])(
  'an encoder that changes during the session loses no frame: $title',
  async ({ title, before, after, size = '320x180' }) => {
    const parts = [
      await makeTags(`${title}-before`, { lengthSec: HALF_SEC, argv: before }),
      await makeTags(`${title}-after`, { lengthSec: HALF_SEC, argv: after, size }),
    ];
    const stream = await startLive(fixture);
    const tags = joinTags(parts.map((one, index) => ({ fromMs: index * HALF_SEC * 1_000, tags: one })));
    const sent = await publishTags(stream.ingest, tags);
    const faults = await playUntil(fixture, { stream, sec: HALF_SEC + 2, sent });
    // Audio of the next period begins with its own frame, up to two frames after the end of the one before.
    const hops = faults.flatMap((fault) => readHop(fault) ?? []);
    expect(hops.length).toBeLessThanOrEqual(1);
    for (const hopSec of hops) expect(hopSec).toBeLessThan(MAX_HOP_SEC);
    expect(faults.filter((fault) => readHop(fault) === null)).toEqual([]);
    const counted = await readPeriods(await recordingOf(fixture, stream), framesOf);
    expect(counted.map(({ errors }) => errors)).toEqual(['', '']);
    expect(counted.reduce((sum, { videoFrames }) => sum + videoFrames, 0)).toBe(2 * HALF_SEC * RATE);
  },
  120_000,
);

test('an SRT encoder that returns within a GOP continues the period', async () => {
  const stream = await startLive(fixture);
  const address = `srt://127.0.0.1:${stream.listeners.srt}?streamid=${stream.streamKey}`;
  const clip = await makeSyncClip();
  const first = publishWithGaps(address, clip);
  const multivariant = `${stream.base}/playlist.m3u8`;
  await until(() => readText(multivariant), 'a playlist');
  const page = await playLive(fixture.browser, fixture.service.edgeUrl, multivariant);
  const played = (sec: number) =>
    until(async () => ((await readPlayback(page)).timeSec >= sec ? true : null), `${sec} s of playback`, 60_000);
  await played(4);
  first.kill('SIGKILL');
  await ended(first);
  const { timeSec } = await readPlayback(page);
  // Leaves out the first keyframe. The next one follows after 2 s, with the parameter sets.
  const second = publishWithGaps(address, clip, { video: [[0, 0.1]] });
  await played(timeSec + 8);
  const { holes } = await readPlayback(page);
  await page.close();
  second.kill('SIGKILL');
  await ended(second);
  expect(holes).toEqual([]);
  expect((await readText(await recordingOf(fixture, stream)))?.match(/#EXT-X-MAP/g)).toHaveLength(1);
  const { largestMs, soundHoles } = await measureAvSync(multivariant);
  expect(largestMs).toBeLessThan(MAX_OFFSET_MS);
  expect(soundHoles).toEqual([]);
}, 120_000);

test('HEVC over enhanced RTMP is recorded in sync, and the status reports which players cannot play it', async () => {
  const stream = await startLive(fixture);
  const sent = await publishTags(
    stream.ingest,
    await makeTags('hevc', { lengthSec: LENGTH_SEC, argv: [...HEVC, ...AAC] }),
  );
  expect(await reasonOf(fixture, stream)).toMatch(/^The video is HEVC: browsers without an HEVC decoder/);
  expect(await readText(`${stream.base}/playlist.m3u8`)).toMatch(/CODECS="hvc1\.1\.6\.L60[^,]*,mp4a\.40\.2"/);
  await sent();
  await recordingOf(fixture, stream);
  const { largestMs, points, pictures } = await measureAvSync(`${stream.base}/playlist.m3u8`);
  expect([points.length, pictures.length]).toEqual([LENGTH_SEC - 1, LENGTH_SEC * RATE]);
  expect(largestMs).toBeLessThan(MAX_OFFSET_MS);
}, 120_000);

test('the status reports VP9 over enhanced RTMP, which is left out', async () => {
  const stream = await startLive(fixture);
  const tags = (await plain()).map((tag) => {
    const head = Buffer.from([isKeyframe(tag) || isHead(tag) ? 0x90 : 0xa0, ...Buffer.from('vp09')]);
    return tag.type === 8 ? tag : { ...tag, body: Buffer.concat([head, tag.body.subarray(5)]) };
  });
  await publishTags(stream.ingest, tags);
  expect(await reasonOf(fixture, stream)).toMatch(
    /The picture is left out: expected H.264, HEVC or AV1 over RTMP, got VP9/,
  );
}, 60_000);

test('a change from H.264 to HEVC is recorded completely, and the status reports it', async () => {
  const parts = [
    await makeTags('change-h264', { lengthSec: HALF_SEC, argv: [...H264, ...AAC] }),
    await makeTags('change-hevc', { lengthSec: HALF_SEC, argv: [...HEVC, ...AAC] }),
  ];
  const stream = await startLive(fixture);
  const tags = joinTags(parts.map((one, index) => ({ fromMs: index * HALF_SEC * 1_000, tags: one })));
  const sent = await publishTags(stream.ingest, tags);
  expect(await reasonOf(fixture, stream)).toMatch(/The video is HEVC/);
  await sent();
  const counted = await readPeriods(await recordingOf(fixture, stream), framesOf);
  expect(counted.map(({ video, videoFrames }) => [video, videoFrames])).toEqual([
    ['h264', HALF_SEC * RATE],
    ['hevc', HALF_SEC * RATE],
  ]);
}, 120_000);
