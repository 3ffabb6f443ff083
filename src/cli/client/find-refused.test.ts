import { once } from 'node:events';
import { createServer } from 'node:http';
import { expect, onTestFinished, test } from 'vitest';
import { openContext } from './context.ts';
import { findRefused } from './find-refused.ts';

const FAILED = 5;
const failed = (guid: string, retryable: boolean) => ({ guid, sizeBytes: 7, reason: 'Expected media.', retryable });
/** Failed items of two imports, the newest one first. */
const IMPORTS: Record<string, object[]> = {
  newer: [failed('sent', true), failed('elsewhere', false)],
  older: [failed('sent', false), failed('bad', false)],
};

/** Serves the imports, and videos that all failed. Notes the paths of the videos that were read. */
async function serve() {
  const videos: string[] = [];
  const server = createServer(({ url = '' }, response) => {
    const [, kind = '', guid] = /\/library\/1\/(imports|videos)(?:\/([^?]+))?/.exec(url) ?? [];
    if (kind === 'videos') videos.push(guid ?? '');
    const lists = Object.keys(IMPORTS).map((each) => ({ guid: each, source: 'upload', counts: { failed: 2 } }));
    const items = guid === undefined ? lists : (IMPORTS[guid] ?? []);
    const page = { totalItems: items.length, currentPage: 1, itemsPerPage: 1_000, items };
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify(kind === 'videos' ? { status: FAILED } : page));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  const { port } = Object(server.address());
  const options = ['--url', `http://127.0.0.1:${port}`, '--key', 'key', '--library', '1'];
  return { context: await openContext(options, { isOptional: false }), videos };
}

test('a folder finds its refused files, and the newest failure of a file counts', async () => {
  const { context, videos } = await serve();
  const found = ['sent', 'bad', 'new'].map((guid) => {
    const item = { kind: 'video' as const, sourceId: guid, guid, title: guid, sizeBytes: 7 };
    return { path: guid, item, captions: [], image: null, marksPaths: {} };
  });
  expect([...(await findRefused(context, found))]).toEqual([['bad', { sizeBytes: 7, reason: 'Expected media.' }]]);
  // Videos of other folders are not read.
  expect(videos).toEqual(['bad']);
});
