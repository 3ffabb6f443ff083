import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openBrowser } from '../support/browser.ts';
import { startTestDatabase, type TestDatabase } from '../support/database.ts';
import { runTool } from '../support/media/read-test-media.ts';
import { decodeHashes } from '../support/media/run-test-renditions.ts';
import { checkPlaylist } from '../support/rfc8216/check-playlist.ts';
import { seededRandom } from '../support/seeded-random.ts';
import { createEdgeStorage } from './edge-storage.ts';
import { playOneSecond, SHAKA, type Shaka } from './in-page.ts';
import { type Film, makeFilm } from './make-film.ts';
import { addFilm, addLibrary, type PublishedFilm, publishChunk, publishWholeFilm } from './publish.ts';
import { createEdgeFixture, type EdgeFixture, type TestEdge } from './start-test-edge.ts';

let database: TestDatabase;
let fixture: EdgeFixture;
let edge: TestEdge;
let film: Film;
let shown: PublishedFilm;
let folder: string;
let browser: Browser;

beforeAll(async () => {
  [database, film, browser] = await Promise.all([startTestDatabase(), makeFilm(400, [144, 72]), openBrowser()]);
  fixture = await createEdgeFixture(database);
  edge = await fixture.start();
  shown = await addWholeFilm(await addLibrary(database.db), 'Ein "Film" / Ö');
  folder = folderOf(shown);
});
afterAll(async () => {
  await browser?.close();
  await edge?.close();
  await fixture?.close();
  await database?.stop();
});

async function addWholeFilm(libraryId: number, title?: string): Promise<PublishedFilm> {
  const added = await addFilm(database.db, libraryId, film, title);
  await publishWholeFilm(database.db, fixture.storage, film, added);
  return added;
}

const folderOf = ({ libraryId, mediaId }: PublishedFilm, base = edge.base) => `${base}/vz-${libraryId}/${mediaId}`;
const statusOf = async (address: string) => (await fetch(address)).status;
const setSettings = (libraryId: number, settings: object) =>
  database.db
    .updateTable('library')
    .set({ settings: JSON.stringify(settings) })
    .where('id', '=', libraryId)
    .execute();

async function readBytes(address: string, range?: string): Promise<{ response: Response; body: Buffer }> {
  const response = await fetch(address, range === undefined ? {} : { headers: { range } });
  return { response, body: Buffer.from(await response.arrayBuffer()) };
}

/** Opens an empty page of the edge's origin, and collects its faults. */
async function openPage(): Promise<{ page: Page; faults: string[] }> {
  const page = await browser.newPage();
  const faults: string[] = [];
  page.on('pageerror', (error) => faults.push(error.message));
  page.on('console', (message) => void (message.type() === 'error' && faults.push(message.text())));
  const body = '<!doctype html><link rel="icon" href="data:,"><video muted></video>';
  await page.route('**/page.html', (route) => route.fulfill({ contentType: 'text/html', body }));
  await page.goto(`${edge.base}/page.html`);
  return { page, faults };
}

describe('an MP4 of a finished video', () => {
  test.each([144, 72])(
    'the MP4 at %ip decodes to the frames and audio of the playlists without a warning',
    async (heightPx) => {
      const file = `${folder}/play_${heightPx}p.mp4`;
      for (const [stream, playlist] of [
        ['v:0', `${folder}/${heightPx}p/video.m3u8`],
        ['a:0', `${folder}/r/${shown.audio.renditionId}/video.m3u8`],
      ] as const) {
        const [whole, listed] = [await decodeHashes(file, stream), await decodeHashes(playlist, stream)];
        expect(whole).toEqual({ hashes: listed.hashes, warnings: '' });
        expect(whole.hashes.length).toBeGreaterThanOrEqual(film.frames);
      }
    },
  );

  test.each([
    ['by sendfile', {}],
    ['through memory', { sendFile: null }],
    ['as a stream', { isLocal: false }],
  ])(
    'the MP4 returns exact bytes in every range, %s',
    async (_, { isLocal = true, ...change }: { isLocal?: boolean; sendFile?: null }) => {
      const other = await fixture.start({ storage: createEdgeStorage(fixture.folder, isLocal), ...change });
      const file = `${folderOf(shown, other.base)}/play_144p.mp4`;
      const { response, body: whole } = await readBytes(file);
      expect(response.headers.get('content-length')).toBe(`${whole.length}`);
      const random = seededRandom(5);
      for (let count = 0; count < 100; count += 1) {
        const start = random.below(whole.length);
        const end = Math.min(whole.length, start + 1 + random.below(count % 3 === 0 ? whole.length : 2_000));
        const { response: part, body } = await readBytes(file, `bytes=${start}-${end - 1}`);
        expect([part.status, body.equals(whole.subarray(start, end))]).toEqual([206, true]);
      }
      await other.close();
    },
  );

  test('the MP4 supports HEAD, conditional requests and unsatisfiable ranges like a file', async () => {
    const file = `${folder}/play_144p.mp4`;
    const head = await fetch(file, { method: 'HEAD' });
    const { response, body } = await readBytes(file);
    expect(Object.fromEntries(head.headers)).toMatchObject({
      'content-type': 'video/mp4',
      'content-length': `${body.length}`,
      'accept-ranges': 'bytes',
      'access-control-allow-origin': '*',
    });
    const etag = response.headers.get('etag') ?? '';
    expect([head.headers.get('etag'), response.headers.get('content-disposition')]).toEqual([etag, null]);
    expect((await fetch(file, { headers: { 'if-none-match': etag } })).status).toBe(304);
    expect((await readBytes(file, `bytes=${body.length}-`)).response.status).toBe(416);
    expect((await readBytes(`${folder}/play_72p.mp4`)).response.headers.get('etag')).not.toBe(etag);
  });
});

