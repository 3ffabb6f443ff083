import { expect, test } from 'vitest';
import { newGuid } from '../../../lib/guid.ts';
import type { FeedRendition } from './feed-message.ts';
import { LiveIndex } from './live-index.ts';
import { livePlaylist } from './live-playlist.ts';
import { findLatePlace, holdsMedia, newestOf } from './newest-media.ts';
import { canBegin, canList, listSlot, targetDurationSec } from './slot-segments.ts';

const VIEW = { windowSec: 600, isPreview: false };

test('a late rung lists gaps from the start of its period, so that all rungs have the same segment numbers', () => {
  const index = new LiveIndex();
  const [source, rung, nextSource, nextRung] = [video('source'), video('480p'), video('source'), video('480p')];
  addPeriod(index, 0, [source, rung]);
  addSegments(index, source, [0, 1]);
  addSegments(index, rung, [0, 1]);
  addPeriod(index, 1, [nextSource, nextRung]);
  addSegments(index, nextSource, [0, 1, 2]);
  expect(listed(index)).toEqual(['0 480p', '1 480p']);
  addSegments(index, nextRung, [2]);
  expect(listed(index)).toEqual(['0 480p', '1 480p', '2 gap', '3 gap', '4 480p']);
  expect(listSlot(index, 'source', VIEW).map(({ sequence }) => sequence)).toEqual([0, 1, 2, 3, 4]);
});

test('the source replaces a rung only if no rung is pending', () => {
  const index = new LiveIndex();
  const [source, rung, nextSource, nextRung] = [video('source'), video('480p'), video('source'), video('480p')];
  addPeriod(index, 0, [source, rung]);
  addSegments(index, rung, [0, 1]);
  addPeriod(index, 1, [nextSource], true);
  addSegments(index, nextSource, [0]);
  expect(listed(index)).toEqual(['0 480p', '1 480p']);
  addPeriod(index, 1, [nextSource, nextRung]);
  addSegments(index, nextRung, [0]);
  expect(listed(index)).toEqual(['0 480p', '1 480p', '2 480p']);
  const lastSource = video('source');
  addPeriod(index, 2, [lastSource], false, 3);
  addSegments(index, lastSource, [0]);
  expect(listed(index)).toEqual(['0 480p', '1 480p', '2 480p', '3 source']);
});

test('missing audio at the end is a gap, so that all renditions have the same numbers in the next period', () => {
  const index = new LiveIndex();
  const [source, sound, nextSource, nextSound] = [video('source'), audio(), video('source'), audio()];
  addPeriod(index, 0, [source, sound]);
  addSegments(index, source, [0, 1]);
  addSegments(index, sound, [0]);
  expect(listed(index, 'audio')).toEqual(['0 audio']);
  addPeriod(index, 1, [nextSource, nextSound]);
  addSegments(index, nextSource, [0]);
  addSegments(index, nextSound, [0]);
  expect(listed(index, 'source')).toEqual(['0 source', '1 source', '2 source']);
  expect(listed(index, 'audio')).toEqual(['0 audio', '1 gap', '2 audio']);
});

test('without a publisher, the last segment is complete and the playlist has no preload hint', () => {
  const index = new LiveIndex();
  const source = video('source');
  addPeriod(index, 0, [source]);
  const part = (number: number, isLast: boolean) => {
    const times = { startTick: number * 45_000, durationTicks: 45_000, samples: 1, isIndependent: true };
    const message = { type: 'part', renditionId: source.id, segment: 0, part: number, ...times, isLast } as const;
    index.apply({ message, bytes: Buffer.alloc(1) });
  };
  const hint = () => {
    const protection = { folder: () => '', hasParts: true, keys: () => [] };
    const plain = { slot: 'source', folder: source.id, view: VIEW, isDelta: false, hasEnded: false };
    const request = { ...plain, endSequence: null, protection };
    return livePlaylist(index, request)?.find(({ tag }) => tag === 'preload-hint');
  };
  part(0, false);
  expect(hint()).toBe(undefined);
  index.apply({ message: { type: 'publisher', isConnected: true }, bytes: Buffer.alloc(0) });
  expect(hint()).toMatchObject({ uri: '0.1.m4s' });
  part(1, true);
  expect(hint()).toMatchObject({ uri: '1.0.m4s' });
});

