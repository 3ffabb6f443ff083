import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { discard, LIBRARY_KEY, newDataDir, type Service, startService } from '../support/service.ts';
import { LIBRIVOX, wordErrorRate } from '../support/speech.ts';
import { FINISHED, getVideo, untilVideo } from '../support/videos.ts';

const run = promisify(execFile);
const PATIENCE = { timeout: 120_000 };
let service: Service;
let folder: string;

beforeAll(async () => {
  service = await startService(await newDataDir(), { MILLRACE_TRANSCRIBER: 'pocketsphinx' });
  folder = await mkdtemp(path.join(tmpdir(), 'millrace-speech-'));
});
afterAll(async () => {
  if (service !== undefined) await discard(service);
  await rm(folder, { recursive: true, force: true });
});

const ask = (method: string, address: string, body?: object | Buffer) =>
  fetch(`${service.apiUrl}/library/1${address}`, {
    method,
    headers: { AccessKey: LIBRARY_KEY },
    ...(body !== undefined && { body: Buffer.isBuffer(body) ? new Uint8Array(body) : JSON.stringify(body) }),
  });

/** A video of two seconds of silence, a sentence, and silence again. */
async function upload(query: string): Promise<string> {
  const file = path.join(folder, 'talk.mp4');
  const speech = ['-i', LIBRIVOX.long.path, '-af', 'adelay=2000,apad=pad_dur=2,aresample=48000'];
  const picture = ['-f', 'lavfi', '-i', 'color=gray:s=320x240:r=25'];
  await run('ffmpeg', [
    '-nostdin',
    '-v',
    'error',
    '-y',
    ...picture,
    ...speech,
    '-shortest',
    '-c:v',
    'libx264',
    '-c:a',
    'aac',
    file,
  ]);
  const created = await ask('POST', '/videos', { title: 'A talk' });
  const { guid }: { guid: string } = JSON.parse(await created.text());
  expect((await ask('PUT', `/videos/${guid}${query}`, await readFile(file))).status).toBe(200);
  return guid;
}

async function captionsOf(guid: string): Promise<string> {
  const answer = await fetch(`${service.edgeUrl}/vz-1/${guid}/captions/en-auto.vtt`);
  return answer.status === 200 ? await answer.text() : '';
}

test('what is said in an upload becomes captions, at its time, and what a person writes is never overwritten', async () => {
  const guid = await upload('?transcribeEnabled=true&sourceLanguage=en');
  await untilVideo(service, guid, (video) => video.status === FINISHED);
  await expect.poll(() => captionsOf(guid), PATIENCE).toContain('-->');
  const vtt = await captionsOf(guid);
  const text = vtt
    .split('\n')
    .filter((line) => line !== '' && !/WEBVTT|-->/.test(line))
    .join(' ');
  expect(wordErrorRate(text, LIBRIVOX.long.text)).toBeLessThanOrEqual(0.6);
  const [, minutes, seconds] = /(\d\d):(\d\d\.\d{3}) -->/.exec(vtt) ?? [];
  expect(Number(minutes) * 60 + Number(seconds)).toBeGreaterThan(1.7);
  expect(Object(await getVideo(service, guid)).captions).toMatchObject([
    { srclang: 'en-auto', label: 'English (auto)' },
  ]);
  const own = Buffer.from('WEBVTT\n\n00:00.000 --> 00:01.000\nBy hand\n').toString('base64');
  const added = await ask('POST', `/videos/${guid}/captions/en-auto`, { captionsFile: own });
  expect(added.status).toBe(200);
  expect((await ask('POST', `/videos/${guid}/transcribe?force=true&language=en`)).status).toBe(200);
  const other = await ask('POST', `/videos/${guid}/transcribe?language=de`);
  expect([other.status, await other.text()]).toEqual([400, expect.stringContaining('knows en')]);
  // A second video queues behind the forced run: once it has captions, that run is over.
  const next = await upload('?transcribeEnabled=true');
  await expect.poll(() => captionsOf(next), PATIENCE).toContain('-->');
  expect(await captionsOf(guid)).toContain('By hand');
});
