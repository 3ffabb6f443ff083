import { expect, test } from 'vitest';
import type { LiveHead } from '../../catalog/live/live-head.ts';
import type { StoredLive } from '../../catalog/live/live-media-store.ts';
import { newGuid } from '../../lib/guid.ts';
import { listSlot } from '../../media/live/slot-segments.ts';
import { WatchedStream } from './watched-stream.ts';

const SEGMENT_SEC = 2;
const SEGMENTS = 100;
/** As long as a recording of several periods is served. */
const WHOLE_SEC = 1e9;

const running: LiveHead = {
  state: 'running',
  isPublic: true,
  dvrWindowSec: null,
  feedUrl: null,
  isInterrupted: false,
  startsAtMs: null,
  trailerId: null,
};

/** Rows of the last seconds of a stream, as the database answers them. */
function storedOf(windowSec: number): StoredLive {
  const id = '01a20849-6858-7000-9bf9-b42901e2a028' as ReturnType<typeof newGuid>;
  const plain = { rung: null, codecString: '', widthPx: 64, heightPx: 36, keyGroup: 'sd', ivPrefix: 0 } as const;
  const renditions = [{ id, kind: 'video', slot: 'source', timescale: 90_000, ...plain }] as const;
  const period = { number: 0, firstSequence: 0, isPreview: false, frameRate: 25, isLadderPending: false, renditions };
  const segments = Array.from({ length: SEGMENTS }, (_, number) => ({
    renditionId: id,
    number,
    startTick: number * SEGMENT_SEC * 90_000,
    durationTicks: SEGMENT_SEC * 90_000,
    wallMs: number * SEGMENT_SEC * 1_000,
    storageKey: `${number}`,
    sizeBytes: 1,
  }));
  const from = Math.max(0, SEGMENTS - windowSec / SEGMENT_SEC);
  return { periods: [{ period, inits: new Map() }], segments: segments.filter(({ number }) => number >= from) };
}

test('what was watched live is listed from its beginning once it is a recording', async () => {
  const deps = {
    secret: '',
    loadStored: async (windowSec: number) => storedOf(windowSec),
    warn: (error: unknown) => expect(error).toBe(null),
  };
  const stream = new WatchedStream(newGuid(), running, deps);
  await stream.ready;
  const view = { windowSec: WHOLE_SEC, isPreview: false };
  expect(listSlot(stream.index, 'source', view)).toHaveLength(45);
  stream.update({ ...running, state: 'ended', dvrWindowSec: WHOLE_SEC });
  await stream.ready;
  expect(listSlot(stream.index, 'source', view).map(({ sequence }) => sequence)).toEqual([
    ...Array.from({ length: SEGMENTS }).keys(),
  ]);
  stream.close();
});
