import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { stopStream } from '../../src/catalog/live/live-stream.ts';
import { HLS_JS, openScriptPage } from '../delivery/in-page.ts';
import { openRtmpPublisher } from '../support/rtmp-publisher.ts';
import { type LiveFixture, openLiveFixture } from './live-fixture.ts';
import { faultsOf, playLive, readPlayback } from './live-player.ts';
import { framesOf, readText, startLive, until } from './live-service.ts';
import { mediaPlaylistOf } from './read-recording.ts';
import { FAKE_CAMERA, publishFromPage } from './whip-page.ts';

let fixture: LiveFixture;
let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'millrace-av1-'));
  fixture = await openLiveFixture({ MILLRACE_ICE_SERVERS: 'stun:127.0.0.1:9' }, FAKE_CAMERA);
});
afterAll(async () => {
  await fixture.close();
  await rm(folder, { recursive: true, force: true });
});

test('a browser publishes its camera to a player in a browser, and its session can be changed and ended', async () => {
  const { key, streamKey, listeners, base } = await startLive(fixture);
  const endpoint = `http://127.0.0.1:${listeners.whip}/whip`;
  const page = await openScriptPage(fixture.browser, fixture.service.edgeUrl, HLS_JS);
  expect(await publishFromPage(page, { endpoint, streamKey: 'bunnylive_unknown' })).toMatchObject({ status: 401 });
  expect((await fixture.catalogue.streams.load(key)).ingest.primaryLive).toBe(false);
  const answered = await publishFromPage(page, { endpoint, streamKey });
  expect(answered).toMatchObject({ status: 201, link: '<stun:127.0.0.1:9>; rel="ice-server"' });
  const session = new URL(answered.location, endpoint);
  const viewer = await playLive(fixture.browser, fixture.service.edgeUrl, `${base}/playlist.m3u8`);
  await until(async () => ((await readPlayback(viewer)).timeSec > 3 ? true : null), 'playback', 60_000);
  const { errors } = await readPlayback(viewer);
  expect(faultsOf(errors)).toEqual([]);
  const patch = (headers: Record<string, string>) =>
    fetch(session, { method: 'PATCH', headers, body: 'a=mid:0\r\na=end-of-candidates\r\n' }).then(
      ({ status }) => status,
    );
  const fragment = { 'Content-Type': 'application/trickle-ice-sdpfrag' };
  expect([
    await patch({}),
    await patch(fragment),
    await patch({ ...fragment, 'If-Match': '"another"' }),
    await patch({ ...fragment, 'If-Match': answered.etag }),
  ]).toEqual([415, 428, 412, 204]);
  expect((await fetch(session, { method: 'DELETE' })).status).toBe(200);
  expect((await fetch(session, { method: 'DELETE' })).status).toBe(404);
  await fixture.catalogue.streams.change(key, stopStream);
  await until(async () => {
    const media = /\n(r\/.*\.m3u8)/.exec((await readText(`${base}/playlist.m3u8`)) ?? '')?.[1];
    return (await readText(`${base}/${media}`))?.includes('#EXT-X-ENDLIST') ? true : null;
  }, 'the video');
  const found = await framesOf(`${base}/playlist.m3u8`);
  expect(found).toMatchObject({ errors: '', video: 'h264', audio: 'aac' });
  expect(found.videoFrames).toBeGreaterThan(40);
  expect(found.audioFrames).toBeGreaterThan(100);
  for (const each of [page, viewer]) await each.close();
}, 150_000);

const RATE = 12;
const GOP = 24;
/** Enhanced RTMP v2: the flag of an extended header, and its packet types. */
const EXTENDED = 0x80;
const KEY = 0x10;
const OTHER = 0x20;
const SEQUENCE_START = 0;
const CODED_FRAMES = 1;
/** AV1's OBU types. */
const [SEQUENCE_HEADER, TEMPORAL_DELIMITER] = [1, 2];

