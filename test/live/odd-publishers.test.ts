import { type ChildProcess, spawn } from 'node:child_process';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { LiveStreamStatusModel } from '../../src/api/models/live-stream.ts';
import type { VideoModel } from '../../src/api/models/video.ts';
import { stopStream } from '../../src/catalog/live/live-stream.ts';
import { silentAacFrame } from '../../src/media/live/tracks/silent-aac.ts';
import { endWithTest } from '../support/end-with-test.ts';
import { checkReloads } from '../support/rfc8216/live/check-reloads.ts';
import { readLivePlaylist } from '../support/rfc8216/live/read-live-playlist.ts';
import { openRtmpPublisher } from '../support/rtmp-publisher.ts';
import { discard, type Service, startService } from '../support/service.ts';
import { collectPlaylists } from './collect-playlists.ts';
import {
  ended,
  framesOf,
  type LiveCatalogue,
  openLiveCatalogue,
  readText,
  startLive,
  type TestStream,
  until,
} from './live-service.ts';

const ACCOUNT_KEY = 'an-account-key-of-this-test';
const RATE = 25;

let service: Service;
let catalogue: LiveCatalogue;
beforeAll(async () => {
  service = await startService(null, { MILLRACE_ACCOUNT_KEY: ACCOUNT_KEY });
  catalogue = await openLiveCatalogue(service);
});
afterAll(async () => {
  await catalogue.database.close();
  await discard(service);
});

/** Publishes a small test pattern and a tone in real time. `codecs` and later arguments are ffmpeg options. */
function send(lengthSec: number, picture: string, output: readonly string[]): ChildProcess {
  const inputs = ['-re', '-f', 'lavfi', '-i', picture, '-f', 'lavfi', '-i', 'sine=frequency=440:sample_rate=48000'];
  const argv = ['-nostdin', '-v', 'error', ...inputs, '-t', `${lengthSec}`, ...output];
  return endWithTest(spawn('ffmpeg', argv, { stdio: ['ignore', 'ignore', 'pipe'] }));
}

const SMALL = `testsrc2=size=320x180:rate=${RATE}`;
const X264 = ['-c:v', 'libx264', '-preset', 'ultrafast', '-pix_fmt', 'yuv420p', '-b:v', '300k'];
const AAC = ['-c:a', 'aac', '-b:a', '64k', '-ac', '2'];

const srtOf = ({ listeners, streamKey }: TestStream) => `srt://127.0.0.1:${listeners.srt}?streamid=${streamKey}`;

async function statusOf({ key }: TestStream): Promise<LiveStreamStatusModel> {
  const address = `${service.apiUrl}/library/1/live/${key.mediaId}/status`;
  return (await (await fetch(address, { headers: { AccessKey: ACCOUNT_KEY } })).json()) as LiveStreamStatusModel;
}

const reasonOf = (stream: TestStream) =>
  until(async () => (await statusOf(stream)).transcoding?.reason ?? null, 'a reason in the status');

/**
 * Returns when each listed segment of a playlist was captured: its own date, or that of the preceding segment plus its
 * duration.
 */
function datesOf(text: string): Map<number, number> {
  const dates = new Map<number, number>();
  let nextMs: number | null = null;
  for (const { sequence, dateTimeMs, durationSec } of readLivePlaylist(text).media) {
    const startMs: number | null = dateTimeMs ?? nextMs;
    if (startMs !== null) dates.set(sequence, startMs);
    nextMs = startMs === null || durationSec === null ? null : startMs + durationSec * 1000;
  }
  return dates;
}

