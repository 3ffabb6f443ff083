import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createFileStorage } from '../../src/adapters/storage/file-storage.ts';
import { type S3Stub, startS3Stub } from '../ports/s3-stub.ts';
import { names, never } from '../ports/samples.ts';
import { openCatalogue } from '../support/leftovers.ts';
import { ACCOUNT_KEY, discard, type Service, startService } from '../support/service.ts';
import { createVideo, FINISHED, untilVideo, uploadFile } from '../support/videos.ts';

const run = promisify(execFile);
const MOVE_LIMIT_MS = 60_000;

let service: Service;
let stub: S3Stub;
let folder: string;

beforeAll(async () => {
  [service, stub, folder] = await Promise.all([startService(null), startS3Stub(), mkdtemp(path.join(tmpdir(), 'mr-'))]);
});
afterAll(async () => {
  if (service !== undefined) await discard(service);
  await stub?.stop();
  await rm(folder, { recursive: true, force: true });
});

/** Returns every URL reachable from the playlists of a video. */
async function addressesOf(guid: string): Promise<string[]> {
  const found = [`${guid}/playlist.m3u8`, `${guid}/thumbnail.jpg`];
  for (const address of found) {
    if (!address.endsWith('.m3u8')) continue;
    const text = await (await fetch(`${service.edgeUrl}/vz-1/${address}`)).text();
    const named = text
      .split('\n')
      .flatMap((line) => line.match(/URI="([^"]+)"/)?.[1] ?? (/^[^#\s]/.test(line) ? line : []));
    for (const name of named) {
      const next = path.posix.join(path.posix.dirname(address), name);
      if (!found.includes(next)) found.push(next);
    }
  }
  return found;
}

/**
 * Fetches each URL. Returns texts unchanged, a hash of other files, and any status other than 200 in place of the
 * content.
 */
async function watch(addresses: readonly string[]): Promise<Map<string, string>> {
  const seen = new Map<string, string>();
  for (const address of addresses) {
    const response = await fetch(`${service.edgeUrl}/vz-1/${address}`);
    const bytes = Buffer.from(await response.arrayBuffer());
    const isText = address.endsWith('.m3u8');
    // Removes the references to I-frame playlists, which appear only after the edge has read their indexes, and again
    // after each restart.
    const text = bytes.toString().replace(/^#EXT-X-I-FRAME-STREAM-INF.*\n/gm, '');
    const content = isText ? text : createHash('sha256').update(bytes).digest('hex');
    seen.set(address, response.status === 200 ? content : `status ${response.status}`);
  }
  return seen;
}

/** Fetches continuously until the service reports that no object remains in the old store. */
async function watchWhileMoving(addresses: readonly string[], expected: Map<string, string>): Promise<void> {
  for (const limitMs = Date.now() + MOVE_LIMIT_MS; ; ) {
    expect(await watch(addresses)).toEqual(expected);
    // The response has more fields than the type that most tests use.
    const { storage } = (await service.health()) as unknown as { storage: { movingFrom?: string } };
    if (storage.movingFrom === undefined) return;
    if (Date.now() > limitMs) throw new Error(`The move did not end:\n${service.output()}`);
  }
}

/** Returns the state of the move on the dashboard's system page. */
async function moveOfSystem(): Promise<unknown> {
  const answer = await fetch(`${service.apiUrl}/system`, { headers: { AccessKey: ACCOUNT_KEY } });
  return Object(await answer.json()).Move;
}

async function forgetMerges(): Promise<void> {
  const { db, close } = openCatalogue(service);
  await db.deleteFrom('merge_due').execute();
  await close();
}

test('a video plays while its objects move from a folder to S3, through a kill, and back again', async () => {
  const clip = path.join(folder, 'clip.mp4');
  const inputs = ['-f', 'lavfi', '-i', 'testsrc2=s=320x180:r=10:d=8', '-f', 'lavfi', '-i', 'sine=d=8'];
  const codecs = ['-c:v', 'libx264', '-preset', 'ultrafast', '-c:a', 'aac'];
  await run('ffmpeg', ['-nostdin', '-v', 'error', ...inputs, ...codecs, clip]);
  const guid = await createVideo(service, 'moving');
  expect((await uploadFile(service, guid, clip)).status).toBe(200);
  await untilVideo(service, guid, ({ status }) => status === FINISHED);
  const addresses = await addressesOf(guid);
  const expected = await watch(addresses);
  expect([...new Set(expected.values())].filter((seen) => seen.startsWith('status'))).toEqual([]);
  expect(addresses.length).toBeGreaterThan(6);
  // Prevents further merges, so that the objects stay the same.
  await forgetMerges();
  await service.stop();

  const objects = path.join(service.dataDir, 'objects');
  const local = await createFileStorage(objects);
  const before = await names(local.list('', never));
  const s3 = stub.url.replace('bucket?', 'bucket/media?').replace(/&prefix=.*/, '');
  const keys = { AWS_ACCESS_KEY_ID: 'stub', AWS_SECRET_ACCESS_KEY: 'stub' };
  const toS3 = { ...keys, MILLRACE_STORAGE: s3, MILLRACE_STORAGE_FROM: `file:${objects}` };
  const start = startService(service.dataDir, toS3);
  // The marker object is written first.
  while (stub.objects.size <= 1) await sleep(5);
  service = await start;
  await service.kill();
  service = await startService(service.dataDir, toS3);
  await watchWhileMoving(addresses, expected);
  await expect.poll(moveOfSystem, { timeout: MOVE_LIMIT_MS }).toMatchObject({ ObjectsLeft: 0, BytesLeft: 0 });
  expect(await names(local.list('', never))).toEqual([]);
  const stored = [...stub.objects.keys()].filter((key) => !key.includes('/.')).sort((a, b) => (a < b ? -1 : 1));
  expect(stored).toEqual(before.map((key) => `media/${key}`));
  await service.stop();

  service = await startService(service.dataDir, {
    ...keys,
    MILLRACE_STORAGE: `file:${objects}`,
    MILLRACE_STORAGE_FROM: s3,
  });
  await watchWhileMoving(addresses, expected);
  expect(await names(local.list('', never))).toEqual(before);
  expect([...stub.objects.keys()]).toEqual(['media/.installation']);
});
