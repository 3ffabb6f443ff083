import { execFile } from 'node:child_process';
import { appendFile, mkdtemp, readdir, readFile, rm, stat, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { SystemModel } from '../../src/api/models/system.ts';
import { openBrowser, SMALL_PAGE } from '../support/browser.ts';
import { listFiles } from '../support/list-files.ts';
import { makePaddedClip } from '../support/media/padded-clip.ts';
import { ACCOUNT_KEY, discard, newDataDir, type Service, startService } from '../support/service.ts';
import { call, createVideo, FINISHED, getVideo, untilVideo, uploadFile } from '../support/videos.ts';

const run = promisify(execFile);
const LAUNCHER = path.resolve(import.meta.dirname, '../../bin/millrace.js');
const WAIT_MS = 120_000;

let folder: string;
let place: string;
let service: Service | null = null;

beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'millrace-backup-'));
  place = path.join(folder, 'kept');
});
afterAll(async () => {
  if (service !== null) await discard(service);
  await rm(folder, { recursive: true, force: true });
});

/** Runs the CLI as an owner does, for the service of a data folder. */
async function millrace(dataDir: string, ...args: string[]): Promise<{ code: number; out: string; err: string }> {
  const env = { ...process.env, MILLRACE_DATA_DIR: dataDir };
  return run(process.execPath, [LAUNCHER, ...args], { env }).then(
    ({ stdout, stderr }) => ({ code: 0, out: stdout, err: stderr }),
    ({ code, stdout, stderr }) => ({ code: Number(code), out: String(stdout), err: String(stderr) }),
  );
}

test('a restored backup plays in another data folder, with its titles and keys', async () => {
  service = await startService(null);
  const clip = path.join(folder, 'clip.mp4');
  await makePaddedClip(clip, 2 ** 20);
  const guid = await createVideo(service, 'Kept');
  await uploadFile(service, guid, clip);
  await untilVideo(service, guid, ({ status }) => status === FINISHED);
  const first = await millrace(service.dataDir, 'backup', place);
  expect(first).toMatchObject({ code: 0, err: '' });
  const system = await fetch(`${service.apiUrl}/system`, { headers: { AccessKey: ACCOUNT_KEY } });
  const { Backup: noted }: SystemModel = JSON.parse(await system.text());
  expect(noted).toMatchObject({ Place: place, Bytes: expect.any(Number) });
  expect(noted?.Objects).toBeGreaterThan(0);
  // A second run copies nothing.
  const second = await millrace(service.dataDir, 'backup', place);
  expect(second).toMatchObject({ code: 0, out: expect.stringMatching(/; 0 objects copied/) });
  expect((await readdir(place)).filter((name) => name.startsWith('tables-'))).toHaveLength(1);
  await call(service, 'POST', `/library/1/videos/${guid}`, { title: 'Changed behind the backup' });
  const before = await getVideo(service, guid);
  await discard(service);

  const dataDir = await newDataDir();
  const [tables = ''] = (await readdir(place)).filter((name) => name.startsWith('tables-'));
  const media = path.join(place, tables, 'media');
  const { size } = await stat(media);
  await appendFile(media, 'x');
  expect(await millrace(dataDir, 'restore', place)).toMatchObject({
    code: 1,
    err: expect.stringContaining('SHA-256'),
  });
  await truncate(media, size);
  await checkFaults(dataDir);
  expect(await millrace(dataDir, 'verify', place)).toMatchObject({ code: 0, out: expect.stringContaining('complete') });
  expect(await millrace(dataDir, 'restore', place)).toMatchObject({
    code: 0,
    out: expect.stringContaining('Restored what Millrace'),
  });
  const again = await millrace(dataDir, 'restore', place);
  expect(again).toMatchObject({ code: 1, err: expect.stringContaining('without libraries') });
  expect(`${again.out}${again.err}`).not.toContain('connection was lost');
  service = await startService(dataDir);
  // The library's key is valid: secrets were restored with the key that seals them.
  expect(await getVideo(service, guid)).toMatchObject({ title: 'Kept', storageSize: before.storageSize });
  expect(await service.health()).toMatchObject({ status: 'ok' });
  const browser = await openBrowser();
  try {
    const page = await browser.newPage(SMALL_PAGE);
    await page.goto(`${service.edgeUrl}/embed/1/${guid}?autoplay=true&muted=true`, { timeout: WAIT_MS });
    const video = page.locator('video');
    await expect
      .poll(() => video.evaluate((element: HTMLVideoElement) => element.currentTime), { timeout: WAIT_MS })
      .toBeGreaterThan(0.5);
  } finally {
    await browser.close();
  }
});

