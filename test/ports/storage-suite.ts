import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { PassThrough, Readable } from 'node:stream';
import { setImmediate } from 'node:timers/promises';
import { beforeAll, describe, expect, test } from 'vitest';
import { newGuid } from '../../src/lib/guid.ts';
import { type Storage, type StorageKey, storageKey } from '../../src/ports/storage.ts';
import { cut, gather, MIB, names, never, sha256, toArray } from './samples.ts';
import { growingTests, stagingRefusalTests } from './staging-suite.ts';

/** A real engine may have to be started first. */
const OPEN_LIMIT_MS = 120_000;

/** Describes the requirements on every adapter of the storage port, on a medium that may hold other objects. */
export function describeStorage(engine: string, open: () => Promise<Storage>): void {
  describe(`storage on ${engine}`, () => {
    let storage: Storage;
    let folder: string;
    beforeAll(async () => {
      storage = await open();
      folder = newGuid();
    }, OPEN_LIMIT_MS);
    const key = (name: string): StorageKey => storageKey(`${folder}/${name}`);

    objectTests(() => ({ storage, key }));
    refusalTests(() => ({ storage, key }));
    writeTests(() => ({ storage, key }));
    readTests(() => ({ storage, key }));
    listTests(() => ({ storage, key, folder }));
    growingTests(() => ({ storage, key }));
    stagingRefusalTests(() => ({ storage, key }));
  });
}

type Given = { storage: Storage; key: (name: string) => StorageKey };

function objectTests(given: () => Given): void {
  test('returns a stored object, whole and by range', async () => {
    const { storage, key } = given();
    const bytes = randomBytes(300_000);
    const written = await storage.put(key('ranges'), Readable.from(cut(bytes, 70_001)), {}, never);
    expect(written).toEqual({ sizeBytes: bytes.length, sha256: sha256(bytes) });
    const { info, body } = await storage.read(key('ranges'), null, never);
    expect(info).toMatchObject({ key: key('ranges'), sizeBytes: bytes.length });
    expect(await gather(body)).toEqual(bytes);
    expect(await storage.head(key('ranges'))).toEqual(info);
    const ranges = [
      { start: 0, end: 0 },
      { start: 1000, end: 200_000 },
      { start: 299_999, end: 299_999 },
      { start: 299_000, end: 5_000_000 },
      { start: 123, end: Number.POSITIVE_INFINITY },
      { start: 300_000, end: 300_001 },
    ];
    for (const range of ranges) {
      const expected = bytes.subarray(range.start, range.end + 1);
      const part = await storage.read(key('ranges'), range, never);
      expect(part.info).toEqual(info);
      expect(await gather(part.body)).toEqual(expected);
      expect(await storage.readBytes(key('ranges'), range, never)).toEqual(expected);
    }
  });

  test('stores an empty object', async () => {
    const { storage, key } = given();
    expect(await storage.put(key('empty'), Readable.from([]), {}, never)).toEqual({
      sizeBytes: 0,
      sha256: sha256(Buffer.alloc(0)),
    });
    expect(await storage.readBytes(key('empty'), null, never)).toEqual(Buffer.alloc(0));
    expect(await storage.readBytes(key('empty'), { start: 0, end: 9 }, never)).toEqual(Buffer.alloc(0));
  });

  test('changes the etag when the bytes change', async () => {
    const { storage, key } = given();
    await storage.put(key('etag'), Buffer.from('one'), {}, never);
    const before = await storage.head(key('etag'));
    await storage.put(key('etag'), Buffer.from('two'), {}, never);
    const after = await storage.head(key('etag'));
    expect(after?.etag).not.toBe(before?.etag);
    expect(await storage.readBytes(key('etag'), null, never)).toEqual(Buffer.from('two'));
  });
}

