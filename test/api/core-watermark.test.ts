import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { imageKey } from '../../src/catalog/libraries/library-image.ts';
import { newGuid } from '../../src/lib/guid.ts';
import { type CallOptions, startTestApi, type TestApi } from '../support/api.ts';
import { loseNextCommit } from '../support/lost-commit.ts';
import { addRows } from '../support/rendition-rows.ts';

const run = promisify(execFile);
const never = new AbortController().signal;
let api: TestApi;
let png: Buffer;
let others: Buffer[];
beforeAll(async () => {
  api = await startTestApi();
  png = await makeImage('png');
  others = [await makeImage('jpg'), await makeImage('webp')];
});
afterAll(async () => {
  expect(api.faults).toEqual([]);
  await api.stop();
});

async function makeImage(type: string): Promise<Buffer> {
  const folder = await mkdtemp(path.join(tmpdir(), 'mr-marks-'));
  const file = path.join(folder, `mark.${type}`);
  await run('ffmpeg', [
    '-v',
    'error',
    '-f',
    'lavfi',
    '-i',
    'color=red@0.5:s=33x21,format=rgba',
    '-frames:v',
    '1',
    file,
  ]);
  const bytes = await readFile(file);
  await rm(folder, { recursive: true });
  return bytes;
}

const call = (method: string, path: string, options: CallOptions = {}) =>
  api.call(method, path, { key: String(api.first.accountKey), ...options });
const createLibrary = async () => Object((await call('POST', '/videolibrary', { body: { Name: 'Marked' } })).body);
const put = (id: number, body: Uint8Array) => call('PUT', `/videolibrary/${id}/watermark`, { body });

async function stored(id: number): Promise<string[]> {
  const keys: string[] = [];
  for await (const { key } of api.storage.list(`${id}/watermark/`, never)) keys.push(key);
  return keys;
}

test('stores a watermark as the next version, shows it in the model, and deletes it', async () => {
  const { Id } = await createLibrary();
  const model = async () => Object((await call('GET', `/videolibrary/${Id}`)).body);
  expect(await put(Id, png)).toMatchObject({ status: 204, text: '' });
  expect(await model()).toMatchObject({ HasWatermark: true, WatermarkVersion: 1 });
  for (const next of others) expect((await put(Id, next)).status).toBe(204);
  expect(await model()).toMatchObject({ HasWatermark: true, WatermarkVersion: 3 });
  expect(await stored(Id)).toEqual([`${Id}/watermark/3`]);
  const kept = await api.storage.readBytes(imageKey(Id, 'watermark', 3), null, never);
  expect(kept.subarray(0, 8).toString('hex')).toBe('89504e470d0a1a0a');
  expect([kept.readUInt32BE(16), kept.readUInt32BE(20)]).toEqual([33, 21]);
  expect(await call('DELETE', `/videolibrary/${Id}/watermark`)).toMatchObject({ status: 204, text: '' });
  expect(await model()).toMatchObject({ HasWatermark: false });
  expect(await stored(Id)).toEqual([]);
  expect((await call('DELETE', `/videolibrary/${Id}/watermark`)).status).toBe(204);
});

test('rejects a file that is not an image with 400 and a large one with 413, and stores neither', async () => {
  const { Id } = await createLibrary();
  const headers = { 'Content-Type': 'image/png' };
  for (const body of [
    Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"/>'),
    Buffer.from('GIF89a'),
    png.subarray(0, 60),
    Buffer.concat([png.subarray(0, 8), Buffer.alloc(100)]),
    Buffer.alloc(0),
  ]) {
    const answer = await call('PUT', `/videolibrary/${Id}/watermark`, { body, headers });
    expect(answer).toMatchObject({ status: 400, body: { ErrorKey: 'request.invalid' } });
  }
  expect((await put(Id, Buffer.concat([png, Buffer.alloc(5 * 2 ** 20)]))).status).toBe(413);
  expect(await stored(Id)).toEqual([]);
  expect((await call('GET', `/videolibrary/${Id}`)).body).toMatchObject({ HasWatermark: false, WatermarkVersion: 0 });
});

test('simultaneous uploads keep only the watermark version that the library shows', async () => {
  const { Id } = await createLibrary();
  const answers = await Promise.all(Array.from({ length: 5 }, () => put(Id, png)));
  expect(answers.map(({ status }) => status)).toEqual([204, 204, 204, 204, 204]);
  const { WatermarkVersion } = Object((await call('GET', `/videolibrary/${Id}`)).body);
  expect(await stored(Id)).toEqual([`${Id}/watermark/${WatermarkVersion}`]);
});

test('keeps a watermark version while renditions use it or a video is being planned', async () => {
  const { db } = api.database;
  const Id = 1;
  await put(Id, png);
  const media = { library_id: Id, id: newGuid(), type: 'video', title: 'Marked', state: 'processing' } as const;
  await db.insertInto('media').values(media).execute();
  await put(Id, png);
  expect(await stored(Id)).toEqual([`${Id}/watermark/1`, `${Id}/watermark/2`]);
  await db.updateTable('media').set({ state: 'finished' }).where('id', '=', media.id).execute();
  await addRows(db, media.id, [{ rung: 240 }]);
  const watermark = { version: 1, leftPercent: 0, topPercent: 0, widthPercent: 0, heightPercent: 0 };
  const plan = JSON.stringify({ durationSec: 1, watermark });
  await db.updateTable('rendition').set({ plan }).where('media_id', '=', media.id).execute();
  await put(Id, png);
  expect(await stored(Id)).toEqual([`${Id}/watermark/1`, `${Id}/watermark/3`]);
  await call('DELETE', `/videolibrary/${Id}/watermark`);
  expect(await stored(Id)).toEqual([`${Id}/watermark/1`]);
  await db.deleteFrom('media').where('id', '=', media.id).execute();
  await put(Id, png);
  expect(await stored(Id)).toEqual([`${Id}/watermark/4`]);
});

test('keeps a watermark whose commit succeeded although its response was lost', async () => {
  const { Id } = await createLibrary();
  const { lost } = await loseNextCommit(api.database, 'library');
  const [answer] = await Promise.all([put(Id, png), lost]);
  expect(answer.status).toBe(503);
  const shown = async () => Object((await call('GET', `/videolibrary/${Id}`)).body).HasWatermark;
  await vi.waitFor(async () => expect(await shown()).toBe(true), { timeout: 20_000 });
  expect(await stored(Id)).toEqual([imageKey(Id, 'watermark', 1)]);
  // The lost response is a database fault, which is logged.
  expect(api.faults.splice(0)).toHaveLength(1);
  expect((await put(Id, png)).status).toBe(204);
  expect(await stored(Id)).toEqual([imageKey(Id, 'watermark', 2)]);
});
