import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestApi, type TestApi } from '../support/api.ts';
import { addVideo } from './put-upload.ts';

const BYTES = Buffer.from('0123456789');

let api: TestApi;
let address: string;
beforeAll(async () => {
  api = await startTestApi();
  const guid = await addVideo(api);
  await api.call('PUT', `/library/1/videos/${guid}`, { body: BYTES });
  address = `${api.url}/library/1/videos/${guid}/original`;
});
afterAll(async () => {
  expect(api.faults).toEqual([]);
  await api.stop();
});

const read = (headers: Record<string, string>, query = '') =>
  fetch(`${address}${query}`, { headers: { AccessKey: String(api.first.libraryKey), ...headers } });

test.each([
  ['bytes=2-4', 206, 'bytes 2-4/10', '234'],
  ['bytes=-3', 206, 'bytes 7-9/10', '789'],
  ['bytes=8-99', 206, 'bytes 8-9/10', '89'],
  ['bytes=0-1,3-4', 200, null, '0123456789'],
  ['bytes=4-2', 200, null, '0123456789'],
  ['lines=1-2', 200, null, '0123456789'],
])('a request for the range %s of the original gets %i', async (range, status, contentRange, text) => {
  const response = await read({ range });
  expect([response.status, response.headers.get('content-range'), await response.text()]).toEqual([
    status,
    contentRange,
    text,
  ]);
});

test.each(['bytes=10-', 'bytes=99-100', 'bytes=-0', `bytes=${'9'.repeat(20)}-`])(
  'the original refuses the range %s with 416 and its size',
  async (range) => {
    const response = await read({ range });
    expect([response.status, response.headers.get('content-range')]).toEqual([416, 'bytes */10']);
    expect(await response.json()).toMatchObject({ success: false, statusCode: 416 });
  },
);

test('If-Range of another version returns the whole original instead of 416', async () => {
  const etag = (await read({})).headers.get('etag') ?? '';
  expect((await read({ range: 'bytes=10-', 'if-range': etag })).status).toBe(416);
  const other = await read({ range: 'bytes=10-', 'if-range': '"another"' });
  expect([other.status, await other.text()]).toEqual([200, '0123456789']);
});
