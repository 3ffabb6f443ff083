import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { openContext } from './context.ts';
import { findUploaded } from './find-uploaded.ts';

const [PROCESSING, FINISHED, FAILED] = [2, 4, 5];

/** Serves the videos of a collection: the first list, then the second one. Counts the lists that were read. */
async function serve(first: object[], second: object[]) {
  let reads = 0;
  const server = createServer((_, response) => {
    reads += 1;
    const items = reads === 1 ? first : second;
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify({ totalItems: items.length, currentPage: 1, itemsPerPage: 1_000, items }));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  const { port } = Object(server.address());
  const options = ['--url', `http://127.0.0.1:${port}`, '--key', 'key', '--library', '1'];
  return { context: await openContext(options, { isOptional: false }), count: () => reads };
}

test('a folder is compared without waiting for videos that never get a hash', async () => {
  const folder = await mkdtemp(path.join(tmpdir(), 'millrace-compare-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  await writeFile(path.join(folder, 'film.mp4'), 'a film');
  const originalHash = createHash('sha256').update('a film').digest('hex');
  const known = { guid: 'known', hasOriginal: true, status: FINISHED, transcodingMessages: [] };
  const clip = { guid: 'clip', hasOriginal: false, originalHash: null, status: FINISHED, transcodingMessages: [] };
  const { context, count } = await serve([clip, { ...known, originalHash }], []);
  expect(await (await findUploaded(context, 'shelf'))(path.join(folder, 'film.mp4'))).toEqual({
    guid: 'known',
    refusal: null,
  });
  expect(count()).toBe(1);
});

test('a folder is compared once new videos have their hash', async () => {
  const fresh = { guid: 'fresh', hasOriginal: true, originalHash: null, status: PROCESSING, transcodingMessages: [] };
  const { context, count } = await serve([fresh], [{ ...fresh, originalHash: 'ab' }]);
  await findUploaded(context, 'shelf');
  expect(count()).toBe(2);
});

test('a folder finds the files that could not be processed, with the reason', async () => {
  const folder = await mkdtemp(path.join(tmpdir(), 'millrace-compare-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  for (const name of ['bad', 'fixed']) await writeFile(path.join(folder, name), name);
  const hashOf = (text: string) => createHash('sha256').update(text).digest('hex');
  const refused = (guid: string, of: string) => {
    const transcodingMessages = [{ message: 'Expected a known media format.' }];
    return { guid, hasOriginal: true, originalHash: hashOf(of), status: FAILED, transcodingMessages };
  };
  // A failed video without a hash never gets one.
  const unread = { ...refused('unread', ''), originalHash: null };
  const works = { ...refused('works', 'fixed'), status: FINISHED };
  const { context, count } = await serve([unread, refused('bad', 'bad'), works, refused('other', 'fixed')], []);
  const find = await findUploaded(context, 'shelf');
  expect(await find(path.join(folder, 'bad'))).toEqual({ guid: 'bad', refusal: 'Expected a known media format.' });
  expect(await find(path.join(folder, 'fixed'))).toEqual({ guid: 'works', refusal: null });
  expect(count()).toBe(1);
});
