import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import type { ServerResponse } from 'node:http';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { answerWords, type ScriptedEngine, startScriptedEngine } from '../support/scripted-engine.ts';
import { discard, newDataDir, type Service, startService } from '../support/service.ts';
import { findProcesses, killAll } from '../support/service-processes.ts';
import { createVideo, getVideo, uploadFile } from '../support/videos.ts';

const run = promisify(execFile);
const PATIENCE = { timeout: 240_000, interval: 250 };
/** A decoder that stands still for half a minute is ended elsewhere. */
const SLOW_MS = 33_000;
const MIB = Buffer.alloc(2 ** 20, 0x20);

let service: Service;
let folder: string;
let engine: ScriptedEngine;

beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'millrace-speech-faults-'));
  engine = await startScriptedEngine(({ span, times }, response) => script(span, times, response));
  service = await startService(await newDataDir(), {
    MILLRACE_TRANSCRIBER: engine.url,
    MILLRACE_OUTBOUND_ALLOW: '127.0.0.0/8',
  });
});
afterAll(async () => {
  if (service !== undefined) await discard(service);
  engine?.close();
  await rm(folder, { recursive: true, force: true });
});

/** Each span has faults of its own before it is answered well. */
function script(span: number, times: number, response: ServerResponse): void {
  if (span === 0) void sleep(SLOW_MS).then(() => answerWords(response, ['Slow']));
  else if (span === 1 && times === 1) response.writeHead(429, { 'retry-after': '1' }).end('{}');
  else if (span === 1 && times === 2) void endless(response.writeHead(200));
  else if (span === 1) answerWords(response, ['Second', 'after', 'the', 'end', 'of', 'it']);
  else if (span === 2 && times === 1) response.writeHead(200).end('{"words": [{"word"');
  else if (span === 2 && times === 2) void killWorker();
  else answerWords(response, ['Third']);
}

/** A gigabyte, if somebody takes it. */
async function endless(response: ServerResponse): Promise<void> {
  for (let mib = 0; mib < 1024 && !response.destroyed; mib += 1) {
    if (!response.write(MIB))
      await Promise.race([new Promise((resolve) => response.once('drain', resolve)), sleep(1_000)]);
  }
  response.end();
}

async function killWorker(): Promise<void> {
  killAll(await findProcesses(service, 'role.ts worker'));
}

/** Three tones of a length of their own with silence between them. */
async function makeClip(): Promise<string> {
  const file = path.join(folder, 'tones.mp4');
  const loud = 'between(t,1,2.2)+between(t,4,5.6)+between(t,8,10)';
  const sound = ['-f', 'lavfi', '-i', `aevalsrc='0.4*sin(440*2*PI*t)*(${loud})':s=48000:d=12`];
  const picture = ['-f', 'lavfi', '-i', 'color=gray:s=160x120:r=10:d=12'];
  await run('ffmpeg', ['-nostdin', '-v', 'error', '-y', ...picture, ...sound, '-c:v', 'libx264', '-c:a', 'aac', file]);
  return file;
}

async function captionsOf(guid: string): Promise<string> {
  const answer = await fetch(`${service.edgeUrl}/vz-1/${guid}/captions/en-auto.vtt`);
  return answer.status === 200 ? await answer.text() : '';
}

test('an engine that is slow, busy, endless or broken, and a killed worker, cost one span at most, and nothing is doubled', async () => {
  const guid = await createVideo(service, 'Tones');
  expect((await uploadFile(service, guid, await makeClip(), '?transcribeEnabled=true')).status).toBe(200);
  await expect.poll(() => captionsOf(guid), PATIENCE).toContain('-->');
  const texts = (await captionsOf(guid)).split('\n').filter((line) => line !== '' && !/WEBVTT|-->/.test(line));
  // Words after the end of their span are left out: that span lasts 2.4 s, and the sixth begins at 2.5.
  expect(texts).toEqual(['Slow', 'Second after the end of', 'Third']);
  expect(engine.counts()).toEqual([1, 3, 3]);
  expect(Object(await getVideo(service, guid)).captions).toMatchObject([{ srclang: 'en-auto', version: 1 }]);
});
