import { execFile } from 'node:child_process';
import { access, mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openLiveCatalogue, publish, startLive } from '../live/live-service.ts';
import { ACCOUNT_KEY, discard, type Service, startService } from '../support/service.ts';
import { createVideo, FINISHED, playlistUrl, untilVideo, uploadFile } from '../support/videos.ts';
import { openViewer } from '../support/viewers.ts';

type Step = { walk: string; file: string; name: string };
type Coverage = { result: { url: string; functions: { functionName: string; ranges: { count: number }[] }[] }[] };

let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'millrace-walks-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

// Node writes the call counts of each process when it exits (NODE_V8_COVERAGE).
test('every function of a code walkthrough runs during its action', async () => {
  const coverage = path.join(folder, 'coverage');
  const service = await startService(null, { NODE_V8_COVERAGE: coverage });
  try {
    await walkVideo(service);
    await walkLive(service);
  } finally {
    await discard(service);
  }
  const called = await readCalled(coverage);
  const steps = await readSteps();
  expect(new Set(steps.map(({ walk }) => walk)).size).toBe(6);
  expect(steps.filter(({ file, name }) => !called.has(`${file} ${name}`))).toEqual([]);
});

test('files and folders named in the architecture page, the walkthroughs and the glossary exist', async () => {
  for (const document of ['docs/architecture.md', 'docs/walks.md', 'docs/glossary.md']) {
    const text = await readFile(document, 'utf8');
    const named = [...text.matchAll(/`((?:src|docs|test|bench)\/[\w./-]+)`/g)].map(([, file = '']) => file);
    expect(named.length, document).toBeGreaterThan(5);
    for (const file of new Set(named)) await expect(access(file), `${file} in ${document}`).resolves.toBeUndefined();
  }
});

/** Uploads a video that must be encoded, reads its playlists and a segment, watches it and changes its zone. */
async function walkVideo(service: Service): Promise<void> {
  const clip = path.join(folder, 'clip.mp4');
  const inputs = ['testsrc2=size=320x240:rate=25:duration=2', 'sine=duration=2'].flatMap((one) => [
    ...['-f', 'lavfi', '-i', one],
  ]);
  await promisify(execFile)('ffmpeg', ['-v', 'error', ...inputs, '-c:v', 'mpeg4', '-c:a', 'aac', clip]);
  const guid = await createVideo(service, 'Walk');
  await uploadFile(service, guid, clip);
  await untilVideo(service, guid, ({ status }) => status === FINISHED);
  const [media] = await addressesIn(playlistUrl(service, guid));
  const [segment] = await addressesIn(media);
  expect((await fetch(segment ?? '')).status).toBe(200);
  const viewer = await openViewer(service, guid, segment ?? '');
  viewer.watch();
  await viewer.leave();
  const changed = await fetch(`${service.apiUrl}/pullzone/1`, {
    method: 'POST',
    headers: { AccessKey: ACCOUNT_KEY, 'content-type': 'application/json' },
    body: JSON.stringify({ BlockPostRequests: true }),
  });
  expect(changed.status).toBe(200);
  expect((await fetch(playlistUrl(service, guid))).status).toBe(200);
}

/** Publishes a stream over RTMP and reads one part of it. */
async function walkLive(service: Service): Promise<void> {
  const catalogue = await openLiveCatalogue(service);
  try {
    const stream = await startLive({ service, catalogue });
    const publisher = await publish(stream.ingest, { size: '320x180', rate: 12 });
    const main = `${stream.base}/playlist.m3u8`;
    await expect.poll(async () => (await fetch(main)).status).toBe(200);
    const [media = ''] = await addressesIn(main);
    const readPart = async () => /EXT-X-PART:.*URI="([^"]+)"/.exec(await (await fetch(media)).text())?.[1] ?? '';
    await expect.poll(readPart).not.toBe('');
    expect((await fetch(new URL(await readPart(), media))).status).toBe(200);
    publisher.kill();
  } finally {
    await catalogue.database.close();
  }
}

async function addressesIn(playlist: string | undefined): Promise<string[]> {
  const text = await (await fetch(playlist ?? '')).text();
  const lines = text.split('\n').filter((line) => line !== '' && !line.startsWith('#'));
  return lines.map((line) => new URL(line, playlist).href);
}

async function readSteps(): Promise<Step[]> {
  const walks = (await readFile('docs/walks.md', 'utf8')).split(/^## /m).slice(1);
  return walks.flatMap((text) =>
    [...text.matchAll(/^\d+\. `([^`]+)` `([^`]+)`/gm)].map(([, file = '', name = '']) => {
      return { walk: text.slice(0, text.indexOf('\n')), file, name };
    }),
  );
}

/** Returns the functions that ran in any process of the service, each as `<path> <function name>`. */
async function readCalled(coverage: string): Promise<Set<string>> {
  const found = new Set<string>();
  for (const name of await readdir(coverage)) {
    const { result }: Coverage = JSON.parse(await readFile(path.join(coverage, name), 'utf8'));
    for (const { url, functions } of result) {
      const start = url.indexOf('/src/') + 1;
      if (start === 0) continue;
      for (const { functionName, ranges } of functions) {
        if ((ranges[0]?.count ?? 0) > 0) found.add(`${url.slice(start)} ${functionName}`);
      }
    }
  }
  return found;
}
