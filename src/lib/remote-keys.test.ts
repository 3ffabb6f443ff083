import { createServer } from 'node:http';
import { exportJWK, generateKeyPair, jwtVerify, SignJWT } from 'jose';
import { expect, test } from 'vitest';
import { requireOneHost } from '../catalog/shield/host-fault.ts';
import { closeServer, listen } from './listen.ts';
import type { GuardedFetch } from './outbound/guarded-fetch.ts';
import { createRemoteKeys } from './remote-keys.ts';

const fetchPlain: GuardedFetch = async (url) => await fetch(url);

test.each([
  ['the last keys are used for a time', 60_000, true],
  ['no keys are used without a time', 0, false],
])('if keys cannot be loaded again, %s', async (_, keepMs, isAccepted) => {
  const { publicKey, privateKey } = await generateKeyPair('ES256');
  const text = JSON.stringify({ keys: [{ ...(await exportJWK(publicKey)), kid: 'a', alg: 'ES256' }] });
  const server = createServer(requireOneHost((_request, response) => void response.end(text)));
  const url = `http://127.0.0.1:${await listen(server, 0, '127.0.0.1')}/`;
  const keys = await createRemoteKeys(fetchPlain, keepMs)(url);
  const token = await new SignJWT({}).setProtectedHeader({ alg: 'ES256', kid: 'a' }).sign(privateKey);
  await jwtVerify(token, keys);
  await closeServer(server, 0);
  // The package returns this function with a method that the type of the parameter does not have.
  const reloading = (keys as typeof keys & { reload(): Promise<void> }).reload();
  await (isAccepted ? reloading : expect(reloading).rejects.toThrow());
  await jwtVerify(token, keys);
});
