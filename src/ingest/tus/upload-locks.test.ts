import { expect, test } from 'vitest';
import { createUploadLocks } from './upload-locks.ts';

/** Returns a task that runs until it is aborted and then needs one turn of the event loop to end. */
function endless(log: string[], name: string) {
  return async (signal: AbortSignal) => {
    log.push(`${name} begins`);
    await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }));
    await new Promise((resolve) => setImmediate(resolve));
    log.push(`${name} ended`);
    signal.throwIfAborted();
  };
}

test('a newer request aborts the older request, and starts after it has ended', async () => {
  const locks = createUploadLocks();
  const log: string[] = [];
  const older = locks.hold('a', endless(log, 'older'));
  const outcome = older.catch((error: unknown) => error);
  await locks.hold('a', async () => void log.push('newer'));
  expect(await outcome).toMatchObject({ kind: 'conflict' });
  expect(log).toEqual(['older begins', 'older ended', 'newer']);
});

test('waiting requests acquire the lock one at a time', async () => {
  const locks = createUploadLocks();
  const log: string[] = [];
  const first = locks.hold('a', endless(log, 'first')).catch(() => 'stopped');
  let holders = 0;
  const brief = async () => {
    holders += 1;
    expect(holders).toBe(1);
    await new Promise((resolve) => setImmediate(resolve));
    holders -= 1;
  };
  await Promise.all([1, 2, 3, 4, 5].map(() => locks.hold('a', brief)));
  expect(await first).toBe('stopped');
});

test('different uploads do not wait for each other', async () => {
  const locks = createUploadLocks();
  const log: string[] = [];
  const a = locks.hold('a', endless(log, 'a')).catch(() => undefined);
  await locks.hold('b', async () => void log.push('b'));
  expect(log).toEqual(['a begins', 'b']);
  await locks.hold('a', async () => undefined);
  await a;
});

test('a holder that ignores the abort causes a conflict and releases the lock later', async () => {
  const locks = createUploadLocks(20);
  const deaf = Promise.withResolvers<void>();
  const older = locks.hold('a', () => deaf.promise);
  await expect(locks.hold('a', async () => undefined)).rejects.toMatchObject({ kind: 'conflict' });
  deaf.resolve();
  await older;
  expect(await locks.hold('a', async () => 'mine')).toBe('mine');
});

test('a failing task releases the lock', async () => {
  const locks = createUploadLocks();
  await expect(locks.hold('a', async () => Promise.reject(new Error('broken')))).rejects.toThrow('broken');
  expect(await locks.hold('a', async () => 'mine')).toBe('mine');
});
