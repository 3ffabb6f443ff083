import path from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { EngineCrashed } from '../../src/ports/engine-crashed.ts';
import type { Transcriber } from '../../src/ports/transcriber.ts';
import {
  addLibrary,
  type Lab,
  loadMedia,
  makeClip,
  startLab,
  startWorker,
  until,
  untilState,
  upload,
  type Worker,
} from './lab.ts';

let lab: Lab;
let worker: Worker;
let spans = 0;

/** An engine whose process crashes at the second span, however often it is tried. */
const crashing: Transcriber = {
  name: 'an engine that crashes',
  languages: ['en'],
  isLocal: true,
  async transcribe() {
    spans += 1;
    if (spans === 2) throw new EngineCrashed('The process ended by SIGSEGV.');
    return { language: 'en', words: [{ text: `Span ${spans}`, startSec: 0, endSec: 0.5 }] };
  },
};

beforeAll(async () => {
  lab = await startLab();
  worker = await startWorker({
    database: lab.database,
    storage: lab.storage,
    cache: path.join(lab.clips, 'cache-speech'),
    onError: (error) => lab.errors.push(error),
    slots: { quickSlots: 4, longSlots: 2 },
    transcriber: crashing,
  });
});
afterAll(async () => {
  await worker?.stop();
  await lab?.stop();
});

test('a span at which the engine crashes costs that span alone, and the messages say so', async () => {
  const loud = 'between(t,1,2)+between(t,4,5)+between(t,7,8)';
  const sound = ['-f', 'lavfi', '-i', `aevalsrc='0.4*sin(440*2*PI*t)*(${loud})':s=48000:d=9`];
  const picture = ['-f', 'lavfi', '-i', 'color=gray:s=160x120:r=10:d=9'];
  const clip = await makeClip(lab, 'tones.mp4', ...picture, ...sound, '-c:v', 'libx264', '-c:a', 'aac');
  const key = await upload(lab, await addLibrary(lab), clip, { transcribeEnabled: true });
  await untilState(lab, key, 'finished');
  await until(async () => (await loadMedia(lab, key)).captions.length > 0, 'captions');
  const { captions, messages } = await loadMedia(lab, key);
  const [track] = captions;
  if (track === undefined) throw new Error('Expected a track.');
  const vtt = (await lab.storage.readBytes(track.key, null, new AbortController().signal)).toString('utf8');
  expect(vtt.split('\n').filter((line) => line.startsWith('Span'))).toEqual(['Span 1', 'Span 3']);
  expect(messages.map(({ message }) => message).join(' ')).toContain('at 4 s could not be transcribed');
  expect(spans).toBe(3);
});