test('with irregular keyframes, target durations, preload hints and dates remain correct', async () => {
  const stream = await startLive({ service, catalogue });
  const keys = ['-g', `${4 * RATE}`, '-force_key_frames', '0,1.2,2.4,2.8,7,8'];
  const publisher = send(24, SMALL, [...X264, ...keys, ...AAC, '-f', 'flv', stream.ingest]);
  await until(() => readText(`${stream.base}/playlist.m3u8`), 'a playlist');
  const { byPlaylist, stop } = await collectPlaylists(stream.base);
  await ended(publisher);
  await stop();
  expect(byPlaylist.size).toBeGreaterThan(1);
  for (const texts of byPlaylist.values()) {
    const whole = texts.filter((text) => !text.includes('#EXT-X-I-FRAMES-ONLY'));
    if (whole.length === 0) continue;
    expect([...new Set(whole.map((text) => readLivePlaylist(text).targetSec))]).toEqual([4]);
    expect(checkReloads(whole)).toEqual([]);
    const known = new Map<number, number>();
    for (const text of whole.filter((one) => !one.includes('#EXT-X-SKIP'))) {
      for (const [sequence, ms] of datesOf(text)) {
        expect(Math.abs((known.get(sequence) ?? ms) - ms)).toBeLessThan(5);
        known.set(sequence, ms);
      }
    }
    expect(known.size).toBeGreaterThan(3);
  }
}, 120_000);

