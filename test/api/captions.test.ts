import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Guid } from '../../src/lib/guid.ts';
import { storageKey } from '../../src/ports/storage.ts';
import { type Answer, startTestApi, type TestApi } from '../support/api.ts';

let api: TestApi;
beforeAll(async () => {
  api = await startTestApi();
});
afterAll(async () => {
  expect(api.faults).toEqual([]);
  await api.stop();
});

const base64 = (text: string) => Buffer.from(text).toString('base64');
const SRT = '1\n00:00:01,000 --> 00:00:02,000\nHello\n';
const CLEAN = 'WEBVTT\n\n00:00:01.000 --> 00:00:02.000\nHello\n';

async function createVideo(): Promise<string> {
  return String(Object((await api.call('POST', '/library/1/videos', { body: { title: 'Captioned' } })).body).guid);
}
function add(guid: string, srclang: string, body: unknown): Promise<Answer> {
  return api.call('POST', `/library/1/videos/${guid}/captions/${srclang}`, { body });
}
async function read(guid: string) {
  const { body } = await api.call('GET', `/library/1/videos/${guid}`);
  return Object(body);
}
async function loadRow(guid: string) {
  return api.database.db
    .selectFrom('media')
    .selectAll()
    .where('id', '=', guid as Guid)
    .executeTakeFirstOrThrow();
}
const stored = async (guid: string) => (await api.storage.files()).filter((file) => file.includes(guid));

test('adds, lists, replaces and deletes captions', async () => {
  const guid = await createVideo();
  const first = await add(guid, 'en', { srclang: 'ignored', label: 'English', captionsFile: base64(SRT) });
  expect(first).toMatchObject({ status: 200, body: { success: true, message: 'OK', statusCode: 200 } });
  expect(Object(first.body).data).toEqual({ valid: true, errorList: [], warningList: [], warningMessage: '' });
  await add(guid, 'de', { captionsFile: base64(CLEAN) });
  expect((await read(guid)).captions).toEqual([
    { srclang: 'en', label: 'English', version: 1 },
    { srclang: 'de', label: 'German', version: 1 },
  ]);
  const before = (await loadRow(guid)).revision;
  await add(guid, 'EN', { label: 'Other', captionsFile: base64(SRT.replace('Hello', 'Bye')) });
  expect((await loadRow(guid)).revision).toBe(before + 1);
  expect((await read(guid)).captions[0]).toEqual({ srclang: 'EN', label: 'Other', version: 2 });
  const keys = (await loadRow(guid)).captions.map(({ key }) => key);
  expect(keys).toEqual([`1/${guid}/captions/en-2.vtt`, `1/${guid}/captions/de-1.vtt`]);
  const text = await api.storage.readBytes(storageKey(keys[0] ?? ''), null, new AbortController().signal);
  expect(text.toString()).toBe(CLEAN.replace('Hello', 'Bye'));
  expect((await api.call('DELETE', `/library/1/videos/${guid}/captions/en`)).body).toMatchObject({ success: true });
  expect((await read(guid)).captions).toEqual([{ srclang: 'de', label: 'German', version: 1 }]);
  await add(guid, 'en', { captionsFile: base64(SRT) });
  // A version number is never reused: caches may still hold the old file.
  expect((await read(guid)).captions[1]).toEqual({ srclang: 'en', label: 'English', version: 3 });
});

test('counts the bytes of captions as storage, but not those of replaced versions', async () => {
  const guid = await createVideo();
  await add(guid, 'en', { captionsFile: base64(SRT) });
  await add(guid, 'en', { captionsFile: base64(SRT) });
  expect((await read(guid)).storageSize).toBe(CLEAN.length);
  expect(await stored(guid)).toHaveLength(2);
  const { body } = await api.call('GET', `/library/1/videos/${guid}/storage`);
  expect(Object(body).data).toMatchObject({ encoded: {}, miscellaneous: CLEAN.length, originals: 0 });
  const retired = await api.database.db
    .selectFrom('retired_object')
    .selectAll()
    .where('media_id', '=', guid as Guid)
    .execute();
  expect(retired.map(({ storage_key: key, size_bytes: size }) => [key, size])).toEqual([
    [`1/${guid}/captions/en-1.vtt`, CLEAN.length],
  ]);
});

test('simultaneous uploads for one language keep one track, and every stored file has a database row', async () => {
  const guid = await createVideo();
  const answers = await Promise.all(Array.from({ length: 12 }, () => add(guid, 'en', { captionsFile: base64(SRT) })));
  expect(answers.map(({ status }) => status)).toEqual(Array(12).fill(200));
  const { captions } = await read(guid);
  expect(captions).toEqual([{ srclang: 'en', label: 'English', version: 12 }]);
  const retired = await api.database.db
    .selectFrom('retired_object')
    .select('storage_key')
    .where('media_id', '=', guid as Guid)
    .execute();
  const named = [
    ...retired.map(({ storage_key: key }) => key),
    ...(await loadRow(guid)).captions.map(({ key }) => key),
  ];
  expect(new Set(named)).toEqual(new Set(await stored(guid)));
  expect(named).toHaveLength(12);
});

