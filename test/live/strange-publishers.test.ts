import { execFile, spawn } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { FlvTag } from '../../src/media/live/flv/flv-tag.ts';
import { measureAvSync, syncSourceArgv } from '../support/av-sync.ts';
import { endWithTest } from '../support/end-with-test.ts';
import { onceARun } from '../support/once-a-run.ts';
import { openRtmpPublisher } from '../support/rtmp-publisher.ts';
import { makeSyncClip } from './gap-publisher.ts';
import { type LiveFixture, openLiveFixture } from './live-fixture.ts';
import { ended, framesOf, readText, startLive, type TestStream, until } from './live-service.ts';
import { playUntil, reasonOf, recordingOf, statusOf } from './odd-stream.ts';
import { readPeriods } from './read-recording.ts';
import { AAC, H264, HEVC, makeHeAacTags, makeTags, publishTags, writeFlvFile } from './tag-publisher.ts';

const MAX_OFFSET_MS = 20;
const RATE = 30;
const LENGTH_SEC = 10;

let fixture: LiveFixture;
beforeAll(async () => {
  fixture = await openLiveFixture({ MILLRACE_LIVE_CORES: '0', MILLRACE_OUTBOUND_ALLOW: '127.0.0.0/8' });
});
afterAll(() => fixture.close());

const plain = () => makeTags('plain', { lengthSec: LENGTH_SEC, argv: [...H264, ...AAC] });
const isHead = ({ body }: FlvTag) => body.readUInt8(1) === 0;

/** Sends all media later than it is shown: composition offsets increase by 0.9 s, like the times of the audio. */
function shownLate(tags: readonly FlvTag[]): FlvTag[] {
  return tags.map((tag) => {
    if (isHead(tag)) return tag;
    if (tag.type === 8) return { ...tag, timestampMs: tag.timestampMs + 900 };
    const body = Buffer.from(tag.body);
    body.writeIntBE(body.readIntBE(2, 3) + 900, 2, 3);
    return { ...tag, body };
  });
}

/** Adds messages without media between the tags, and an empty NAL unit before the NAL units of each frame. */
function withEmpty(tags: readonly FlvTag[]): FlvTag[] {
  return tags.flatMap((tag) => {
    if (isHead(tag)) return [tag];
    const empty = [0, 1, 2, 5].map((size) => ({ ...tag, body: tag.body.subarray(0, size) }));
    const nothing = Buffer.alloc(4);
    const body = tag.type === 8 ? tag.body : Buffer.concat([tag.body.subarray(0, 5), nothing, tag.body.subarray(5)]);
    return [...(tag.type === 8 ? empty.slice(0, 3) : empty), { ...tag, body }];
  });
}

async function withHeAac(channels: 1 | 2, config: Buffer): Promise<FlvTag[]> {
  return [...(await plain()).filter(({ type }) => type === 9), ...(await makeHeAacTags(LENGTH_SEC, channels, config))];
}

/** Frames at irregular intervals of 33 to 200 ms. Those with a flash are among them. */
const IRREGULAR = "select='lt(mod(n\\,30)\\,5)+eq(mod(n\\,6)\\,0)+eq(mod(n\\,7)\\,0)'";

/** `readable` has the same media in a form that ffmpeg can measure, if it cannot measure `tags`. */
type Strange = {
  title: string;
  tags(): Promise<FlvTag[]>;
  readable?(): Promise<FlvTag[]>;
  clockOf?(timestampMs: number): number;
};

const STRANGE: readonly Strange[] = [
  { title: 'timestamps that wrap at 2^32', tags: plain, clockOf: (ms) => 2 ** 32 - 5_000 + ms },
  { title: 'timestamps from 2^31 on', tags: plain, clockOf: (ms) => 2 ** 31 + 7_000 + ms },
  { title: 'composition offsets of 0.9 s and more', tags: async () => shownLate(await plain()) },
  {
    title: 'messages and NAL units without content',
    tags: async () => withEmpty(await plain()),
    readable: plain,
  },
  {
    title: 'mono audio at 22.05 kHz',
    tags: () => makeTags('mono', { lengthSec: LENGTH_SEC, argv: [...H264, '-c:a', 'aac', '-ac', '1', '-ar', '22050'] }),
  },
  {
    title: 'a variable frame rate',
    tags: () =>
      makeTags('vfr', { lengthSec: LENGTH_SEC, argv: ['-vf', IRREGULAR, '-fps_mode', 'vfr', ...H264, ...AAC] }),
  },
  {
    title: 'HE-AAC, explicit signalling',
    // Object type 5: 24 kHz, two channels, extended to 48 kHz, over object type 2.
    tags: () => withHeAac(2, Buffer.from([0x2b, 0x11, 0x88, 0])),
  },
  {
    title: 'HE-AAC v2, explicit signalling',
    // Object type 29: 24 kHz, one channel, extended to 48 kHz, over object type 2.
    tags: () => withHeAac(1, Buffer.from([0xeb, 0x09, 0x88, 0])),
  },
];

