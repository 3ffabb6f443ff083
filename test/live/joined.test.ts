import { execFile } from 'node:child_process';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { sql } from 'kysely';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { stopStream } from '../../src/catalog/live/live-stream.ts';
import { completeRecordings } from '../../src/jobs/planning/complete-recordings.ts';
import type { FlvTag } from '../../src/media/live/flv/flv-tag.ts';
import { measureAvSync } from '../support/av-sync.ts';
import { ACCOUNT_KEY, discard, startService } from '../support/service.ts';
import { call, FINISHED, untilVideo } from '../support/videos.ts';
import { BOUNDED, type LivePlace, openLiveCatalogue, startLive, type TestStream, until } from './live-service.ts';
import { AAC, H264, HEVC, makeTags, publishTags } from './tag-publisher.ts';

const MAX_OFFSET_MS = 20;
const LENGTH_SEC = 8;
const MONO = ['-c:a', 'aac', '-b:a', '64k', '-ac', '1', '-ar', '44100'];

let place: LivePlace;
let exports: string;
beforeAll(async () => {
  exports = await mkdtemp(path.join(tmpdir(), 'millrace-joined-'));
  const service = await startService(null, { MILLRACE_LIVE_CORES: '0', MILLRACE_EXPORT_DIR: exports });
  place = { service, catalogue: await openLiveCatalogue(service) };
});
afterAll(async () => {
  await place.catalogue.database.close();
  await discard(place.service);
  await rm(exports, { recursive: true, force: true });
});

const small = () => makeTags('joined-small', { lengthSec: LENGTH_SEC, argv: [...H264, ...AAC] });
const large = () => makeTags('joined-large', { lengthSec: LENGTH_SEC, size: '640x480', argv: [...HEVC, ...MONO] });
const onlyAudio = async (tags: Promise<FlvTag[]>) => (await tags).filter(({ type }) => type === 8);

/** Publishes one period after another, ends the stream and completes its recording. */
async function record(periods: readonly FlvTag[][]): Promise<TestStream> {
  const stream = await startLive(place);
  for (const tags of periods) await (await publishTags(stream.ingest, tags))();
  const { streams, database } = place.catalogue;
  await streams.change(stream.key, stopStream);
  await until(async () => ((await streams.load(stream.key)).isVideo ? true : null), 'the recording');
  await completeRecordings(database, new AbortController().signal);
  await untilVideo(place.service, stream.key.mediaId, ({ status }) => status === FINISHED, 300_000);
  return stream;
}

