import { request } from 'node:http';
import { parse } from 'hls-parser';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { newGuid } from '../../src/lib/guid.ts';
import { segmentRanges } from '../../src/media/cmaf/chunk.ts';
import { startTestDatabase, type TestDatabase } from '../support/database.ts';
import { runTool } from '../support/media/read-test-media.ts';
import { checkPlaylist } from '../support/rfc8216/check-playlist.ts';
import { type Film, type FilmTrack, makeFilm } from './make-film.ts';
import { addFilm, addLibrary, type PublishedFilm, publishWholeFilm } from './publish.ts';
import { createEdgeFixture, type EdgeFixture, type TestEdge } from './start-test-edge.ts';

let database: TestDatabase;
let fixture: EdgeFixture;
let edge: TestEdge;
let film: Film;
let shown: PublishedFilm;
let folder: string;
let rendition: string;

beforeAll(async () => {
  [database, film] = await Promise.all([startTestDatabase(), makeFilm(400, [144, 72])]);
  fixture = await createEdgeFixture(database);
  edge = await fixture.start();
  const libraryId = await addLibrary(database.db);
  shown = await addFilm(database.db, libraryId, film);
  await publishWholeFilm(database.db, fixture.storage, film, shown);
  folder = `${edge.base}/vz-${libraryId}/${shown.mediaId}`;
  rendition = `${folder}/r/${shown.videos[0]?.renditionId}`;
});
afterAll(async () => {
  await edge.close();
  await fixture.close();
  await database.stop();
});

async function fetchText(address: string): Promise<string> {
  const response = await fetch(address);
  expect(response.status).toBe(200);
  return response.text();
}

function bytesOf(track: FilmTrack | undefined, segment: number): Buffer {
  for (const { facts, pieces } of track?.chunks ?? []) {
    const range = segmentRanges(facts).find((found) => found.segment === segment);
    if (range !== undefined) return Buffer.concat(pieces).subarray(range.startByte, range.endByte + 1);
  }
  throw new Error(`Expected segment ${segment} in the film.`);
}

describe('a finished video', () => {
  test('every playlist is valid, and every URL in it returns data', async () => {
    const text = await fetchText(`${folder}/playlist.m3u8`);
    expect(checkPlaylist(text)).toEqual([]);
    const parsed = parse(text);
    if (!parsed.isMasterPlaylist) throw new Error('Expected a multivariant playlist.');
    // The last variant is audio only.
    const played = parsed.variants.filter(({ isIFrameOnly, resolution }) => !isIFrameOnly && resolution !== undefined);
    expect(played.map(({ resolution, frameRate }) => [resolution?.height, frameRate])).toEqual([
      [144, 23.976],
      [72, 23.976],
    ]);
    const named = new Set([...text.matchAll(/r\/[0-9a-f-]{36}\/video\.m3u8/g)].map(([address]) => address));
    const addresses = [...named].map((address) => `${folder}/${address}`);
    expect(addresses).toHaveLength(3);
    for (const address of [...addresses, `${folder}/144p/video.m3u8`]) await expectWholePlaylist(address);
  });

  test('ffmpeg reads all frames and all audio without a warning', async () => {
    const args = ['-v', 'warning', '-count_frames', '-show_entries', 'stream=nb_read_frames', '-of', 'csv=p=0'];
    const { stdout, stderr } = await runTool('ffprobe', [...args, '-select_streams', 'v:0', `${folder}/playlist.m3u8`]);
    expect([Number.parseInt(stdout.toString(), 10), stderr]).toEqual([film.frames, '']);
  });

  test('segments and init segments equal the stored bytes, with the same response headers each time', async () => {
    const video = film.videos[0];
    const init = await (await fetch(`${rendition}/init.mp4`)).arrayBuffer();
    expect(Buffer.from(init).equals(video?.init ?? Buffer.alloc(0))).toBe(true);
    for (const segment of [0, 1, 2, 4]) {
      const heads: Record<string, string>[] = [];
      for (let time = 0; time < 2; time += 1) {
        const response = await fetch(`${rendition}/${segment}.m4s`);
        const { date: _, 'x-request-id': __, ...head } = Object.fromEntries(response.headers);
        heads.push(head);
        expect(Buffer.from(await response.arrayBuffer()).equals(bytesOf(video, segment))).toBe(true);
      }
      expect(heads[1]).toEqual(heads[0]);
    }
  });
});

