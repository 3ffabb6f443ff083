import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
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
  NO_RUNGS,
  openLiveCatalogue,
  publish,
  publishByGstreamer,
  readText,
  startLive,
  type TestStream,
  until,
} from './live-service.ts';
import { reasonOf } from './odd-stream.ts';

const run = promisify(execFile);

const ACCOUNT_KEY = 'an-account-key-of-this-test';

let service: Service;
let catalogue: LiveCatalogue;
let clip = '';
let folder = '';
beforeAll(async () => {
  clip = await makeClip();
  folder = await mkdtemp(path.join(tmpdir(), 'millrace-rtmps-'));
  const pem = path.join(folder, 'certificate.pem');
  const self = ['req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-subj', '/CN=localhost', '-days', '2'];
  await run('openssl', [...self, '-keyout', `${pem}.key`, '-out', pem]);
  service = await startService(null, {
    MILLRACE_INGEST_CERTIFICATE: pem,
    MILLRACE_INGEST_CERTIFICATE_KEY: `${pem}.key`,
    MILLRACE_RTMPS_PORT: '0',
    MILLRACE_INGEST_HOST: 'localhost',
    MILLRACE_REGION: 'here',
    MILLRACE_OUTBOUND_ALLOW: '127.0.0.0/8',
    MILLRACE_ACCOUNT_KEY: ACCOUNT_KEY,
  });
  catalogue = await openLiveCatalogue(service);
});
afterAll(async () => {
  await catalogue.database.close();
  await discard(service);
  await rm(folder, { recursive: true });
});