async function download(address: string): Promise<{ file: string; bytes: Buffer }> {
  const bytes = await until(async () => {
    const response = await fetch(address);
    if (response.ok) return Buffer.from(await response.arrayBuffer());
    await response.body?.cancel();
    return null;
  }, address);
  const folder = await mkdtemp(path.join(tmpdir(), 'millrace-joined-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const file = path.join(folder, 'file.mp4');
  await writeFile(file, bytes);
  return { file, bytes };
}

/** Returns all frame sizes and sample descriptions of a file, and what its decoder reports. */
async function decode(file: string): Promise<{ sizes: string[]; errors: string; durationSec: number }> {
  const run = promisify(execFile);
  const asked = ['-v', 'error', '-select_streams', 'v', '-show_entries', 'frame=width,height', '-of', 'csv=p=0', file];
  const { stdout, stderr } = await run('ffprobe', asked, { ...BOUNDED, maxBuffer: 2 ** 26 });
  const whole = await run('ffmpeg', ['-nostdin', '-v', 'error', '-i', file, '-f', 'null', '-'], BOUNDED);
  const length = await run('ffprobe', ['-v', 'error', '-show_entries', 'format=duration', '-of', 'csv=p=0', file]);
  // Frames with further data end with a comma, and an empty line.
  const lines = stdout.split('\n').map((line) => line.replace(/,$/, ''));
  const sizes = [...new Set(lines.filter((line) => line !== ''))];
  return { sizes, errors: stderr + whole.stderr, durationSec: Number(length.stdout) };
}

const ask = async ({ key }: TestStream, file: string) =>
  Object(await call(place.service, 'GET', `/library/${key.libraryId}/videos/${key.mediaId}${file}`));

test('a recording of several periods is one MP4 file, in sync over the joints', async () => {
  const stream = await record([await small(), await onlyAudio(small()), await large()]);
  const { key, base } = stream;
  const video = await ask(stream, '');
  expect(video).toMatchObject({ hasMP4Fallback: true, availableResolutions: expect.stringContaining('480p') });
  expect(JSON.stringify(video.transcodingMessages)).not.toContain('audio');
  expect(await ask(stream, '/resolutions')).toMatchObject({
    data: { mp4Resolutions: [{ resolution: '480p', path: 'play_480p.mp4' }] },
  });
  const { file, bytes } = await download(`${base}/play_480p.mp4`);
  const { sizes, errors, durationSec } = await decode(file);
  expect({ sizes, errors }).toEqual({ sizes: ['640,480'], errors: '' });
  expect(Math.abs(durationSec - Number(video.length))).toBeLessThan(1);
  const { largestMs, points, soundHoles, silentFlashesSec, darkBeepsSec } = await measureAvSync(file);
  // The first frames of a period start at the joint, so its flashes are complete.
  expect(points.length).toBeGreaterThanOrEqual(2 * (LENGTH_SEC - 2));
  expect(largestMs).toBeLessThan(MAX_OFFSET_MS);
  // While the encoder sends only audio, its last keyframe is held, which shows a flash.
  const silentSec = silentFlashesSec.filter((sec) => Math.abs(sec - LENGTH_SEC) > 0.1);
  expect({ soundHoles, silentSec }).toEqual({ soundHoles: [], silentSec: [] });
  expect(darkBeepsSec.length).toBeGreaterThanOrEqual(LENGTH_SEC - 2);
  expect(darkBeepsSec.every((sec) => sec > LENGTH_SEC - 1 && sec < 2 * LENGTH_SEC + 1)).toBe(true);
  // Clients that ask for a lower resolution get the same file.
  expect((await download(`${base}/play_240p.mp4`)).bytes.equals(bytes)).toBe(true);
  expect((await fetch(`${base}/play_720p.mp4`)).status).toBe(404);
  expect((await readExported(stream)).equals(bytes)).toBe(true);
  const { rows } = await sql<{ ready: number }>`
    select count(*)::int as ready from notification where media_id = ${key.mediaId}
      and event = 'ready'`.execute(place.catalogue.database.db);
  expect(rows[0]?.ready).toBe(1);
}, 600_000);

test('a recording of several periods with only audio is one file', async () => {
  const stream = await record([await onlyAudio(small()), await onlyAudio(large())]);
  const { bytes, file } = await download(`${stream.base}/play_audio.m4a`);
  const { errors, durationSec } = await decode(file);
  expect(errors).toBe('');
  expect(durationSec).toBeGreaterThan(2 * LENGTH_SEC - 1);
  expect(await ask(stream, '/resolutions')).toMatchObject({
    data: { mp4Resolutions: [{ resolution: 'audio', path: 'play_audio.m4a' }] },
  });
  expect((await readExported(stream)).equals(bytes)).toBe(true);
}, 600_000);

test('an export says that a recording is still being encoded', async () => {
  const stream = await startLive(place);
  await (await publishTags(stream.ingest, await onlyAudio(small())))();
  const { streams, database } = place.catalogue;
  await streams.change(stream.key, stopStream);
  await until(async () => ((await streams.load(stream.key)).isVideo ? true : null), 'the recording');
  const setState = (state: string) =>
    sql`update media set state = ${state} where id = ${stream.key.mediaId}`.execute(database.db);
  await setState('transcoding');
  const { problems } = await exportAll(stream);
  await setState('finished');
  const reason = 'This video is still being encoded. Run the export again later.';
  expect(problems).toContainEqual(expect.objectContaining({ guid: stream.key.mediaId, reason }));
}, 120_000);

type Report = { state: string; problems: { guid: string; reason: string }[] };

/** Calls an operation that needs the account key. */
async function askOwner(method: string, at: string, body?: object) {
  const headers = { AccessKey: ACCOUNT_KEY, 'Content-Type': 'application/json' };
  const init = { method, headers, ...(body !== undefined && { body: JSON.stringify(body) }) };
  const response = await fetch(`${place.service.apiUrl}${at}`, init);
  expect(response.status).toBe(200);
  return Object(await response.json());
}

/** Exports the library into a folder of the service that is named after a recording. */
async function exportAll({ key }: TestStream): Promise<Report> {
  const at = `/library/${key.libraryId}/exports`;
  const { guid } = await askOwner('POST', at, { target: 'folder', folder: key.mediaId });
  return until(async () => {
    const report: Report = await askOwner('GET', `${at}/${guid}`);
    return report.state === 'finished' ? report : null;
  }, 'the export');
}

/** Exports the library, and returns the file of a recording. */
async function readExported(stream: TestStream): Promise<Buffer> {
  await exportAll(stream);
  const folder = path.join(exports, 'library-1', stream.key.mediaId);
  const names = (await readdir(folder)).filter(
    (name) => name.startsWith(stream.key.mediaId) && /\.(mp4|m4a)$/.test(name),
  );
  expect(names).toHaveLength(1);
  return readFile(path.join(folder, names[0] ?? ''));
}
