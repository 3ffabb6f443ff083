import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import type { ServerResponse } from 'node:http';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { untilGone } from '../house/service.ts';
import { answerWords, type ScriptedEngine, startScriptedEngine } from '../support/scripted-engine.ts';
import { discard, type Service, startService } from '../support/service.ts';
import { findProcesses, killAll } from '../support/service-processes.ts';
import { LIBRIVOX } from '../support/speech.ts';
import { call, createVideo, getVideo, uploadFile } from '../support/videos.ts';

const run = promisify(execFile);
const PATIENCE = { timeout: 240_000, interval: 250 };
/**
 * Delay of the slow engine. It exceeds the half minute after which a stalled decoder is stopped: the decoder must not
 * count as stalled while the engine is slow.
 */
const SLOW_MS = 33_000;
/** Eleven words of half a second each, more than fit in a three-second sentence. */
const MANY = Array.from({ length: 11 }, () => 'word');
const MIB = Buffer.alloc(2 ** 20, 0x20);

let service: Service;
let folder: string;
let engine: ScriptedEngine;
/** The first test creates the video, and the others transcribe it again. */
let guid: string;

beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'millrace-speech-faults-'));
  engine = await startScriptedEngine((call, response) => script(call, response));
  service = await startService(null, {
    MILLRACE_TRANSCRIBER: engine.url,
    MILLRACE_OUTBOUND_ALLOW: '127.0.0.0/8',
  });
});
afterAll(async () => {
  if (service !== undefined) await discard(service);
  engine?.close();
  await rm(folder, { recursive: true, force: true });
});

type Script = (call: Parameters<Parameters<typeof startScriptedEngine>[0]>[0], response: ServerResponse) => void;
let script: Script = withFaults;

/** Responds to each span with its planned faults first, then with a valid response. */
function withFaults({ span, times }: Parameters<Script>[0], response: ServerResponse): void {
  if (span === 0) void sleep(SLOW_MS).then(() => answerWords(response, ['Slow']));
  else if (span === 1 && times === 1) response.writeHead(429, { 'retry-after': '1' }).end('{}');
  else if (span === 1 && times === 2) void endless(response.writeHead(200));
  else if (span === 1) answerWords(response, ['Second', ...MANY]);
  else if (span === 2 && times === 1) response.writeHead(200).end('{"words": [{"word"');
  else if (span === 2 && times === 2) void killWorker();
  else answerWords(response, ['Third']);
}

/** Sends up to a gigabyte, as long as the client reads it. */
async function endless(response: ServerResponse): Promise<void> {
  for (let mib = 0; mib < 1024 && !response.destroyed; mib += 1) {
    if (!response.write(MIB))
      await Promise.race([new Promise((resolve) => response.once('drain', resolve)), sleep(1_000)]);
  }
  response.end();
}

async function killWorker(): Promise<void> {
  const killed = await findProcesses(service, 'role.ts worker');
  killAll(killed);
  await untilGone(killed.map(({ pid }) => pid));
}

/** Creates a clip of three sentences separated by silence. */
async function makeClip(): Promise<string> {
  const file = path.join(folder, 'sentences.mp4');
  const speech = [LIBRIVOX.other, LIBRIVOX.short, LIBRIVOX.long].flatMap((sentence) => ['-i', sentence.path]);
  const padded = [0, 1, 2]
    .map((input) => `[${input}:a]aresample=16000,adelay=1500,apad=pad_dur=1.5[s${input}]`)
    .join(';');
  const sound = ['-filter_complex', `${padded};[s0][s1][s2]concat=n=3:v=0:a=1[a]`, '-map', '[a]', '-map', '3:v'];
  const picture = ['-f', 'lavfi', '-i', 'color=gray:s=160x120:r=10'];
  const out = ['-shortest', '-c:v', 'libx264', '-preset', 'ultrafast', '-c:a', 'aac', '-ar', '48000', file];
  await run('ffmpeg', ['-nostdin', '-v', 'error', '-y', ...speech, ...picture, ...sound, ...out]);
  return file;
}

/** Deletes the captions of the video and transcribes it again. */
async function transcribeAnew(query = ''): Promise<void> {
  const { captions }: { captions: { srclang: string }[] } = Object(await getVideo(service, guid));
  const address = `/library/1/videos/${guid}`;
  for (const { srclang } of captions) await call(service, 'DELETE', `${address}/captions/${srclang}`);
  await call(service, 'POST', `${address}/transcribe${query}`);
}

async function captionsOf(language = 'en'): Promise<string> {
  const answer = await fetch(`${service.edgeUrl}/vz-1/${guid}/captions/${language}-auto.vtt`);
  return answer.status === 200 ? await answer.text() : '';
}

