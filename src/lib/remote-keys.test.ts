import { createServer } from 'node:http';
import { exportJWK, generateKeyPair, jwtVerify, SignJWT } from 'jose';
import { afterEach, beforeEach, expect, onTestFinished, test, vi } from 'vitest';
import { requireOneHost } from '../catalog/shield/host-fault.ts';
import { closeServer, listen } from './listen.ts';
import type { GuardedFetch } from './outbound/guarded-fetch.ts';
import { createRemoteKeys } from './remote-keys.ts';

const fetchPlain: GuardedFetch = async (url) => await fetch(url);

/** Serves a new key, and returns its loader and a token that it signed. `stop` ends the server of the keys. */
async function serveKeys(keepMs: number) {
  const { publicKey, privateKey } = await generateKeyPair('ES256');
  const text = JSON.stringify({ keys: [{ ...(await exportJWK(publicKey)), kid: 'a', alg: 'ES256' }] });
  const server = createServer(requireOneHost((_request, response) => void response.end(text)));
  const url = `http://127.0.0.1:${await listen(server, 0, '127.0.0.1')}/`;
  const stop = () => closeServer(server, 0).catch(() => undefined);
  onTestFinished(stop);
  const keys = await createRemoteKeys(fetchPlain, keepMs)(url);
  const token = await new SignJWT({}).setProtectedHeader({ alg: 'ES256', kid: 'a' }).sign(privateKey);
  await jwtVerify(token, keys);
  // The package returns this function with a method that the type of the parameter does not have.
  const reload = () => (keys as typeof keys & { reload(): Promise<void> }).reload();
  return { verify: () => jwtVerify(token, keys), reload, stop };
}

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['Date', 'performance'] });
});
afterEach(() => {
  vi.useRealTimers();
});

test('if keys cannot be loaded again, the last keys are used for `keepMs`', async () => {
  const keepMs = 24 * 3_600_000;
  const { reload, verify, stop } = await serveKeys(keepMs);
  await stop();
  vi.advanceTimersByTime(keepMs / 2);
  await reload();
  await verify();
  vi.advanceTimersByTime(keepMs / 2 + 1);
  await expect(reload()).rejects.toThrow();
  await expect(verify()).rejects.toThrow();
});

test('if keys cannot be loaded again, a reload fails without `keepMs`', async () => {
  const { reload, verify, stop } = await serveKeys(0);
  await stop();
  await expect(reload()).rejects.toThrow();
  // Advance past the time for which the package caches keys.
  vi.advanceTimersByTime(3_600_000);
  await expect(verify()).rejects.toThrow();
});
