import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { imageKey } from '../../src/catalog/images/image-key.ts';
import { type Guid, newGuid } from '../../src/lib/guid.ts';
import { closeServer, listen } from '../../src/lib/listen.ts';
import { createOutbound } from '../../src/lib/outbound/outbound.ts';
import { startTestApi, type TestApi } from '../support/api.ts';

const run = promisify(execFile);
let api: TestApi;
let origin: Server;
let originUrl: string;
let images: Record<string, Buffer>;

beforeAll(async () => {
  images = await makeImages();
  origin = createServer((request, response) => {
    const name = request.url?.slice(1) ?? '';
    if (name === 'moved') response.writeHead(302, { location: '/a.png' }).end();
    else if (name === 'endless') response.writeHead(200, { 'content-length': `${2 ** 30}` }).write('x');
    else if (images[name] === undefined) response.writeHead(404).end('nothing');
    else response.end(images[name]);
  });
  originUrl = `http://127.0.0.1:${await listen(origin, 0, '127.0.0.1')}`;
  api = await startTestApi();
});
afterAll(async () => {
  expect(api.faults).toEqual([]);
  await api.stop();
  await closeServer(origin, 0);
});

async function makeImages(): Promise<Record<string, Buffer>> {
  const folder = await mkdtemp(path.join(tmpdir(), 'mr-thumbs-'));
  const made: Record<string, Buffer> = {};
  for (const name of ['a.png', 'a.jpg', 'a.webp', 'a.gif']) {
    const file = path.join(folder, name);
    await run('ffmpeg', ['-v', 'error', '-f', 'lavfi', '-i', 'testsrc2=s=320x180', '-frames:v', '1', file]);
    made[name] = await readFile(file);
  }
  await rm(folder, { recursive: true });
  return made;
}

async function createVideo(): Promise<string> {
  return String(Object((await api.call('POST', '/library/1/videos', { body: { title: 'Shown' } })).body).guid);
}
const loadRow = (guid: string) =>
  api.database.db
    .selectFrom('media')
    .selectAll()
    .where('id', '=', guid as Guid)
    .executeTakeFirstOrThrow();
const set = (guid: string, query: string, options = {}) =>
  api.call('POST', `/library/1/videos/${guid}/thumbnail${query}`, options);
const stored = async (guid: string) => (await api.storage.files()).filter((file) => file.includes(guid));

describe('thumbnails that are accepted', () => {
  const asBody = (name: string, type: string) => () => ({ body: images[name], headers: { 'Content-Type': type } });
  test.each([
    ['a JPEG as the body', '', asBody('a.jpg', 'image/jpeg')],
    ['a PNG as octets', '', asBody('a.png', 'application/octet-stream')],
    ['a WebP that claims to be JSON', '', asBody('a.webp', 'application/json')],
    ['a URL in the query', () => `?thumbnailUrl=${encodeURIComponent(`${originUrl}/a.png`)}`, () => ({})],
    ["a URL in the query, and PHP's empty list", () => `?THUMBNAILURL=${originUrl}/a.jpg`, () => ({ body: [] })],
    ['a URL in JSON', '', () => ({ body: { ThumbnailUrl: `${originUrl}/a.webp` } })],
    ['a URL that redirects', () => `?thumbnailUrl=${originUrl}/moved`, () => ({})],
  ])('sets the thumbnail from %s', async (_, query, options) => {
    const guid = await createVideo();
    const answer = await set(guid, typeof query === 'string' ? query : query(), options());
    expect(answer.body).toEqual({ success: true, message: 'OK', statusCode: 200 });
    const row = await loadRow(guid);
    expect(row).toMatchObject({ revision: 1, thumbnail_width_px: 320, thumbnail_height_px: 180 });
    expect(row.thumbnail_file_name).toMatch(/^thumbnail_[0-9a-f]{8}\.jpg$/);
    expect(row.thumbnail_blurhash).toMatch(/^L[^ ]{27}$/);
    const bytes = await api.storage.readBytes(row.thumbnail_key ?? ('' as never), null, new AbortController().signal);
    expect([bytes.length, bytes.subarray(0, 3).toString('hex')]).toEqual([row.thumbnail_bytes, 'ffd8ff']);
    expect((await api.call('GET', `/library/1/videos/${guid}`)).body).toMatchObject({
      thumbnailFileName: row.thumbnail_file_name,
      thumbnailUrl: `http://edge.test/vz-1/${guid}/${row.thumbnail_file_name}`,
      storageSize: bytes.length,
      thumbnailBlurhash: row.thumbnail_blurhash,
    });
  });

  test('reads an offered thumbnail directly from the store, regardless of the outbound rules', async () => {
    const guid = (await createVideo()) as Guid;
    const board = { durationMs: 1000, everySec: 1, frames: 1, tileWidthPx: 300, tileHeightPx: 168 };
    const made = { timelineId: newGuid(), folder: 'x', board, posters: 5, previews: [] };
    await api.database.db
      .updateTable('media')
      .set({ images: JSON.stringify(made) })
      .where('id', '=', guid)
      .execute();
    const key = imageKey({ libraryId: 1, mediaId: guid }, made, 'thumbnail_3.jpg');
    await api.storage.put(key, images['a.jpg'] ?? Buffer.alloc(0), {}, new AbortController().signal);
    const address = (file: string) => `?thumbnailUrl=${encodeURIComponent(`http://edge.test/vz-1/${guid}/${file}`)}`;
    const answer = await set(guid, address('thumbnail_3.jpg?ver=1'));
    expect(answer.body).toEqual({ success: true, message: 'OK', statusCode: 200 });
    expect(await loadRow(guid)).toMatchObject({ thumbnail_width_px: 320, thumbnail_height_px: 180 });
    // If the store lacks the image, it is fetched from the URL.
    expect((await set(guid, address('thumbnail_6.jpg'))).body).toMatchObject({ success: false, statusCode: 400 });
    const other = await createVideo();
    expect((await set(other, address('thumbnail_3.jpg'))).body).toMatchObject({ success: false, statusCode: 400 });
  });

  test('stores a new thumbnail under a different name and retires the previous one', async () => {
    const guid = await createVideo();
    await set(guid, '', { body: images['a.jpg'] });
    const first = await loadRow(guid);
    await set(guid, '', { body: images['a.png'] });
    const second = await loadRow(guid);
    expect(second.thumbnail_file_name).not.toBe(first.thumbnail_file_name);
    expect(second.storage_bytes).toBe(first.thumbnail_bytes + second.thumbnail_bytes);
    const retired = await api.database.db.selectFrom('retired_object').select('storage_key').execute();
    expect(retired).toContainEqual({ storage_key: first.thumbnail_key });
    expect(await stored(guid)).toHaveLength(2);
  });
});

