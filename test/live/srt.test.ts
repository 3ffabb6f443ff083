import { type ChildProcess, spawn } from 'node:child_process';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { stopStream } from '../../src/catalog/live/live-stream.ts';
import { endWithTest } from '../support/end-with-test.ts';
import { discard, type Service, startService } from '../support/service.ts';
import { findProcesses, killAll } from '../support/service-processes.ts';
import {
  ended,
  framesOf,
  type LiveCatalogue,
  makeClip,
  openLiveCatalogue,
  publishByGstreamer,
  readText,
  startLive,
  type TestStream,
  until,
} from './live-service.ts';

let service: Service;
let catalogue: LiveCatalogue;
let clip = '';
beforeAll(async () => {
  [service, clip] = await Promise.all([startService(null, { MILLRACE_OUTBOUND_ALLOW: '127.0.0.0/8' }), makeClip()]);
  catalogue = await openLiveCatalogue(service);
});
afterAll(async () => {
  await catalogue.database.close();
  await discard(service);
});

const srtOf = ({ listeners }: TestStream) => `srt://127.0.0.1:${listeners.srt}`;

const PICTURE = ['-re', '-f', 'lavfi', '-i', 'testsrc2=size=320x180:rate=25'];
const TONE = ['-re', '-f', 'lavfi', '-i', 'sine=frequency=440:sample_rate=48000'];
const H264 = ['-c:v', 'libx264', '-preset', 'ultrafast', '-g', '50', '-bf', '2'];
const HEVC = ['-c:v', 'libx265', '-preset', 'ultrafast', '-x265-params', 'keyint=50:log-level=error'];

function publish(url: string, codecs: readonly string[]): ChildProcess {
  const argv = ['-v', 'error', ...PICTURE, ...TONE, ...codecs, '-f', 'mpegts', url];
  return endWithTest(spawn('ffmpeg', argv, { stdio: ['ignore', 'ignore', 'pipe'] }));
}

/** Waits for two whole segments, stops the stream, and answers codecs and counts of its video. */
async function watched({ key, base }: TestStream, publisher: ChildProcess) {
  await until(async () => {
    const multivariant = await readText(`${base}/playlist.m3u8`);
    const media = /\n(r\/.*\.m3u8)/.exec(multivariant ?? '')?.[1];
    const text = media === undefined ? null : await readText(`${base}/${media}`);
    return (text?.match(/#EXTINF/g)?.length ?? 0) >= 2 ? text : null;
  }, 'two segments');
  await catalogue.streams.change(key, stopStream);
  // srtsink waits for its connection to come back.
  if (publisher.spawnfile.startsWith('gst')) publisher.kill('SIGKILL');
  await ended(publisher);
  return framesOf(`${base}/playlist.m3u8`);
}

const accessControl = (key: string) => `#!::r=${key},m=publish`;

test.each([
  {
    what: 'ffmpeg: H.264 and AAC under the key',
    codecs: [...H264, '-c:a', 'aac'],
    video: 'h264',
    nameOf: accessControl,
  },
  {
    what: 'ffmpeg: HEVC and AC-3 of 5.1 channels',
    codecs: [...HEVC, '-c:a', 'ac3', '-ac', '6'],
    video: 'hevc',
    nameOf: (key: string) => key,
  },
])(
  '$what',
  async ({ codecs, video, nameOf }) => {
    const receiver = await startLive({ service, catalogue });
    const stream = await startLive({ service, catalogue }, { relays: [receiver.ingest] });
    const publisher = publish(`${srtOf(stream)}?streamid=${nameOf(stream.streamKey)}`, codecs);
    const found = await watched(stream, publisher);
    expect(found).toMatchObject({ errors: '', video, audio: 'aac' });
    expect(found.videoFrames).toBeGreaterThanOrEqual(100);
    expect(found.audioFrames).toBeGreaterThanOrEqual(150);
    // What the stream names as its relay got the same by RTMP.
    await catalogue.streams.change(receiver.key, stopStream);
    await until(async () => ((await catalogue.streams.load(receiver.key)).isVideo ? true : null), 'the video');
    expect(await framesOf(`${receiver.base}/playlist.m3u8`)).toMatchObject({ errors: '', video, audio: 'aac' });
  },
  90_000,
);

test("the key as passphrase of the stream's id encrypts; other passphrases and unknown keys are rejected", async () => {
  const stream = await startLive({ service, catalogue });
  const name = `streamid=${stream.key.mediaId}`;
  const said: string[] = [];
  for (const query of [`${name}&passphrase=${'x'.repeat(42)}`, name, 'streamid=bunnylive_0123', 'streamid=']) {
    const refused = publish(`${srtOf(stream)}?${query}`, [...H264, '-c:a', 'aac']);
    refused.stderr?.on('data', (bytes: Buffer) => said.push(bytes.toString()));
    expect(await ended(refused)).not.toBe(0);
  }
  expect(said.join('')).toContain('REJECT');
  expect((await catalogue.streams.load(stream.key)).ingest.primaryLive).toBe(false);
  const publisher = publish(`${srtOf(stream)}?${name}&passphrase=${stream.streamKey}`, [...H264, '-c:a', 'libopus']);
  expect(await watched(stream, publisher)).toMatchObject({ errors: '', video: 'h264', audio: 'aac' });
}, 120_000);

test('GStreamer publishes by srtsink, also after the process that holds libsrt was killed', async () => {
  const stream = await startLive({ service, catalogue });
  const [child] = await findProcesses(service, 'srt-child.ts');
  if (child === undefined) throw new Error('Expected a process that holds libsrt.');
  killAll([child]);
  await until(async () => {
    const [next] = await findProcesses(service, 'srt-child.ts');
    return next !== undefined && next.pid !== child.pid ? next : null;
  }, 'the next process');
  const sink = ['srtsink', 'sync=true', `uri=${srtOf(stream)}?mode=caller`, `streamid=${stream.streamKey}`];
  const publisher = await until(async () => {
    const started = publishByGstreamer(clip, ['mpegtsmux', 'name=mux', 'alignment=7', '!', ...sink]);
    // Until the next process listens libsrt says that nobody is there.
    const isIn = async () => ((await catalogue.streams.load(stream.key)).ingest.primaryLive ? true : null);
    return (await Promise.race([ended(started), until(isIn, 'a publisher')])) === true ? started : null;
  }, 'a publisher that is accepted');
  expect(await watched(stream, publisher)).toMatchObject({ errors: '', video: 'h264', audio: 'aac' });
}, 120_000);
