import { execFileSync } from 'node:child_process';
import { createReadStream, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { BunnyCdnStream } from 'bunnycdn-stream';
import { Upload } from 'tus-js-client';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { createShieldEventStore, dayOf } from '../../src/catalog/shield/events/shield-event-store.ts';
import { openCatalogue } from '../support/leftovers.ts';
import { ACCOUNT_KEY, discard, LIBRARY_KEY, type Service, startService } from '../support/service.ts';
import { type Origin, serve, startOrigin } from '../uploads/origin.ts';

// The two clients that applications use, unmodified, against the whole service. Only the base URLs differ.
const PATIENCE = { timeout: 90_000, interval: 200 };
const FINISHED = 4;

let folder = '';
let clip = '';
let picture: Buffer;
let service: Service;
let origin: Origin;
let stream: BunnyCdnStream;
beforeAll(async () => {
  folder = mkdtempSync(path.join(tmpdir(), 'millrace-clients-'));
  clip = path.join(folder, 'clip.mp4');
  const still = path.join(folder, 'still.png');
  const common = ['-nostdin', '-loglevel', 'error'];
  const source = [
    '-f',
    'lavfi',
    '-i',
    'testsrc2=size=320x180:rate=24:duration=3',
    '-f',
    'lavfi',
    '-i',
    'sine=duration=3',
  ];
  execFileSync('ffmpeg', [...common, ...source, '-pix_fmt', 'yuv420p', '-g', '24', '-shortest', clip]);
  execFileSync('ffmpeg', [...common, '-f', 'lavfi', '-i', 'color=red:size=64x36', '-frames:v', '1', still]);
  picture = readFileSync(still);
  [service, origin] = await Promise.all([
    startService(null, { MILLRACE_OUTBOUND_ALLOW: '127.0.0.0/8' }),
    startOrigin(),
  ]);
  stream = createClient(LIBRARY_KEY);
  await blockAttacks();
});
afterAll(async () => {
  await origin.stop();
  await discard(service);
  rmSync(folder, { recursive: true });
});

function createClient(apiKey: string): BunnyCdnStream {
  const client = new BunnyCdnStream({ apiKey, videoLibrary: '1' });
  // The client hard-codes its base URL, but the HTTP client that it uses can be replaced.
  Reflect.set(client, 'ky', Reflect.get(client, 'ky').extend({ prefixUrl: service.apiUrl, retry: 0 }));
  return client;
}

/**
 * Makes the firewall refuse everything that it detects, so that the test fails if an action of the applications looks
 * like an attack.
 */
async function blockAttacks(): Promise<void> {
  const waf = { wafExecutionMode: 1 };
  for (const shieldZoneId of [0, 1]) {
    const answer = await fetch(`${service.apiUrl}/shield/shield-zone`, {
      method: 'PATCH',
      headers: { AccessKey: ACCOUNT_KEY, 'Content-Type': 'application/json' },
      body: JSON.stringify({ shieldZoneId, shieldZone: waf }),
    });
    expect(answer.status).toBe(200);
  }
}

/** Returns the rules of all events, of every zone. */
async function rulesLogged(): Promise<string[]> {
  const database = openCatalogue(service);
  try {
    const store = createShieldEventStore(database.db);
    const read = (zoneId: number) => store.read({ zoneId, day: dayOf(Date.now()), afterSeq: 0 }, 1_000);
    return (await Promise.all([read(0), read(1)])).flat().map(({ ruleId }) => ruleId);
  } finally {
    await database.close();
  }
}

async function untilFinished(guid: string): Promise<void> {
  await vi.waitFor(async () => expect((await stream.getVideo(guid)).status).toBe(FINISHED), PATIENCE);
}

async function fetchPlaylist(address: string): Promise<string> {
  const answer = await fetch(address);
  expect([answer.status, address]).toEqual([200, address]);
  return await answer.text();
}

test('unmodified third-party clients upload, play, edit and delete videos', async () => {
  const { guid: collectionId } = await stream.createCollection('Holidays');
  const { guid } = await stream.createAndUploadVideo(createReadStream(clip), { title: 'Beach', collectionId });
  await untilFinished(guid);
  const video = await stream.getVideo(guid);
  expect(video).toMatchObject({
    title: 'Beach',
    collectionId,
    width: 320,
    height: 180,
    length: 3,
    encodeProgress: 100,
  });
  expect(video.resolutions).toContain(240);

  const play = await stream.getVideoPlayData(guid);
  expect(await fetchPlaylist(play.videoPlaylistUrl)).toContain('#EXT-X-STREAM-INF');
  expect((await fetch(play.thumbnailUrl)).status).toBe(200);

  await stream.addCaptions(guid, {
    captionsFile: Buffer.from('1\n00:00:00,000 --> 00:00:01,500\nThe sea.\n'),
    srclang: 'en',
    label: 'English',
  });
  expect((await stream.getVideo(guid)).captions).toMatchObject([{ srclang: 'en', label: 'English' }]);
  await vi.waitFor(
    async () => expect(await fetchPlaylist(play.videoPlaylistUrl)).toContain('TYPE=SUBTITLES'),
    PATIENCE,
  );
  await stream.deleteCaptions(guid, 'en');
  expect((await stream.getVideo(guid)).captions).toEqual([]);

  const thumbnails = [];
  origin.script(serve(picture));
  for (const thumbnail of [`${origin.url}/still.png`, picture]) {
    await stream.setThumbnail(guid, thumbnail, 'image/png');
    const { thumbnailFileName } = await stream.getVideo(guid);
    thumbnails.push(thumbnailFileName);
    const address = new URL(thumbnailFileName, play.thumbnailUrl);
    await vi.waitFor(async () => expect((await fetch(address)).status).toBe(200), PATIENCE);
  }
  expect(new Set([video.thumbnailFileName, ...thumbnails]).size).toBe(3);

  const chapters = [{ title: 'Sand', start: 0, end: 2 }];
  await stream.updateVideo(guid, {
    title: 'Beach, again',
    chapters,
    metaTags: [{ property: 'place', value: 'north' }],
  });
  expect(await stream.getVideo(guid)).toMatchObject({ title: 'Beach, again', chapters });
  expect((await stream.listVideos({ collection: collectionId })).items.map((one) => one.guid)).toEqual([guid]);
  expect((await stream.getCollection(collectionId)).videoCount).toBe(1);

  await stream.reencodeVideo(guid);
  await untilFinished(guid);
  await stream.deleteVideo(guid);
  await expect(stream.getVideo(guid)).rejects.toMatchObject({ code: 404 });
  await vi.waitFor(async () => expect((await fetch(play.videoPlaylistUrl)).status).toBe(404), PATIENCE);
  await stream.deleteCollection(collectionId);
  expect(await stream.listAllCollections()).toEqual([]);
});

test('a direct upload signed by one client and sent by another resumes after a cut connection', async () => {
  const direct = await stream.createDirectUpload({ title: 'Sent by a browser' });
  const options = {
    endpoint: direct.endpoint.replace('https://video.bunnycdn.com', service.apiUrl),
    headers: Object.fromEntries(Object.entries(direct.headers).map(([name, value]) => [name, String(value)])),
    metadata: { ...direct.metadata, filetype: 'video/mp4', collection: String(direct.metadata.collection) },
    chunkSize: 20_000,
    retryDelays: [0, 200, 500],
  };
  const bytes = readFileSync(clip);
  const cut = Promise.withResolvers<string>();
  const first = new Upload(bytes, {
    ...options,
    onProgress: (sent) => {
      if (sent >= 40_000) first.abort().then(() => cut.resolve(first.url ?? ''), cut.reject);
    },
    onError: cut.reject,
  });
  first.start();
  const uploadUrl = await cut.promise;
  const sent: number[] = [];
  const done = Promise.withResolvers<void>();
  new Upload(bytes, {
    ...options,
    uploadUrl,
    onProgress: (offset) => sent.push(offset),
    onSuccess: () => done.resolve(),
    onError: done.reject,
  }).start();
  await done.promise;
  expect(sent[0]).toBeGreaterThanOrEqual(20_000);
  await untilFinished(direct.video.guid);
  await stream.deleteVideo(direct.video.guid);
});

test('lists and deletes a video fetched from a URL and a video created without a file', async () => {
  origin.script(serve(readFileSync(clip)));
  const { guid } = await stream.createVideo({ title: 'Fetched' });
  expect(await stream.fetchVideo(guid, { url: `${origin.url}/clip.mp4` })).toMatchObject({ success: true });
  await untilFinished(guid);
  await stream.createVideo({ title: 'Empty' });
  const listed = await stream.listAllVideos({ itemsPerPage: 1 });
  expect(listed.map((one) => [one.title, one.statusName])).toEqual([
    ['Empty', 'Created'],
    ['Fetched', 'Finished'],
  ]);
  await stream.deleteAllVideos();
  expect(await stream.listAllVideos()).toEqual([]);
});

test('reports a wrong key differently from any other fault', async () => {
  await expect(createClient('wrong').listVideos()).rejects.toMatchObject({ code: 401 });
});

test("the firewall in blocking mode refuses and logs none of these clients' requests", async () => {
  const attack = () => Promise.all([service.apiUrl, service.edgeUrl].map((url) => fetch(`${url}/.env`)));
  await expect.poll(async () => (await attack()).map(({ status }) => status), PATIENCE).toEqual([403, 403]);
  await expect.poll(async () => (await rulesLogged()).length, PATIENCE).toBeGreaterThanOrEqual(2);
  expect(new Set(await rulesLogged())).toEqual(new Set(['930130']));
});
