import { randomBytes } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { stat } from 'node:fs/promises';
import { connect } from 'node:net';
import path from 'node:path';
import { Upload } from 'tus-js-client';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { untilGone } from '../house/service.ts';
import { objectsOf, openCatalogue } from '../support/leftovers.ts';
import { listFiles } from '../support/list-files.ts';
import { passLeases } from '../support/pass-leases.ts';
import { discard, LIBRARY_KEY, type Service, startService } from '../support/service.ts';
import { call, createVideo, REAL_CLIP } from '../support/videos.ts';
import { type Origin, serve, serveHead, startOrigin } from './origin.ts';
import { at, open, sign, type TusLibrary } from './tus-client.ts';
import { sha256 } from './upload-fixture.ts';

let service: Service;
let origin: Origin;
let library: TusLibrary;
beforeAll(async () => {
  [service, origin] = await Promise.all([
    startService(null, { MILLRACE_OUTBOUND_ALLOW: '127.0.0.0/8' }),
    startOrigin(),
  ]);
  library = { url: service.apiUrl, libraryId: 1, key: LIBRARY_KEY };
});
afterAll(async () => {
  await origin.stop();
  await discard(service);
});

const file = randomBytes(20_000_000);
const fileHash = sha256(file);
// Timeout that only a hang exceeds. Other suites share the CPUs.
const PATIENCE = { timeout: 150_000, interval: 100 };

const load = async (guid: string) => Object(await call(service, 'GET', `/library/1/videos/${guid}`));

async function untilHash(guid: string): Promise<void> {
  await vi.waitFor(async () => expect((await load(guid)).originalHash).toBe(fileHash), PATIENCE);
}

/** Lists the received files, complete or partial. */
async function storedFiles(): Promise<string[]> {
  const names = await listFiles(objectsOf(service));
  return names.filter((name) => name.includes('.staging/') || name.includes('/source/'));
}