describe('an MP4 in a browser', () => {
  test("a browser saves a requested download under the video's title", async () => {
    const disposition = async (query: string) =>
      (await fetch(`${folder}/play_144p.mp4${query}`, { method: 'HEAD' })).headers.get('content-disposition');
    expect(await disposition('?download')).toBe(
      `attachment; filename="Ein _Film_ _ _ 144p.mp4"; filename*=UTF-8''Ein%20_Film_%20_%20%C3%96%20144p.mp4`,
    );
    expect(await disposition('?download=false')).toBeNull();
  });

  test('Chromium plays the MP4 with range requests', async () => {
    const { page, faults } = await openPage();
    await page.evaluate(
      (address) => document.querySelector('video')?.setAttribute('src', address),
      `${folder}/play_144p.mp4`,
    );
    const played = await page.evaluate(playOneSecond);
    expect(played.durationSec).toBeCloseTo((film.frames * 1001) / 24_000, 1);
    expect([played.widthPx, played.frames > 10]).toEqual([256, true]);
    expect(faults).toEqual([]);
    await page.close();
  });
});

describe('availability of MP4 files', () => {
  test('responds with 404 for an unavailable height and for a malformed file name', async () => {
    for (const name of ['play_720p.mp4', 'play_0144p.mp4', 'play_p.mp4', 'play_144p.mp4.mp4']) {
      expect(await statusOf(`${folder}/${name}`)).toBe(404);
    }
  });

  test('MP4 files exist while the setting is enabled and the library is not protected', async () => {
    const mine = await addWholeFilm(await addLibrary(database.db, { mp4: { enabled: false } }));
    const file = `${folderOf(mine)}/play_144p.mp4`;
    expect(await statusOf(file)).toBe(404);
    await setSettings(mine.libraryId, { mp4: { enabled: true } });
    await expect.poll(() => statusOf(file), { timeout: 20_000 }).toBe(200);
    await setSettings(mine.libraryId, { mp4: { enabled: true }, drm: { enabled: true } });
    await expect.poll(() => statusOf(file), { timeout: 20_000 }).toBe(404);
  });

  test('a rung above 1080p is available as MP4 only without a lower rung', async () => {
    const mine = await addWholeFilm(shown.libraryId);
    const [tall] = mine.videos;
    const setRung = (id: string | undefined, rung: number) =>
      database.db
        .updateTable('rendition')
        .set({ rung })
        .where('id', '=', id as never)
        .execute();
    await setRung(tall?.renditionId, 1440);
    expect([
      await statusOf(`${folderOf(mine)}/play_1440p.mp4`),
      await statusOf(`${folderOf(mine)}/play_72p.mp4`),
    ]).toEqual([404, 200]);
    const other = await addWholeFilm(shown.libraryId);
    await setRung(other.videos[0]?.renditionId, 1440);
    await setRung(other.videos[1]?.renditionId, 2160);
    expect([
      await statusOf(`${folderOf(other)}/play_1440p.mp4`),
      await statusOf(`${folderOf(other)}/play_2160p.mp4`),
    ]).toEqual([200, 404]);
  });

  test('MP4 files, the DASH manifest and I-frame playlists do not exist before the video is complete', async () => {
    const mine = await addFilm(database.db, shown.libraryId, film);
    const [tall] = mine.videos;
    if (tall === undefined) throw new Error('Expected a film of two rungs.');
    const chunk = film.videos[0]?.chunks[0];
    if (chunk !== undefined) await publishChunk(database.db, fixture.storage, tall, chunk);
    const files = [
      'play_144p.mp4',
      'manifest.mpd',
      `r/${tall.renditionId}/i-frames.m3u8`,
      `r/${tall.renditionId}/i/0.m4s`,
    ];
    for (const file of files) expect(await statusOf(`${folderOf(mine)}/${file}`)).toBe(404);
  });

  test('responds with 500 for a rung without sample tables, and still serves the other rung', async () => {
    const gone = await addWholeFilm(shown.libraryId);
    await fixture.storage.remove(
      `${gone.libraryId}/${gone.mediaId}/${gone.videos[0]?.renditionId}/2-1.idx` as Parameters<
        typeof fixture.storage.remove
      >[0],
    );
    expect(await statusOf(`${folderOf(gone)}/play_144p.mp4`)).toBe(500);
    expect(await statusOf(`${folderOf(gone)}/play_72p.mp4`)).toBe(200);
  });
});

