import { randomBytes } from 'node:crypto';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createFileStorage } from '../../src/adapters/storage/file-storage.ts';
import { type DownloadLimits, type DownloadSink, download } from '../../src/lib/outbound/download.ts';
import { createOutbound, type Outbound } from '../../src/lib/outbound/outbound.ts';
import { Refused } from '../../src/lib/refused.ts';
import { MIB, never } from '../ports/samples.ts';
import { type Origin, serveFile, startOrigin, status, type Turn } from './scripted-origin.ts';

const FILE = randomBytes(3 * MIB + 11);
const OTHER = randomBytes(3 * MIB + 11);
const ETAG = { etag: '"one"' };
const OTHER_ETAG = { etag: '"two"' };
const LIMITS: DownloadLimits = {
  maxBytes: 100 * MIB,
  timeoutMs: 20_000,
  idleTimeoutMs: 10_000,
  minBytesPerSec: 1,
  maxFailures: 4,
  backoffMs: 10,
};

/** Short idle timeout for origins that stall. Elsewhere a busy CPU would look like a stall. */
const SOON = { idleTimeoutMs: 1_000 };

let folder: string;
let outbound: Outbound;
let sink: DownloadSink;
let origins: Origin[];

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'millrace-download-'));
  const { staging } = await createFileStorage(folder);
  sink = {
    size: () => staging.size('fetch'),
    append: (offset, body, signal) => staging.append('fetch', offset, body, signal),
    reset: () => staging.abort('fetch'),
  };
  outbound = createOutbound({ allow: ['127.0.0.1'] });
  origins = [];
});

afterEach(async () => {
  await outbound.close();
  for (const origin of origins) await origin.stop();
  await rm(folder, { recursive: true });
});

async function script(...turns: Turn[]): Promise<Origin> {
  const origin = await startOrigin(turns);
  origins.push(origin);
  return origin;
}

async function fetchFrom(origin: Origin, limits: Partial<DownloadLimits> = {}, signal: AbortSignal = never) {
  const headers = { authorization: 'Bearer x' };
  return await download({ outbound, url: origin.url, headers, sink, limits: { ...LIMITS, ...limits } }, signal);
}

async function received(): Promise<Buffer> {
  return await readFile(join(folder, '.staging', 'fetch'));
}

function rangesOf(origin: Origin): (string | undefined)[] {
  return origin.asked.map(({ headers }) => headers.range);
}

const redirect = status(302, { location: '/next' });

describe('a download that succeeds', () => {
  test.each<[string, Turn[], number]>([
    ['in one request', [serveFile(FILE)], 1],
    [
      'after a chain of redirects, without a length',
      [redirect, redirect, redirect, serveFile(FILE, { unknownLength: true })],
      4,
    ],
    ['after a 503 and a 429', [status(503), status(429, { 'retry-after': '0' }), serveFile(FILE)], 3],
    [
      'although the origin ignores ranges, once',
      [serveFile(FILE, { upTo: MIB, end: 'cut', headers: ETAG }), serveFile(FILE, { ignoresRange: true })],
      2,
    ],
    [
      'from the start when nothing distinguishes the versions',
      [serveFile(FILE, { upTo: MIB, end: 'cut', unknownLength: true }), serveFile(FILE)],
      2,
    ],
  ])('a download completes %s', async (_, turns, requests) => {
    const origin = await script(...turns);
    expect((await fetchFrom(origin)).sizeBytes).toBe(FILE.length);
    expect((await received()).equals(FILE)).toBe(true);
    expect(origin.asked).toHaveLength(requests);
    expect(origin.asked.at(-1)?.headers.authorization).toBe('Bearer x');
  });

  test.each<[string, Record<string, string>, string | undefined]>([
    ['an ETag', ETAG, '"one"'],
    ['a time', { 'last-modified': 'Sat, 01 Jan 2028 00:00:00 GMT' }, 'Sat, 01 Jan 2028 00:00:00 GMT'],
    [
      'a time next to a weak ETag',
      { etag: 'W/"w"', 'last-modified': 'Sat, 01 Jan 2028 00:00:00 GMT' },
      'Sat, 01 Jan 2028 00:00:00 GMT',
    ],
    ['only the length', {}, undefined],
  ])('a download resumes after a stall, a 500 and a cut by %s', async (_, headers, ifRange) => {
    const origin = await script(
      serveFile(FILE, { headers, upTo: MIB, end: 'stall' }),
      status(500),
      serveFile(FILE, { headers, upTo: 2 * MIB, end: 'cut' }),
      serveFile(FILE, { headers }),
    );
    expect((await fetchFrom(origin, SOON)).sizeBytes).toBe(FILE.length);
    expect((await received()).equals(FILE)).toBe(true);
    expect(rangesOf(origin).slice(0, 3)).toEqual([undefined, `bytes=${MIB}-`, `bytes=${MIB}-`]);
    expect(rangesOf(origin)[3]).toMatch(/^bytes=[12]\d{6}-$/);
    expect(origin.asked.slice(1).map((request) => request.headers['if-range'])).toEqual([ifRange, ifRange, ifRange]);
  });

  test('a download survives many cuts, as long as each attempt makes progress', async () => {
    const file = randomBytes(12 * MIB);
    const turns = Array.from({ length: 8 }, (_, index) =>
      serveFile(file, { headers: ETAG, upTo: Math.floor((index + 1) * 1.4 * MIB), end: 'cut' }),
    );
    const origin = await script(...turns, serveFile(file, { headers: ETAG }));
    expect((await fetchFrom(origin)).sizeBytes).toBe(file.length);
    expect((await received()).equals(file)).toBe(true);
    expect(origin.asked).toHaveLength(9);
  });
});