function refusalTests(given: () => Given): void {
  test('reports that an object does not exist', async () => {
    const { storage, key } = given();
    expect(await storage.head(key('absent'))).toBeNull();
    await expect(storage.read(key('absent'), null, never)).rejects.toMatchObject({
      name: 'Refused',
      kind: 'not-found',
    });
    await expect(storage.readBytes(key('absent'), { start: 5, end: 9 }, never)).rejects.toMatchObject({
      kind: 'not-found',
    });
    await expect(storage.delete([key('absent')])).resolves.toBeUndefined();
  });

  test.each([
    '',
    '/a',
    'a/',
    'a//b',
    '../a',
    'a/../b',
    'a/./b',
    '.staging/a',
    'a\nb',
    'a\n',
    'ä',
    'a b',
    'a.tmp.0011223344556677',
    'x'.repeat(201),
  ])('refuses the malformed key %j in every method', async (text) => {
    const { storage } = given();
    const malformed = text as StorageKey;
    await expect(storage.put(malformed, Buffer.from('x'), {}, never)).rejects.toThrow('storage key');
    await expect(storage.read(malformed, null, never)).rejects.toThrow('storage key');
    await expect(storage.readBytes(malformed, null, never)).rejects.toThrow('storage key');
    await expect(storage.head(malformed)).rejects.toThrow('storage key');
    await expect(storage.delete([malformed])).rejects.toThrow('storage key');
    await expect(storage.staging.commit('a', malformed, never)).rejects.toThrow('storage key');
    expect(() => storage.localPath(malformed)).toThrow('storage key');
  });

  test('rejects an invalid range and a read into memory above 64 MiB', async () => {
    const { storage, key } = given();
    await storage.put(key('limits'), Readable.from(cut(Buffer.alloc(65 * MIB), MIB)), {}, never);
    await expect(storage.readBytes(key('limits'), null, never)).rejects.toThrow('at most 67108864 bytes');
    for (const range of [
      { start: -1, end: 4 },
      { start: 4, end: 3 },
      { start: 0.5, end: 3 },
    ]) {
      await expect(storage.read(key('limits'), range, never)).rejects.toThrow('byte range');
    }
    await storage.delete([key('limits')]);
  });
}

function writeTests(given: () => Given): void {
  test('keeps every byte of a multipart object', async () => {
    const { storage, key } = given();
    const bytes = randomBytes(37 * MIB + 5);
    const written = await storage.put(key('large'), Readable.from(cut(bytes, 777_777)), {}, never);
    expect(written.sizeBytes).toBe(bytes.length);
    const { body } = await storage.read(key('large'), null, never);
    expect(sha256(await gather(body)).equals(sha256(bytes))).toBe(true);
    expect(written.sha256.equals(sha256(bytes))).toBe(true);
  });

  test('lets exactly one of many conditional writes succeed', async () => {
    const { storage, key } = given();
    const tries = Array.from({ length: 8 }, (_, index) =>
      storage.put(key('race'), Readable.from([Buffer.from(`writer ${index}`)]), { ifAbsent: true }, never),
    );
    const outcomes = await Promise.allSettled(tries);
    const winners = outcomes.flatMap((outcome, index) => (outcome.status === 'fulfilled' ? [index] : []));
    expect(winners).toHaveLength(1);
    expect(String(await storage.readBytes(key('race'), null, never))).toBe(`writer ${winners[0]}`);
    for (const outcome of outcomes) {
      if (outcome.status === 'rejected') expect(outcome.reason).toMatchObject({ name: 'Refused', kind: 'conflict' });
    }
  });

  test.each([1, 40])('leaves no object when the stream fails or closes early after %i MiB', async (mib) => {
    const { storage, key } = given();
    async function* failing() {
      yield* cut(Buffer.alloc(mib * MIB), MIB);
      throw new Error('the sender disconnected');
    }
    await expect(storage.put(key('dir/failed'), Readable.from(failing()), {}, never)).rejects.toThrow(
      'the sender disconnected',
    );
    const closing = new PassThrough();
    const put = storage.put(key('dir/failed'), closing, {}, never);
    for (const chunk of cut(Buffer.alloc(mib * MIB), MIB)) {
      if (!closing.write(chunk)) await once(closing, 'drain');
    }
    // The stream closes without an `end` or `error` event, as if the sender had closed its connection cleanly.
    closing.destroy();
    await expect(put).rejects.toMatchObject({ code: 'ERR_STREAM_PREMATURE_CLOSE' });
    expect(await storage.head(key('dir/failed'))).toBeNull();
  });

  test.each([0, 1, 40])('leaves no object when a write is aborted after %i MiB', async (mib) => {
    const { storage, key } = given();
    const controller = new AbortController();
    async function* stalling() {
      yield* cut(Buffer.alloc(mib * MIB), MIB);
      controller.abort(new Error('enough'));
      await new Promise(() => undefined);
    }
    const body = Readable.from(stalling());
    await expect(storage.put(key('dir/aborted'), body, {}, controller.signal)).rejects.toThrow('enough');
    expect(body.destroyed).toBe(true);
    expect(await storage.head(key('dir/aborted'))).toBeNull();
    expect(await names(storage.list(`${key('dir')}/`, never))).toEqual([]);
  });
}

