import { randomBytes } from 'node:crypto';
import { PassThrough, Readable } from 'node:stream';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createS3Storage } from '../../src/adapters/storage/s3-storage.ts';
import { type Storage, StorageAway, type StorageKey, storageKey } from '../../src/ports/storage.ts';
import { type Fault, type S3Stub, startS3Stub } from '../ports/s3-stub.ts';
import { cut, gather, MIB, names, never, toArray } from '../ports/samples.ts';

const UNAVAILABLE: Fault = { status: 503, code: 'SlowDown' };
const BROKEN: Fault = { status: 500, code: 'InternalError' };
const KEY = storageKey('library/media/object');
/** Two parts of the usual size, the second not full. */
const LARGE_BYTES = 18 * MIB;

let stub: S3Stub;
let storage: Storage;

beforeEach(async () => {
  stub = await startS3Stub();
  storage = open();
});

afterEach(() => stub.stop());

function open(limits: { requestTimeoutMs?: number } = {}): Storage {
  return createS3Storage({ url: stub.url, credentials: { accessKeyId: 'stub', secretAccessKey: 'stub' }, ...limits });
}

function stored(key: StorageKey): Buffer | undefined {
  return stub.objects.get(`media/${key}`)?.bytes;
}

describe('S3 with intermittent failures (scripted server)', () => {
  test.each<[string, Fault]>([
    ['responds with 500', BROKEN],
    ['responds with 503', UNAVAILABLE],
    ['resets the connection', 'reset'],
    ['does not respond', 'silence'],
  ])('repeats every call when S3 %s', async (_, fault) => {
    if (fault === 'silence') storage = open({ requestTimeoutMs: 400 });
    for (const operation of ['Put', 'Head', 'Get', 'List', 'Delete']) stub.fail(operation, fault);
    await storage.put(KEY, Buffer.from('bytes'), {}, never);
    expect((await storage.head(KEY))?.sizeBytes).toBe(5);
    expect(String(await storage.readBytes(KEY, null, never))).toBe('bytes');
    expect(await names(storage.list('library/', never))).toEqual([KEY]);
    await storage.delete([KEY]);
    expect(stored(KEY)).toBeUndefined();
    for (const operation of ['Put', 'Get', 'List', 'Delete']) expect(stub.countOf(operation)).toBe(2);
  });

  test('gives up after four attempts and reports the response', async () => {
    stub.fail('Put', UNAVAILABLE, UNAVAILABLE, UNAVAILABLE, UNAVAILABLE, UNAVAILABLE);
    const put = storage.put(KEY, Buffer.from('bytes'), {}, never);
    await expect(put).rejects.toThrow('Expected S3 to store library/media/object, got 503 SlowDown after 4 attempts.');
    await expect(put).rejects.toBeInstanceOf(StorageAway);
    expect(stub.countOf('Put')).toBe(4);
    expect(stored(KEY)).toBeUndefined();
  });

  test('reports an S3 store without space as full', async () => {
    stub.fail('Put', ...Array<Fault>(4).fill({ status: 507, code: 'InsufficientStorage' }));
    await expect(storage.put(KEY, Buffer.from('x'), {}, never)).rejects.toMatchObject({
      name: 'Refused',
      kind: 'disk-full',
    });
  });
});

describe('S3 reads that break off (scripted server)', () => {
  const bytes = randomBytes(3 * MIB);
  beforeEach(async () => {
    await storage.put(KEY, bytes, {}, never);
  });

  test('an S3 read continues at the byte where the connection was cut', async () => {
    stub.fail('Get', 'cut-body', 'cut-body', 'cut-body', 'cut-body', 'cut-body');
    const { body } = await storage.read(KEY, { start: 7, end: 3 * MIB - 9 }, never);
    expect((await gather(body)).equals(bytes.subarray(7, 3 * MIB - 8))).toBe(true);
    expect(stub.countOf('Get')).toBe(6);
  });

  test('an S3 read fails when the remaining bytes never arrive', async () => {
    stub.fail('Get', 'cut-body', BROKEN, BROKEN, BROKEN, BROKEN);
    const { body } = await storage.read(KEY, null, never);
    await expect(gather(body)).rejects.toThrow('got 500 InternalError after 4 attempts');
  });

  test('an S3 read fails when the object is replaced during the read', async () => {
    stub.fail('Get', 'cut-body');
    const { body } = await storage.read(KEY, null, never);
    await storage.put(KEY, randomBytes(3 * MIB), {}, never);
    await expect(gather(body)).rejects.toThrow('got 412 PreconditionFailed');
  });

  test('an S3 read fails when a response contains half of the announced range', async () => {
    stub.fail('Get', 'short-body', 'short-body');
    await expect(storage.read(KEY, { start: 0, end: MIB }, never)).rejects.toThrow('a Content-Length of 524288');
    await expect(storage.readBytes(KEY, { start: 0, end: MIB }, never)).rejects.toThrow('a Content-Length of 524288');
  });
});

