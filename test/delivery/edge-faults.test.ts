import { readdir, readlink } from 'node:fs/promises';
import { connect } from 'node:net';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { bumpPublication } from '../../src/catalog/db.ts';
import { createPublicationStore, type PublicationStore } from '../../src/catalog/publications/publication-store.ts';
import { loadZonePolicy } from '../../src/catalog/pull-zones/zone-policy-store.ts';
import { createSecretBox } from '../../src/lib/secret-box.ts';
import type { StorageKey } from '../../src/ports/storage.ts';
import { freezeDatabase } from '../support/freeze-database.ts';
import { TEST_SECRET } from '../support/packager.ts';
import { createEdgeStorage } from './edge-storage.ts';
import { createGrowingFixture, type GrowingFixture, makeChunk, SEGMENT_BYTES, statusOf } from './growing-video.ts';
import { addLibrary, addVideo } from './publish.ts';

let videos: GrowingFixture;
beforeAll(async () => {
  videos = await createGrowingFixture();
});
afterEach(() => videos.closeEdges());
afterAll(() => videos.close());

/** Returns the ids of the database processes that listen for publications. */
async function listeners(): Promise<number[]> {
  const { rows } = await videos.database.pool.query<{ pid: number }>(
    `select pid from pg_stat_activity where query like 'listen %'`,
  );
  return rows.map(({ pid }) => pid);
}

describe('faults of the database', () => {
  test('while the database is down, the edge serves known videos and responds with 503 for others', async () => {
    const store = createPublicationStore(videos.database.db);
    const away: PublicationStore = { load: () => Promise.reject(new Error('away')) };
    let current = store;
    const publications: PublicationStore = { load: (key, known) => current.load(key, known) };
    const edge = await videos.open({ publications });
    const [known, unknown] = [await videos.addVideo(), await videos.addVideo()];
    await videos.publish(known, 0);
    expect(await statusOf(videos.segmentOf(edge, known, 0))).toBe(200);
    current = away;
    await videos.database.db.transaction().execute((tx) => bumpPublication(tx, known));
    await expect
      .poll(async () => [await statusOf(videos.segmentOf(edge, known, 0)), edge.lines.length > 0])
      .toEqual([200, true]);
    const response = await fetch(videos.segmentOf(edge, unknown, 0));
    expect([response.status, response.headers.get('retry-after')]).toEqual([503, '1']);
    current = store;
    await videos.publish(unknown, 0);
    await expect.poll(() => statusOf(videos.segmentOf(edge, unknown, 0))).toBe(200);
  });

  test('while the database hangs, the edge serves known videos and responds with 503 for others', async () => {
    const edge = await videos.open();
    const [first, second] = [await videos.addVideo(), await videos.addVideo()];
    const [unknown, another] = [await videos.addVideo(), await videos.addVideo()];
    for (const key of [first, second]) {
      await videos.publish(key, 0);
      expect(await statusOf(videos.segmentOf(edge, key, 0))).toBe(200);
    }
    const goOn = freezeDatabase(videos.database);
    try {
      // The cached facts have expired by now, so they would be read again.
      await sleep(2_500);
      expect(await statusOf(videos.segmentOf(edge, unknown, 0))).toBe(503);
      // Only the first lookup waits for a database that may merely be slow.
      const beganMs = performance.now();
      expect(await statusOf(videos.segmentOf(edge, another, 0))).toBe(503);
      expect(performance.now() - beganMs).toBeLessThan(2_000);
      await statusOf(videos.segmentOf(edge, first, 0));
      // No video waits a second time: ten responses together take less than one timeout.
      const againMs = performance.now();
      for (let n = 0; n < 10; n += 1) {
        expect(await statusOf(videos.segmentOf(edge, n < 5 ? first : second, 0))).toBe(200);
      }
      expect(performance.now() - againMs).toBeLessThan(1_000);
    } finally {
      goOn();
    }
    await expect.poll(() => statusOf(videos.segmentOf(edge, unknown, 0)), { timeout: 30_000 }).toBe(404);
  });

  test('the edge subscribes again after its database connection was cut', async () => {
    const edge = await videos.open();
    const key = await videos.addVideo();
    await videos.publish(key, 0);
    expect(await statusOf(videos.segmentOf(edge, key, 0))).toBe(200);
    await expect.poll(async () => (await listeners()).length).toBe(1);
    const [cut] = await listeners();
    await videos.database.pool.query('select pg_terminate_backend($1)', [cut]);
    await expect.poll(() => edge.lines.map(({ message }) => message).join()).toContain('Notifications are lost');
    await expect.poll(async () => (await listeners()).filter((pid) => pid !== cut)).toHaveLength(1);
    await videos.publish(key, 1);
    await expect.poll(() => statusOf(videos.segmentOf(edge, key, 1))).toBe(200);
  });
});

