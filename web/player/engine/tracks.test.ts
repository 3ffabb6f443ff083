import { expect, test } from 'vitest';
import { type AudioTrack, audioOf, findAudio } from './tracks.ts';

const track = (name: string, channels: string) => ({ name, lang: 'en', channels });

test('without the wanted number of channels, finds the track with the same label', () => {
  const wanted: AudioTrack = { index: 3, label: 'Commentary', language: 'en', channels: 6 };
  const stereo = [track('Main', '2'), track('Commentary', '2')];
  expect(findAudio(stereo, wanted)?.index).toBe(1);
  expect(findAudio([...stereo, track('Commentary', '6')], wanted)?.index).toBe(2);
  expect(findAudio(stereo, null)).toBeUndefined();
  expect(findAudio([track('Main', '2')], wanted)).toBeUndefined();
});

test('lists a track of several groups once, with its first index', () => {
  const audioTracks = [track('Main', '2'), track('Talk', '2'), track('Main', '6'), track('Talk', '2')];
  const { tracks, index } = audioOf({ audioTracks, audioTrack: 3 });
  expect(tracks.map((one) => one.index)).toEqual([0, 1, 2]);
  expect(index).toBe(1);
  expect(audioOf({ audioTracks, audioTrack: -1 }).index).toBe(-1);
  expect(audioOf(null)).toEqual({ tracks: [], index: -1 });
});