test('finds the pull zone by hostname, by path prefix, and before a path token', async () => {
  const path = `${shown.mediaId}/playlist.m3u8`;
  const text = await fetchText(`${folder}/playlist.m3u8`);
  const zone = `vz-${shown.libraryId}`;
  expect(await askRaw(`/${path}`, { host: `${zone}.edge.test:80` })).toMatchObject({ status: 200, body: text });
  expect(await askRaw(`/${path}`, { host: `${zone}.other.test` })).toMatchObject({ status: 404 });
  const { id } = await database.db
    .selectFrom('pull_zone')
    .select('id')
    .where('name', '=', zone)
    .executeTakeFirstOrThrow();
  await database.db.insertInto('pull_zone_hostname').values({ pull_zone_id: id, hostname: 'cdn.owner.test' }).execute();
  const owned = { host: 'CDN.owner.test' };
  await expect.poll(() => askRaw(`/${path}`, owned)).toMatchObject({ status: 200, body: text });
  expect(await askRaw(`http://cdn.owner.test/${path}`, { host: 'x' })).toMatchObject({ status: 200, body: text });
  const other = await addLibrary(database.db);
  expect(await askRaw(`/vz-${other}/${path}`, owned)).toMatchObject({ status: 404 });
  expect(await askRaw(`/embed/${other}/${shown.mediaId}`, owned)).toMatchObject({ status: 404 });
  expect(await askRaw(`/${zone}/bcdn_token=abc&expires=1&token_path=%2F/${path}`)).toMatchObject({
    status: 200,
    body: text,
  });
  expect(await askRaw(`/bcdn_token=abc/${zone.toUpperCase()}/${path}`)).toMatchObject({
    status: 200,
    body: text,
  });
  expect(await askRaw(`/${path}`)).toMatchObject({ status: 404 });
});

