import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import {
  baseAddresses,
  ensureSecretKey,
  forgetFirstKeys,
  keepPendingKeys,
  readPendingKeys,
  showFirstStart,
  showStart,
} from './first-start.ts';

const library = {
  mustShow: true,
  libraryId: 1,
  accountKey: 'account-key',
  libraryKey: 'library-key',
  readOnlyKey: 'ro',
  signInSecret: 'once',
};
const addresses = { publicUrl: 'http://127.0.0.1:7700', edgeUrl: 'http://127.0.0.1:7701' };

let dataDir = '';
beforeEach(() => {
  dataDir = mkdtempSync(join(tmpdir(), 'millrace-first-'));
});
afterEach(() => rmSync(dataDir, { recursive: true }));

test('creates the secret key once with private permissions and keeps it', async () => {
  const made = await ensureSecretKey(dataDir, null);
  expect(made).toHaveLength(32);
  expect(statSync(join(dataDir, 'secret.key')).mode & 0o777).toBe(0o600);
  expect(await ensureSecretKey(dataDir, null)).toEqual(made);
});

test('uses the configured secret key without writing it', async () => {
  const given = Buffer.alloc(32, 1);
  expect(await ensureSecretKey(dataDir, given)).toEqual(given);
  expect(await ensureSecretKey(dataDir, null)).not.toEqual(given);
});

test('rejects a secret key file of the wrong length', async () => {
  writeFileSync(join(dataDir, 'secret.key'), 'short');
  await expect(ensureSecretKey(dataDir, null)).rejects.toThrow(/^Expected a key of 32 bytes in .*, found 5\. Restore/);
});

test('creates no other key if that of an existing database is missing', async () => {
  mkdirSync(join(dataDir, 'postgres'));
  await expect(ensureSecretKey(dataDir, null)).rejects.toThrow(
    /^Expected the key of the database in .*, found no file/,
  );
  expect(existsSync(join(dataDir, 'secret.key'))).toBe(false);
});

test('keeps keys in a private file until they were shown', async () => {
  expect(await readPendingKeys(dataDir)).toBeNull();
  const keys = { accountKey: 'account-key', libraryKey: 'library-key' };
  await keepPendingKeys(dataDir, keys);
  expect(statSync(join(dataDir, 'first-keys.json')).mode & 0o777).toBe(0o600);
  expect(await readPendingKeys(dataDir)).toEqual(keys);
  await forgetFirstKeys(dataDir);
  expect(await readPendingKeys(dataDir)).toBeNull();
});

/** Returns the output of `showFirstStart` to a terminal, or to a file or pipe. */
async function shown(isTTY: boolean): Promise<string> {
  let text = '';
  const write = (some: string | Uint8Array) => {
    text += String(some);
    return true;
  };
  await showFirstStart(library, addresses, { dataDir, out: { isTTY, write } });
  return text;
}

test('shows keys and sign-in link on a terminal, or else writes them to a private file that it names', async () => {
  const path = join(dataDir, 'first-start.txt');
  const onTerminal = await shown(true);
  expect(onTerminal).toContain('library-key');
  expect(existsSync(path)).toBe(false);
  const inLog = await shown(false);
  expect(inLog).toContain(path);
  expect(inLog).toContain(addresses.edgeUrl);
  expect(inLog).not.toMatch(/(library|account)-key|welcome#/);
  expect(onTerminal).toContain(`${addresses.publicUrl}/dashboard/welcome#once`);
  expect([readFileSync(path, 'utf8'), statSync(path).mode & 0o777]).toEqual([onTerminal, 0o600]);
});

test('a later start shows its URLs only on a terminal', () => {
  const onStart = (isTTY: boolean) => {
    const written: string[] = [];
    const write = (some: string | Uint8Array) => written.push(String(some)) > 0;
    showStart(addresses, { isTTY, write });
    return written.join('');
  };
  expect(onStart(true)).toMatch(/Dashboard +http:\/\/127\.0\.0\.1:7700\/\n/);
  expect(onStart(true)).toContain(addresses.edgeUrl);
  expect(onStart(false)).toBe('');
});

test('the upload command creates the video, sends the file and prints the player URL', async () => {
  const text = await shown(true);
  const commands = text.split('\n').filter((line) => /^ {2}(VIDEO=|curl)/.test(line));
  expect(commands).toHaveLength(2);
  // Replaces curl with a function that responds to the first call like the API and records each call.
  const curl =
    'curl() { echo "$*" >&2; case "$*" in *title*) echo \'{"videoLibraryId":1,"guid":"0190-ab","title":"x"}\';; ' +
    'esac; }';
  const script = `exec 2>&1; ${[curl, ...commands].join('\n')}`;
  const said = execFileSync('bash', ['-c', script]).toString();
  expect(said).toContain('AccessKey: library-key -T video.mp4 http://127.0.0.1:7700/library/1/videos/0190-ab');
  expect(said.trim().split('\n').slice(-1)).toEqual(['http://127.0.0.1:7701/embed/1/0190-ab']);
});

test.each([
  { host: '127.0.0.1', expected: addresses },
  { host: '0.0.0.0', expected: { publicUrl: 'http://localhost:7700', edgeUrl: 'http://localhost:7701' } },
  { host: '::1', expected: { publicUrl: 'http://[::1]:7700', edgeUrl: 'http://[::1]:7701' } },
])('shows URLs that clients can connect to if the host is $host', ({ host, expected }) => {
  expect(baseAddresses({ host, publicUrl: null, edgeUrl: null, tls: null }, { api: 7700, edge: 7701 })).toEqual(
    expected,
  );
});

test('shows https URLs if a certificate is configured', () => {
  const settings = { host: '0.0.0.0', publicUrl: null, edgeUrl: null, tls: {} };
  expect(baseAddresses(settings, { api: 7700, edge: 7701 })).toEqual({
    publicUrl: 'https://localhost:7700',
    edgeUrl: 'https://localhost:7701',
  });
});

test('prefers configured URLs', () => {
  const settings = { host: '0.0.0.0', publicUrl: 'https://api.example', edgeUrl: 'https://media.example', tls: null };
  expect(baseAddresses(settings, { api: 1, edge: 2 })).toEqual({
    publicUrl: settings.publicUrl,
    edgeUrl: settings.edgeUrl,
  });
});