describe('a download of a file that changed', () => {
  test('a download completes if everything had arrived when the connection broke', async () => {
    const origin = await script(
      serveFile(FILE, { headers: ETAG, end: 'stall', unknownLength: true }),
      serveFile(FILE, { headers: ETAG, unknownLength: true }),
    );
    expect((await fetchFrom(origin, SOON)).sizeBytes).toBe(FILE.length);
    expect((await received()).equals(FILE)).toBe(true);
  });

  test.each<[string, Turn]>([
    ['the whole file is sent', serveFile(OTHER, { headers: OTHER_ETAG })],
    ['a part is sent', serveFile(OTHER, { headers: { ...ETAG, ...OTHER_ETAG, 'x-old': ETAG.etag } })],
    ['a part with another offset is sent', serveFile(OTHER, { headers: ETAG, rangeOff: 1 })],
    ['a part with another length is sent', serveFile(Buffer.concat([OTHER, OTHER]), { headers: ETAG })],
  ])('a download of a file that changed starts again once: %s', async (_, second) => {
    const origin = await script(
      serveFile(FILE, { headers: ETAG, upTo: MIB, end: 'cut' }),
      second,
      serveFile(OTHER, { headers: OTHER_ETAG }),
    );
    expect((await fetchFrom(origin)).sizeBytes).toBe(OTHER.length);
    expect((await received()).equals(OTHER)).toBe(true);
  });

  test('a download that starts again discards the previous content of the sink', async () => {
    await sink.append(0, Readable.from([Buffer.from('of another file')]), never);
    await fetchFrom(await script(serveFile(FILE)));
    expect((await received()).equals(FILE)).toBe(true);
  });
});

