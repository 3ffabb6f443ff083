import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { projectRoot } from '../../src/cli/run-program.ts';
import { closeServer, listen } from '../../src/lib/listen.ts';

const requests: { method: string | undefined; url: string | undefined; key: unknown; body: string }[] = [];
const server = createServer(async (request, response) => {
  const { method, url, headers } = request;
  requests.push({ method, url, key: headers.accesskey, body: await text(request) });
  const status = headers.accesskey === 'right-key' ? 200 : 401;
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify({ guid: 'new-video' }));
});
let url = '';
let folder = '';

beforeEach(async () => {
  requests.length = 0;
  url = `http://127.0.0.1:${await listen(server, 0, '127.0.0.1')}`;
  folder = mkdtempSync(join(tmpdir(), 'millrace-upload-'));
  writeFileSync(join(folder, 'clip.mp4'), 'the bytes of a clip');
});
afterEach(async () => {
  rmSync(folder, { recursive: true });
  await closeServer(server, 0);
});

test('a file is uploaded to a new video whose id is printed', async () => {
  const { code, output } = await upload(
    join(folder, 'clip.mp4'),
    '--url',
    `${url}/`,
    '--library',
    '3',
    '--key',
    'right-key',
  );
  expect(requests).toEqual([
    { method: 'POST', url: '/library/3/videos', key: 'right-key', body: '{"title":"clip.mp4"}' },
    { method: 'PUT', url: '/library/3/videos/new-video', key: 'right-key', body: 'the bytes of a clip' },
  ]);
  expect({ code, output }).toEqual({ code: 0, output: 'new-video\n' });
});

test.each([
  { args: ['--key', 'wrong-key'], says: 'was answered 401' },
  { args: [], says: 'expected the library key by --key or MILLRACE_LIBRARY_KEY' },
  { args: ['--kee', 'right-key'], says: "Unknown option '--kee'" },
])('$args is refused with "$says"', async ({ args, says }) => {
  const { code, output } = await upload(join(folder, 'clip.mp4'), '--url', url, ...args);
  expect(output).toContain(says);
  expect(code).toBe(1);
});

test.each([
  { name: 'no-such.mp4', says: 'ENOENT' },
  { name: 'empty.mp4', says: 'expected a file with bytes in it' },
  { name: '.', says: 'expected a file with bytes in it' },
])('$name is refused by its path, and no video is made', async ({ name, says }) => {
  writeFileSync(join(folder, 'empty.mp4'), '');
  const file = join(folder, name);
  const { code, output } = await upload(file, '--url', url, '--key', 'right-key');
  expect(output).toContain(says);
  expect(output).toContain(file);
  expect(requests).toEqual([]);
  expect(code).toBe(1);
});

test('a service that cannot be reached is named with the reason', async () => {
  await closeServer(server, 0);
  const { code, output } = await upload(join(folder, 'clip.mp4'), '--url', url, '--key', 'right-key');
  await listen(server, 0, '127.0.0.1');
  expect(output).toContain(`${url}/library/1/videos cannot be reached`);
  expect(output).toContain('ECONNREFUSED');
  expect(code).toBe(1);
});

async function upload(...args: string[]): Promise<{ code: number | null; output: string }> {
  const env = { PATH: process.env.PATH, MILLRACE_DATA_DIR: folder };
  const child = spawn(process.execPath, [join(projectRoot, 'bin/millrace.js'), 'upload', ...args], { env });
  const [[code], said, complained] = await Promise.all([once(child, 'close'), text(child.stdout), text(child.stderr)]);
  return { code, output: said + complained };
}
