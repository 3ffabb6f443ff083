import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestApi, type TestApi } from '../support/api.ts';

let api: TestApi;
let path: string;
beforeAll(async () => {
  api = await startTestApi({ sendsMail: true });
  const { body } = await api.call('POST', '/library/1/videos', { body: { title: 'A video' } });
  path = `/library/1/videos/${Object(body).guid}/shares`;
});
afterAll(async () => {
  expect(api.faults).toEqual([]);
  await api.stop();
});

test('limits a share to e-mail domains, changes them and removes them', async () => {
  const { body } = await api.call('POST', path, {
    body: { emailDomains: ['Example.COM', 'bücher.example', '*.uni.example', 'example.com'] },
  });
  const share = Object(body);
  const emailDomains = ['example.com', 'xn--bcher-kva.example', '*.uni.example'];
  expect(share).toMatchObject({ access: 'email', emailDomains });
  const change = async (fields: object) =>
    Object((await api.call('POST', `${path}/${share.guid}`, { body: fields })).body);
  expect(await change({ allowDownload: true })).toMatchObject({ access: 'email', emailDomains });
  expect(await change({ password: 'summer party' })).toMatchObject({ access: 'password', emailDomains });
  expect(await change({ password: null, emailDomains: null })).toMatchObject({ access: 'link', emailDomains: [] });
});

test.each([
  [['@example.com'], /got .*@example\.com.*Send only the part after the @/],
  [['ada@example.com'], /Send only the part after the @/],
  [['example .com'], /Expected emailDomains to be domains such as/],
  [[' example.com'], /Expected emailDomains/],
  [['example'], /Expected emailDomains/],
  [['https://example.com'], /Expected emailDomains/],
  [['example.com\r\nBcc: a@b.c'], /Expected emailDomains/],
  [['192.0.2.1'], /Expected emailDomains/],
  [['*'], /Expected emailDomains/],
  [[''], /Expected emailDomains/],
  [[5], /emailDomains/],
  ['example.com', /emailDomains/],
  [Array.from({ length: 21 }, (_, index) => `a${index}.test`), /emailDomains/],
])('rejects the domains %j', async (emailDomains, message) => {
  const { status, text } = await api.call('POST', path, { body: { emailDomains } });
  expect([status, text]).toEqual([400, expect.stringMatching(message)]);
});

test('a misspelt field is refused, because the page would be open to everybody', async () => {
  const { status, text } = await api.call('POST', path, { body: { domains: ['example.com'] } });
  expect([status, text]).toEqual([400, expect.stringContaining('emailDomains')]);
});

test('oEmbed does not describe a share that is limited to domains', async () => {
  const { body } = await api.call('POST', path, { body: { emailDomains: ['example.com'] } });
  const query = new URLSearchParams({ url: Object(body).url });
  expect((await api.call('GET', `/OEmbed?${query}`, { key: null })).status).toBe(404);
});