describe('S3 writes that go wrong (scripted server)', () => {
  const large = () => Readable.from(cut(Buffer.alloc(LARGE_BYTES, 'x'), MIB));

  test('an S3 write rejects a wrong ETag and deletes the object', async () => {
    stub.fail('Put', 'wrong-etag');
    await expect(storage.put(KEY, Buffer.from('bytes'), {}, never)).rejects.toThrow('got another ETag');
    stub.fail('Part', 'wrong-etag');
    await expect(storage.put(KEY, large(), {}, never)).rejects.toThrow('Expected part');
    expect(stored(KEY)).toBeUndefined();
    expect(stub.uploads.size).toBe(0);
  });

  test('an S3 write aborts the multipart upload if a part cannot be stored', async () => {
    stub.fail('Part', ...Array<Fault>(12).fill(BROKEN));
    await expect(storage.put(KEY, large(), {}, never)).rejects.toThrow('got 500 InternalError');
    expect(stored(KEY)).toBeUndefined();
    expect(stub.uploads.size).toBe(0);
  });

  test('an aborted S3 write ends its upload before it returns', async () => {
    const controller = new AbortController();
    const body = new PassThrough();
    const put = storage.put(KEY, body, {}, controller.signal);
    put.catch(() => undefined);
    const filling = (async () => {
      for (const chunk of cut(Buffer.alloc(2 * LARGE_BYTES), MIB)) {
        if (!body.write(chunk)) await new Promise((resolve) => body.once('drain', resolve));
      }
    })();
    await filling;
    await expect.poll(() => stub.countOf('CreateUpload'), { timeout: 20_000 }).toBe(1);
    controller.abort(new Error('enough'));
    await expect(put).rejects.toThrow('enough');
    expect(stub.uploads.size).toBe(0);
    expect(stored(KEY)).toBeUndefined();
  });
});

describe('S3 objects of more bytes than 10,000 parts of the usual size (scripted server)', () => {
  test('writes of more than 10,000 usual parts use larger parts according to the announced length', async () => {
    const body = Readable.from(cut(randomBytes(33 * MIB), MIB));
    await storage.put(KEY, body, { lengthBytes: 200 * 1024 * MIB }, never);
    const parts = stub.calls.filter(({ operation }) => operation === 'Part');
    const sizes = parts.map(({ headers }) => Number(headers['content-length']));
    expect(sizes.sort((a, b) => b - a)).toEqual([32 * MIB, MIB]);
  });

  test('rejects an object before sending a byte if no part size is large enough', async () => {
    const written = storage.put(KEY, Buffer.from('x'), { lengthBytes: 2e12 }, never);
    await expect(written).rejects.toMatchObject({ kind: 'too-large' });
    expect(stub.calls).toEqual([]);
  });
});

describe('S3 writes with an unclear outcome (scripted server)', () => {
  const large = () => Readable.from(cut(Buffer.alloc(LARGE_BYTES, 'x'), MIB));

  test('reports a multipart upload that cannot be aborted, and sweeps it later', async () => {
    stub.fail('Part', ...Array<Fault>(12).fill(BROKEN));
    stub.fail('AbortUpload', BROKEN, BROKEN, BROKEN, BROKEN);
    await expect(storage.put(KEY, large(), {}, never)).rejects.toThrow('Its parts remain until the next sweep');
    expect(stub.uploads.size).toBe(1);
    expect(await storage.sweepTemp(60_000, never)).toBe(0);
    expect(await storage.sweepTemp(0, never)).toBe(1);
    expect(stub.uploads.size).toBe(0);
  });

  test('a write whose response was lost does not fail', async () => {
    stub.fail('Put', 'lose-answer');
    await storage.put(KEY, Buffer.from('mine'), { ifAbsent: true }, never);
    expect(String(stored(KEY))).toBe('mine');
    stub.fail('CompleteUpload', 'lose-answer');
    expect((await storage.put(KEY, large(), {}, never)).sizeBytes).toBe(LARGE_BYTES);
    expect(stored(KEY)?.length).toBe(LARGE_BYTES);
  });

  test('a conditional multipart write is rejected if the key is written during the upload', async () => {
    const body = new PassThrough();
    const put = storage.put(KEY, body, { ifAbsent: true }, never);
    put.catch(() => undefined);
    for (const chunk of cut(Buffer.alloc(LARGE_BYTES), MIB)) {
      if (!body.write(chunk)) await new Promise((resolve) => body.once('drain', resolve));
    }
    await storage.put(KEY, Buffer.from('first'), {}, never);
    body.end();
    await expect(put).rejects.toMatchObject({ name: 'Refused', kind: 'conflict' });
    expect(String(stored(KEY))).toBe('first');
    expect(stub.uploads.size).toBe(0);
  });
});

