import type { ChildProcess } from 'node:child_process';
import { createHash } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { MediaKey } from '../../src/catalog/db.ts';
import { stopStream } from '../../src/catalog/live/live-stream.ts';
import { ACCOUNT_KEY, discard, type Service, startService } from '../support/service.ts';
import { call, FINISHED, playlistUrl, untilVideo, type VideoAnswer } from '../support/videos.ts';
import { ended, framesOf, type LiveCatalogue, openLiveCatalogue, readText, startLive, until } from './live-service.ts';
import { publishNumbered, readNumbers, run } from './numbered-frames.ts';

let service: Service;
let catalogue: LiveCatalogue;
let key: MediaKey;
let base: string;
let publisher: ChildProcess;
beforeAll(async () => {
  service = await startService(null);
  catalogue = await openLiveCatalogue(service);
  const stream = await startLive({ service, catalogue }, { dvrEnabled: true, dvrWindowSec: 600 });
  ({ key, base } = stream);
  publisher = publishNumbered(stream.ingest);
  await until(() => readText(`${base}/playlist.m3u8`), 'a playlist');
});
afterAll(async () => {
  publisher.kill('SIGKILL');
  await ended(publisher);
  await catalogue.database.close();
  await discard(service);
});

async function compose(...parts: { startMs?: number; endMs?: number }[]): Promise<string> {
  const wanted = { title: 'Clip', parts: parts.map((part) => ({ videoId: key.mediaId, ...part })) };
  return ((await call(service, 'POST', '/library/1/videos/compose', wanted)) as VideoAnswer).guid;
}

/** Returns the frame numbers of a clip. Checks that its audio is as long as the video and that nothing is damaged. */
async function readClip(guid: string): Promise<number[]> {
  await untilVideo(service, guid, ({ status }) => status === FINISHED);
  const { errors, audio, videoFrames, audioFrames } = await framesOf(playlistUrl(service, guid));
  expect({ errors, audio }).toEqual({ errors: '', audio: 'aac' });
  expect(Math.abs((audioFrames * 1024) / 48_000 - videoFrames / 25)).toBeLessThan(0.05);
  return readNumbers(playlistUrl(service, guid));
}

test('a clip of a running stream copies its newest whole segments without encoding', async () => {
  // Until the stream has stored data, there is nothing to clip.
  const guid = await until(() => compose({ startMs: -5_000 }).catch(() => null), 'a clip');
  await readClip(guid);
  const clip = await until(async () => {
    const longer = await compose({ startMs: -6_000 });
    const numbers = await readClip(longer);
    return numbers.length >= 150 ? { longer, numbers } : null;
  }, 'six seconds of the stream');
  const first = clip.numbers[0] ?? -1;
  expect(first % 50).toBe(0);
  expect(clip.numbers).toEqual(run(first, clip.numbers.length));
  expect(clip.numbers.length).toBeLessThanOrEqual(200);
  const { rows } = await catalogue.database.pool.query<{ kind: string; isCopied: boolean }>(
    `select kind, plan ? 'composedOf' as "isCopied" from rendition where media_id = $1 order by kind, rung desc`,
    [clip.longer],
  );
  expect(rows.length).toBeGreaterThanOrEqual(2);
  expect(rows.filter(({ isCopied }) => !isCopied)).toEqual([]);
  await expect(compose({ startMs: 3_600_000 })).rejects.toThrow('answered 400');
}, 120_000);

test('joins parts of one stream at segment boundaries', async () => {
  const numbers = await readClip(await compose({ startMs: 0, endMs: 1_900 }, { startMs: 4_000, endMs: 4_100 }));
  expect(numbers).toEqual([...run(0, 50), ...run(100, 50)]);
}, 120_000);