test('a viewer waits for a database that takes 3 s for each response', async () => {
  const store = createPublicationStore(videos.database.db);
  const publications: PublicationStore = {
    load: async (key, known) => {
      await sleep(3_000);
      return store.load(key, known);
    },
  };
  const edge = await videos.open({ publications });
  const key = await videos.addVideo();
  await videos.publish(key, 0);
  expect(await statusOf(videos.segmentOf(edge, key, 0))).toBe(200);
});

test('a viewer does not wait for each of several slow lookups in turn', async () => {
  const { db } = videos.database;
  const [store, secretBox] = [createPublicationStore(db), createSecretBox(TEST_SECRET)];
  const edge = await videos.open({
    loadPolicy: async (ref) => {
      await sleep(5_000);
      return loadZonePolicy({ db, secretBox }, ref);
    },
    publications: {
      load: async (key, known) => {
        await sleep(5_000);
        return store.load(key, known);
      },
    },
  });
  const key = await videos.addVideo();
  await videos.publish(key, 0);
  expect(await statusOf(videos.segmentOf(edge, key, 0))).toBe(503);
  // Both lookups continued for the next request.
  await expect.poll(() => statusOf(videos.segmentOf(edge, key, 0)), { timeout: 20_000 }).toBe(200);
}, 60_000);

describe('stored objects that contradict their rows', () => {
  test.each([
    ['large, from its file', true],
    ['large, as a stream', false],
  ])('a missing object, %s, results in a 500 that is logged and not cached', async (_, isLocal) => {
    const edge = await videos.open({ storage: createEdgeStorage(videos.fixture.folder, isLocal) });
    const key = await videos.addVideo();
    await videos.publish(key, 0);
    const name = `${videos.libraryId}/${key.mediaId}/${key.renditionId}/0-1.cmaf` as StorageKey;
    await videos.fixture.storage.remove(name);
    expect(await statusOf(videos.segmentOf(edge, key, 0))).toBe(500);
    expect(edge.lines.filter(({ level }) => level === 'error')).toHaveLength(1);
    const bytes = makeChunk(0).bytes;
    await videos.fixture.storage.write(name, bytes);
    const response = await fetch(videos.segmentOf(edge, key, 0), { headers: { range: 'bytes=10-' } });
    expect(Buffer.from(await response.arrayBuffer()).equals(bytes.subarray(10))).toBe(true);
  });

  test('an object shorter than its row breaks the connection instead of ending the response', async () => {
    const edge = await videos.open();
    const key = await videos.addVideo();
    await videos.publish(key, 0);
    await videos.fixture.storage.write(
      `${videos.libraryId}/${key.mediaId}/${key.renditionId}/0-1.cmaf`,
      Buffer.alloc(1000),
    );
    await expect(fetch(videos.segmentOf(edge, key, 0)).then((response) => response.arrayBuffer())).rejects.toThrow();
    expect(edge.lines.some(({ level }) => level === 'error')).toBe(true);
  });
});

test.each([
  ['from its file', {}, true],
  ['from memory', {}, false],
  ['from memory that keeps nothing', { objectCacheBytes: 0 }, false],
  ['larger than all memory', { lentBytes: 0 }, false],
])('a segment that is requested repeatedly has exact bytes, %s', async (_, limits, isLocal) => {
  const storage = createEdgeStorage(videos.fixture.folder, isLocal);
  const edge = await videos.open({ limits, storage, sendFile: null });
  const key = await videos.addVideo();
  await videos.publish(key, 0);
  const { bytes } = makeChunk(0);
  for (const [range, start, end] of [
    ['', 0, bytes.length],
    ['bytes=7-99', 7, 100],
    ['', 0, bytes.length],
    ['bytes=-9', -9, bytes.length],
  ] as const) {
    const response = await fetch(videos.segmentOf(edge, key, 0), range === '' ? {} : { headers: { range } });
    expect(Buffer.from(await response.arrayBuffer()).equals(bytes.subarray(start, end))).toBe(true);
  }
});