describe('S3 engines with missing features (scripted server)', () => {
  test('deletes objects one by one on S3 engines without bulk delete', async () => {
    stub.lacks.add('BulkDelete');
    for (const name of ['a', 'b', 'c']) await storage.put(storageKey(`x/${name}`), Buffer.from(name), {}, never);
    expect(await storage.deletePrefix('x/', never)).toBe(3);
    expect(stub.objects.size).toBe(0);
    await storage.delete([storageKey('x/a'), storageKey('x/b')]);
    expect(stub.countOf('BulkDelete')).toBe(1);
  });

  test('sends staged bytes again on S3 engines without part copy', async () => {
    stub.lacks.add('PartCopy');
    const bytes = randomBytes(33 * MIB);
    await storage.staging.append('upload', 0, Readable.from(cut(bytes, MIB)), never);
    await storage.staging.commit('upload', KEY, never);
    expect(stored(KEY)?.equals(bytes)).toBe(true);
    expect(stub.countOf('Part')).toBe(3);
  });
});

describe('S3 staging that is interrupted (scripted server)', () => {
  const bytes = randomBytes(33 * MIB);
  beforeEach(async () => {
    await storage.staging.append('upload', 0, Readable.from(cut(bytes, MIB)), never);
  });

  test('repeats a commit whose staged parts could not be deleted, with the same object', async () => {
    stub.fail('Delete', BROKEN, BROKEN, BROKEN, BROKEN);
    await expect(storage.staging.commit('upload', KEY, never)).rejects.toThrow('delete');
    expect(await storage.staging.commit('upload', KEY, never)).toEqual({ sizeBytes: bytes.length });
    expect(stored(KEY)?.equals(bytes)).toBe(true);
    expect(stub.objects.size).toBe(1);
  });

  test('a commit interrupted while deleting staged parts never creates a shorter object', async () => {
    stub.fail('BulkDelete', BROKEN, BROKEN, BROKEN, BROKEN);
    await expect(storage.staging.commit('upload', KEY, never)).rejects.toThrow('delete');
    expect(stub.objects.size).toBe(3);
    expect(await storage.staging.size('upload')).toBe(0);
    expect(await storage.staging.commit('upload', KEY, never)).toEqual({ sizeBytes: bytes.length });
    expect(stored(KEY)?.equals(bytes)).toBe(true);
    expect(stub.objects.size).toBe(1);
  });

  test('ignores and replaces bytes after a gap', async () => {
    stub.objects.delete(`media/.staging/upload/${String(16 * MIB).padStart(20, '0')}`);
    expect(await storage.staging.size('upload')).toBe(16 * MIB);
    await storage.staging.append('upload', 16 * MIB, Readable.from([Buffer.from('end')]), never);
    expect(await storage.staging.commit('upload', KEY, never)).toEqual({ sizeBytes: 16 * MIB + 3 });
    expect(
      stored(KEY)
        ?.subarray(16 * MIB)
        .toString(),
    ).toBe('end');
  });

  test('rejects the second of two writers at one offset, even from another process', async () => {
    const other = open();
    const outcomes = await Promise.allSettled(
      [storage, other].map((one) =>
        one.staging.append('upload', bytes.length, Readable.from([Buffer.from('more')]), never),
      ),
    );
    expect(outcomes.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
    expect((await toArray(storage.staging.list(never))).map(({ id }) => id)).toEqual(['upload']);
  });
});
