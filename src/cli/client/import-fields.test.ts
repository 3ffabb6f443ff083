import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, onTestFinished, test, vi } from 'vitest';
import { runVerb } from './run-verb.ts';

let home: string;
beforeAll(async () => {
  home = await mkdtemp(path.join(tmpdir(), 'millrace-import-fields-'));
  vi.stubEnv('HOME', home);
  await writeFile(path.join(home, 'one.mp4'), 'x');
});
afterAll(async () => {
  vi.unstubAllEnvs();
  await rm(home, { recursive: true });
});

/** Runs an import against an address without a service, which exits with 5 if a request is sent. */
async function runImport(...words: string[]): Promise<{ code: number | null; text: string }> {
  const lines: string[] = [];
  const spy = vi.spyOn(process.stderr, 'write').mockImplementation((chunk) => lines.push(String(chunk)) > 0);
  onTestFinished(() => spy.mockRestore());
  const code = await runVerb(['import', ...words, '--url', 'http://127.0.0.1:1', '--key', 'key', '--library', '1']);
  return { code, text: lines.join('') };
}

test.each([
  ['bandwidth=10MB', ['mux', 'accessKey=a', 'secretKey=b']],
  ['concurrency=x', ['mux', 'accessKey=a', 'secretKey=b']],
  ['sourceLibraryId=films', ['bunny', 'accessKey=a']],
  ['bandwidth=0', ['bunny', 'accountKey=a', 'sourceLibraryId=all', 'coreUrl=http://127.0.0.1:1']],
])('rejects %s of a remote source before any request', async (pair, words) => {
  const [name, value] = pair.split('=');
  const text = `expected ${name} to be a whole number above 0, got ${value}.`;
  expect(await runImport(...words, pair)).toEqual({ code: 2, text: expect.stringContaining(text) });
});

test.each([
  ['partItems=x', 'expected partItems to be a whole number above 0, got x.'],
  ['dryRun=yes', 'expected dryRun to be true or false, got yes.'],
  [
    'bandwidth=100000',
    'expected only the fields dryRun, language, newGuids, partItems, skipDuplicates, got bandwidth.',
  ],
  ['skipDuplicate=true', 'got skipDuplicate. Did you mean skipDuplicates?'],
  ['dryrun=true', 'got dryrun. Did you mean dryRun?'],
])('rejects %s of a folder and a Takeout', async (pair, text) => {
  for (const source of ['folder', 'takeout']) {
    expect(await runImport(source, home, pair)).toEqual({ code: 2, text: expect.stringContaining(text) });
  }
});

test('a folder and a Takeout need one path', async () => {
  for (const source of ['folder', 'takeout']) {
    const expected = (got: string) => ({
      code: 2,
      text: `millrace import: expected the path of one folder, got ${got}.\nUsage: millrace import ${source} PATH\n`,
    });
    expect(await runImport(source)).toEqual(expected('no path'));
    expect(await runImport(source, home, 'other')).toEqual(expected(`${home} other`));
  }
});

test('takes the numbers of a remote source', async () => {
  expect((await runImport('mux', 'accessKey=a', 'secretKey=b', 'bandwidth=10000', 'concurrency=2')).code).toBe(5);
});

test('all libraries of an account need its key, a source with libraries, and an address that responds', async () => {
  const all = 'sourceLibraryId=all';
  expect(await runImport('mux', 'accessKey=a', 'secretKey=b', all)).toMatchObject({
    code: 2,
    text: expect.stringContaining('expected sourceLibraryId to be a whole number above 0, got all'),
  });
  expect(await runImport('bunny', all)).toMatchObject({
    code: 2,
    text: expect.stringContaining('expected accountKey= with sourceLibraryId=all, got none'),
  });
  expect(await runImport('bunny', all, 'accountKey=a', 'coreUrl=http://127.0.0.1:1')).toMatchObject({
    code: 5,
    text: expect.stringMatching(/from http:\/\/127.0.0.1:1, but it could not be reached: .+\. Check/),
  });
});

test('libraries with the same name are not imported into one library', async () => {
  const server = createServer((_request, response) => {
    response.setHeader('content-type', 'application/json');
    response.end('[{"Id": 4, "Name": "Films"}, {"Id": 5, "Name": "Talks"}, {"Id": 7, "Name": "Films"}]');
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  const access = ['accountKey=a', `coreUrl=http://127.0.0.1:${Object(server.address()).port}`];
  const { code, text } = await runImport('bunny', 'sourceLibraryId=all', ...access);
  expect([code, text]).toEqual([2, expect.stringContaining('got 4 and 7 with the name Films')]);
});