/** Returns the offset between audio and video of a source, in ms: encoders of low sample rates add a delay. */
async function ownOffsetOf(title: string, tags: readonly FlvTag[]): Promise<number> {
  const file = await onceARun(`${title.replaceAll(/\W+/g, '-')}.flv`, (place) => writeFile(place, writeFlvFile(tags)));
  return (await measureAvSync(file)).points.at(-1)?.offsetMs ?? Number.NaN;
}

test.each(STRANGE)(
  'RTMP plays without a fault, and its recording and its relay are in sync: $title',
  async ({ title, tags, readable, clockOf }) => {
    const receiver = await startLive(fixture);
    const stream = await startLive(fixture, { relays: [receiver.ingest] });
    const made = await tags();
    const ownMs = await ownOffsetOf(title, readable === undefined ? made : await readable());
    const sent = await publishTags(stream.ingest, made, clockOf);
    expect(await playUntil(fixture, { stream, sec: LENGTH_SEC - 3, sent })).toEqual([]);
    const recording = await recordingOf(fixture, stream);
    expect((await readText(recording))?.match(/#EXT-X-MAP/g)).toHaveLength(1);
    await recordingOf(fixture, receiver);
    for (const { base } of [stream, receiver]) {
      const { points, soundHoles } = await measureAvSync(`${base}/playlist.m3u8`);
      expect(points.length).toBeGreaterThan(3);
      // A relay connects later. Its first flash may be at its start, where a part of the beep is missing.
      const whole = points.filter(({ atSec }) => atSec > 0.1);
      const offsets = whole.map(({ offsetMs }) => Math.abs(offsetMs - ownMs));
      expect(Math.max(...offsets)).toBeLessThan(MAX_OFFSET_MS);
      expect(soundHoles).toEqual([]);
    }
  },
  120_000,
);

/** `linger`: without it, ffmpeg closes the connection before it has sent its last packets. */
const srtOf = ({ listeners, streamKey }: TestStream) =>
  `srt://127.0.0.1:${listeners.srt}?streamid=${streamKey}&latency=1000000&linger=10`;

/** Publishes over SRT in real time. */
function publishSrt(stream: TestStream, input: readonly string[], output: readonly string[] = []) {
  const argv = ['-nostdin', '-v', 'error', '-re', ...input, '-c', 'copy', ...output, '-f', 'mpegts', srtOf(stream)];
  const publisher = endWithTest(spawn('ffmpeg', argv, { stdio: 'ignore' }));
  return async () => void (await ended(publisher));
}

test('SRT whose 33-bit times wrap plays without a fault, and the recording is in sync', async () => {
  const clip = await makeSyncClip();
  const stream = await startLive(fixture);
  // The clock wraps after 95443.7 s. The muxer adds 1.4 s.
  const sent = publishSrt(stream, ['-t', `${LENGTH_SEC}`, '-i', clip], ['-output_ts_offset', '95437']);
  expect(await playUntil(fixture, { stream, sec: LENGTH_SEC - 3, sent })).toEqual([]);
  expect((await readText(await recordingOf(fixture, stream)))?.match(/#EXT-X-MAP/g)).toHaveLength(1);
  const { largestMs, points, soundHoles } = await measureAvSync(`${stream.base}/playlist.m3u8`);
  expect(points.length).toBeGreaterThan(5);
  expect(largestMs).toBeLessThan(MAX_OFFSET_MS);
  expect(soundHoles).toEqual([]);
}, 120_000);

test('SRT whose picture changes its size within a session loses no frame', async () => {
  const halves = await Promise.all(
    ['320x180', '640x360'].map((size) =>
      onceARun(`half-${size}.ts`, async (place) => {
        const argv = [...syncSourceArgv({ lengthSec: 6, size }), ...H264, ...AAC, '-f', 'mpegts', place];
        await promisify(execFile)('ffmpeg', ['-nostdin', '-v', 'error', ...argv]);
      }),
    ),
  );
  const list = await onceARun('halves.txt', (place) =>
    writeFile(place, halves.map((half) => `file '${half}'\n`).join('')),
  );
  const stream = await startLive(fixture);
  const sent = publishSrt(stream, ['-f', 'concat', '-safe', '0', '-i', list]);
  const faults = await playUntil(fixture, { stream, sec: 9, sent });
  // The last packets arrive up to the latency after the publisher has ended.
  const isIdle = async () => (await statusOf(fixture, stream)).transcoding?.state === 'idle';
  await until(async () => ((await isIdle()) ? true : null), 'the state idle');
  expect(faults.filter((fault) => !/^bufferSeekOverHole/.test(fault))).toEqual([]);
  const counted = await readPeriods(await recordingOf(fixture, stream), framesOf);
  expect(counted).toMatchObject([
    { errors: '', videoFrames: 6 * RATE },
    { errors: '', videoFrames: 6 * RATE },
  ]);
}, 120_000);

test.each([
  { codec: 'H.264', argv: H264 },
  { codec: 'HEVC', argv: HEVC },
])(
  'SRT with $codec keeps its last frames',
  async ({ codec, argv }) => {
    const clip = await onceARun(`end-${codec}.ts`, async (place) => {
      const source = [...syncSourceArgv({ lengthSec: 4 }), ...argv, ...AAC, '-f', 'mpegts', place];
      await promisify(execFile)('ffmpeg', ['-nostdin', '-v', 'error', ...source]);
    });
    const stream = await startLive(fixture);
    await publishSrt(stream, ['-i', clip])();
    const isIdle = async () => (await statusOf(fixture, stream)).transcoding?.state === 'idle';
    await until(async () => ((await isIdle()) ? true : null), 'the state idle');
    const [video] = await readPeriods(await recordingOf(fixture, stream), framesOf);
    expect(video).toMatchObject({ errors: '', videoFrames: 4 * RATE });
    const { points } = await measureAvSync(`${stream.base}/playlist.m3u8`);
    expect(points.map(({ atSec }) => Math.round(atSec))).toEqual([1, 2, 3]);
  },
  60_000,
);

test.each([
  { title: 'audio', type: 8 },
  { title: 'video', type: 9 },
])(
  'a track ($title) whose clock stops while it is away plays again without a fault, and the recording is in sync',
  async ({ type }) => {
    const [awayMs, backMs] = [4_000, 8_000];
    const stream = await startLive(fixture);
    const tags = (await makeTags('stopped', { lengthSec: 20, argv: [...H264, '-bf', '0', ...AAC] })).filter(
      (tag) => tag.type !== type || tag.timestampMs < awayMs || tag.timestampMs >= backMs,
    );
    const clockOf = (ms: number, own: number) => (own === type && ms >= backMs ? ms - (backMs - awayMs) : ms);
    const sent = await publishTags(stream.ingest, tags, clockOf);
    expect(await playUntil(fixture, { stream, sec: 16, sent })).toEqual([]);
    await recordingOf(fixture, stream);
    const { points, soundHoles, pictureHoles } = await measureAvSync(`${stream.base}/playlist.m3u8`);
    const late = points.filter(({ atSec }) => atSec * 1_000 > backMs + 2_500);
    expect(late.length).toBeGreaterThan(6);
    expect(Math.max(...late.map(({ offsetMs }) => Math.abs(offsetMs)))).toBeLessThan(MAX_OFFSET_MS);
    expect([soundHoles, pictureHoles.filter(({ fromSec }) => fromSec * 1_000 > backMs + 2_500)]).toEqual([[], []]);
  },
  120_000,
);

test('video without a keyframe for 20 s has a reason, its audio plays, and the recording has both', async () => {
  const tags = await makeTags('late-key', {
    lengthSec: 30,
    argv: [...H264, '-g', '660', '-sc_threshold', '0', ...AAC],
  });
  const isKeyframe = ({ type, body }: FlvTag) => type === 9 && body.readUInt8(0) === 0x17 && body.readUInt8(1) === 1;
  const first = tags.findIndex(isKeyframe);
  const stream = await startLive(fixture);
  const sent = await publishTags(
    stream.ingest,
    tags.filter((_, index) => index !== first),
  );
  expect(await reasonOf(fixture, stream)).toMatch(/waits for a keyframe/);
  await until(() => readText(`${stream.base}/playlist.m3u8`), 'a playlist of the audio', 20_000);
  const isShown = async () => (await readText(`${stream.base}/playlist.m3u8`))?.includes('RESOLUTION=') === true;
  await until(async () => ((await isShown()) ? true : null), 'a playlist with video');
  await until(
    async () => ((await statusOf(fixture, stream)).transcoding?.reason === null ? true : null),
    'the end of the reason',
  );
  await sent();
  const [video] = await readPeriods(await recordingOf(fixture, stream), framesOf);
  expect(video).toMatchObject({ errors: '', videoFrames: 8 * RATE });
}, 120_000);

test('a publisher that sends only metadata has a reason', async () => {
  const stream = await startLive(fixture);
  await openRtmpPublisher(stream.ingest);
  expect(await reasonOf(fixture, stream)).toMatch(/sends no audio or video/);
}, 60_000);