async function expectWholePlaylist(address: string): Promise<void> {
  const text = await fetchText(address);
  expect(checkPlaylist(text)).toEqual([]);
  expect(parse(text).isMasterPlaylist).toBe(false);
  expect(text).toContain('#EXT-X-ENDLIST');
  const names = [...text.matchAll(/^(?!#).+$/gm), ...text.matchAll(/(?<=URI=")[^"]+/g)].map(([name]) => name);
  expect(names).toHaveLength(film.cutList.startTicks.length + 1);
  for (const name of names) expect((await fetch(new URL(name, address), { method: 'HEAD' })).status).toBe(200);
}

async function askRaw(path: string, headers: Record<string, string> = {}): Promise<{ status: number; body: string }> {
  return new Promise((resolve, reject) => {
    request({ host: '127.0.0.1', port: edge.port, path, headers }, (response) => {
      const parts: Buffer[] = [];
      response.on('data', (part: Buffer) => parts.push(part));
      response.on('end', () => resolve({ status: response.statusCode ?? 0, body: Buffer.concat(parts).toString() }));
    })
      .on('error', reject)
      .end();
  });
}

const SHORTLY = 'public, max-age=5, stale-if-error=86400';

describe('response headers', () => {
  test.each([
    ['playlist.m3u8', 'application/vnd.apple.mpegurl', SHORTLY],
    ['144p/video.m3u8', 'application/vnd.apple.mpegurl', SHORTLY],
    ['R/init.mp4', 'video/mp4', 'public, max-age=31536000, immutable'],
    ['R/0.m4s', 'video/mp4', 'public, max-age=31536000, immutable'],
    ['A/0.m4s', 'audio/mp4', 'public, max-age=31536000, immutable'],
  ])('%s has its content type and caching headers', async (name, type, caching) => {
    const path = name
      .replace('R/', `r/${shown.videos[0]?.renditionId}/`)
      .replace('A/', `r/${shown.audio.renditionId}/`);
    const response = await fetch(`${folder}/${path}`);
    const length = (await response.arrayBuffer()).byteLength;
    expect(Object.fromEntries(response.headers)).toMatchObject({
      'content-type': type,
      'cache-control': caching,
      'access-control-allow-origin': '*',
      'accept-ranges': 'bytes',
      'content-length': `${length}`,
      'x-content-type-options': 'nosniff',
    });
    const head = await fetch(`${folder}/${path}`, { method: 'HEAD' });
    expect([head.status, head.headers.get('content-length'), await head.text()]).toEqual([200, `${length}`, '']);
    const etag = response.headers.get('etag') ?? '';
    const again = await fetch(`${folder}/${path}`, { headers: { 'if-none-match': `"x", W/${etag}` } });
    expect([again.status, again.headers.get('etag'), await again.text()]).toEqual([304, etag, '']);
    expect((await fetch(`${folder}/${path}`, { headers: { 'if-none-match': '"x"' } })).status).toBe(200);
  });
});

describe('ranges and methods', () => {
  test.each([
    ['bytes=0-9', 206, 0, 10],
    ['bytes=5-', 206, 5, null],
    ['bytes=-7', 206, -7, null],
    ['bytes=0-99999999', 206, 0, null],
    ['bytes=0-0', 206, 0, 1],
    ['bytes=0-1,4-5', 200, 0, null],
    ['bytes=9-2', 200, 0, null],
    ['bytes=x', 200, 0, null],
    ['lines=0-1', 200, 0, null],
  ])('the range "%s" returns %i', async (range, status, start, end) => {
    const whole = bytesOf(film.videos[0], 0);
    const response = await fetch(`${rendition}/0.m4s`, { headers: { range } });
    const body = Buffer.from(await response.arrayBuffer());
    expect(response.status).toBe(status);
    expect(body.equals(whole.subarray(start, end ?? undefined))).toBe(true);
    const from = start < 0 ? whole.length + start : start;
    const expected = status === 200 ? null : `bytes ${from}-${from + body.length - 1}/${whole.length}`;
    expect(response.headers.get('content-range')).toBe(expected);
  });

  test('a range past the end gets 416 with the size', async () => {
    const size = bytesOf(film.videos[0], 0).length;
    for (const range of [`bytes=${size}-`, 'bytes=-0']) {
      const response = await fetch(`${rendition}/0.m4s`, { headers: { range } });
      expect([response.status, response.headers.get('content-range')]).toEqual([416, `bytes */${size}`]);
    }
  });

  test('If-Range with a different tag returns the whole segment', async () => {
    const etag = (await fetch(`${rendition}/0.m4s`, { method: 'HEAD' })).headers.get('etag') ?? '';
    const ask = async (tag: string) =>
      (await fetch(`${rendition}/0.m4s`, { headers: { range: 'bytes=0-3', 'if-range': tag } })).status;
    expect(await ask(etag)).toBe(206);
    expect(await ask('"other"')).toBe(200);
    expect(await ask(`W/${etag}`)).toBe(200);
  });

  test('accepts a preflight and rejects other methods', async () => {
    const preflight = await fetch(`${folder}/playlist.m3u8`, { method: 'OPTIONS' });
    expect(preflight.status).toBe(204);
    expect(preflight.headers.get('access-control-allow-headers')).toContain('Range');
    for (const method of ['POST', 'PUT', 'DELETE', 'PATCH']) {
      const response = await fetch(`${folder}/playlist.m3u8`, {
        method,
        ...(method === 'DELETE' ? {} : { body: 'x' }),
      });
      expect([response.status, response.headers.get('allow')]).toEqual([405, 'GET, HEAD, OPTIONS']);
    }
  });
});

describe('returns 404 for missing resources, never cached', () => {
  const zone = () => `/vz-${shown.libraryId}`;
  test.each([
    ['an unknown pull zone', () => `/vz-none/${shown.mediaId}/playlist.m3u8`],
    ['an unknown video', () => `${zone()}/${newGuid()}/playlist.m3u8`],
    ['no GUID', () => `${zone()}/film/playlist.m3u8`],
    ['another file', () => `${zone()}/${shown.mediaId}/secret.txt`],
    ['a missing rung', () => `${zone()}/${shown.mediaId}/720p/video.m3u8`],
    ['an unknown rendition', () => `${zone()}/${shown.mediaId}/r/${newGuid()}/0.m4s`],
    ['a segment past the end', () => `${zone()}/${shown.mediaId}/r/${shown.audio.renditionId}/99.m4s`],
    ['a segment number with a leading zero', () => `${zone()}/${shown.mediaId}/r/${shown.audio.renditionId}/00.m4s`],
    ['an original that the library does not expose', () => `${zone()}/${shown.mediaId}/original`],
    ['missing captions', () => `${zone()}/${shown.mediaId}/captions/en.vtt`],
    ['a missing thumbnail', () => `${zone()}/${shown.mediaId}/thumbnail.jpg`],
    ['a path that leaves the folder', () => `${zone()}/${shown.mediaId}/..%2f..%2fetc%2fpasswd`],
    ['a malformed escape', () => `${zone()}/${shown.mediaId}/%zz`],
    ['an unknown asset', () => '/assets/player.js'],
    ['the root', () => '/'],
    ['a player path with a suffix', () => `/embed/${shown.libraryId}/${shown.mediaId}/x`],
  ])('returns an uncached 404 for %s', async (_, path) => {
    const response = await fetch(`${edge.base}${path()}`);
    expect(response.status).toBe(404);
    expect(response.headers.get('cache-control')).toBe('no-store');
    expect(await response.json()).toMatchObject({
      statusCode: 404,
      error: expect.any(String),
      message: expect.any(String),
    });
  });

  test("another library's pull zone does not serve the video", async () => {
    const other = await addLibrary(database.db);
    expect((await fetch(`${edge.base}/vz-${other}/${shown.mediaId}/playlist.m3u8`)).status).toBe(404);
    expect((await fetch(`${edge.base}/embed/${other}/${shown.mediaId}`)).status).toBe(404);
  });
});