function segments(base: string, count: number): Promise<string> {
  return until(async () => {
    const media = /\n(r\/.*\.m3u8)/.exec((await readText(`${base}/playlist.m3u8`)) ?? '')?.[1];
    const text = media === undefined ? null : await readText(`${base}/${media}`);
    return (text?.match(/#EXTINF/g)?.length ?? 0) >= count ? text : null;
  }, `${count} segments`);
}

test('ffmpeg publishes over RTMPS, and GStreamer publishes with rtmp2sink', async () => {
  const secure = await startLive({ service, catalogue });
  const ffmpeg = await publish(`rtmps://localhost:${secure.listeners.rtmps}/live/${secure.streamKey}`, NO_RUNGS);
  const plain = await startLive({ service, catalogue });
  const sink = ['flvmux', 'name=mux', 'streamable=true', '!', 'rtmp2sink', 'sync=true', `location=${plain.ingest}`];
  const gstreamer = publishByGstreamer(clip, sink);
  await Promise.all([segments(secure.base, 2), segments(plain.base, 2)]);
  for (const { key } of [secure, plain]) await catalogue.streams.change(key, stopStream);
  await ended(ffmpeg);
  gstreamer.kill('SIGKILL');
  for (const { base } of [secure, plain]) {
    expect(await framesOf(`${base}/playlist.m3u8`)).toMatchObject({ errors: '', video: 'h264', audio: 'aac' });
  }
}, 120_000);

test('streams list every ingest address, with the configured host and region', async () => {
  const { key, listeners } = await startLive({ service, catalogue });
  const headers = { AccessKey: ACCOUNT_KEY };
  const shown = await until(async () => {
    const answer = await fetch(`${service.apiUrl}/library/1/live/${key.mediaId}`, { headers });
    const { ingestEndpoints } = (await answer.json()) as { ingestEndpoints: Record<string, unknown> };
    return ingestEndpoints.whip === undefined ? null : ingestEndpoints;
  }, 'addresses');
  const both = (url: string) => ({ primaryIngestUrl: url, backupIngestUrl: url });
  expect(shown).toEqual({
    rtmp: both(`rtmp://localhost:${listeners.rtmp}/live`),
    rtmps: both(`rtmps://localhost:${listeners.rtmps}/live`),
    srt: both(`srt://localhost:${listeners.srt}`),
    whip: both(`https://localhost:${listeners.whip}/whip`),
  });
  expect((await catalogue.database.db.selectFrom('live_node').select('region').execute())[0]).toEqual({
    region: 'here',
  });
});

test('limits connections per address that have not published, and closes them after ten seconds', async () => {
  const { listeners } = await service.health();
  const sockets = Array.from({ length: 40 }, () => connect(listeners.rtmp ?? 0, '127.0.0.1'));
  const closedAt: number[] = [];
  const startedMs = Date.now();
  for (const socket of sockets) {
    socket.on('error', () => undefined);
    socket.on('data', () => undefined);
    socket.once('close', () => closedAt.push(Date.now() - startedMs));
  }
  await until(async () => (closedAt.length >= 8 ? true : null), 'connections that are turned away');
  expect(closedAt.length).toBe(8);
  await until(async () => (closedAt.length === 40 ? true : null), 'the end of the others');
  expect(closedAt.filter((ms) => ms > 9_000)).toHaveLength(32);
}, 60_000);

const srtOf = ({ listeners }: TestStream) => `srt://127.0.0.1:${listeners.srt}`;

const PICTURE = ['-re', '-f', 'lavfi', '-i', 'testsrc2=size=320x180:rate=12'];
const TONE = ['-re', '-f', 'lavfi', '-i', 'sine=frequency=440:sample_rate=48000'];
const H264 = ['-c:v', 'libx264', '-preset', 'ultrafast', '-g', '24', '-bf', '2'];
const HEVC = ['-c:v', 'libx265', '-preset', 'ultrafast', '-x265-params', 'keyint=24:log-level=error'];

function publishSrt(url: string, codecs: readonly string[]): ChildProcess {
  const argv = ['-v', 'error', ...PICTURE, ...TONE, ...codecs, '-f', 'mpegts', url];
  return endWithTest(spawn('ffmpeg', argv, { stdio: ['ignore', 'ignore', 'pipe'] }));
}

/** Waits for two whole segments, stops the stream, and returns codecs and counts of its video. */
async function watched({ key, base }: TestStream, publisher: ChildProcess) {
  await until(async () => {
    const multivariant = await readText(`${base}/playlist.m3u8`);
    const media = /\n(r\/.*\.m3u8)/.exec(multivariant ?? '')?.[1];
    const text = media === undefined ? null : await readText(`${base}/${media}`);
    return (text?.match(/#EXTINF/g)?.length ?? 0) >= 2 ? text : null;
  }, 'two segments');
  await catalogue.streams.change(key, stopStream);
  // srtsink would wait for its lost connection to return, and never exit.
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
  'publishes with $what',
  async ({ codecs, video, nameOf }) => {
    const receiver = await startLive({ service, catalogue });
    const stream = await startLive({ service, catalogue }, { relays: [receiver.ingest] });
    const publisher = publishSrt(`${srtOf(stream)}?streamid=${nameOf(stream.streamKey)}`, codecs);
    const found = await watched(stream, publisher);
    expect(found).toMatchObject({ errors: '', video, audio: 'aac' });
    // Two segments of 24, except reordered frames that were in flight at the stop.
    expect(found.videoFrames).toBeGreaterThanOrEqual(44);
    expect(found.audioFrames).toBeGreaterThanOrEqual(150);
    // The relay of the stream received the same media over RTMP.
    await catalogue.streams.change(receiver.key, stopStream);
    await until(async () => ((await catalogue.streams.load(receiver.key)).isVideo ? true : null), 'the video');
    expect(await framesOf(`${receiver.base}/playlist.m3u8`)).toMatchObject({ errors: '', video, audio: 'aac' });
  },
  90_000,
);

test('accepts the stream key as an encryption passphrase, and rejects other passphrases and unknown keys', async () => {
  const stream = await startLive({ service, catalogue });
  const name = `streamid=${stream.key.mediaId}`;
  const said: string[] = [];
  for (const query of [`${name}&passphrase=${'x'.repeat(42)}`, name, 'streamid=bunnylive_0123', 'streamid=']) {
    const refused = publishSrt(`${srtOf(stream)}?${query}`, [...H264, '-c:a', 'aac']);
    refused.stderr?.on('data', (bytes: Buffer) => said.push(bytes.toString()));
    expect(await ended(refused)).not.toBe(0);
  }
  expect(said.join('')).toContain('REJECT');
  expect((await catalogue.streams.load(stream.key)).ingest.primaryLive).toBe(false);
  expect(await reasonOf({ service, catalogue }, stream)).toMatch(
    /^The publisher was refused\. .*stream key as SRT pass/,
  );
  const publisher = publishSrt(`${srtOf(stream)}?${name}&passphrase=${stream.streamKey}`, [...H264, '-c:a', 'libopus']);
  expect(await watched(stream, publisher)).toMatchObject({ errors: '', video: 'h264', audio: 'aac' });
}, 120_000);

test('GStreamer publishes with srtsink, even after the SRT process was killed', async () => {
  const stream = await startLive({ service, catalogue });
  // A caller starts the process if it has ended.
  await ended(publishSrt(`${srtOf(stream)}?streamid=bunnylive_0123`, [...H264, '-c:a', 'aac']));
  killAll(await findProcesses(service, 'srt-child.ts'));
  const sink = ['srtsink', 'sync=true', `uri=${srtOf(stream)}?mode=caller`, `streamid=${stream.streamKey}`];
  const publisher = await until(async () => {
    const started = publishByGstreamer(clip, ['mpegtsmux', 'name=mux', 'alignment=7', '!', ...sink]);
    // For 2 s after the failure, nothing listens.
    const isIn = async () => ((await catalogue.streams.load(stream.key)).ingest.primaryLive ? true : null);
    return (await Promise.race([ended(started), until(isIn, 'a publisher')])) === true ? started : null;
  }, 'a publisher that is accepted');
  expect(await watched(stream, publisher)).toMatchObject({ errors: '', video: 'h264', audio: 'aac' });
}, 120_000);
