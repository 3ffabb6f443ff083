import { afterAll, beforeAll, expect, test } from 'vitest';
import { factsOf, makeClip, makeFolder } from '../../../test/support/media/run-clip.ts';

let dir = '';
let remove = async () => {};
beforeAll(async () => {
  ({ dir, remove } = await makeFolder());
});
afterAll(() => remove());

const PICTURE = ['-f', 'lavfi', '-i', 'testsrc2=s=160x90:d=2'];
const TONE = ['-f', 'lavfi', '-i', 'sine=d=2'];

test('leaves out a cover image that is too large, and reports it', async () => {
  const argv = [
    '-f',
    'lavfi',
    '-i',
    'color=red:s=6000x6000:d=0.04',
    ...TONE,
    '-map',
    '0',
    '-map',
    '1',
    '-c:v',
    'png',
    '-disposition:v',
    'attached_pic',
  ];
  const facts = await factsOf(await makeClip(dir, 'large-cover.mp3', argv));
  expect([facts.video, facts.cover, facts.audio.length]).toEqual([null, undefined, 1]);
  expect(facts.warnings).toEqual([expect.stringContaining('cover picture is left out')]);
});

test('offers the audio of a file whose video track contains no frames, and reports it', async () => {
  const empty = ['-bsf:v', 'noise=drop=1', '-movflags', 'empty_moov+default_base_moof', '-frag_duration', '1000000'];
  const facts = await factsOf(
    await makeClip(dir, 'no-frames.mp4', [...PICTURE, ...TONE, '-c:v', 'mpeg4', '-c:a', 'aac', ...empty]),
  );
  expect([facts.video, facts.audio.length]).toEqual([null, 1]);
  expect(facts.warnings).toEqual([expect.stringContaining('contains no frames')]);
});
