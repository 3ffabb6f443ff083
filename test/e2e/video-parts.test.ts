import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { relativePathOf } from '../../src/adapters/storage/file-place.ts';
import { objectsOf, openCatalogue } from '../support/leftovers.ts';
import { listFiles } from '../support/list-files.ts';
import { discard, LIBRARY_KEY, type Service, startService } from '../support/service.ts';
import { call, createVideo, FINISHED, getVideo, playlistUrl, untilVideo, uploadFile } from '../support/videos.ts';

const run = promisify(execFile);

let service: Service;
let folder: string;
let guid: string;

beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'mr-parts-'));
  const clip = path.join(folder, 'clip.avi');
  const inputs = ['-f', 'lavfi', '-i', 'testsrc2=s=640x360:r=10:d=6', '-f', 'lavfi', '-i', 'sine=d=6'];
  await run('ffmpeg', ['-v', 'error', ...inputs, '-c:v', 'mpeg4', '-q:v', '5', '-c:a', 'aac', clip]);
  await run('ffmpeg', [
    '-v',
    'error',
    '-f',
    'lavfi',
    '-i',
    'color=red:s=320x180',
    '-frames:v',
    '1',
    path.join(folder, 'red.png'),
  ]);
  service = await startService(null);
  guid = await createVideo(service, 'Parts');
  expect((await uploadFile(service, guid, clip)).status).toBe(200);
  await untilVideo(service, guid, ({ status }) => status === FINISHED);
});
afterAll(async () => {
  if (service !== undefined) await discard(service);
  await rm(folder, { recursive: true, force: true });
});

const file = (name: string) => `${service.edgeUrl}/vz-1/${guid}/${name}`;

/** Returns the total bytes of all files of the video in the store. */
async function bytesOnDisk(): Promise<number> {
  const own = path.join(objectsOf(service), relativePathOf(`1/${guid}`));
  const facts = await Promise.all((await listFiles(own)).map((name) => stat(path.join(own, name))));
  return facts.reduce((sum, { size }) => sum + size, 0);
}

test('captions appear in the playlist and at the edge, and disappear from both when deleted', async () => {
  const captionsFile = Buffer.from('1\n00:00:01,000 --> 00:00:02,000\nHello\n').toString('base64');
  const answer = await call(service, 'POST', `/library/1/videos/${guid}/captions/en`, {
    label: 'English',
    captionsFile,
  });
  expect(answer).toMatchObject({ success: true, data: { valid: true } });
  await expect.poll(async () => (await fetch(playlistUrl(service, guid))).text()).toContain('captions/en.m3u8');
  expect(await (await fetch(file('captions/en.vtt?ver=1'))).text()).toContain('Hello');
  expect(await (await fetch(file('captions/en.m3u8'))).text()).toContain('en.vtt');
  await call(service, 'DELETE', `/library/1/videos/${guid}/captions/en`);
  await expect.poll(async () => (await fetch(file('captions/en.vtt'))).status).toBe(404);
  expect(await (await fetch(playlistUrl(service, guid))).text()).not.toContain('SUBTITLES');
});

test('a custom thumbnail is available under both names, and a later encode keeps it', async () => {
  const made = Buffer.from(await (await fetch(file('thumbnail.jpg'))).arrayBuffer());
  const init = {
    method: 'POST',
    headers: { AccessKey: LIBRARY_KEY },
    body: await readFile(path.join(folder, 'red.png')),
  };
  expect((await fetch(`${service.apiUrl}/library/1/videos/${guid}/thumbnail`, init)).status).toBe(200);
  const read = async () => Buffer.from(await (await fetch(file('thumbnail.jpg'))).arrayBuffer());
  await expect.poll(async () => (await read()).equals(made)).toBe(false);
  const video = Object(await getVideo(service, guid));
  expect(video.thumbnailUrl).toBe(file(video.thumbnailFileName));
  const own = await fetch(video.thumbnailUrl);
  expect([own.status, own.headers.get('content-type')]).toEqual([200, 'image/jpeg']);
  const shown = await read();
  expect(Buffer.from(await own.arrayBuffer()).equals(shown)).toBe(true);
  await call(service, 'POST', `/library/1/videos/${guid}/reencode`);
  await untilVideo(service, guid, ({ status }) => status === FINISHED);
  expect((await read()).equals(shown)).toBe(true);
});

