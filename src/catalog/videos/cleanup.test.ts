import { describe, expect, test } from 'vitest';
import { newGuid } from '../../lib/guid.ts';
import { type CleanupRequest, planCleanup } from './cleanup.ts';
import type { RenditionView, StoredVideo } from './rendition-view-store.ts';

function rendition(rung: number | null, change: Partial<RenditionView> = {}): RenditionView {
  return {
    id: newGuid(),
    kind: rung === null ? 'audio' : 'video',
    codec: rung === null ? 'aac' : 'h264',
    rung,
    language: 'und',
    state: 'finished',
    isActive: true,
    isOnDemand: false,
    isRetired: false,
    isJoined: false,
    hasStart: true,
    storageBytes: 10,
    firstStoredAt: null,
    lastStoredAt: null,
    ...change,
  };
}

const renditions = [
  rendition(720),
  rendition(720, { codec: 'vp9' }),
  rendition(360),
  rendition(240),
  rendition(480, { isActive: false, isRetired: true }),
  rendition(null),
];
const video: StoredVideo = {
  isCancelled: false,
  state: 'finished',
  createdAt: new Date(0),
  isSplit: false,
  originalBytes: 99,
  thumbnailBytes: 0,
  otherThumbnailBytes: 0,
  previewBytes: 0,
  captions: [],
  keptSourceBytes: 0,
  renditions,
};
const nothing: CleanupRequest = { rungs: [], configured: [240, 720], unlisted: false, all: false, original: false };

describe('a cleanup', () => {
  test.each([
    ['removes a rung in every codec', { rungs: [720] }, ['h264 720', 'vp9 720'], null],
    ['removes several rungs', { rungs: [240, 360] }, ['h264 360', 'h264 240'], null],
    ['removes rungs that are not configured', { unlisted: true }, ['h264 360'], null],
    [
      'keeps a rung that a small source has instead of a configured one',
      { unlisted: true, configured: [1080] },
      ['h264 360', 'h264 240'],
      null,
    ],
    ['removes nothing for a rung that the video lacks', { rungs: [1080] }, [], null],
    ['removes nothing for a retired rung', { rungs: [480] }, [], null],
    ['removes the original', { original: true }, [], 99],
    [
      'removes everything including the audio',
      { all: true },
      ['h264 720', 'vp9 720', 'h264 360', 'h264 240', 'aac null'],
      null,
    ],
    ['removes a rung and the original', { rungs: [240], original: true }, ['h264 240'], 99],
  ])('%s', (_, request, expected, originalBytes) => {
    const plan = planCleanup(video, { ...nothing, ...request });
    expect(plan.renditions.map(({ codec, rung }) => `${codec} ${rung}`)).toEqual(expected);
    expect(plan.originalBytes).toBe(originalBytes);
  });

  test.each([
    ['every rung by name', { rungs: [240, 360, 720] }, {}, 'at least one resolution to remain'],
    ['every rung as not configured', { unlisted: true, configured: [] }, {}, 'at least one resolution to remain'],
    ['all and the original', { all: true, original: true }, {}, 'nothing of the video would be left'],
    ['all without an original', { all: true }, { originalBytes: null }, 'nothing of the video would be left'],
    [
      'a video that is being encoded',
      { rungs: [240] },
      { state: 'transcoding' as const },
      'got one that is transcoding',
    ],
    ['a queued video', { original: true }, { state: 'uploaded' as const }, 'got one that is uploaded'],
  ])('rejects %s', (_, request, change, message) => {
    expect(() => planCleanup({ ...video, ...change }, { ...nothing, ...request })).toThrow(message);
  });
});
