import { expect, test } from 'vitest';
import { newGuid } from '../../lib/guid.ts';
import type { StorageKey } from '../../ports/storage.ts';
import { editVideo, receiveSource, requestReencode, requireUploadable, type Source, type Video } from './video.ts';

const details = {
  libraryId: 1,
  id: newGuid(),
  title: 'Title',
  description: null,
  category: null,
  collectionId: null,
  visibility: 'public' as const,
  chapters: [],
  moments: [],
  metaTags: [{ property: 'a', value: '1' }],
  uploadOptions: {},
  durationMs: 0,
};
const source: Source = { key: '1/x/source/y' as StorageKey, sizeBytes: 5, sha256: null };

const states: { video: Video; uploadable: boolean; reencoded: 'same' | 'uploaded' | 'refused' }[] = [
  { video: { ...details, state: 'created' }, uploadable: true, reencoded: 'refused' },
  { video: { ...details, state: 'upload-failed', reason: 'cut' }, uploadable: true, reencoded: 'refused' },
  { video: { ...details, state: 'uploaded', source }, uploadable: false, reencoded: 'same' },
  { video: { ...details, state: 'processing', source }, uploadable: false, reencoded: 'uploaded' },
  { video: { ...details, state: 'transcoding', source }, uploadable: false, reencoded: 'uploaded' },
  {
    video: { ...details, state: 'finished', source, acceptsReplacement: false },
    uploadable: false,
    reencoded: 'uploaded',
  },
  {
    video: { ...details, state: 'finished', source: null, acceptsReplacement: false },
    uploadable: false,
    reencoded: 'refused',
  },
  {
    video: { ...details, state: 'finished', source, acceptsReplacement: true },
    uploadable: true,
    reencoded: 'uploaded',
  },
  { video: { ...details, state: 'failed', source, reason: 'r' }, uploadable: true, reencoded: 'uploaded' },
  { video: { ...details, state: 'failed', source: null, reason: 'r' }, uploadable: true, reencoded: 'refused' },
  { video: { ...details, state: 'jit-segmenting', source }, uploadable: false, reencoded: 'uploaded' },
  { video: { ...details, state: 'jit-ready', source }, uploadable: false, reencoded: 'uploaded' },
];

test.each(states)('$video.state: accepts an upload: $uploadable', ({ video, uploadable }) => {
  const receive = () => receiveSource(video, source, { jitEnabled: true });
  if (uploadable) {
    requireUploadable(video);
    expect(receive()).toEqual({ ...details, uploadOptions: { jitEnabled: true }, state: 'uploaded', source });
  } else {
    expect(receive).toThrow('already been uploaded');
  }
});

test('a replacement file keeps the earlier options that its upload does not override', () => {
  const uploadOptions = { enabledRungs: [360], jitEnabled: false };
  const open: Video = { ...details, uploadOptions, state: 'finished', source, acceptsReplacement: true };
  expect(receiveSource(open, source, { jitEnabled: true }).uploadOptions).toEqual({
    enabledRungs: [360],
    jitEnabled: true,
  });
  const failed: Video = { ...details, uploadOptions, state: 'failed', source, reason: 'r' };
  expect(receiveSource(failed, source, { jitEnabled: true }).uploadOptions).toEqual({ jitEnabled: true });
});

test.each(states)('$video.state: a re-encode returns $reencoded', ({ video, reencoded }) => {
  const again = () => requestReencode(video);
  if (reencoded === 'refused') expect(again).toThrow('original file');
  else if (reencoded === 'same') expect(again()).toBe(video);
  else expect(again()).toEqual({ ...details, state: 'uploaded', source });
});

const finished: Video = { ...details, durationMs: 9_400, state: 'finished', source, acceptsReplacement: false };
const chapter = (start: number, end: number) => ({ chapters: [{ title: 'One', start, end }] });
const moment = (timestamp: number) => ({ moments: [{ label: 'One', timestamp }] });

test.each([
  { edit: chapter(0, 10), fault: null },
  { edit: chapter(9, 9), fault: null },
  { edit: chapter(0, 11), fault: 'chapters[0].end to be within the video (0 to 10 s), got 11 s' },
  { edit: chapter(10, 10), fault: 'chapters[0].start to be within the video' },
  { edit: chapter(-1, 4), fault: 'chapters[0].start' },
  { edit: chapter(5, 4), fault: 'chapters[0].end to be at least its start (5 s), got 4 s' },
  { edit: moment(10), fault: null },
  { edit: moment(11), fault: 'moments[0].timestamp' },
  { edit: moment(-1), fault: 'moments[0].timestamp' },
])('requires chapters and moments to be within the video: $edit', ({ edit, fault }) => {
  const change = () => editVideo(finished, edit);
  if (fault === null) expect(change()).toEqual({ ...finished, ...edit });
  else expect(change).toThrow(fault);
});

test('before its file is measured, a video rejects only chapters that end before they start and negative times', () => {
  const created: Video = { ...details, state: 'created' };
  expect(editVideo(created, chapter(0, 99_999))).toMatchObject(chapter(0, 99_999));
  expect(() => editVideo(created, chapter(-1, 2))).toThrow('not to be negative');
  expect(() => editVideo(created, chapter(3, 2))).toThrow('at least its start');
  // Another file is being planned, and its length differs.
  expect(editVideo({ ...finished, state: 'uploaded', source }, chapter(0, 20))).toMatchObject(chapter(0, 20));
});

test('returns the same video for an edit that changes nothing', () => {
  const video: Video = { ...details, state: 'created' };
  expect(editVideo(video, {})).toBe(video);
  expect(editVideo(video, { title: 'Title', metaTags: [{ property: 'a', value: '1' }] })).toBe(video);
  expect(editVideo(video, { title: 'Other' })).toEqual({ ...video, title: 'Other' });
  expect(editVideo(video, { metaTags: [] })).toEqual({ ...video, metaTags: [] });
  expect(editVideo(video, { description: 'Words' })).toEqual({ ...video, description: 'Words' });
  expect(editVideo(video, { category: 'Music' })).toEqual({ ...video, category: 'Music' });
  expect(() => editVideo(video, { title: '' })).toThrow('title');
});
