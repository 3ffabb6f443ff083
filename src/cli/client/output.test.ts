import { expect, test } from 'vitest';
import { LiveStreamStatus, VideoModelStatus } from '../../api/models/enums.ts';
import { linesOf, rowOf, videoStatusOf } from './output.ts';

test('the lists of videos and streams have a word for each state, and other lists keep theirs', () => {
  const states = Object.values(VideoModelStatus.values);
  const words = states.map((status) => rowOf({ guid: 'g', title: 'T', status, encodeProgress: 0 }).split('\t')[2]);
  expect(words).toEqual([
    ...['created', 'uploaded', 'processing', 'transcoding', 'finished', 'failed', 'upload-failed'],
    ...['jit-segmenting', 'jit-ready'],
  ]);
  const streams = Object.values(LiveStreamStatus.values);
  expect(streams.map((status) => rowOf({ guid: 'g', title: 'T', status, recordVod: true }).split('\t')[2])).toEqual([
    ...['unknown', 'created', 'scheduled', 'preview', 'running', 'ended', 'saving', 'error'],
  ]);
  expect(rowOf({ guid: 'g', title: 'T', status: 2 })).toBe('g\tT\t2');
  expect(rowOf({ Id: 1, Name: 'N', Status: 'running' })).toBe('1\tN\trunning');
  expect(rowOf({ trackId: 'de', title: 'Deutsch', state: 'failed' })).toBe('de\tDeutsch\tfailed');
});

test('a filter of states takes the words of the list, and numbers', () => {
  expect(videoStatusOf('finished')).toBe('4');
  expect(videoStatusOf('Failed, 6,jit-ready')).toBe('5,6,8');
  expect(() => videoStatusOf('finishd')).toThrow('got finishd. Did you mean finished?');
});

test('a list gives the reason of a state', () => {
  const paused = { guid: 'g', source: 'bunny', state: 'running', reason: 'The disk is nearly full.' };
  expect(rowOf(paused)).toBe('g\tbunny\trunning\tThe disk is nearly full.');
  expect(rowOf({ ...paused, reason: null })).toBe('g\tbunny\trunning');
});

test('findings are printed as sentences, and other fields by name', () => {
  const findings = [
    { code: 'no-file', sentence: 'The file is missing.', remedy: 'upload' },
    { code: 'refused', sentence: 'Viewers need a token.', remedy: null },
  ];
  expect(linesOf({ guid: 'g', findings, experience: [] })).toEqual([
    'guid\tg',
    'The file is missing.',
    'Viewers need a token.',
    'experience\t[]',
  ]);
});
