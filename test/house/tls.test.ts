import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { Agent, request } from 'node:https';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { makeTlsPair } from '../support/make-tls-pair.ts';
import { type SecureService, startSecureService } from '../support/secure-service.ts';
import { ACCOUNT_KEY, LIBRARY_KEY, newDataDir } from '../support/service.ts';

const run = promisify(execFile);
const PATIENCE = { timeout: 120_000 };

let service: SecureService;

beforeAll(async () => {
  const dataDir = await newDataDir();
  service = await startSecureService(dataDir, await makeTlsPair(await newDataDir(), 'own'));
});
afterAll(() => service?.discard());

/** Sends a request with curl, which verifies the certificate, and returns the response with its headers. */
async function curl(...args: string[]): Promise<string> {
  const { stdout } = await run('curl', ['-sS', '-i', '--cacert', service.certificatePath, ...args]);
  return stdout;
}

test('an upload over TLS plays in ffmpeg, and every URL uses https', async () => {
  const key = ['-H', `AccessKey: ${LIBRARY_KEY}`];
  const json = ['-H', 'Content-Type: application/json'];
  const made = await curl(...key, ...json, '-d', '{"title":"secure"}', `${service.apiUrl}/library/1/videos`);
  const [, guid = ''] = /"guid": ?"([^"]+)"/.exec(made) ?? [];
  const expires = String(Math.floor(Date.now() / 1000) + 3600);
  const signature = createHash('sha256').update(`1${LIBRARY_KEY}${expires}${guid}`).digest('hex');
  const headers = {
    'Tus-Resumable': '1.0.0',
    'Upload-Length': '5',
    ...{ VideoId: guid, LibraryId: '1', AuthorizationSignature: signature, AuthorizationExpire: expires },
  };
  const tus = Object.entries(headers).flatMap(([name, value]) => ['-H', `${name}: ${value}`]);
  const begun = await curl('-X', 'POST', ...tus, `${service.apiUrl}/tusupload`);
  expect(begun).toMatch(new RegExp(`location: ${service.apiUrl}/tusupload/`, 'i'));
  const clip = path.join(service.dataDir, 'clip.mp4');
  const source = ['-f', 'lavfi', '-i', 'testsrc2=size=320x180:rate=25:duration=4', '-c:v', 'libx264', '-g', '50'];
  await run('ffmpeg', ['-v', 'error', ...source, clip]);
  await curl(...key, '-T', clip, `${service.apiUrl}/library/1/videos/${guid}`);
  const playlist = `${service.edgeUrl}/vz-1/${guid}/playlist.m3u8`;
  await expect.poll(() => curl(playlist), PATIENCE).toContain('HTTP/1.1 200');
  const decode = ['-v', 'error', '-xerror', '-tls_verify', '1', '-ca_file', service.certificatePath, '-i', playlist];
  await run('ffmpeg', [...decode, '-t', '2', '-f', 'null', '-']);
  const embed = `${service.edgeUrl}/embed/1/${guid}`;
  expect(await curl(`${service.apiUrl}/OEmbed?url=${encodeURIComponent(embed)}`)).toContain(embed);
  expect(await curl(`${service.apiUrl}/play/1/${guid}`)).toMatch(new RegExp(`location: ${service.edgeUrl}/play/`, 'i'));
  expect(await curl(embed)).not.toContain('http://127.0.0.1');
}, 240_000);

test('signing in sets a secure cookie, and a page with a different scheme may not write', async () => {
  const address = `${service.apiUrl}/dashboard/session`;
  const headers = ['-H', 'Content-Type: application/json', '-H', 'X-Millrace-Dashboard: 1'];
  const body = ['-d', JSON.stringify({ key: ACCOUNT_KEY })];
  const answer = await curl(...headers, '-H', `Origin: ${service.apiUrl}`, ...body, address);
  expect(answer).toMatch(/set-cookie: __Host-millrace=[0-9a-f]{64}; .*Secure/i);
});

test('startup prints https URLs, and `millrace ready` checks over TLS', async () => {
  expect(service.output()).toContain(`"publicUrl":"${service.apiUrl}"`);
  expect(await readFile(path.join(service.dataDir, 'first-start.txt'), 'utf8')).toContain(
    `${service.apiUrl}/dashboard/welcome#`,
  );
  await run(process.execPath, ['bin/millrace.js', 'ready'], { env: service.env });
});

test.each([
  ['-tls1_1', false],
  ['-tls1_2', true],
  ['-tls1_3', true],
])('openssl s_client %s connects to both listeners: %s', async (version, connects) => {
  for (const url of [service.apiUrl, service.edgeUrl]) {
    const args = ['s_client', '-connect', new URL(url).host, version, '-cipher', 'DEFAULT:@SECLEVEL=0', '-brief'];
    const sent = run('openssl', args);
    sent.child.stdin?.end();
    const result = await sent.then(
      () => true,
      () => false,
    );
    expect(result).toBe(connects);
  }
});

test('two requests share one TLS connection', async () => {
  const agent = new Agent({ keepAlive: true, maxSockets: 1, rejectUnauthorized: false });
  const ask = () =>
    new Promise<string>((resolve, reject) => {
      request(`${service.apiUrl}/healthz`, { agent }, (response) => text(response).then(resolve, reject))
        .on('error', reject)
        .end();
    });
  expect(await ask()).toContain('"ok"');
  expect(await ask()).toContain('"ok"');
  agent.destroy();
});
