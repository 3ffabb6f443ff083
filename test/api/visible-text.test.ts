import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestApi, type TestApi } from '../support/api.ts';

let api: TestApi;
beforeAll(async () => {
  api = await startTestApi();
});
afterAll(async () => {
  expect(api.faults).toEqual([]);
  await api.stop();
});

const post = (path: string, body: object) => api.call('POST', path, { body });
const INVISIBLE = ['\u200b', '\0', '\u3164', ' \u2800 ', '\u202e', '\n'];

test.each(INVISIBLE)('refuses %j as a title or name', async (title) => {
  expect((await post('/library/1/videos', { title })).status).toBe(400);
  const { guid } = Object((await post('/library/1/videos', { title: 'A video' })).body);
  expect((await post(`/library/1/videos/${guid}`, { title })).status).toBe(400);
  expect((await post('/library/1/collections', { name: title })).status).toBe(400);
  expect((await post('/library/1/live', { title })).status).toBe(400);
});

test('reads titles and names as one line that cannot change the direction of other texts', async () => {
  const title = 'in\u202evoice\0\ud800\n2';
  const read = 'invoice\ufffd 2';
  expect(Object((await post('/library/1/videos', { title })).body).title).toBe(read);
  expect(Object((await post('/library/1/collections', { name: title })).body).name).toBe(read);
  expect(Object((await post('/library/1/live', { title })).body).title).toBe(read);
});

test.each(['        ', '\u200b'.repeat(8), '\t'.repeat(8)])(
  'refuses the password %j for a share page',
  async (password) => {
    const { guid } = Object((await post('/library/1/videos', { title: 'A video' })).body);
    const answer = await post(`/library/1/videos/${guid}/shares`, { password });
    expect([answer.status, Object(answer.body).message]).toEqual([400, expect.stringContaining('visible characters')]);
    expect((await post(`/library/1/videos/${guid}/shares`, { password: 'summer party' })).status).toBe(200);
  },
);