test('reports rate, channels and omitted tracks of an SRT stream, and records its last frames', async () => {
  const stream = await startLive({ service, catalogue });
  // The last segment is one frame.
  const frames = 8 * RATE + 1;
  const tracks = ['-map', '0:v', '-map', '1:a', '-map', '1:a', '-c:a:1', 'mp2', '-map', '0:v', '-c:v:1', 'mpeg2video'];
  // A latency above the default, so that a busy machine delivers no packet too late.
  const output = ['-f', 'mpegts', `${srtOf(stream)}&latency=1000000&linger=10`];
  const keys = ['-g', `${2 * RATE}`, '-keyint_min', `${2 * RATE}`, '-sc_threshold', '0', '-bf', '2'];
  const publisher = send(frames / RATE, SMALL, [
    '-c:v:0',
    ...X264.slice(1),
    ...keys,
    '-c:a:0',
    ...AAC.slice(1),
    ...tracks,
    ...output,
  ]);
  const live = await until(() => readText(`${stream.base}/playlist.m3u8`), 'a playlist');
  expect(live).toMatch(/FRAME-RATE=25\.000/);
  expect(live).toMatch(/#EXT-X-MEDIA:TYPE=AUDIO.*CHANNELS="2"/);
  const [video, audio] = [...live.matchAll(/#EXT-X-STREAM-INF:(.*)\n(r\/.*)/g)];
  expect(video?.[1]).toContain('RESOLUTION=');
  expect(audio?.[1]).toMatch(/CODECS="mp4a[^,"]*"/);
  expect(live).toContain(`URI="${audio?.[2]}"`);
  expect(await reasonOf(stream)).toMatch(/additional track \(MPEG audio\).* got MPEG-2 video/);
  await ended(publisher);
  await until(async () => ((await statusOf(stream)).transcoding?.state === 'idle' ? true : null), 'the state idle');
  // The reason stays until the next encoder connects.
  const reason = expect.stringMatching(/^The encoder disconnected\. .*additional track \(MPEG audio\)/);
  expect((await statusOf(stream)).transcoding).toEqual({ state: 'idle', reason, resolutions: '' });
  await catalogue.streams.change(stream.key, stopStream);
  await until(async () => {
    const media = /\n(r\/.*\.m3u8)/.exec((await readText(`${stream.base}/playlist.m3u8`)) ?? '')?.[1];
    return (await readText(`${stream.base}/${media}`))?.includes('#EXT-X-ENDLIST') ? true : null;
  }, 'the recording');
  const decoded = await framesOf(`${stream.base}/playlist.m3u8`);
  expect(decoded).toMatchObject({ errors: '', videoFrames: frames });
  const text = (await readText(`${stream.base}/playlist.m3u8`)) ?? '';
  const [, peak, average] = /BANDWIDTH=(\d+),AVERAGE-BANDWIDTH=(\d+)/.exec(text) ?? [];
  expect(Number(average)).toBeGreaterThan(0);
  expect(Number(peak)).toBeLessThan(2 * Number(average));
}, 120_000);

test.each([
  { name: 'MP3', output: [...X264, '-c:a', 'libmp3lame', '-ar', '44100'], reason: /sound is left out.* got MP3/ },
  {
    name: '4:4:4',
    output: ['-c:v', 'libx264', '-preset', 'ultrafast', '-pix_fmt', 'yuv444p', ...AAC],
    reason: /4:4:4/,
  },
  {
    name: '10 bits',
    output: ['-c:v', 'libx264', '-preset', 'ultrafast', '-pix_fmt', 'yuv420p10le', ...AAC],
    reason: /10 bits/,
  },
  { name: 'Sorenson', output: ['-c:v', 'flv', ...AAC], reason: /picture is left out.* got Sorenson/ },
])(
  'the status of the stream reports RTMP with $name',
  async ({ output, reason }) => {
    const stream = await startLive({ service, catalogue });
    const publisher = send(20, SMALL, [...output, '-f', 'flv', stream.ingest]);
    expect(await reasonOf(stream)).toMatch(reason);
    publisher.kill('SIGKILL');
  },
  60_000,
);

test('the status and the recording report H.264 over RTMP without a sequence header', async () => {
  const stream = await startLive({ service, catalogue });
  const publisher = await openRtmpPublisher(stream.ingest);
  const asc = Buffer.from([0x11, 0x90]);
  const silence = silentAacFrame(asc) ?? Buffer.alloc(0);
  publisher.send({ type: 8, timestampMs: 0, body: Buffer.concat([Buffer.from([0xaf, 0]), asc]) });
  for (let index = 0; index < 600; index += 1) {
    const timestampMs = Math.round((index * 1024) / 48);
    publisher.send({ type: 8, timestampMs, body: Buffer.concat([Buffer.from([0xaf, 1]), silence]) });
    const nal = Buffer.from([0x17, 1, 0, 0, 0, 0, 0, 0, 4, 0x65, 1, 2, 3]);
    publisher.send({ type: 9, timestampMs, body: nal });
  }
  expect(await reasonOf(stream)).toMatch(/^The picture is left out: expected its decoder configuration/);
  await until(() => readText(`${stream.base}/playlist.m3u8`), 'a playlist of the sound');
  publisher.close();
  await publisher.closed;
  await catalogue.streams.change(stream.key, stopStream);
  const address = `${service.apiUrl}/library/1/videos/${stream.key.mediaId}`;
  const messages = await until(async () => {
    const response = await fetch(address, { headers: { AccessKey: ACCOUNT_KEY } });
    if (!response.ok) return null;
    const { transcodingMessages } = (await response.json()) as VideoModel;
    return transcodingMessages !== null && transcodingMessages.length > 0 ? transcodingMessages : null;
  }, 'a message of the video');
  expect(messages).toMatchObject([{ message: expect.stringContaining('The picture is left out') }]);
}, 60_000);

test('a rung never exceeds the bitrate of its source', async () => {
  const stream = await startLive({ service, catalogue });
  const noisy = `testsrc2=size=640x360:rate=12,noise=alls=40:allf=t`;
  const rate = ['-b:v', '300k', '-maxrate', '300k', '-bufsize', '300k', '-g', '24'];
  send(60, noisy, [
    '-c:v',
    'libx264',
    '-preset',
    'ultrafast',
    '-pix_fmt',
    'yuv420p',
    ...rate,
    ...AAC,
    '-f',
    'flv',
    stream.ingest,
  ]);
  const peaks = await until(
    async () => {
      const text = (await readText(`${stream.base}/playlist.m3u8`)) ?? '';
      const found = [...text.matchAll(/^#EXT-X-STREAM-INF:BANDWIDTH=(\d+).*RESOLUTION=.*\n(r\/.*)/gm)];
      const lists = await Promise.all(found.map(async ([, , at]) => (await readText(`${stream.base}/${at}`)) ?? ''));
      const areKnown = lists.length > 1 && lists.every((list) => (list.match(/#EXTINF/g)?.length ?? 0) > 3);
      return areKnown ? found.map(([, bps]) => Number(bps)) : null;
    },
    'segments of a rung',
    60_000,
  );
  const [source = 0, ...rungs] = peaks;
  for (const rung of rungs) expect(rung).toBeLessThanOrEqual(source);
}, 120_000);
