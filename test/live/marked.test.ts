import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { stopStream } from '../../src/catalog/live/live-stream.ts';
import { endWithTest } from '../support/end-with-test.ts';
import { ACCOUNT_KEY, discard, LIBRARY_KEY, type Service, startService } from '../support/service.ts';
import {
  BOUNDED,
  ended,
  framesOf,
  type LiveCatalogue,
  openLiveCatalogue,
  readText,
  startLive,
  until,
} from './live-service.ts';
import { mediaPlaylistOf, segmentsOf } from './read-recording.ts';

const run = promisify(execFile);

let service: Service;
let catalogue: LiveCatalogue;
beforeAll(async () => {
  service = await startService(null, { MILLRACE_LIVE_CORES: '2' });
  catalogue = await openLiveCatalogue(service);
});
afterAll(async () => {
  await catalogue.database.close();
  await discard(service);
});

async function call(method: string, path: string, key: string, body?: Buffer | object) {
  const isJson = body !== undefined && !Buffer.isBuffer(body);
  const response = await fetch(`${service.apiUrl}${path}`, {
    method,
    headers: { AccessKey: key, ...(isJson && { 'Content-Type': 'application/json' }) },
    ...(body !== undefined && { body: Buffer.isBuffer(body) ? new Uint8Array(body) : JSON.stringify(body) }),
  });
  const text = await response.text();
  return { status: response.status, answer: text === '' ? null : (JSON.parse(text) as Record<string, unknown>) };
}

async function makePicture(colour: string): Promise<Buffer> {
  const argv = ['-v', 'error', '-f', 'lavfi', '-i', `color=${colour}:s=64x36`, '-frames:v', '1', '-f', 'image2pipe'];
  const { stdout } = await run('ffmpeg', [...argv, '-c:v', 'png', 'pipe:1'], { encoding: 'buffer' });
  return stdout;
}

/** Publishes blue video with a tone, with reordered frames like most encoders. */
function publishBlue(url: string): ChildProcess {
  const picture = ['-re', '-f', 'lavfi', '-i', 'color=blue:s=640x360:r=25', '-f', 'lavfi', '-i', 'sine=r=48000'];
  const video = ['-c:v', 'libx264', '-preset', 'ultrafast', '-bf', '2', '-g', '50', '-pix_fmt', 'yuv420p'];
  const argv = ['-v', 'error', ...picture, ...video, '-c:a', 'aac', '-f', 'flv', url];
  return endWithTest(spawn('ffmpeg', argv, { stdio: 'ignore' }));
}

/**
 * Returns whether the corners of a frame are red or blue: in a video's first frame, or in one a few segments back in a
 * stream.
 */
async function cornersOf(playlist: string) {
  const corner = (x: string, y: string) => `crop=16:16:${x}:${y},scale=1:1,format=rgb24`;
  const graph = `[0:v]split[a][b];[a]${corner('8', '8')}[c];[b]${corner('iw-24', 'ih-24')}[d];[c][d]hstack`;
  const argv = ['-v', 'error', '-i', playlist, '-filter_complex', graph, '-frames:v', '1', '-f', 'rawvideo', 'pipe:1'];
  const { stdout } = await run('ffmpeg', argv, { ...BOUNDED, encoding: 'buffer' });
  const colour = (at: number) => ((stdout[at] ?? 0) > (stdout[at + 2] ?? 0) ? 'red' : 'blue');
  return { marked: colour(0), plain: colour(3) };
}

test('a live watermark is in each rendition that viewers get, and in the recording', async () => {
  const place = { WatermarkPositionLeft: 0, WatermarkPositionTop: 0, WatermarkWidth: 40, WatermarkHeight: 40 };
  expect((await call('POST', '/videolibrary/1', ACCOUNT_KEY, place)).status).toBe(200);
  const mark = await makePicture('red');
  expect((await call('PUT', '/videolibrary/1/live/watermark', ACCOUNT_KEY, mark)).status).toBe(204);
  const { key, ingest, base } = await startLive({ service, catalogue });
  const publisher = publishBlue(ingest);
  const address = await until(() => mediaPlaylistOf(base).catch(() => null), 'a playlist', 60_000);
  await until(async () => (segmentsOf((await readText(address)) ?? '').length >= 3 ? true : null), 'segments', 60_000);
  const multivariant = (await readText(`${base}/playlist.m3u8`)) ?? '';
  const variants = [...multivariant.matchAll(/^#EXT-X-STREAM-INF:.*RESOLUTION=.*\n(r\/.*\.m3u8)$/gm)];
  const renditions = variants.map(([, address]) => address);
  // Two renditions: 360p as published, and 240p.
  expect(renditions).toHaveLength(2);
  for (const one of renditions) expect(await cornersOf(`${base}/${one}`)).toEqual({ marked: 'red', plain: 'blue' });
  await catalogue.streams.change(key, stopStream);
  await ended(publisher);
  await until(async () => ((await catalogue.streams.load(key)).isVideo ? true : null), 'the video');
  expect(await cornersOf(`${base}/playlist.m3u8`)).toEqual({ marked: 'red', plain: 'blue' });
  const found = await framesOf(address);
  expect(found).toMatchObject({ errors: '', video: 'h264' });
  expect(found.videoFrames).toBeGreaterThanOrEqual(150);
  expect(await framesOf(`${base}/playlist.m3u8`)).toMatchObject({ errors: '', audio: 'aac' });
  expect((await call('DELETE', '/videolibrary/1/live/watermark', ACCOUNT_KEY)).status).toBe(204);
}, 200_000);

test("a stream starts with its library's watermark, which can be removed and restored", async () => {
  expect((await call('PUT', '/videolibrary/1/live/thumbnail', ACCOUNT_KEY, await makePicture('green'))).status).toBe(
    204,
  );
  const { answer: made } = await call('POST', '/library/1/live', LIBRARY_KEY, { title: 'Match' });
  const path = `/library/1/live/${made?.guid}`;
  const nameNow = async () => (await call('GET', path, LIBRARY_KEY)).answer?.thumbnailFileName;
  expect(made?.thumbnailFileName).toMatch(/^thumbnail_\w+\.jpg$/);
  const shown = await fetch(`${service.edgeUrl}/vz-1/${made?.guid}/${made?.thumbnailFileName}`);
  expect([shown.status, shown.headers.get('content-type')]).toEqual([200, 'image/jpeg']);
  expect((await call('DELETE', `${path}/thumbnail`, LIBRARY_KEY)).status).toBe(204);
  expect(await nameNow()).toBeNull();
  expect((await call('DELETE', `${path}/thumbnail?restoreLibraryDefault=true`, LIBRARY_KEY)).status).toBe(204);
  expect(await nameNow()).toMatch(/^thumbnail_\w+\.jpg$/);
  expect((await call('DELETE', '/videolibrary/1/live/thumbnail', ACCOUNT_KEY)).status).toBe(204);
  const { answer: later } = await call('POST', '/library/1/live', LIBRARY_KEY, { title: 'Later' });
  expect(later?.thumbnailFileName).toBeNull();
});
