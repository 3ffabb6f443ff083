import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { bumpPublication } from '../../src/catalog/db.ts';
import { checkPlaylist } from '../support/rfc8216/check-playlist.ts';
import {
  createGrowingFixture,
  type GrowingFixture,
  makeChunk,
  mergeChunks,
  plannedSegments,
  statusOf,
} from './growing-video.ts';
import { deleteVideo, finishVideo, publishChunk } from './publish.ts';

let videos: GrowingFixture;
beforeAll(async () => {
  videos = await createGrowingFixture();
});
afterEach(() => videos.closeEdges());
afterAll(() => videos.close());

describe('a video that grows', () => {
  test('the playlist of a new video is a 404, then of type EVENT, then complete, even if cached', async () => {
    const edge = await videos.open();
    const key = await videos.addVideo();
    const list = () => fetch(videos.address(edge, key, '360p/video.m3u8'));
    expect(await statusOf(videos.address(edge, key, 'playlist.m3u8'))).toBe(404);
    await videos.publish(key, 0);
    await expect.poll(() => statusOf(videos.address(edge, key, 'playlist.m3u8'))).toBe(200);
    const growing = await list();
    const text = await growing.text();
    expect(checkPlaylist(text)).toEqual([]);
    expect(text).toContain('PLAYLIST-TYPE:EVENT');
    expect(growing.headers.get('cache-control')).toBe('no-cache');
    await videos.publish(key, 2);
    await videos.publish(key, 1);
    await finishVideo(videos.database.db, key);
    await expect.poll(async () => (await list()).text()).toContain('#EXT-X-ENDLIST');
    const whole = await list();
    expect(whole.headers.get('etag')).not.toBe(growing.headers.get('etag'));
    expect(checkPlaylist(await whole.text())).toEqual([]);
  });

  test('many simultaneous requests wait for a segment that is listed before it is stored', async () => {
    const edge = await videos.open();
    const key = await videos.addVideo(plannedSegments);
    await videos.publish(key, 0);
    expect(await (await fetch(videos.address(edge, key, '360p/video.m3u8'))).text()).toContain('#EXT-X-ENDLIST');
    const asked = Promise.all(Array.from({ length: 5 }, () => fetch(videos.segmentOf(edge, key, 2))));
    await videos.publish(key, 1);
    await videos.publish(key, 2);
    const bodies = await Promise.all((await asked).map(async (response) => Buffer.from(await response.arrayBuffer())));
    expect(bodies.every((body) => body.equals(makeChunk(2).bytes))).toBe(true);
  });

  test('responds with 503 and Retry-After if a segment is late or the wait queue is full', async () => {
    const key = await videos.addVideo(plannedSegments);
    await videos.publish(key, 0);
    for (const limits of [{ segmentWaitMs: 50 }, { segmentWaiters: 0 }]) {
      const edge = await videos.open({ limits });
      const response = await fetch(videos.segmentOf(edge, key, 1));
      expect([response.status, response.headers.get('retry-after')]).toEqual([503, '2']);
      expect(await statusOf(videos.segmentOf(edge, key, 7))).toBe(404);
    }
  });
});

describe('a video whose chunks change', () => {
  test('serves a merged chunk in place of the chunks that it replaces', async () => {
    const edge = await videos.open();
    const key = await videos.addVideo();
    await videos.publish(key, 0);
    await videos.publish(key, 1);
    expect(await statusOf(videos.segmentOf(edge, key, 1))).toBe(200);
    const [first, second] = [makeChunk(0), makeChunk(1)];
    await videos.database.db.deleteFrom('chunk').where('rendition_id', '=', key.renditionId).execute();
    await publishChunk(videos.database.db, videos.fixture.storage, key, mergeChunks(first, second));
    await videos.publish(key, 2);
    await expect.poll(() => statusOf(videos.segmentOf(edge, key, 2))).toBe(200);
    const body = Buffer.from(await (await fetch(videos.segmentOf(edge, key, 1))).arrayBuffer());
    expect(body.equals(second.bytes)).toBe(true);
  });

  test('stops serving a failed rendition', async () => {
    const edge = await videos.open();
    const key = await videos.addVideo();
    await videos.publish(key, 0);
    await videos.publish(key, 1);
    expect(await statusOf(videos.segmentOf(edge, key, 1))).toBe(200);
    await videos.database.db.transaction().execute(async (tx) => {
      await tx.deleteFrom('chunk').where('rendition_id', '=', key.renditionId).execute();
      await tx
        .updateTable('rendition')
        .set({ state: 'failed', active: false })
        .where('id', '=', key.renditionId)
        .execute();
      await bumpPublication(tx, key);
    });
    await expect.poll(() => statusOf(videos.segmentOf(edge, key, 1))).toBe(404);
    expect(await statusOf(videos.segmentOf(edge, key, 0))).toBe(404);
  });

  test('removes a retired rendition from the playlist and serves it for another day', async () => {
    const edge = await videos.open();
    const [old, key] = [await videos.addVideo(), await videos.addVideo()];
    await videos.publish(old, 0);
    expect(await statusOf(videos.segmentOf(edge, old, 0))).toBe(200);
    const retire = (at: Date) =>
      videos.database.db.transaction().execute(async (tx) => {
        await tx
          .updateTable('rendition')
          .set({ active: false, retired_at: at })
          .where('id', '=', old.renditionId)
          .execute();
        await bumpPublication(tx, old);
      });
    await retire(new Date());
    await expect.poll(() => statusOf(videos.address(edge, old, 'playlist.m3u8'))).toBe(404);
    expect(await statusOf(videos.segmentOf(edge, old, 0))).toBe(200);
    await retire(new Date(Date.now() - 25 * 3_600_000));
    await expect.poll(() => statusOf(videos.segmentOf(edge, old, 0))).toBe(404);
    expect(key.mediaId).not.toBe(old.mediaId);
  });
});

describe('a deleted video', () => {
  test.each([
    ['reported', true],
    ['not reported', false],
  ])('a deleted video returns 404 everywhere if the edge was %s', async (_, tells) => {
    const edge = await videos.open();
    const key = await videos.addVideo();
    await videos.publish(key, 0);
    expect(await statusOf(videos.segmentOf(edge, key, 0))).toBe(200);
    await deleteVideo(videos.database.db, key, tells);
    const files = ['playlist.m3u8', '360p/video.m3u8', `r/${key.renditionId}/init.mp4`, `r/${key.renditionId}/0.m4s`];
    await expect
      .poll(async () => Promise.all(files.map((file) => statusOf(videos.address(edge, key, file)))), {
        timeout: 8_000,
      })
      .toEqual([404, 404, 404, 404]);
  });
});