/** Returns the published media playlist of the video, and when its first segment was captured. */
async function readMedia(query = ''): Promise<{ text: string; firstMs: number }> {
  const multivariant = (await readText(`${base}/playlist.m3u8${query}`)) ?? '';
  const text = (await readText(`${base}/${/^r\/.*$/m.exec(multivariant)?.[0]}`)) ?? '';
  return { text, firstMs: Date.parse(/#EXT-X-PROGRAM-DATE-TIME:(.*)/.exec(text)?.[1] ?? '') };
}

const utc = (ms: number) => new Date(ms).toISOString();

/** Returns when the first four video segments were captured, in ms since 1970. Null until they are stored. */
async function takenMs(): Promise<[number, number, number, number] | null> {
  const rows = await catalogue.database.db
    .selectFrom('chunk')
    .innerJoin('rendition', 'rendition.id', 'chunk.rendition_id')
    .select('chunk.wall_ms')
    .where('chunk.media_id', '=', key.mediaId)
    .where('rendition.kind', '=', 'video')
    .where('rendition.origin', '=', 'pass-through')
    .orderBy('chunk.first_segment')
    .execute();
  const [first, second, third, fourth] = rows.map(({ wall_ms }) => Number(wall_ms));
  return fourth === undefined ? null : [first ?? 0, second ?? 0, third ?? 0, fourth];
}

/** Capture times from before the stream ended. Later, only the stream's clock is kept. */
let taken: [number, number, number, number];

test('the I-frame playlist of a growing rendition lists each keyframe', async () => {
  const multivariant = (await readText(`${base}/playlist.m3u8`)) ?? '';
  const address = `${base}/${/#EXT-X-I-FRAME-STREAM-INF:.*URI="(.*?)"/.exec(multivariant)?.[1]}`;
  const pictures = await until(async () => {
    const list = (await readText(address)) ?? '';
    expect(list).toContain('#EXT-X-I-FRAMES-ONLY');
    const found = list.match(/^i\/\d+\.m4s$/gm) ?? [];
    return found.length > 3 ? found : null;
  }, 'four keyframes');
  const read = async (name: string) => Buffer.from(await (await fetch(new URL(name, address))).arrayBuffer());
  // The first is read from the store, the last from memory.
  for (const at of [0, pictures.length - 1]) {
    const file = path.join(service.dataDir, `keyframe-${at}.mp4`);
    await writeFile(file, Buffer.concat([await read('init.mp4'), await read(pictures[at] ?? '')]));
    expect(await readNumbers(file)).toEqual([50 * at]);
  }
}, 60_000);

test('a clock range plays from the running stream, and later from its recording', async () => {
  taken = await until(takenMs, 'four stored segments');
  const [first, second, third, fourth] = taken;
  // The range begins between the ends of the first two segments, and ends between the starts of the last two.
  const fromMs = Math.round((first + second) / 2) + 2_000;
  const range = `?from=${utc(fromMs)}&to=${utc((third + fourth) / 2)}`;
  const running = await readMedia(range);
  expect(running.text.match(/^\d+\.m4s$/gm)).toEqual(['1.m4s', '2.m4s']);
  expect(running.text).toContain('#EXT-X-ENDLIST');
  expect(Math.abs(running.firstMs - second)).toBeLessThan(2);
  expect(await readNumbers(`${base}/playlist.m3u8${range}`)).toEqual(run(50, 100));
  // Without an end, the playlist grows with the stream.
  const open = (await readMedia(`?from=${fromMs}`)).text;
  expect(open).toContain('#EXT-X-MEDIA-SEQUENCE:1\n');
  expect(open).toContain('#EXT-X-PART:');
  for (const query of ['?from=yesterday', `?from=${fromMs}&to=${fromMs - 1}`]) {
    expect((await fetch(`${base}/playlist.m3u8${query}`)).status).toBe(400);
  }
  await catalogue.streams.change(key, stopStream);
  await ended(publisher);
  await until(async () => ((await catalogue.streams.load(key)).isVideo ? true : null), 'the recording');
  const recorded = await until(async () => {
    const now = await readMedia(range);
    return now.text.includes('#EXT-X-PLAYLIST-TYPE:VOD') ? now : null;
  }, 'the range of the video');
  expect(recorded.text.match(/^\d+\.m4s$/gm)).toEqual(['1.m4s', '2.m4s']);
  expect(Math.abs(recorded.firstMs - running.firstMs)).toBeLessThan(500);
  expect(await readNumbers(`${base}/playlist.m3u8${range}`)).toEqual(run(50, 100));
}, 120_000);

test('a token with a signed range grants access to the files that the playlist lists', async () => {
  const [first, second, third] = taken;
  const fromMs = (first + second) / 2 + 2_000;
  const zone = await zoneOfLibrary();
  await account('POST', `/pullzone/${zone.Id}`, { ZoneSecurityEnabled: true });
  const params = { from: utc(fromMs), to: utc((fromMs + third) / 2), token_path: `/${key.mediaId}/` };
  const expires = Math.floor(Date.now() / 1000) + 600;
  const signed = Object.entries(params).map(([name, value]) => `${name}=${value}`);
  const message = `${zone.ZoneSecurityKey}${params.token_path}${expires}${signed.join('&')}`;
  const token = createHash('sha256').update(message).digest('base64url');
  const query = new URLSearchParams({ token, expires: `${expires}`, ...params });
  await until(() => readText(`${base}/playlist.m3u8`).then((text) => (text === null ? true : null)), 'a refusal');
  expect(await readNumbers(`${base}/playlist.m3u8?${query}`)).toEqual(run(50, 50));
  const longer = new URLSearchParams({ ...Object.fromEntries(query), to: utc(third + 5_000) });
  expect((await fetch(`${base}/playlist.m3u8?${longer}`)).status).toBe(403);
  await account('POST', `/pullzone/${zone.Id}`, { ZoneSecurityEnabled: false });
  await until(() => readText(`${base}/playlist.m3u8`), 'an open zone');
}, 60_000);

type Zone = { Id: number; ZoneSecurityKey: string };

async function zoneOfLibrary(): Promise<Zone> {
  const { PullZoneId } = (await account('GET', '/videolibrary/1')) as { PullZoneId: number };
  return (await account('GET', `/pullzone/${PullZoneId}`)) as Zone;
}

async function account(method: string, path: string, body?: unknown): Promise<unknown> {
  const headers = { AccessKey: ACCOUNT_KEY, 'Content-Type': 'application/json' };
  const init = { method, headers, ...(body !== undefined && { body: JSON.stringify(body) }) };
  const response = await fetch(`${service.apiUrl}${path}`, init);
  if (!response.ok) throw new Error(`${method} ${path} answered ${response.status}.`);
  return response.json().catch(() => null);
}

test('clips can be made from the recording of an ended stream', async () => {
  expect(await readClip(await compose({ startMs: 2_000, endMs: 6_000 }))).toEqual(run(50, 100));
  await expect(compose({ startMs: 2_000, endMs: 3_600_000 })).rejects.toThrow('answered 400');
}, 120_000);
