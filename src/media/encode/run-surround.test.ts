import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { CHANNELS_OF_51, channelTones, readToneLevels } from '../../../test/support/channel-tones.ts';
import { ask, collect, factsOf, makeClip, makeFolder } from '../../../test/support/media/run-clip.ts';
import { mayCopyAudio, planAudioEncode } from './encode-audio.ts';

let folder: Awaited<ReturnType<typeof makeFolder>>;
beforeAll(async () => {
  folder = await makeFolder();
});
afterAll(() => folder.remove());

const SIDE = ['FL', 'FR', 'FC', 'LFE', 'SL', 'SR'];
const FIVE = ['FL', 'FR', 'FC', 'BL', 'BR'];
const SEVEN = [...CHANNELS_OF_51, 'SL', 'SR'];
const AAC = ['-c:a', 'aac', '-b:a', '400k'];

test.each([
  { name: 'aac.mp4', layout: '5.1', tones: CHANNELS_OF_51, argv: AAC, isCopied: true },
  { name: 'aac.mov', layout: '5.1', tones: CHANNELS_OF_51, argv: AAC, isCopied: true },
  { name: 'aac.mkv', layout: '5.1', tones: CHANNELS_OF_51, argv: AAC, isCopied: true },
  { name: 'aac with its own order of channels.mkv', layout: '5.1(side)', tones: SIDE, argv: AAC },
  { name: 'aac of 44.1 kHz.mp4', layout: '5.1', tones: CHANNELS_OF_51, argv: [...AAC, '-ar', '44100'] },
  { name: 'e-ac-3.mp4', layout: '5.1(side)', tones: SIDE, argv: ['-c:a', 'eac3', '-b:a', '448k'] },
  { name: 'ac-3.ts', layout: '5.1(side)', tones: SIDE, argv: ['-c:a', 'ac3', '-b:a', '448k'] },
  { name: 'e-ac-3 of 5.0.ts', layout: '5.0(side)', tones: ['FL', 'FR', 'FC', 'SL', 'SR'], argv: ['-c:a', 'eac3'] },
  { name: 'aac of 5.0.mp4', layout: '5.0', tones: FIVE, argv: AAC },
  { name: 'flac of 7.1.mkv', layout: '7.1', tones: SEVEN, argv: ['-c:a', 'flac'] },
  { name: 'pcm of 7.1.wav', layout: '7.1', tones: SEVEN, argv: ['-c:a', 'pcm_s16le'] },
])('maps each channel of $name to its channel in 5.1', async ({ name, layout, tones, argv, isCopied = false }) => {
  const path = await makeClip(folder.dir, name, [...channelTones(layout, tones, 5), ...argv]);
  const facts = await factsOf(path);
  const [track] = facts.audio;
  if (track === undefined) throw new Error('Expected audio.');
  expect(mayCopyAudio(track, 'surround')).toBe(isCopied);
  const job = { durationSec: facts.durationSec, originSec: facts.startSec, gainDb: 0, form: 'surround' as const };
  const { outputs } = await collect(planAudioEncode(track, job), path);
  const encoded = join(folder.dir, 'encoded.mp4');
  await writeFile(encoded, outputs[0] ?? Buffer.alloc(0));
  expect(await ask(encoded, 'stream=channels,channel_layout')).toEqual(['6,5.1']);
  // Side channels are the surround channels of 5.1, and 7.1 mixes both pairs.
  const placeOf = (tone: string) => CHANNELS_OF_51.indexOf(tone.replace('S', 'B'));
  const levels = await readToneLevels(encoded, tones, 2);
  for (const [channel, heard] of levels.entries()) {
    for (const [index, tone] of tones.entries()) {
      const db = heard[index] ?? 0;
      if (channel === placeOf(tone)) expect(db, `${tone} in its channel`).toBeGreaterThan(-8);
      else expect(db, `${tone} in channel ${channel}`).toBeLessThan(-40);
    }
  }
});
