import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import { runVerb } from './run-verb.ts';

/** Serves a library without videos and notes the requests that change something. */
async function serve() {
  const changes: string[] = [];
  const server = createServer(({ method, url = '' }, response) => {
    if (method !== 'GET') changes.push(`${method} ${url}`);
    const isList = url.includes('/collections') || url.includes('/videos');
    const answer = method === 'POST' ? { guid: 'films' } : isList ? { totalItems: 0, items: [] } : { ApiKey: 'key' };
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify(answer));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  return { url: `http://127.0.0.1:${Object(server.address()).port}`, changes };
}

test.each([
  ['', []],
  [', also with --retry-failed', ['--retry-failed']],
])('an empty file of a folder is skipped without a video%s', async (_when, options) => {
  const folder = await mkdtemp(path.join(tmpdir(), 'millrace-empty-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  vi.stubEnv('HOME', folder);
  onTestFinished(() => void vi.unstubAllEnvs());
  const file = path.join(folder, 'nothing.mp4');
  await writeFile(file, '');
  const { url, changes } = await serve();
  const lines: string[] = [];
  const spy = vi.spyOn(process.stdout, 'write').mockImplementation((chunk) => lines.push(String(chunk)) > 0);
  onTestFinished(() => spy.mockRestore());
  const code = await runVerb(['upload', folder, '--json', ...options, '--url', url, '--key', 'key', '--library', '1']);
  spy.mockRestore();
  expect(code).toBe(0);
  expect(lines.map((line) => JSON.parse(line))).toEqual([{ file, skipped: true, reason: 'The file is empty.' }]);
  expect(changes).toEqual(['POST /library/1/collections']);
});