/** Reads AV1 frames from an IVF file. The file header has 32 bytes, each frame header 12. */
async function makePictures(): Promise<Buffer[]> {
  const file = path.join(folder, 'clip.ivf');
  const picture = ['-f', 'lavfi', '-i', `testsrc2=s=320x180:r=${RATE}:d=10`, '-pix_fmt', 'yuv420p'];
  const encoder = ['-c:v', 'libaom-av1', '-cpu-used', '8', '-usage', 'realtime', '-g', `${GOP}`, '-b:v', '300k'];
  await promisify(execFile)('ffmpeg', ['-nostdin', '-v', 'error', ...picture, ...encoder, '-lag-in-frames', '0', file]);
  const bytes = await readFile(file);
  const pictures: Buffer[] = [];
  for (let at = 32; at + 12 <= bytes.length; ) {
    const size = bytes.readUInt32LE(at);
    pictures.push(bytes.subarray(at + 12, at + 12 + size));
    at += 12 + size;
  }
  return pictures;
}

/** Returns the OBUs of a temporal unit (AV1 section 5.3), each with its header. */
function obusOf(unit: Buffer): { type: number; bytes: Buffer }[] {
  const obus: { type: number; bytes: Buffer }[] = [];
  for (let at = 0; at < unit.length; ) {
    const header = unit.readUInt8(at);
    let sizeAt = at + ((header & 4) === 0 ? 1 : 2);
    let size = 0;
    for (let shift = 0; ; shift += 7) {
      const byte = unit.readUInt8(sizeAt);
      sizeAt += 1;
      size += (byte & 0x7f) * 2 ** shift;
      if (byte < 0x80) break;
    }
    obus.push({ type: (header >> 3) & 0xf, bytes: unit.subarray(at, sizeAt + size) });
    at = sizeAt + size;
  }
  return obus;
}

/** Returns the av1C (AV1 in ISO BMFF, section 2.3) of 8 bits, 4:2:0, main profile, around the sequence header. */
function configurationOf(unit: Buffer): Buffer {
  const header = obusOf(unit).find(({ type }) => type === SEQUENCE_HEADER);
  if (header === undefined) throw new Error('Expected a sequence header in the first frame.');
  return Buffer.concat([Buffer.from([0x81, 0, 0x0c, 0]), header.bytes]);
}

const tagBody = (frame: number, packet: number, data: Buffer) =>
  Buffer.concat([Buffer.from([EXTENDED | frame | packet]), Buffer.from('av01'), data]);

test('AV1 over enhanced RTMP plays live in Chromium, and is recorded', async () => {
  const pictures = await makePictures();
  const { key, ingest, base } = await startLive(fixture);
  const publisher = await openRtmpPublisher(ingest);
  const [first = Buffer.alloc(0)] = pictures;
  publisher.send({ type: 9, timestampMs: 0, body: tagBody(KEY, SEQUENCE_START, configurationOf(first)) });
  const startedMs = performance.now();
  let sent = 0;
  const timer = setInterval(() => {
    for (; sent < pictures.length && (sent * 1000) / RATE <= performance.now() - startedMs; sent += 1) {
      const obus = obusOf(pictures[sent] ?? Buffer.alloc(0)).filter(({ type }) => type !== TEMPORAL_DELIMITER);
      const isKey = obus.some(({ type }) => type === SEQUENCE_HEADER);
      const data = Buffer.concat(obus.map(({ bytes }) => bytes));
      const body = tagBody(isKey ? KEY : OTHER, CODED_FRAMES, data);
      publisher.send({ type: 9, timestampMs: (sent * 1000) / RATE, body });
    }
  }, 10);
  onTestFinished(() => {
    clearInterval(timer);
    publisher.close();
  });
  await until(() => mediaPlaylistOf(base).catch(() => null), 'a playlist');
  const page = await playLive(fixture.browser, fixture.service.edgeUrl, `${base}/playlist.m3u8`);
  const played = await until(async () => {
    const now = await readPlayback(page);
    // Playback begins near the live edge, which may already be beyond 3 s.
    return now.timeSec > 3 && now.frames > 10 ? now : null;
  }, 'playback');
  expect(faultsOf(played.errors)).toEqual([]);
  await until(async () => (sent === pictures.length ? true : null), 'the end of the clip');
  await fixture.catalogue.streams.change(key, stopStream);
  await publisher.closed;
  await until(async () => ((await fixture.catalogue.streams.load(key)).isVideo ? true : null), 'the video');
  const found = await framesOf(`${base}/playlist.m3u8`);
  expect(found).toMatchObject({ errors: '', video: 'av1' });
  // The last frames may have been in flight when the stream was stopped.
  expect(found.videoFrames).toBeGreaterThan(pictures.length - RATE);
  await page.close();
}, 150_000);
