import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { chmod, copyFile, mkdir, mkdtemp, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { request } from 'node:https';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { connect, type SecureVersion } from 'node:tls';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { captureLog } from '../../../test/support/capture-log.ts';
import { makeTlsPair } from '../../../test/support/make-tls-pair.ts';
import { closeServer, listen } from '../listen.ts';
import { createWebServer } from './create-web-server.ts';
import { readTlsPair, type TlsPaths } from './read-tls-pair.ts';

const PATIENCE = { timeout: 30_000 };

let folder: string;
let first: TlsPaths;
let second: TlsPaths;
const at = (name: string) => path.join(folder, name);

beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'millrace-tls-'));
  [first, second] = await Promise.all([makeTlsPair(folder, 'first'), makeTlsPair(folder, 'second')]);
  const encrypt = ['pkey', '-in', first.keyPath, '-aes256', '-passout', 'pass:secret', '-out', at('encrypted.key')];
  await promisify(execFile)('openssl', encrypt);
  await writeFile(at('text'), 'no PEM');
});
afterAll(() => rm(folder, { recursive: true }));

test.each([
  ['a missing certificate', () => ({ certificatePath: at('none') }), /^MILLRACE_TLS_CERTIFICATE: .*ENOENT/],
  ['a missing key', () => ({ keyPath: at('none') }), /^MILLRACE_TLS_KEY: .*ENOENT/],
  ['a folder', () => ({ certificatePath: folder }), /^MILLRACE_TLS_CERTIFICATE: .*which is not a regular file/],
  ['another key', () => ({ keyPath: second.keyPath }), /^MILLRACE_TLS_KEY: .*got another one\.$/],
  ['an encrypted key', () => ({ keyPath: at('encrypted.key') }), /^MILLRACE_TLS_KEY: .*got an encrypted one/],
  ['a text in place of the certificate', () => ({ certificatePath: at('text') }), /^MILLRACE_TLS_CERTIFICATE: .*PEM/],
  ['a text in place of the key', () => ({ keyPath: at('text') }), /^MILLRACE_TLS_KEY: .*PEM/],
  [
    'swapped files',
    () => ({ certificatePath: first.keyPath, keyPath: first.certificatePath }),
    /^MILLRACE_TLS_CERTIFICATE: .*Swap/,
  ],
])('refuses %s in one line', (_what, change, message) => {
  const read = () => readTlsPair({ ...first, ...change() });
  expect(read).toThrow(message);
  expect(read).not.toThrow('\n');
});

test('accepts an expired certificate, and logs a warning for it and for one that expires soon', async () => {
  const log = captureLog();
  await open(await makeTlsPair(folder, 'expired', -1));
  await open(await makeTlsPair(folder, 'expiring', 7));
  await open(first);
  expect(log.named('tls.expired')).toHaveLength(1);
  expect(log.named('tls.expiring')).toHaveLength(1);
});

test.each<[SecureVersion, boolean]>([
  ['TLSv1.1', false],
  ['TLSv1.2', true],
  ['TLSv1.3', true],
])('a client with %s connects: %s', async (version, connects) => {
  const port = await open(first);
  const options = { host: '127.0.0.1', port, minVersion: version, maxVersion: version, rejectUnauthorized: false };
  const socket = connect({ ...options, ciphers: 'DEFAULT:@SECLEVEL=0' });
  onTestFinished(() => void socket.destroy());
  const result = once(socket, 'secureConnect').then(
    () => true,
    () => false,
  );
  expect(await result).toBe(connects);
});

test('a client without TLS is disconnected, and the server continues', async () => {
  const port = await open(first);
  await expect(fetch(`http://127.0.0.1:${port}/`)).rejects.toThrow();
  expect(await numberAt(port)).toMatch(/^[0-9A-F]+$/);
});

test('loads a new certificate after a symlink swap, keeps it if the next pair is broken, and logs both', async () => {
  const log = captureLog();
  const version = async (name: string, { certificatePath, keyPath }: TlsPaths) => {
    await mkdir(at(name));
    await copyFile(certificatePath, at(`${name}/tls.crt`));
    await copyFile(keyPath, at(`${name}/tls.key`));
  };
  const swap = async (name: string) => {
    await symlink(name, at('next'));
    await rename(at('next'), at('data'));
  };
  await version('v1', first);
  await version('v2', second);
  await version('v3', { ...first, keyPath: second.keyPath });
  await swap('v1');
  const port = await open({ certificatePath: at('data/tls.crt'), keyPath: at('data/tls.key') });
  const [before, kept] = [await numberAt(port), connectTo(port)];
  await once(kept, 'secureConnect');
  await swap('v2');
  await expect.poll(() => numberAt(port), PATIENCE).not.toBe(before);
  const after = await numberAt(port);
  expect(log.named('tls.reloaded')).toHaveLength(1);
  expect(kept.destroyed).toBe(false);
  await swap('v3');
  await expect.poll(() => log.named('tls.not-reloaded').length, PATIENCE).toBe(1);
  expect(log.named('tls.not-reloaded')[0]).toMatchObject({ reason: expect.stringMatching(/^MILLRACE_TLS_KEY: /) });
  expect(await numberAt(port)).toBe(after);
  kept.destroy();
}, 90_000);

/** Opens a server until the end of the test and returns its port. */
async function open(paths: TlsPaths): Promise<number> {
  await chmod(paths.keyPath, 0o600);
  const server = createWebServer(paths, {}, (_request, response) => void response.end('ok'));
  onTestFinished(() => closeServer(server, 0));
  return listen(server, 0, '127.0.0.1');
}

const connectTo = (port: number) => connect({ host: '127.0.0.1', port, rejectUnauthorized: false });

/** Returns the serial number of the certificate that a new connection gets. */
async function numberAt(port: number): Promise<string> {
  const sent = request({ host: '127.0.0.1', port, rejectUnauthorized: false, agent: false }).end();
  const [response] = await once(sent, 'response');
  const { serialNumber } = response.socket.getPeerCertificate();
  response.resume();
  return serialNumber;
}