test('a closed segment is listed as parts until the next segment has a part or the publisher disconnects', () => {
  const index = new LiveIndex();
  const [source, next] = [video('source'), video('source')];
  addPeriod(index, 0, [source]);
  const part = (segment: number, number: number, isLast = false, { id } = source) => {
    const times = { startTick: segment * 500 + number * 250, durationTicks: 250, samples: 1, isIndependent: true };
    const message = { type: 'part', renditionId: id, segment, part: number, ...times, isLast } as const;
    index.apply({ message, bytes: Buffer.alloc(1) });
  };
  const connect = (isConnected: boolean) =>
    index.apply({ message: { type: 'publisher', isConnected }, bytes: Buffer.alloc(0) });
  const shown = (hasParts = true, endSequence: number | null = null) => {
    const protection = { folder: () => '', hasParts, keys: () => [] };
    const plain = { slot: 'source', folder: source.id, view: VIEW, isDelta: false, hasEnded: false };
    const request = { ...plain, endSequence, protection };
    const tags = livePlaylist(index, request) ?? [];
    const newest = newestOf(index, 'source', { ...VIEW, hasParts });
    return {
      segments: tags.filter(({ tag }) => tag === 'segment').length,
      parts: tags.filter(({ tag }) => tag === 'part').length,
      // The request for the first part of the next segment, as players write it while the segment is open.
      hasNext: holdsMedia(newest, { sequence: newest?.sequence ?? 0, part: 2 }),
      hasWhole: holdsMedia(newest, { sequence: newest?.sequence ?? 0, part: null }),
    };
  };
  connect(true);
  part(0, 0);
  expect(canList(index, 'source', VIEW)).toBe(false);
  part(0, 1, true);
  expect(canList(index, 'source', VIEW)).toBe(false);
  expect(shown()).toEqual({ segments: 0, parts: 2, hasNext: false, hasWhole: false });
  expect(shown(false)).toEqual({ segments: 1, parts: 0, hasNext: true, hasWhole: true });
  part(1, 0);
  expect(canList(index, 'source', VIEW)).toBe(true);
  expect(shown()).toEqual({ segments: 1, parts: 3, hasNext: false, hasWhole: false });
  // A player that waits for a part of a segment gets a playlist with the parts before one with the complete segment.
  const placeOf = (sequence: number, number: number | null) =>
    findLatePlace(index, 'source', VIEW, { sequence, part: number });
  expect([placeOf(0, 0), placeOf(0, 1), placeOf(0, 2)]).toEqual(['within', 'within', 'after']);
  expect([placeOf(0, 3), placeOf(0, null), placeOf(1, 0)]).toEqual([null, null, null]);
  expect(shown(true, 0)).toMatchObject({ segments: 0, parts: 2 });
  part(1, 1, true);
  expect(shown()).toMatchObject({ segments: 1, parts: 4, hasNext: false });
  const before = index.version;
  connect(false);
  expect(index.version).toBeGreaterThan(before);
  expect(shown()).toEqual({ segments: 2, parts: 4, hasNext: true, hasWhole: true });
  connect(true);
  expect(shown()).toMatchObject({ segments: 2 });
  part(2, 0);
  part(2, 1, true);
  expect(shown()).toMatchObject({ segments: 2, parts: 6 });
  addPeriod(index, 1, [next], false, 3);
  expect(shown()).toMatchObject({ segments: 3 });
  part(0, 0, false, next);
  part(0, 1, true, next);
  index.apply({ message: { type: 'gap', renditionId: next.id, segment: 1 }, bytes: Buffer.alloc(0) });
  expect(shown()).toMatchObject({ segments: 5 });
  // The preload hint would contain a part of the older period.
  expect(placeOf(2, 1)).toBe(null);
});

