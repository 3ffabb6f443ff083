import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { type S3Stub, startS3Stub } from '../../test/ports/s3-stub.ts';
import { createS3Storage } from '../adapters/storage/s3-storage.ts';
import { watchStorage } from './storage.ts';

let stub: S3Stub;
beforeAll(async () => {
  stub = await startS3Stub();
});
afterAll(() => stub.stop());

test.each([
  { role: 'an edge', writes: false, first: ['Get'], next: ['Get'] },
  { role: 'another role', writes: true, first: ['Put', 'Get', 'Delete'], next: ['Get'] },
])('$role checks a bucket with $first, then with $next', async ({ writes, first, next }) => {
  vi.useFakeTimers({ toFake: ['setInterval'] });
  const credentials = { accessKeyId: 'stub', secretAccessKey: 'stub' };
  const storage = createS3Storage({ url: stub.url, credentials });
  stub.calls.length = 0;
  const watch = await watchStorage({ storage, move: null }, { writes });
  try {
    expect(operations()).toEqual(first);
    expect(watch.last()).toEqual({ kind: 's3' });
    stub.calls.length = 0;
    await vi.advanceTimersByTimeAsync(10_000);
    await vi.waitFor(() => expect(operations()).toEqual(next));
  } finally {
    watch.close();
    vi.useRealTimers();
  }
});

/** Returns the kinds of the requests so far. */
function operations(): string[] {
  return stub.calls.map(({ operation }) => operation);
}
