import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { discard, LIBRARY_KEY, type Service, startService } from '../support/service.ts';
import { TALKS, talksVtt } from '../support/talks.ts';
import { call, createVideo, FINISHED, getVideo, untilVideo, uploadFile } from '../support/videos.ts';

const run = promisify(execFile);
const PATIENCE = { timeout: 120_000, interval: 200 };
const STEP_SEC = 1.5;
const TALK_SEC = STEP_SEC * 10;

let service: Service;
let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'millrace-smart-'));
  service = await startService(null);
});
afterAll(async () => {
  if (service !== undefined) await discard(service);
  await rm(folder, { recursive: true, force: true });
});

/** A clip of three scenes, as long as the three talks. */
async function makeClip(): Promise<string> {
  const file = path.join(folder, 'talks.mp4');
  const scenes = ['red', 'green', 'blue'].flatMap((color) => [
    '-f',
    'lavfi',
    '-t',
    `${TALK_SEC}`,
    '-i',
    `color=${color}:s=160x120:r=10`,
  ]);
  const sound = ['-f', 'lavfi', '-t', `${3 * TALK_SEC}`, '-i', 'sine=frequency=300'];
  const joined = ['-filter_complex', '[0][1][2]concat=n=3[v]', '-map', '[v]', '-map', '3:a'];
  await run('ffmpeg', [
    '-nostdin',
    '-v',
    'error',
    '-y',
    ...scenes,
    ...sound,
    ...joined,
    '-c:v',
    'libx264',
    '-preset',
    'ultrafast',
    '-c:a',
    'aac',
    file,
  ]);
  return file;
}

const generated = (guid: string) =>
  expect
    .poll(async () => Object(await getVideo(service, guid)).smartGenerateStatus, PATIENCE)
    .toBeGreaterThanOrEqual(3);

const smart = (guid: string, body: object) =>
  fetch(`${service.apiUrl}/library/1/videos/${guid}/smart`, {
    method: 'POST',
    headers: { AccessKey: LIBRARY_KEY, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });

const ALL = { generateTitle: true, generateDescription: true, generateChapters: true, generateMoments: true };

async function uploadTalks(query = ''): Promise<string> {
  const guid = await createVideo(service, 'Untitled');
  expect((await uploadFile(service, guid, await makeClip(), query)).status).toBe(200);
  const captionsFile = Buffer.from(talksVtt(TALKS, STEP_SEC)).toString('base64');
  await call(service, 'POST', `/library/1/videos/${guid}/captions/en`, { srclang: 'en', captionsFile });
  await untilVideo(service, guid, (video) => video.status === FINISHED);
  return guid;
}

test('three joined topics become chapters within 5 s of the joins, and later edits by a user are kept', async () => {
  const guid = await uploadTalks();
  const early = await smart(guid, {});
  expect([early.status, await early.text()]).toEqual([400, expect.stringContaining('generateTitle')]);
  const answer = await smart(guid, ALL);
  expect([answer.status, await answer.json()]).toEqual([202, { success: true, message: 'OK', statusCode: 202 }]);
  await generated(guid);
  const video = Object(await getVideo(service, guid));
  expect(video.smartGenerateFeaturesStatus).toEqual({ title: 3, description: 3, chapters: 3, moments: 3 });
  expect(video.chapters).toHaveLength(3);
  for (const [index, join] of [0, TALK_SEC, 2 * TALK_SEC].entries()) {
    expect(Math.abs(video.chapters[index].start - join)).toBeLessThanOrEqual(5);
  }
  expect(TALKS.join(' ')).toContain(`${video.title}.`);
  expect(TALKS.join(' ')).toContain(video.description.split(/(?<=\.) /)[0]);
  expect(video.moments.length).toBeGreaterThan(0);
  const own = [{ title: 'By hand', start: 0, end: 45 }];
  await call(service, 'POST', `/library/1/videos/${guid}`, { chapters: own, title: 'Three talks' });
  expect((await smart(guid, ALL)).status).toBe(202);
  await expect.poll(async () => Object(await getVideo(service, guid)).smartGenerateStatus, PATIENCE).toBe(3);
  const after = Object(await getVideo(service, guid));
  expect([after.title, after.chapters]).toEqual(['Three talks', own]);
  expect(after.transcodingMessages).toContainEqual(
    expect.objectContaining({ message: expect.stringMatching(/^The title was kept: .*file name/) }),
  );
});

test('rejects a video without captions if no speech engine is configured, and names the missing setting', async () => {
  const guid = await createVideo(service, 'No captions');
  expect((await smart(guid, ALL)).status).toBe(400);
  await uploadFile(service, guid, path.join(folder, 'talks.mp4'));
  const refused = await smart(guid, ALL);
  expect([refused.status, await refused.text()]).toEqual([400, expect.stringContaining('MILLRACE_TRANSCRIBER')]);
});

test('a search finds spoken words, and returns their captions and times', async () => {
  const search = async (q: string) =>
    Object(await call(service, 'GET', `/library/1/search?q=${encodeURIComponent(q)}`)).items;
  await expect.poll(() => search('telescope GALAXY'), PATIENCE).toHaveLength(1);
  const [match] = await search('rings saturn');
  const { text, start, end, srclang } = match.cues[0];
  expect([text, srclang]).toEqual(['The rings of Saturn need a larger mirror.', 'en']);
  expect([start, end]).toEqual([14 * STEP_SEC, 15 * STEP_SEC - 0.5]);
  expect(await search('loaf wrench trombone')).toEqual([]);
  expect(await search('100%')).toEqual([]);
  await call(service, 'DELETE', `/library/1/videos/${match.videoGuid}/captions/en`);
  await expect.poll(() => search('telescope'), PATIENCE).toEqual([]);
  await expect(search('ab')).rejects.toThrow('three letters');
});