test('no part is announced after one that may be the last of its segment', () => {
  const index = new LiveIndex();
  const source = video('source');
  addPeriod(index, 0, [source]);
  index.apply({ message: { type: 'publisher', isConnected: true }, bytes: Buffer.alloc(0) });
  addSegments(index, source, [0]);
  const request = { slot: 'source', folder: source.id, view: VIEW, isDelta: false, hasEnded: false, endSequence: null };
  const hints = [false, true].map((mayBeLast, part) => {
    const times = { startTick: 2_000 + part * 250, durationTicks: 250, samples: 1, isIndependent: true };
    const message = { type: 'part', renditionId: source.id, segment: 1, part, ...times, mayBeLast } as const;
    index.apply({ message, bytes: Buffer.alloc(1) });
    const protection = { folder: () => '', hasParts: true, keys: () => [] };
    return livePlaylist(index, { ...request, protection })?.filter(({ tag }) => tag === 'preload-hint');
  });
  expect(hints).toEqual([[{ tag: 'preload-hint', type: 'PART', uri: '1.1.m4s' }], []]);
});

test('players start after the first segment of a stream, or immediately without a publisher', () => {
  const index = new LiveIndex();
  const source = video('source');
  addPeriod(index, 0, [source]);
  const part = (segment: number, number: number, isLast = false) => {
    const times = { startTick: segment * 2_000 + number * 250, durationTicks: 250, samples: 1, isIndependent: true };
    const message = { type: 'part', renditionId: source.id, segment, part: number, ...times, isLast } as const;
    index.apply({ message, bytes: Buffer.alloc(1) });
    return canBegin(index, 'source', { ...VIEW, hasParts: true });
  };
  const connect = (isConnected: boolean) => {
    index.apply({ message: { type: 'publisher', isConnected }, bytes: Buffer.alloc(0) });
    return canBegin(index, 'source', { ...VIEW, hasParts: true });
  };
  connect(true);
  expect([part(0, 0), part(0, 1, true), part(1, 0), part(1, 1), part(1, 2), part(1, 3)]).toEqual([
    ...[false, false, false, false, false, true],
  ]);
  const whole = new LiveIndex();
  addPeriod(whole, 0, [source]);
  whole.apply({ message: { type: 'publisher', isConnected: true }, bytes: Buffer.alloc(0) });
  addSegments(whole, source, [0]);
  expect([true, false].map((hasParts) => canBegin(whole, 'source', { ...VIEW, hasParts }))).toEqual([false, true]);
  const next = new LiveIndex();
  addPeriod(next, 0, [source]);
  addSegments(next, source, [0]);
  expect(canBegin(next, 'source', { ...VIEW, hasParts: true })).toBe(true);
});

test("the target duration starts at the value required by the encoder's settings", () => {
  const index = new LiveIndex();
  const source = video('source');
  const period = {
    number: 0,
    firstSequence: 0,
    isPreview: false,
    frameRate: 30,
    isLadderPending: false,
    startMs: null,
  };
  index.addPeriod({ ...period, targetSec: 4, renditions: [source] });
  addSegments(index, source, [0]);
  expect(targetDurationSec(index, 'source', VIEW)).toBe(4);
});

function listed(index: LiveIndex, slot = '480p'): string[] {
  return listSlot(index, slot, VIEW).map(
    ({ sequence, segment, rendition }) => `${sequence} ${segment === null ? 'gap' : rendition.slot}`,
  );
}

function audio(): FeedRendition {
  return { ...video('source'), kind: 'audio', slot: 'audio', codecString: 'mp4a.40.2' };
}

function video(slot: string): FeedRendition {
  const rung = slot === 'source' ? null : Number.parseInt(slot, 10);
  const size = { widthPx: null, heightPx: null };
  const keys = { keyGroup: 'sd', ivPrefix: 0 } as const;
  return { id: newGuid(), kind: 'video', slot, rung, codecString: 'avc1.640028', timescale: 1_000, ...size, ...keys };
}

function addPeriod(
  index: LiveIndex,
  number: number,
  renditions: FeedRendition[],
  isLadderPending = false,
  firstSequence = number * 2,
): void {
  index.addPeriod({
    number,
    firstSequence,
    isPreview: false,
    frameRate: 30,
    isLadderPending,
    startMs: null,
    renditions,
  });
}

function addSegments(index: LiveIndex, { id }: FeedRendition, numbers: number[]): void {
  for (const number of numbers) {
    const times = { startTick: number * 2_000, durationTicks: 2_000, wallMs: number * 2_000 };
    index.addRow({ renditionId: id, number, ...times, storageKey: `${id}/${number}`, sizeBytes: 1 });
  }
}
