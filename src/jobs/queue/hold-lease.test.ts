import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { LeaseLost } from '../../catalog/leases/lease-lost.ts';
import { GIVE_UP_MS, LEASE_SEC, RENEW_EVERY_MS } from '../../catalog/tasks/encode-task.ts';
import { underLease, untilFree } from './hold-lease.ts';

const stays = new AbortController().signal;
const hangs = () => new Promise<never>(() => undefined);

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

const untilAborted = (signal: AbortSignal) =>
  new Promise<never>((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)));

test.each([
  { renewal: 'hangs', renew: hangs },
  { renewal: 'fails', renew: () => Promise.reject(new Error('away')) },
  { renewal: 'is refused', renew: async () => false },
])('aborts the work when its lease expires because the renewal $renewal', async ({ renew }) => {
  const held = underLease(renew, untilAborted, stays);
  const lost = expect(held).rejects.toBeInstanceOf(LeaseLost);
  await vi.advanceTimersByTimeAsync(GIVE_UP_MS + RENEW_EVERY_MS);
  await lost;
});

test('renews the lease for as long as the encode task runs', async () => {
  const renew = vi.fn(async () => true);
  const task = async (signal: AbortSignal) => {
    await new Promise((resolve) => setTimeout(resolve, 5 * LEASE_SEC * 1000));
    return signal.aborted;
  };
  const held = underLease(renew, task, stays);
  await vi.advanceTimersByTimeAsync(5 * LEASE_SEC * 1000);
  expect(await held).toBe(false);
  await vi.advanceTimersByTimeAsync(10_000);
  expect(renew.mock.calls.length).toBeLessThanOrEqual(5 * LEASE_SEC);
});

test('returns the result of finished work without waiting for a hanging renewal', async () => {
  vi.useRealTimers();
  const { promise: isRenewing, resolve } = Promise.withResolvers<void>();
  const renew = () => {
    resolve();
    return hangs();
  };
  expect(await underLease(renew, () => isRenewing.then(() => 'done'), stays)).toBe('done');
});

test('retries while another worker holds the lease, and returns the first result other than `busy`', async () => {
  vi.useFakeTimers({ toFake: ['performance'] });
  const claim = vi.fn(async () => {
    vi.advanceTimersByTime((LEASE_SEC * 1000) / 2);
    return { kind: claim.mock.calls.length < 3 ? 'busy' : 'held' };
  });
  expect(await untilFree(claim, stays)).toEqual({ kind: 'held' });
});

test('throws if another worker holds the lease for longer than a lease lasts', async () => {
  vi.useFakeTimers({ toFake: ['performance'] });
  const claim = vi.fn(async () => {
    vi.advanceTimersByTime((LEASE_SEC * 1000) / 2);
    return { kind: 'busy' };
  });
  await expect(untilFree(claim, stays)).rejects.toThrow('Another worker holds this task.');
  expect(claim).toHaveBeenCalledTimes(4);
});