test('a video keeps playing while it is encoded again, with the statuses 4, 2, 3 and 4', async () => {
  const gone = new AbortController();
  const address = `${service.apiUrl}/library/1/videos/${guid}/progress`;
  const stream = await fetch(address, { headers: { AccessKey: LIBRARY_KEY }, signal: gone.signal });
  const statuses = readStatuses(stream);
  const reported: number[] = [];
  const untilReported = async (status: number) => {
    while (reported.at(-1) !== status) {
      const { value } = await statuses.next();
      if (value === undefined) throw new Error(`Expected an event of status ${status}, the stream ended.`);
      reported.push(value);
    }
  };
  // Returns the URLs of the files that viewers get.
  const readShown = async () => {
    const text = await (await fetch(playlistUrl(service, guid))).text();
    return text.split('\n').filter((line) => line.startsWith('r/'));
  };
  const before = await readShown();
  // Two rungs and the audio-only variant.
  expect(before).toHaveLength(3);
  const gates = await closeGates();
  try {
    await untilReported(4);
    expect(await call(service, 'POST', `/library/1/videos/${guid}/reencode`)).toMatchObject({ status: 2 });
    await untilReported(2);
    expect(await readShown()).toEqual(before);
    await gates.open('transcoding');
    await untilReported(3);
    expect(await readShown()).toEqual(before);
    await gates.open('finished');
    await untilReported(4);
  } finally {
    await gates.remove();
    gone.abort();
  }
  expect(reported.filter((status, index) => status !== reported[index - 1])).toEqual([4, 2, 3, 4]);
  await expect.poll(readShown, { timeout: 60_000 }).not.toEqual(before);
});

/**
 * Pauses the video before each of these states until the test releases it. Subscribers are notified of the current
 * state only, so a state that has passed is not reported.
 */
async function closeGates() {
  const { pool, close } = openCatalogue(service);
  const holder = await pool.connect();
  const numbers = { transcoding: 3, finished: 4 };
  await holder.query(`
    create function wait_at_gate() returns trigger language plpgsql as $$
    begin
      perform pg_advisory_xact_lock(case new.state when 'transcoding' then 3 else 4 end);
      return new;
    end $$;
    create trigger gate before update on media for each row
      when (old.state is distinct from new.state and new.state in ('transcoding', 'finished'))
      execute function wait_at_gate();
    select pg_advisory_lock(3), pg_advisory_lock(4);
  `);
  return {
    async open(state: keyof typeof numbers) {
      await holder.query('select pg_advisory_unlock($1)', [numbers[state]]);
    },
    async remove() {
      await holder.query('select pg_advisory_unlock_all()');
      await holder.query('drop trigger gate on media; drop function wait_at_gate()');
      holder.release();
      await close();
    },
  };
}

/** Yields statuses in the order in which they are reported. */
async function* readStatuses(stream: Response): AsyncGenerator<number, undefined> {
  let text = '';
  for await (const bytes of stream.body ?? []) {
    text += Buffer.from(bytes).toString();
    const blocks = text.split('\n\n');
    text = blocks.pop() ?? '';
    for (const block of blocks) {
      const data = /^data: (.*)$/m.exec(block)?.[1];
      if (data !== undefined) yield JSON.parse(data).status;
    }
  }
  return undefined;
}

test('the reported storage matches the folder, and a cleanup removes a resolution immediately', async () => {
  const expectSums = async () => {
    const { data } = Object(await call(service, 'GET', `/library/1/videos/${guid}/storage`));
    const encoded = Object.values<{ size: number }>(data.encoded).reduce((sum, { size }) => sum + size, 0);
    const sum = encoded + data.thumbnails + data.previews + data.originals + data.mp4Fallback + data.miscellaneous;
    expect((await getVideo(service, guid)).storageSize).toBe(sum);
    // Replaced and removed files remain for up to another day.
    expect(sum).toBeLessThanOrEqual(await bytesOnDisk());
    return sum;
  };
  const before = await expectSums();
  await call(service, 'POST', `/library/1/videos/${guid}/resolutions/cleanup?resolutionsToDelete=240p`);
  expect((await getVideo(service, guid)).availableResolutions).toBe('360p');
  await expect.poll(async () => (await fetch(file('240p/video.m3u8'))).status).toBe(404);
  expect((await fetch(file('360p/video.m3u8'))).status).toBe(200);
  expect(await expectSums()).toBeLessThan(before);
  const { data } = Object(await call(service, 'GET', `/library/1/videos/${guid}/resolutions`));
  expect(data).toMatchObject({ availableResolutions: ['360p'], hasOriginal: true });
});

test('oEmbed describes the player page that the edge serves', async () => {
  const url = `${service.edgeUrl}/embed/1/${guid}`;
  const response = await fetch(`${service.apiUrl}/OEmbed?url=${encodeURIComponent(url)}&maxWidth=320`);
  const { html, width, height } = Object(await response.json());
  expect([width, height]).toEqual([320, 180]);
  const src = /src="([^"]+)"/.exec(html)?.[1] ?? '';
  expect(src).toBe(url);
  expect((await fetch(src)).status).toBe(200);
});

test('the service stops within its time limit even while a client follows progress', async () => {
  const stream = await fetch(`${service.apiUrl}/library/1/progress`, { headers: { AccessKey: LIBRARY_KEY } });
  const body = stream.text();
  expect(await service.stop()).toBe(0);
  expect(await body).toContain('retry:');
});