describe('thumbnails that are rejected', () => {
  // The published OpenAPI document does not list 400 and 422 for this operation.
  test.each([
    ['neither address nor body', () => '', {}, /got neither/],
    ['JSON without a URL', () => '', { body: { other: 1 } }, /got JSON without thumbnailUrl/],
    ['an empty list', () => '', { body: [] }, /got JSON without thumbnailUrl/],
    ['broken JSON', () => '', { body: '{"thumbnailUrl"' }, /neither/],
    ['an SVG', () => '', { body: '<svg xmlns="http://www.w3.org/2000/svg"/>' }, /Expected a JPEG, PNG, WebP or AVIF/],
    [
      'an SVG that claims to be JPEG',
      () => '',
      { body: '<?xml version="1.0"?><svg/>', headers: { 'Content-Type': 'image/jpeg' } },
      /Expected a JPEG/,
    ],
    ['a GIF from a URL', () => `?thumbnailUrl=${originUrl}/a.gif`, {}, /Expected a JPEG/],
    ['a URL without an image', () => `?thumbnailUrl=${originUrl}/none.png`, {}, /status 200, got 404/],
    ['an endless body', () => `?thumbnailUrl=${originUrl}/endless`, {}, /larger than/],
    ['a closed port', () => '?thumbnailUrl=http://127.0.0.1:1/a.png', {}, /could not be reached/],
    ['a file address', () => '?thumbnailUrl=file:///etc/passwd', {}, /http or https/],
    ['no address', () => '?thumbnailUrl=picture.png', {}, /Expected a URL/],
    ['a URL with credentials', () => '?thumbnailUrl=http://a:b@127.0.0.1/a.png', {}, /password/],
  ])('rejects %s with 400', async (_, query, options, message) => {
    const guid = await createVideo();
    const answer = await set(guid, query(), options);
    expect(answer.status).toBe(400);
    expect(answer.body).toEqual({ success: false, message: expect.stringMatching(message), statusCode: 400 });
    expect(await loadRow(guid)).toMatchObject({
      thumbnail_key: null,
      thumbnail_file_name: 'thumbnail.jpg',
      revision: 0,
    });
    expect(await stored(guid)).toEqual([]);
  });

  test('rejects a thumbnail at a private address unless the operator allows it', async () => {
    const outbound = createOutbound({ allow: [] });
    const strict = await startTestApi({ outbound });
    const { body } = await strict.call('POST', '/library/1/videos', { body: { title: 'x' } });
    const answer = await strict.call(
      'POST',
      `/library/1/videos/${Object(body).guid}/thumbnail?thumbnailUrl=${originUrl}/a.png`,
    );
    await strict.stop();
    await outbound.close();
    expect(answer.body).toMatchObject({ success: false, statusCode: 400 });
  });

  test('rejects a thumbnail over 16 MiB, an unknown video and a read-only key', async () => {
    const guid = await createVideo();
    expect((await set(guid, '', { body: new Uint8Array(16 * 2 ** 20 + 1) })).status).toBe(413);
    expect((await set(newGuid(), '', { body: images['a.png'] })).status).toBe(404);
    expect((await set(guid, '', { body: images['a.png'], key: api.first.readOnlyKey })).status).toBe(403);
    expect((await set(guid, '', { body: images['a.png'], key: api.second.key })).status).toBe(401);
  });
});