describe('a download that is refused', () => {
  test.each([
    [403, 'Origin returned HTTP 403 (Forbidden).', 1],
    [404, 'Origin returned HTTP 404 (Not Found).', 1],
    [204, 'Origin returned HTTP 204 (No Content).', 1],
    [503, 'Origin returned HTTP 503 (Service Unavailable).', 4],
  ])('a refused download reports the status %i', async (code, message, requests) => {
    const origin = await script(status(code));
    await expect(fetchFrom(origin)).rejects.toMatchObject({ name: 'Refused', kind: 'invalid', message });
    expect(origin.asked).toHaveLength(requests);
  });

  test.each<[string, Turn[], string]>([
    [
      'cannot resume and drops the connection twice',
      [serveFile(FILE, { upTo: MIB, end: 'cut', ignoresRange: true })],
      'cannot resume',
    ],
    [
      'keeps changing its file',
      [
        serveFile(FILE, { headers: ETAG, upTo: MIB, end: 'cut' }),
        serveFile(OTHER, { headers: OTHER_ETAG, upTo: MIB, end: 'cut' }),
        serveFile(FILE, { headers: ETAG }),
      ],
      'keeps changing',
    ],
    ['stalls forever', [serveFile(FILE, { headers: ETAG, upTo: 1000, end: 'stall' })], 'nothing for 1 s'],
    ['redirects forever', [redirect], 'more than 5 times'],
    ['redirects to a private address', [status(302, { location: 'http://10.0.0.1/' })], '10.0.0.1 is not allowed'],
    ['redirects to a file', [status(302, { location: 'file:///etc/passwd' })], 'scheme "file:"'],
  ])('a download fails when the origin %s', async (_, turns, message) => {
    const origin = await script(...turns);
    const refusal = { name: 'Refused', kind: 'invalid', message: expect.stringContaining(message) };
    await expect(fetchFrom(origin, SOON)).rejects.toMatchObject(refusal);
    expect(origin.asked.length).toBeLessThan(20);
  });
});

describe('a download that is stopped', () => {
  test.each([
    ['announced', {}],
    ['not announced', { unknownLength: true }],
  ])('a download fails when the file is too large, %s', async (_, served) => {
    const origin = await script(serveFile(FILE, served));
    await expect(fetchFrom(origin, { maxBytes: 2 * MIB })).rejects.toMatchObject({
      name: 'Refused',
      kind: 'too-large',
    });
    expect(origin.asked).toHaveLength(1);
  });

  test('a download fails after the time limit, even if every attempt makes progress', async () => {
    const turns = Array.from({ length: 50 }, (_, index) =>
      serveFile(FILE, { headers: ETAG, upTo: (index + 1) * 1000, end: 'stall' }),
    );
    const origin = await script(...turns);
    await expect(fetchFrom(origin, { timeoutMs: 900, idleTimeoutMs: 300, maxFailures: 1000 })).rejects.toMatchObject({
      name: 'Refused',
      kind: 'invalid',
    });
    expect(origin.asked.length).toBeLessThan(5);
  });

  test("a download fails immediately with the sink's error when the sink is full", async () => {
    const origin = await script(serveFile(FILE));
    sink.append = async () => {
      throw new Refused('disk-full', 'The storage is full.');
    };
    await expect(fetchFrom(origin)).rejects.toMatchObject({ name: 'Refused', kind: 'disk-full' });
    expect(origin.asked).toHaveLength(1);
  });

  test.each(['Range', 'if-range', 'If-None-Match'])('a download fails when the caller sets %s', async (name) => {
    const origin = await script(serveFile(FILE));
    const request = { outbound, url: origin.url, headers: { [name]: 'x' }, sink, limits: LIMITS };
    await expect(download(request, never)).rejects.toMatchObject({ name: 'Refused', kind: 'invalid' });
    expect(origin.asked).toHaveLength(0);
  });

  test("a download fails with the caller's reason when the caller aborts", async () => {
    const origin = await script(serveFile(FILE, { upTo: MIB, end: 'stall' }));
    const controller = new AbortController();
    const running = fetchFrom(origin, { idleTimeoutMs: 10_000 }, controller.signal);
    running.catch(() => undefined);
    await expect.poll(() => origin.asked.length, { timeout: 20_000 }).toBe(1);
    controller.abort(new Error('enough'));
    await expect(running).rejects.toThrow('enough');
  });
});

test('retries an origin that disconnects after its version was stored', async () => {
  const origin = await script(
    serveFile(FILE, { headers: ETAG, upTo: 10, end: 'cut' }),
    serveFile(FILE, { headers: ETAG }),
  );
  const remember = () => new Promise<void>((resolve) => setTimeout(resolve, 100));
  const memory = { version: null, remember };
  await download({ outbound, url: origin.url, headers: {}, sink, limits: LIMITS, memory }, never);
  expect((await received()).equals(FILE)).toBe(true);
});