/**
 * Damages an object of the backup, removes another, and replaces its key. `verify` and `restore` report all of them.
 */
async function checkFaults(dataDir: string): Promise<void> {
  const objects = path.join(place, 'objects');
  const names = await listFiles(objects);
  const [damaged = '', missing = ''] = ['.cmaf', '.idx'].map((end) => names.find((name) => name.endsWith(end)));
  const [whole, gone] = await Promise.all([damaged, missing].map((name) => readFile(path.join(objects, name))));
  const key = await readFile(path.join(place, 'secret.key'));
  const other = Buffer.from(whole ?? '');
  other.writeUInt8(other.readUInt8(40) ^ 1, 40);
  await writeFile(path.join(objects, damaged), other);
  await rm(path.join(objects, missing));
  const verified = await millrace(dataDir, 'verify', place);
  expect(verified).toMatchObject({ code: 1, err: '' });
  expect(verified.out).toContain(`object ${damaged}: damaged, expected the SHA-256 `);
  expect(verified.out).toContain(`object ${missing}: missing\n`);
  const restored = await millrace(dataDir, 'restore', place);
  expect(restored.code).toBe(1);
  expect(restored.err).toContain(`object ${damaged}: damaged`);
  expect(restored.err).toContain(`object ${missing}: missing`);
  expect(restored.err).toContain('restore --skip-damaged');
  await writeFile(path.join(place, 'secret.key'), Buffer.alloc(32, 1));
  for (const args of [['verify'], ['restore', '--skip-damaged']]) {
    const { code, out, err } = await millrace(dataDir, ...args, place);
    expect([code, `${out}${err}`]).toEqual([1, expect.stringContaining('secret key: it does not open the secrets')]);
  }
  await writeFile(path.join(place, 'secret.key'), key);
  await writeFile(path.join(objects, damaged), whole ?? '');
  await writeFile(path.join(objects, missing), gone ?? '');
}

test('a backup reports an object that is damaged in the store, and contains the damaged object unchanged', async () => {
  if (service === null) throw new Error('Expected the restored service.');
  const objects = path.join(service.dataDir, 'objects');
  const [file = ''] = (await listFiles(objects)).filter((name) => name.endsWith('.cmaf'));
  const bytes = await readFile(path.join(objects, file));
  bytes.writeUInt8(bytes.readUInt8(40) ^ 1, 40);
  await writeFile(path.join(objects, file), bytes);
  // The store spreads the videos of a library over folders that keys do not name (`placeOf`).
  const damaged = file.replace(/\/\.[0-9a-f]{5}\/[0-9a-f]{3}\//, '/');
  const second = path.join(folder, 'second');
  const { code, out, err } = await millrace(service.dataDir, 'backup', second);
  expect([code, out, err]).toEqual([
    1,
    expect.stringContaining('objects copied'),
    expect.stringContaining(`object ${damaged}: damaged in the store, expected the SHA-256 `),
  ]);
  expect((await readFile(path.join(second, 'objects', damaged))).equals(bytes)).toBe(true);
});

test.each([
  { what: 'a file', place: () => path.join(folder, 'clip.mp4'), reason: 'cannot' },
  { what: 'a folder below a file', place: () => path.join(folder, 'clip.mp4', 'backup'), reason: 'cannot' },
  { what: 'a folder that cannot be made', place: () => '/proc/millrace-backup', reason: 'cannot' },
  {
    what: 'a folder in the store',
    place: () => path.join(service?.dataDir ?? '', 'objects', 'backup'),
    reason: 'outside',
  },
])('refuses a backup into $what with one sentence', async ({ place: target, reason }) => {
  const { code, out, err } = await millrace(service?.dataDir ?? '', 'backup', target());
  expect([code, out, err.trim().split('\n').length]).toEqual([1, '', 1]);
  expect(err).toContain(reason);
});

test('rejects a backup into a folder with other contents', async () => {
  expect(await millrace(folder, 'backup', folder)).toMatchObject({ code: 1, err: expect.stringContaining('neither') });
  expect(await millrace(folder, 'restore', folder)).toMatchObject({
    code: 1,
    err: expect.stringContaining('no backup.json'),
  });
});