function readTests(given: () => Given): void {
  test('reports a read aborted while it opens, or before it is consumed, only to its reader', async () => {
    const { storage, key } = given();
    await storage.put(key('unread'), Buffer.alloc(4 * MIB), {}, never);
    const unexpected: Error[] = [];
    const receive = (error: Error) => void unexpected.push(error);
    process.on('uncaughtException', receive);
    try {
      for (let turns = 0; turns < ABORT_TURNS; turns += 1) {
        expect(await abortUnread(storage, key('unread'), turns)).toBe('AbortError');
      }
      expect(unexpected).toEqual([]);
    } finally {
      process.off('uncaughtException', receive);
    }
  });

  test('closes the source of a read that is aborted', async () => {
    const { storage, key } = given();
    await storage.put(key('abort-read'), Buffer.alloc(4 * MIB), {}, never);
    const controller = new AbortController();
    const { body } = await storage.read(key('abort-read'), null, controller.signal);
    controller.abort();
    await expect(gather(body)).rejects.toMatchObject({ name: 'AbortError' });
    await expect(storage.read(key('abort-read'), null, controller.signal)).rejects.toMatchObject({
      name: 'AbortError',
    });
  });
}

/** A read is aborted within this number of event loop turns after its start. */
const ABORT_TURNS = 20;

async function abortUnread(storage: Storage, key: StorageKey, turns: number): Promise<string> {
  const controller = new AbortController();
  const reading = storage.read(key, null, controller.signal).then(async ({ body }) => {
    // Nobody listens for the stream's error until it is closed.
    await new Promise<void>((resolve) => (body.closed ? resolve() : body.once('close', resolve)));
    return await gather(body);
  });
  const reported = reading.then(
    () => 'all bytes',
    (error: Error) => error.name,
  );
  for (let turn = 0; turn < turns; turn += 1) await setImmediate();
  controller.abort();
  return await reported;
}

function listTests(given: () => Given & { folder: string }): void {
  test('lists in key order, under any prefix', async () => {
    const { storage, key, folder } = given();
    const expected = ['l/a-b', 'l/a.b', 'l/a/1', 'l/a/2/x', 'l/a0', 'l/b/1'].map((name) => `${folder}/${name}`);
    for (const name of [...expected].reverse()) await storage.put(storageKey(name), Buffer.from(name), {}, never);
    expect(await names(storage.list(`${folder}/l/`, never))).toEqual(expected);
    expect(await names(storage.list(`${folder}/l/a`, never))).toEqual(expected.slice(0, 5));
    expect(await names(storage.list(`${folder}/l/a/`, never))).toEqual(expected.slice(2, 4));
    expect(await names(storage.list(`${folder}/none/`, never))).toEqual([]);
    for (const [index, after] of expected.entries()) {
      expect(await names(storage.list({ prefix: `${folder}/l/`, after }, never))).toEqual(expected.slice(index + 1));
    }
    expect(await names(storage.list({ prefix: `${folder}/l/a`, after: `${folder}/l/a/2` }, never))).toEqual(
      expected.slice(3, 5),
    );
    expect(await names(storage.list({ prefix: `${folder}/l/`, after: `${folder}/m` }, never))).toEqual([]);
    const [first] = await toArray(storage.list(`${folder}/l/`, never));
    expect(first).toEqual(await storage.head(key('l/a-b')));
  });

  test('deletes single keys, and everything in a folder but not its siblings', async () => {
    const { storage, key, folder } = given();
    for (const name of ['d/1', 'd/2/3', 'd/2/4', 'd2', 'd.x'])
      await storage.put(key(name), Buffer.from('x'), {}, never);
    await storage.delete([key('d/1'), key('d/never-there')]);
    expect(await names(storage.list(`${folder}/d`, never))).toEqual(
      ['d.x', 'd/2/3', 'd/2/4', 'd2'].map((name) => `${folder}/${name}`),
    );
    expect(await storage.deletePrefix(`${folder}/d/`, never)).toBe(2);
    expect(await storage.deletePrefix(`${folder}/d/`, never)).toBe(0);
    expect(await names(storage.list(`${folder}/d`, never))).toEqual(['d.x', 'd2'].map((name) => `${folder}/${name}`));
  });

  test.each(['../', 'a/../', '/', 'a//', '.staging/'])('rejects the prefix %j', async (prefix) => {
    const { storage } = given();
    await expect(storage.deletePrefix(prefix, never)).rejects.toThrow('prefix');
    expect(() => storage.list(prefix, never)).toThrow('prefix');
  });

  test('rejects deleting under a prefix that could end within a name', async () => {
    const { storage, folder } = given();
    await expect(storage.deletePrefix(folder, never)).rejects.toThrow('ends with "/"');
    await expect(storage.deletePrefix('', never)).rejects.toThrow('ends with "/"');
  });
}
