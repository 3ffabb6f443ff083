import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { projectRoot } from '../../scripts/run-program.ts';
import type { TlsPaths } from '../../src/lib/tls/read-tls-pair.ts';
import { startTestApi, type TestApi } from '../support/api.ts';
import { makeTlsPair } from '../support/make-tls-pair.ts';

// Unmodified clients that have the URLs of the hosted service compiled in. Each test uses a method of docs/clients.md.
const run = promisify(execFile);
let folder: string;
let pair: TlsPaths;
let plain: TestApi;
let secure: TestApi;
beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'millrace-hosts-'));
  pair = await makeTlsPair(folder, 'hosted');
  plain = await startTestApi();
  secure = await startTestApi({ tls: pair });
});
afterAll(async () => {
  expect([...plain.faults, ...secure.faults]).toEqual([]);
  await Promise.all([plain.stop(), secure.stop(), rm(folder, { recursive: true })]);
});

test('with the redirect module, an unmodified npm client and calls of the account API reach Millrace', async () => {
  const program = `
    import { BunnyCdnStream } from 'bunnycdn-stream';
    const stream = new BunnyCdnStream({ apiKey: process.env.KEY, videoLibrary: '1' });
    const made = await stream.createVideo({ title: 'Redirected' });
    const { items } = await stream.listVideos();
    const headers = { AccessKey: process.env.ACCOUNT_KEY };
    const zones = await (await fetch(new Request('https://api.bunny.net/pullzone?search=vz-1', { headers }))).json();
    console.log(JSON.stringify({ made: made.guid, listed: items.map(({ guid }) => guid), zone: zones[0].Name }));
  `;
  const args = ['--import', './sdk/src/redirect.ts', '--input-type=module', '--eval', program];
  const { libraryKey, accountKey } = plain.first;
  const env = {
    ...process.env,
    BUNNYNET_STREAM_API_URL: `${plain.url}/`,
    KEY: libraryKey,
    ACCOUNT_KEY: String(accountKey),
  };
  const { stdout } = await run(process.execPath, args, { cwd: projectRoot, env });
  const { made, listed, zone } = JSON.parse(stdout);
  expect([listed, zone]).toEqual([[made], 'vz-1']);
});

test('the redirect module requires a URL', async () => {
  const env = { ...process.env, BUNNYNET_STREAM_API_URL: undefined, BUNNYNET_API_URL: undefined };
  const started = run(process.execPath, ['--import', './sdk/src/redirect.ts', '--eval', ''], { cwd: projectRoot, env });
  await expect(started).rejects.toThrow('Expected BUNNYNET_STREAM_API_URL');
});

test('with local DNS and a certificate, Millrace responds under the host names of the hosted service', async () => {
  const get = async (host: string, address: string, key: string) => {
    const where = ['--connect-to', `${host}:443:127.0.0.1:${secure.api.port}`, '--cacert', pair.certificatePath];
    const args = ['--silent', '--show-error', '--fail', ...where, '--header', `AccessKey: ${key}`];
    return JSON.parse((await run('curl', [...args, `https://${host}${address}`])).stdout);
  };
  expect(await get('video.bunnycdn.com', '/library/1/videos', secure.first.libraryKey)).toMatchObject({ items: [] });
  expect(await get('api.bunny.net', '/region', String(secure.first.accountKey))).toMatchObject([{ Id: 1 }]);
});