test('slow, busy, endless and broken engines and a killed worker lose at most one span', async () => {
  guid = await createVideo(service, 'Sentences');
  expect((await uploadFile(service, guid, await makeClip(), '?transcribeEnabled=true&sourceLanguage=en')).status).toBe(
    200,
  );
  await expect.poll(() => captionsOf(), PATIENCE).toContain('-->');
  const texts = (await captionsOf()).split('\n').filter((line) => line !== '' && !/WEBVTT|-->/.test(line));
  expect(texts).toEqual(['Slow', expect.stringMatching(/^Second( word)+$/), 'Third']);
  // Words after the end of their span are omitted. The sentence of this span lasts about three seconds.
  expect(texts[1]?.split(' ').length).toBeLessThan(9);
  expect(engine.counts()).toEqual([1, 3, 3]);
  expect(Object(await getVideo(service, guid)).captions).toMatchObject([{ srclang: 'en-auto', version: 1 }]);
});

test('detects the language from three spans, even if the worker is killed repeatedly', async () => {
  const languages: (string | null)[] = [];
  script = ({ language, span }, response) => {
    languages.push(language);
    if (languages.length === 1) return void killWorker();
    // The opening is in another language. The worker is killed when it has the last response.
    const isOpening = language === null && languages.filter((each) => each === null).length === 2;
    answerWords(response, isOpening ? ['Willkommen'] : [`Good day ${span}`], isOpening ? 'german' : 'english');
    if (language === 'en' && languages.filter((each) => each === 'en').length === 3) void killWorker();
    return undefined;
  };
  await transcribeAnew();
  await expect.poll(() => captionsOf(), PATIENCE).toContain('Good day');
  const texts = [...(await captionsOf()).matchAll(/Good day \d+/g)].map(([text]) => text);
  expect([texts.length, new Set(texts).size]).toEqual([3, 3]);
  const guesses = languages.lastIndexOf(null) + 1;
  expect(guesses).toBeGreaterThanOrEqual(3);
  expect(new Set(languages.slice(guesses))).toEqual(new Set(['en']));
  expect(Object(await getVideo(service, guid)).captions).toMatchObject([{ srclang: 'en-auto' }]);
});

test('a requested language takes precedence, and endless repetitions by an engine are dropped', async () => {
  const languages: (string | null)[] = [];
  script = ({ language }, response) => {
    languages.push(language);
    answerWords(response, ['Merci', ...Array.from({ length: 6 }, () => ['de', 'rien']).flat()].slice(0, 6), 'english');
  };
  await transcribeAnew('?language=fr');
  await expect
    .poll(async () => Object(await getVideo(service, guid)).captions, PATIENCE)
    .toMatchObject([{ srclang: 'fr-auto' }]);
  expect(languages).toEqual(['fr', 'fr', 'fr']);
  expect(await captionsOf('fr')).not.toMatch(/(de rien\s+){3}/);
  const translation = { sourceLanguage: 'fr', targetLanguages: ['fr', 'de'] };
  const refused = call(service, 'POST', `/library/1/videos/${guid}/transcribe`, translation);
  await expect(refused).rejects.toThrow(/400: .*A translation into de needs a language model/);
});

/** Returns an engine that responds to the first span immediately, and to the other spans after `release`. */
function holdAfterFirst(): { calls: () => number; release: () => void } {
  const { promise, resolve } = Promise.withResolvers<void>();
  let calls = 0;
  script = (_, response) => {
    calls += 1;
    if (calls === 1) answerWords(response, ['One']);
    else void promise.then(() => answerWords(response, ['Two']));
  };
  return { calls: () => calls, release: resolve };
}

const transcription = async () =>
  Object(await call(service, 'GET', `/library/1/videos/${guid}/activity`)).transcription;

/** Transcribes with an engine that does not respond to the second span until it is released. */
async function holdInSecondSpan() {
  const held = holdAfterFirst();
  await transcribeAnew('?language=en');
  await expect.poll(held.calls, PATIENCE).toBe(2);
  return held;
}

test('a transcription reports its progress, and stops when cancelled', async () => {
  const { calls, release } = await holdInSecondSpan();
  await expect.poll(transcription, PATIENCE).toMatchObject({ state: 'running' });
  expect((await transcription()).doneSeconds).toBeGreaterThan(2);
  await call(service, 'DELETE', `/library/1/videos/${guid}/transcribe`);
  release();
  await expect.poll(transcription, PATIENCE).toMatchObject({ state: 'cancelled' });
  script = (_, response) => answerWords(response, ['Again']);
  await transcribeAnew('?language=en');
  await expect.poll(() => captionsOf(), PATIENCE).toContain('Again');
  expect(calls()).toBe(2);
});

test('keeps captions that a user writes while a transcription runs', async () => {
  const { release } = await holdInSecondSpan();
  const captionsFile = Buffer.from('WEBVTT\n\n00:00.000 --> 00:01.000\nBy hand\n').toString('base64');
  await call(service, 'POST', `/library/1/videos/${guid}/captions/en-auto`, { srclang: 'en-auto', captionsFile });
  release();
  await expect.poll(transcription, PATIENCE).toMatchObject({ state: 'finished' });
  // The edge is notified of new captions a moment after they are stored.
  await expect.poll(() => captionsOf(), PATIENCE).toContain('By hand');
  expect(Object(await getVideo(service, guid)).captions).toHaveLength(1);
});