describe('a DASH manifest', () => {
  test('the DASH manifest decodes in ffmpeg to the same frames as the playlist', async () => {
    const response = await fetch(`${folder}/manifest.mpd`);
    expect([response.status, response.headers.get('content-type')]).toEqual([200, 'application/dash+xml']);
    const etag = response.headers.get('etag') ?? '';
    expect((await fetch(`${folder}/manifest.mpd`, { headers: { 'if-none-match': etag } })).status).toBe(304);
    const played = await decodeHashes(`${folder}/manifest.mpd`, 'v:0');
    expect(played.hashes).toEqual((await decodeHashes(`${folder}/144p/video.m3u8`, 'v:0')).hashes);
  });

  test('the DASH manifest plays in Shaka', async () => {
    const { page, faults } = await openPage();
    await page.addScriptTag({ path: SHAKA });
    const tracks = await page.evaluate(async (address) => {
      // Shaka's own script has just defined the variable.
      const { shaka } = window as unknown as { shaka: Shaka };
      const player = new shaka.Player();
      await player.attach(document.querySelector('video') as HTMLVideoElement);
      await player.load(address);
      return player.getVariantTracks().map(({ height, language }) => [height, language]);
    }, `${folder}/manifest.mpd`);
    expect(tracks.sort()).toEqual([
      [144, 'en'],
      [72, 'en'],
    ]);
    const played = await page.evaluate(playOneSecond);
    expect(played.durationSec).toBeCloseTo((film.frames * 1001) / 24_000, 1);
    expect(faults).toEqual([]);
    await page.close();
  });
});

describe('I-frame playlists', () => {
  test('the first multivariant playlist that a client requests lists the I-frame playlists', async () => {
    const mine = await addWholeFilm(shown.libraryId);
    const text = await (await fetch(`${folderOf(mine)}/playlist.m3u8`)).text();
    expect(checkPlaylist(text)).toEqual([]);
    const lines = [...text.matchAll(/#EXT-X-I-FRAME-STREAM-INF:.*RESOLUTION=(\d+x\d+),URI="(.*)"/g)];
    expect(lines.map(([, size]) => size)).toEqual(['256x144', '128x72']);
    for (const [, , uri] of lines) expect(await statusOf(`${folderOf(mine)}/${uri}`)).toBe(200);
  });

  test('I-frames decode one by one, have exact byte ranges, and exist only at keyframes', async () => {
    const rendition = `${folder}/r/${shown.videos[0]?.renditionId}`;
    const list = await (await fetch(`${rendition}/i-frames.m3u8`)).text();
    expect(checkPlaylist(list)).toEqual([]);
    const pictures = [...list.matchAll(/^i\/\d+\.m4s$/gm)].map(([name]) => `${rendition}/${name}`);
    expect(pictures).toHaveLength(Math.ceil(film.frames / 48));
    const count = ['-v', 'error', '-count_frames', '-show_entries', 'stream=nb_read_frames', '-of', 'csv=p=0'];
    const { stdout, stderr } = await runTool('ffprobe', [...count, `${rendition}/i-frames.m3u8`]);
    expect([Number.parseInt(stdout.toString(), 10), stderr]).toEqual([pictures.length, '']);
    for (const address of pictures.slice(0, 3)) {
      const { body: whole } = await readBytes(address);
      for (const [start, end] of [
        [0, 9],
        [20, whole.length - 1],
        [whole.length - 5, whole.length - 1],
      ] as const) {
        const { body } = await readBytes(address, `bytes=${start}-${end}`);
        expect(body.equals(whole.subarray(start, end + 1))).toBe(true);
      }
    }
    for (const tick of ['1', '99999999999']) expect(await statusOf(`${rendition}/i/${tick}.m4s`)).toBe(404);
    expect(await statusOf(`${folder}/r/${shown.audio.renditionId}/i-frames.m3u8`)).toBe(404);
  });

  test('I-frame playlists do not disturb the player page', async () => {
    const { page, faults } = await openPage();
    page.on('response', (response) => void (response.status() >= 400 && faults.push(response.url())));
    await page.goto(`${edge.base}/embed/${shown.libraryId}/${shown.mediaId}?muted=true`);
    const currentSec = () => page.locator('video').evaluate((video: HTMLVideoElement) => video.currentTime);
    await expect.poll(currentSec, { timeout: 60_000 }).toBeGreaterThan(1);
    expect(faults).toEqual([]);
    await page.close();
  });
});
