import { afterAll, beforeAll, expect, test } from 'vitest';
import { type CallOptions, startTestApi, type TestApi } from '../support/api.ts';

let api: TestApi;
beforeAll(async () => {
  api = await startTestApi();
});
afterAll(async () => {
  expect(api.faults).toEqual([]);
  await api.stop();
});

const call = (method: string, path: string, options: CallOptions = {}) =>
  api.call(method, path, { key: String(api.first.accountKey), ...options });
const createLibrary = async () => Object((await call('POST', '/videolibrary', { body: { Name: 'Marked' } })).body);
const put = (id: number, body: Uint8Array) => call('PUT', `/videolibrary/${id}/watermark`, { body });

const pad = (head: string) => Buffer.concat([Buffer.from(head, 'latin1'), Buffer.alloc(100)]);
const png = pad('\x89PNG\r\n\x1a\n');

async function stored(id: number): Promise<string[]> {
  const keys: string[] = [];
  for await (const { key } of api.storage.list(`${id}/watermark/`, new AbortController().signal)) keys.push(key);
  return keys;
}

test('a watermark is kept as the next version, shown in the model, and deleted', async () => {
  const { Id } = await createLibrary();
  const model = async () => Object((await call('GET', `/videolibrary/${Id}`)).body);
  expect(await put(Id, png)).toMatchObject({ status: 204, text: '' });
  expect(await model()).toMatchObject({ HasWatermark: true, WatermarkVersion: 1 });
  for (const next of [pad('\xff\xd8\xff'), pad('RIFF\0\0\0\0WEBPVP8 ')]) expect((await put(Id, next)).status).toBe(204);
  expect(await model()).toMatchObject({ HasWatermark: true, WatermarkVersion: 3 });
  expect(await stored(Id)).toEqual([`${Id}/watermark/3`]);
  expect(await call('DELETE', `/videolibrary/${Id}/watermark`)).toMatchObject({ status: 204, text: '' });
  expect(await model()).toMatchObject({ HasWatermark: false });
  expect(await stored(Id)).toEqual([]);
  expect((await call('DELETE', `/videolibrary/${Id}/watermark`)).status).toBe(204);
});

test('what is no picture is 400 whatever it says it is, what is too large is 413, and neither leaves anything', async () => {
  const { Id } = await createLibrary();
  const headers = { 'Content-Type': 'image/png' };
  for (const body of [
    Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"/>'),
    Buffer.from('GIF89a'),
    Buffer.alloc(0),
  ]) {
    const answer = await call('PUT', `/videolibrary/${Id}/watermark`, { body, headers });
    expect(answer).toMatchObject({ status: 400, body: { ErrorKey: 'request.invalid' } });
  }
  expect((await put(Id, Buffer.concat([png, Buffer.alloc(5 * 2 ** 20)]))).status).toBe(413);
  expect(await stored(Id)).toEqual([]);
  expect((await call('GET', `/videolibrary/${Id}`)).body).toMatchObject({ HasWatermark: false, WatermarkVersion: 0 });
});

test('of uploads at the same time one is shown and one is left', async () => {
  const { Id } = await createLibrary();
  const answers = await Promise.all(Array.from({ length: 5 }, () => put(Id, png)));
  expect(answers.map(({ status }) => status)).toEqual([204, 204, 204, 204, 204]);
  const { WatermarkVersion } = Object((await call('GET', `/videolibrary/${Id}`)).body);
  expect(await stored(Id)).toEqual([`${Id}/watermark/${WatermarkVersion}`]);
});