test.each([
  ['by sendfile', {}],
  ['through memory', { sendFile: null }],
])('files stay open for repeated requests, up to a limit at which the oldest is closed, %s', async (_, change) => {
  const edge = await videos.open({ limits: { openFiles: 1 }, ...change });
  const key = await videos.addVideo();
  for (const segment of [0, 1, 2]) await videos.publish(key, segment);
  for (const segment of [0, 1, 2, 2]) {
    // The second iteration finds the file already open.
    for (let time = 0; time < 2; time += 1) await (await fetch(videos.segmentOf(edge, key, segment))).arrayBuffer();
  }
  await expect.poll(() => listOpen(key.mediaId), { timeout: 20_000 }).toEqual(['2-1.cmaf']);
});

/** Lists the files of a video that this process has open. */
async function listOpen(mediaId: string): Promise<string[]> {
  const open = await readdir('/proc/self/fd');
  const paths = await Promise.all(open.map((fd) => readlink(`/proc/self/fd/${fd}`).catch(() => '')));
  return paths.filter((file) => file.includes(mediaId)).map((file) => path.basename(file));
}

describe('files next to the playlists', () => {
  test('the edge serves thumbnail, captions and original according to the video and the library settings', async () => {
    const edge = await videos.open();
    const shown = await addLibrary(videos.database.db, { originals: { expose: true, keep: true } });
    const { mediaId } = await addVideo(videos.database.db, shown);
    const write = (name: string, text: string) =>
      videos.fixture.storage.write(`${shown}/${mediaId}/${name}`, Buffer.from(text));
    const caption = { srclang: 'en', label: 'English', version: 1, key: await write('en.vtt', 'WEBVTT\n') };
    await videos.database.db
      .updateTable('media')
      .set({ source_key: await write('source', 'the original'), thumbnail_key: await write('t.jpg', 'a picture') })
      .set({ thumbnail_file_name: 'thumbnail_77.jpg', captions: JSON.stringify([caption]) })
      .where('id', '=', mediaId)
      .execute();
    const ask = async (file: string, range = 'bytes=0-') => {
      const response = await fetch(`${edge.base}/vz-${shown}/${mediaId}/${file}`, { headers: { range } });
      return [response.status, response.headers.get('content-type'), await response.text()];
    };
    expect(await ask('thumbnail.jpg')).toEqual([206, 'image/jpeg', 'a picture']);
    expect(await ask('thumbnail_77.jpg')).toEqual([206, 'image/jpeg', 'a picture']);
    expect(await ask('captions/en.vtt')).toEqual([206, 'text/vtt; charset=utf-8', 'WEBVTT\n']);
    expect(await ask('original', 'bytes=4-')).toEqual([206, 'application/octet-stream', 'original']);
    expect((await ask('captions/de.vtt'))[0]).toBe(404);
    await videos.database.db
      .updateTable('library')
      .set({ settings: '{"originals":{"expose":false}}' })
      .where('id', '=', shown)
      .execute();
    await expect.poll(async () => (await ask('original'))[0], { timeout: 20_000 }).toBe(404);
  });
});

describe('closing an edge', () => {
  test('closing the edge lets responses finish, but cuts off a client that does not read', async () => {
    const edge = await videos.fixture.start({ limits: { drainMs: 3_000 } });
    const key = await videos.addVideo();
    await videos.publish(key, 0);
    await videos.publish(key, 1);
    const lazy = connect(edge.port, '127.0.0.1');
    const path = `/vz-${videos.libraryId}/${key.mediaId}/r/${key.renditionId}/0.m4s`;
    const cut = new Promise((resolve) => lazy.once('close', resolve));
    lazy.on('error', () => undefined).pause();
    for (let count = 0; count < 20; count += 1) lazy.write(`GET ${path} HTTP/1.1\r\nHost: edge\r\n\r\n`);
    const response = await fetch(videos.segmentOf(edge, key, 1));
    const closed = edge.close();
    expect((await response.arrayBuffer()).byteLength).toBe(SEGMENT_BYTES);
    await closed;
    lazy.resume();
    await cut;
    await expect(fetch(videos.segmentOf(edge, key, 1))).rejects.toThrow();
  });
});
