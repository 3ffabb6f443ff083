import { once } from 'node:events';
import { createServer } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { expect, onTestFinished, test } from 'vitest';
import { createFolderStorage } from '../../../test/support/folder-storage.ts';
import type { SegmentProgress } from '../../catalog/uploads/fetch-store.ts';
import type { DownloadSink } from '../../lib/outbound/download.ts';
import { createOutbound } from '../../lib/outbound/outbound.ts';
import { fetchPlaylist } from './fetch-playlist.ts';

const ID = 'upload-1';
const LIMITS = {
  ...{ maxBytes: 1e9, timeoutMs: 60_000, idleTimeoutMs: 10_000, minBytesPerSec: 1, maxFailures: 1, backoffMs: 1 },
};
const SEGMENTS = ['first ', 'second ', 'third ', 'fourth'];

/** Serves an HLS stream, and stores what is fetched. `asked` lists the requested segments. */
async function openStream() {
  const asked: string[] = [];
  const names = SEGMENTS.map((_, index) => `${index}.ts`);
  const server = createServer((request, response) => {
    const name = request.url?.split('?')[0]?.slice(1) ?? '';
    if (name.endsWith('.ts')) asked.push(name);
    const list = names.map((one) => `#EXTINF:4,\n${one}?token=${asked.length}\n`).join('');
    response.end(name.endsWith('.ts') ? SEGMENTS[Number.parseInt(name, 10)] : `#EXTM3U\n${list}#EXT-X-ENDLIST\n`);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = Object(server.address());
  const storage = await createFolderStorage();
  const outbound = createOutbound({ allow: ['127.0.0.0/8'] });
  onTestFinished(async () => {
    await outbound.close();
    server.close();
    await storage.remove();
  });
  const sink: DownloadSink = {
    size: () => storage.staging.size(ID),
    append: (offset, body, signal) => storage.staging.append(ID, offset, body, signal),
    reset: () => storage.staging.abort(ID),
  };
  const fetchAll = (progress: SegmentProgress | null, remember: (to: SegmentProgress) => Promise<void>) => {
    const request = { outbound, url: `http://127.0.0.1:${port}/play.m3u8`, headers: {}, sink, limits: LIMITS };
    return fetchPlaylist({ ...request, memory: { progress, remember } }, AbortSignal.timeout(30_000));
  };
  const staged = async () => (await buffer(await storage.staging.read(ID, 0, AbortSignal.timeout(30_000)))).toString();
  return { asked, fetchAll, staged, names, sink };
}

/** Fetches two segments, and notes `noted` of them. */
async function diesAfterTwo(fetchAll: Awaited<ReturnType<typeof openStream>>['fetchAll'], noted: number) {
  let last: SegmentProgress | null = null;
  const died = fetchAll(null, async (progress) => {
    if (progress.done <= noted) last = progress;
    if (progress.done === 2) throw new Error('The worker died.');
  });
  await expect(died).rejects.toThrow('The worker died.');
  return last;
}

test.each([
  { noted: 2, again: ['2.ts', '3.ts'] },
  { noted: 1, again: ['1.ts', '2.ts', '3.ts'] },
  { noted: 0, again: ['0.ts', '1.ts', '2.ts', '3.ts'] },
])('an HLS stream continues after the last of $noted noted segments', async ({ noted, again }) => {
  const { asked, fetchAll, staged, names } = await openStream();
  const progress = await diesAfterTwo(fetchAll, noted);
  expect(asked.splice(0)).toEqual(names.slice(0, 2));
  await fetchAll(progress, async () => undefined);
  expect([asked, await staged()]).toEqual([again, SEGMENTS.join('')]);
});

test('an HLS stream begins again if its playlist or the staged bytes changed', async () => {
  const { asked, fetchAll, staged, names, sink } = await openStream();
  const progress = await diesAfterTwo(fetchAll, 2);
  asked.splice(0);
  await fetchAll({ done: 2, sizeBytes: 13, playlist: 'another' }, async () => undefined);
  expect([asked.splice(0), await staged()]).toEqual([names, SEGMENTS.join('')]);
  await sink.reset();
  await fetchAll(progress, async () => undefined);
  expect([asked, await staged()]).toEqual([names, SEGMENTS.join('')]);
});