/** Returns the process of a role: a descendant of the service whose command line names it. */
function rolePid(role: string): number {
  const processes = readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((pid) => {
      try {
        const parent = Number(/^\d+ \(.*\) \S (\d+)/s.exec(readFileSync(`/proc/${pid}/stat`, 'utf8'))?.[1]);
        return [{ pid: Number(pid), parent, argv: readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0') }];
      } catch {
        // The process exited during the read.
        return [];
      }
    });
  const isOurs = (pid: number): boolean => {
    const found = processes.find((one) => one.pid === pid);
    return pid === service.pid || (found !== undefined && found.parent > 1 && isOurs(found.parent));
  };
  const found = processes.find(
    ({ pid, argv }) => argv.includes(role) && argv.some((part) => part.endsWith('role.ts')) && isOurs(pid),
  );
  if (found === undefined) throw new Error(`Expected the service to run a process for ${role}.`);
  return found.pid;
}

async function untilHealthy(): Promise<void> {
  await vi.waitFor(async () => expect((await service.health()).status).toBe('ok'), PATIENCE);
}

test('tus-js-client uploads 20 MB and continues at its last offset after an interruption', async () => {
  const guid = await createVideo(service, 'By tus-js-client');
  const options = {
    endpoint: `${service.apiUrl}/tusupload`,
    retryDelays: [0, 200, 500],
    chunkSize: 3_000_000,
    headers: sign(library, guid),
    metadata: { filetype: 'video/mp4', title: 'By the client', collection: 'undefined' },
  };
  const interrupted = Promise.withResolvers<string>();
  const first = new Upload(file, {
    ...options,
    onProgress(sent) {
      if (sent > 8_000_000) first.abort().then(() => interrupted.resolve(first.url ?? ''), interrupted.reject);
    },
    onError: interrupted.reject,
  });
  first.start();
  const uploadUrl = await interrupted.promise;
  const offset = await at(uploadUrl, sign(library, guid)).offset();
  expect(offset).toBeGreaterThanOrEqual(3_000_000);
  expect(offset).toBeLessThan(file.length);
  const done = Promise.withResolvers<void>();
  const second = new Upload(file, { ...options, uploadUrl, onSuccess: () => done.resolve(), onError: done.reject });
  second.start();
  await done.promise;
  await untilHash(guid);
  expect((await load(guid)).title).toBe('By the client');
});

test('processes a real clip that is uploaded in chunks', async () => {
  const clip = readFileSync(REAL_CLIP);
  const guid = await createVideo(service, 'Clip');
  const upload = await open(library, guid, clip.length);
  const half = Math.floor(clip.length / 2);
  expect((await upload.patch(0, clip.subarray(0, half))).status).toBe(204);
  expect((await upload.patch(half, clip.subarray(half))).status).toBe(204);
  await vi.waitFor(async () => expect((await load(guid)).status).toBeGreaterThanOrEqual(3), PATIENCE);
  expect(await load(guid)).toMatchObject({ width: 1920, height: 1080, originalHash: sha256(clip) });
  await call(service, 'DELETE', `/library/1/videos/${guid}`);
  // The job must end before other tests count the stored files.
  const itsFiles = async () => (await storedFiles()).filter((name) => name.includes(guid));
  await vi.waitFor(async () => expect(await itsFiles()).toEqual([]), PATIENCE);
});

test('a server killed in the middle of a chunk keeps every acknowledged byte', async () => {
  const guid = await createVideo(service, 'Killed');
  const upload = await open(library, guid, file.length);
  expect((await upload.patch(0, file.subarray(0, 5_000_000))).status).toBe(204);
  const sent = 9_000_000;
  const broken = upload.patch(5_000_000, slowly(file.subarray(5_000_000), sent - 5_000_000)).catch(() => 'broken');
  const id = upload.url.slice(upload.url.lastIndexOf('/') + 1);
  await vi.waitFor(async () => expect(await stagedBytes(id)).toBeGreaterThan(6_000_000), PATIENCE);
  process.kill(rolePid('api'), 'SIGKILL');
  expect(await broken).toBe('broken');
  await untilHealthy();
  const offset = await upload.offset();
  expect(offset).toBeGreaterThanOrEqual(5_000_000);
  expect(offset).toBeLessThanOrEqual(sent);
  expect((await upload.patch(offset, file.subarray(offset))).status).toBe(204);
  await untilHash(guid);
});

async function stagedBytes(id: string): Promise<number> {
  const staged = (await storedFiles()).find((name) => name.endsWith(`.staging/${id}`));
  return staged === undefined ? 0 : (await stat(path.join(objectsOf(service), staged))).size;
}

test('an interrupted PUT leaves nothing behind, and the video accepts another upload', async () => {
  const guid = await createVideo(service, 'Cut');
  const before = await storedFiles();
  const socket = connect(Number(new URL(service.apiUrl).port), '127.0.0.1');
  socket.write(
    `PUT /library/1/videos/${guid} HTTP/1.1\r\nHost: x\r\nAccessKey: ${LIBRARY_KEY}\r\nContent-Length: ` +
      `${file.length}\r\n\r\n`,
  );
  socket.write(file.subarray(0, file.length * 0.6));
  await vi.waitFor(async () => expect((await storedFiles()).length).toBe(before.length + 1), PATIENCE);
  socket.destroy();
  await vi.waitFor(async () => expect(await storedFiles()).toEqual(before), PATIENCE);
  await expect.poll(async () => (await load(guid)).status).toBe(6);
  const put = () =>
    fetch(`${service.apiUrl}/library/1/videos/${guid}`, {
      method: 'PUT',
      headers: { AccessKey: LIBRARY_KEY },
      body: file,
    });
  // The file is not a video. Once a worker has detected that, the video accepts another upload.
  const worker = rolePid('worker');
  process.kill(worker, 'SIGSTOP');
  try {
    expect((await put()).status).toBe(200);
    expect((await put()).status).toBe(400);
  } finally {
    process.kill(worker, 'SIGCONT');
  }
  await untilHash(guid);
});

test('after a worker is killed during a fetch, another worker continues at the last byte', async () => {
  origin.script(
    serve(file),
    serveHead(file, 10_000_000, () => undefined),
    serve(file),
  );
  const answer = Object(await call(service, 'POST', '/library/1/videos/fetch', { url: `${origin.url}/film.mp4` }));
  expect(answer).toMatchObject({ success: true, message: 'OK', statusCode: 200, id: expect.any(String) });
  await vi.waitFor(
    async () => expect((await storedFiles()).some((name) => name.includes('.staging/'))).toBe(true),
    PATIENCE,
  );
  const [id = ''] = (await storedFiles())
    .filter((name) => name.includes('.staging/'))
    .map((name) => path.basename(name));
  await vi.waitFor(async () => expect(await stagedBytes(id)).toBe(10_000_000), PATIENCE);
  const worker = rolePid('worker');
  process.kill(worker, 'SIGKILL');
  await untilGone([worker]);
  const { pool, close } = openCatalogue(service);
  await passLeases(pool, new Date()).finally(close);
  await untilHash(answer.id);
  expect(origin.seen.at(-1)?.range).toBe('bytes=10000000-');
  expect((await load(answer.id)).title).toBe('film.mp4');
});

/** Returns a body that sends `first` bytes and then stalls. */
function slowly(bytes: Buffer, first: number): ReadableStream<Uint8Array> {
  return new ReadableStream({
    start: (controller) => controller.enqueue(bytes.subarray(0, first)),
  });
}
