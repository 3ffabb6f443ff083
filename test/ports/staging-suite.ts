import { randomBytes } from 'node:crypto';
import { PassThrough, Readable } from 'node:stream';
import { expect, test } from 'vitest';
import { newGuid } from '../../src/lib/guid.ts';
import type { Storage, StorageKey } from '../../src/ports/storage.ts';
import { cut, gather, MIB, names, never, sha256, toArray } from './samples.ts';

type Given = { storage: Storage; key: (name: string) => StorageKey };

export function growingTests(given: () => Given): void {
  test('appends chunks to an upload and commits it as one object', async () => {
    const { storage, key } = given();
    const id = newGuid();
    const bytes = randomBytes(36 * MIB + 3);
    const cuts = [0, 5, 3 * MIB, 21 * MIB, 21 * MIB + 1, bytes.length];
    expect(await storage.staging.size(id)).toBe(0);
    for (const [index, offset] of cuts.slice(0, -1).entries()) {
      const piece = bytes.subarray(offset, cuts[index + 1]);
      expect(await storage.staging.append(id, offset, Readable.from(cut(piece, MIB)), never)).toBe(cuts[index + 1]);
      expect(await storage.staging.size(id)).toBe(cuts[index + 1]);
    }
    for (const offset of [0, 5, 21 * MIB, bytes.length]) {
      const read = await gather(await storage.staging.read(id, offset, never));
      expect(sha256(read).equals(sha256(bytes.subarray(offset)))).toBe(true);
    }
    expect(await gather(await storage.staging.read(newGuid(), 0, never))).toEqual(Buffer.alloc(0));
    expect((await toArray(storage.staging.list(never))).map((staged) => staged.id)).toContain(id);
    expect(await storage.head(key('staged'))).toBeNull();
    expect(await storage.staging.commit(id, key('staged'), never)).toEqual({ sizeBytes: bytes.length });
    expect(await storage.staging.commit(id, key('staged'), never)).toEqual({ sizeBytes: bytes.length });
    const { body } = await storage.read(key('staged'), null, never);
    expect(sha256(await gather(body)).equals(sha256(bytes))).toBe(true);
    expect(await storage.staging.size(id)).toBe(0);
    expect((await toArray(storage.staging.list(never))).map((staged) => staged.id)).not.toContain(id);
  });

  test('keeps the bytes that arrived before a stream failed or was aborted', async () => {
    const { storage, key } = given();
    const id = newGuid();
    const bytes = randomBytes(18 * MIB);
    async function* failing() {
      yield* cut(bytes.subarray(0, 17 * MIB), MIB);
      throw new Error('the sender disconnected');
    }
    await expect(storage.staging.append(id, 0, Readable.from(failing()), never)).rejects.toThrow(
      'the sender disconnected',
    );
    expect(await storage.staging.size(id)).toBe(17 * MIB);
    const controller = new AbortController();
    const stalling = new PassThrough();
    const append = storage.staging.append(id, 17 * MIB, stalling, controller.signal);
    stalling.write(bytes.subarray(17 * MIB, 17 * MIB + 1000));
    // The append has consumed the byte, so it is not in the stream that the abort destroys.
    await expect.poll(() => stalling.readableLength, { timeout: 20_000 }).toBe(0);
    controller.abort(new Error('enough'));
    await expect(append).rejects.toThrow('enough');
    expect(await storage.staging.size(id)).toBe(17 * MIB + 1000);
    await storage.staging.append(id, 17 * MIB + 1000, Readable.from([bytes.subarray(17 * MIB + 1000)]), never);
    await storage.staging.commit(id, key('resumed'), never);
    expect((await storage.readBytes(key('resumed'), null, never)).equals(bytes)).toBe(true);
  });
}

export function stagingRefusalTests(given: () => Given): void {
  test('rejects an append at the wrong offset or during another append, without reading its stream', async () => {
    const { storage } = given();
    const id = newGuid();
    await storage.staging.append(id, 0, Readable.from([Buffer.from('12345')]), never);
    const body = Readable.from([Buffer.from('x')]);
    for (const offset of [0, 4, 6]) {
      await expect(storage.staging.append(id, offset, body, never)).rejects.toMatchObject({
        name: 'Refused',
        kind: 'conflict',
      });
    }
    expect(body.destroyed).toBe(false);
    const outcomes = await Promise.allSettled([
      storage.staging.append(id, 5, Readable.from([Buffer.from('one')]), never),
      storage.staging.append(id, 5, Readable.from([Buffer.from('two')]), never),
    ]);
    expect(outcomes.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
    expect(await storage.staging.size(id)).toBe(8);
    await storage.staging.abort(id);
    expect(await storage.staging.size(id)).toBe(0);
    await expect(storage.staging.abort(id)).resolves.toBeUndefined();
  });

  test('rejects committing an unknown upload, and accepts an empty upload', async () => {
    const { storage, key } = given();
    await expect(storage.staging.commit(newGuid(), key('nothing'), never)).rejects.toMatchObject({ kind: 'not-found' });
    const id = newGuid();
    expect(await storage.staging.append(id, 0, Readable.from([]), never)).toBe(0);
    expect(await storage.staging.append(id, 0, Readable.from([]), never)).toBe(0);
    expect(await storage.staging.commit(id, key('no-bytes'), never)).toEqual({ sizeBytes: 0 });
    const other = newGuid();
    await storage.staging.append(other, 0, Readable.from([]), never);
    await storage.staging.append(other, 0, Readable.from([Buffer.from('now')]), never);
    expect(await storage.staging.commit(other, key('no-bytes'), never)).toEqual({ sizeBytes: 3 });
  });

  test('keeps staged bytes out of the list of objects', async () => {
    const { storage, key } = given();
    const id = newGuid();
    await storage.staging.append(id, 0, Readable.from([Buffer.from('12345')]), never);
    await storage.put(key('seen'), Buffer.from('x'), {}, never);
    const listed = await names(storage.list('', never));
    expect(listed).toContain(key('seen'));
    expect(listed.filter((name) => name.includes(id))).toEqual([]);
    await storage.staging.abort(id);
  });

  test.each(['', '../a', 'a/b', 'a.b', 'a\n', '.'])('rejects the staging id %j', async (id) => {
    const { storage, key } = given();
    await expect(storage.staging.append(id, 0, Readable.from([]), never)).rejects.toThrow('staging id');
    await expect(storage.staging.size(id)).rejects.toThrow('staging id');
    await expect(storage.staging.commit(id, key('x'), never)).rejects.toThrow('staging id');
    await expect(storage.staging.abort(id)).rejects.toThrow('staging id');
  });
}