test('reports omitted parts of a file as warnings', async () => {
  const guid = await createVideo();
  const file = 'WEBVTT\n\nSTYLE\n::cue {}\n\n00:01.000 --> 00:02.000\n<script>x</script>\n';
  const { body } = await add(guid, 'en', { captionsFile: base64(file) });
  expect(Object(body).data).toEqual({
    valid: true,
    errorList: [],
    warningList: ['Line 3: a STYLE block was left out.'],
    warningMessage: '1 part of the file was left out or corrected.',
  });
});

test('accepts a file of four megabytes and rejects a file over five megabytes', async () => {
  const guid = await createVideo();
  const cue = (index: number, length: number) =>
    `00:00:${String(index % 60).padStart(2, '0')}.000 --> 00:01:00.000\n${'x'.repeat(length)}\n\n`;
  const file = (cues: number, length: number) =>
    base64(`WEBVTT\n\n${Array.from({ length: cues }, (_, index) => cue(index % 59, length)).join('')}`);
  expect((await add(guid, 'en', { captionsFile: file(20_000, 180) })).status).toBe(200);
  const large = await add(guid, 'en', { captionsFile: file(20_000, 240) });
  expect([large.status, Object(large.body).data.valid]).toEqual([400, false]);
  expect(Object(large.body).message).toContain('at most 5242880 bytes');
  expect((await add(guid, 'en', { captionsFile: 'A'.repeat(9 * 2 ** 20) })).status).toBe(413);
});

describe('unusable captions', () => {
  const refused = (message: RegExp) => ({
    success: false,
    message: expect.stringMatching(message),
    statusCode: 400,
    data: { valid: false, errorList: [expect.any(String)], warningList: expect.any(Array) },
  });
  test.each([
    ['no body', undefined, /captionsFile, got none/],
    ['an empty file', { captionsFile: '' }, /captionsFile, got none/],
    ['a null file', { captionsFile: null }, /captionsFile, got none/],
    ['not base64', { captionsFile: 'not base64!' }, /not base64/],
    ['another type', { captionsFile: 5 }, /body is not valid/],
    ['no captions', { captionsFile: base64('hello') }, /Line 1: expected a cue/],
    ['a file without cues', { captionsFile: base64('WEBVTT\n') }, /no cue/],
    ['an image', { captionsFile: Buffer.from('89504e470d0a1a0a0000', 'hex').toString('base64') }, /cannot be read/],
    [
      'a cue that ends before it starts',
      { captionsFile: base64('WEBVTT\n\n00:02.000 --> 00:01.000\nx\n') },
      /Line 3: expected a cue to end/,
    ],
    ['broken JSON', '{"captionsFile":', /JSON body/],
  ])('rejects %s with 400', async (_, body, message) => {
    const guid = await createVideo();
    const answer = await add(guid, 'en', body);
    expect(answer.status).toBe(400);
    expect(answer.body).toMatchObject(refused(message));
    expect((await read(guid)).captions).toEqual([]);
    expect(await stored(guid)).toEqual([]);
  });

  test.each(['en_', 'x'.repeat(40), 'e%20n', '..%2fx', 'en%0a', '%C3%A9'])(
    'rejects the language %s with 400',
    async (srclang) => {
      const guid = await createVideo();
      const answer = await add(guid, srclang, { captionsFile: base64(SRT) });
      expect(answer.status).toBe(400);
      expect(answer.body).toMatchObject(refused(/^Expected a language such as "en"/));
      const deleted = await api.call('DELETE', `/library/1/videos/${guid}/captions/${srclang}`);
      expect([deleted.status, deleted.text]).toEqual([400, '']);
    },
  );

  test('rejects an unknown video or language, the key of a different library and a read-only key', async () => {
    const guid = await createVideo();
    const unknown = '/library/1/videos/00000000-0000-0000-0000-000000000000/captions/en';
    const body = { captionsFile: base64(SRT) };
    const readOnly = api.first.readOnlyKey;
    expect((await api.call('POST', unknown, { body })).status).toBe(404);
    expect((await api.call('DELETE', unknown)).status).toBe(404);
    const missing = await api.call('DELETE', `/library/1/videos/${guid}/captions/fr`);
    expect(missing.status).toBe(404);
    expect(missing.body).toMatchObject({ success: false, message: expect.stringContaining('It has: none') });
    const path = `/library/1/videos/${guid}/captions/en`;
    expect((await api.call('POST', path, { body, key: api.second.key })).status).toBe(401);
    expect((await api.call('POST', path, { body, key: readOnly })).status).toBe(403);
    expect((await api.call('DELETE', path, { key: readOnly })).status).toBe(403);
    const foreign = `/library/${api.second.id}/videos/${guid}/captions/en`;
    expect((await api.call('POST', foreign, { body, key: api.second.key })).status).toBe(404);
    expect(await stored(guid)).toEqual([]);
  });
});
