import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import type { LiveHead } from '../../catalog/live/viewing/live-head.ts';
import type { StoredLive } from '../../catalog/live/viewing/live-media-store.ts';
import { startFeedServer } from '../../ingest/live/feed-server.ts';
import { type Guid, newGuid } from '../../lib/guid.ts';
import { type FeedMessage, writeFeedFrame } from '../../media/live/playlist/feed-message.ts';
import { liveMultivariant } from '../../media/live/playlist/live-multivariant.ts';
import { listSlot } from '../../media/live/playlist/slot-segments.ts';
import { WatchedStream } from './watched-stream.ts';

const SEGMENT_SEC = 2;
const SEGMENTS = 100;
/** Window that covers a whole recording of several periods, in seconds. */
const WHOLE_SEC = 1e9;

const running: LiveHead = {
  state: 'running',
  isPublic: true,
  dvrWindowSec: null,
  feedUrl: null,
  isInterrupted: false,
  hasBegun: true,
  startsAtMs: null,
  trailerId: null,
  extent: null,
};

const [SOURCE, RUNG] = [newGuid(), newGuid()];

/** Returns rows of the last seconds of a stream, as the database does. `hasRung` adds a transcoded rung. */
function storedOf(windowSec: number, hasRung = false): StoredLive {
  const plain = { rung: null, codecString: '', widthPx: 64, heightPx: 36, keyGroup: 'sd', ivPrefix: 0 } as const;
  const source = { id: SOURCE, kind: 'video', slot: 'source', timescale: 90_000, ...plain } as const;
  const renditions = hasRung ? [source, { ...source, id: RUNG, slot: '240p' }] : [source];
  const period = {
    number: 0,
    firstSequence: 0,
    isPreview: false,
    frameRate: 25,
    isLadderPending: false,
    startMs: null,
    renditions,
  };
  const rows = Array.from({ length: SEGMENTS }, (_, number) => ({
    number,
    startTick: number * SEGMENT_SEC * 90_000,
    durationTicks: SEGMENT_SEC * 90_000,
    wallMs: number * SEGMENT_SEC * 1_000,
    storageKey: `${number}`,
    sizeBytes: 1,
  }));
  const from = Math.max(0, SEGMENTS - windowSec / SEGMENT_SEC);
  const shown = rows.filter(({ number }) => number >= from);
  const segments = renditions.flatMap(({ id }) => shown.map((row) => ({ ...row, renditionId: id })));
  return { periods: [{ period, inits: new Map(), retired: new Set() }], segments };
}

test('lists a watched stream from its start once it is a recording', async () => {
  const deps = {
    secret: () => [''] as const,
    loadStored: async (windowSec: number) => storedOf(windowSec),
    warn: (error: unknown) => expect(error).toBe(null),
  };
  const stream = new WatchedStream(newGuid(), running, deps);
  await stream.ready;
  const view = { windowSec: WHOLE_SEC, isPreview: false };
  expect(listSlot(stream.index, 'source', view)).toHaveLength(45);
  stream.update({ ...running, state: 'ended', dvrWindowSec: WHOLE_SEC, extent: 1 });
  await stream.ready;
  expect(listSlot(stream.index, 'source', view).map(({ sequence }) => sequence)).toEqual([
    ...Array.from({ length: SEGMENTS }).keys(),
  ]);
  stream.close();
});

test('a rung that was incomplete at the end is unlisted, and its URL serves its replacement', async () => {
  let retired = new Set<Guid>();
  const deps = {
    secret: () => [''] as const,
    loadStored: async (windowSec: number) => {
      const { periods, segments } = storedOf(windowSec, true);
      const partial = segments.filter(({ renditionId, number }) => renditionId === SOURCE || number > SEGMENTS - 3);
      return { periods: periods.map((one) => ({ ...one, retired })), segments: partial };
    },
    warn: (error: unknown) => expect(error).toBe(null),
  };
  const stream = new WatchedStream(newGuid(), running, deps);
  await stream.ready;
  const rungs = () => liveMultivariant(stream.index, view, ways)?.match(/^r\/.*$/gm);
  const view = { windowSec: WHOLE_SEC, isPreview: false };
  const addresses = { media: (id: string) => `r/${id}`, iFrames: (id: string) => `i/${id}` };
  const ways = { addresses, listsIFrames: false, sessionKeys: () => [], isOver: true };
  expect(rungs()).toEqual([`r/${SOURCE}`, `r/${RUNG}`]);
  retired = new Set([RUNG]);
  stream.update({ ...running, state: 'ended', dvrWindowSec: WHOLE_SEC, extent: 1 });
  await stream.ready;
  expect(rungs()).toEqual([`r/${SOURCE}`]);
  // A player that already knows the URL can still fetch existing segments.
  const known = stream.index.findRendition(RUNG)?.rendition;
  expect(known?.segments).not.toEqual([]);
  const listed = listSlot(stream.index, known?.slot ?? '', view);
  expect(listed.map(({ rendition }) => rendition.id)).toEqual(Array.from({ length: SEGMENTS }, () => SOURCE));
  stream.close();
});

test('lists renditions created after the end of the stream in a recording that is already being watched', async () => {
  let hasRung = false;
  const deps = {
    secret: () => [''] as const,
    loadStored: async (windowSec: number) => storedOf(windowSec, hasRung),
    warn: (error: unknown) => expect(error).toBe(null),
  };
  const recording: LiveHead = { ...running, state: 'ended', dvrWindowSec: WHOLE_SEC, extent: 1 };
  const stream = new WatchedStream(newGuid(), recording, deps);
  await stream.ready;
  const listed = () => listSlot(stream.index, '240p', { windowSec: WHOLE_SEC, isPreview: false });
  expect(listed().map(({ rendition }) => rendition.id)).toEqual(Array.from({ length: SEGMENTS }, () => SOURCE));
  hasRung = true;
  stream.update(recording);
  await stream.ready;
  expect(listed()[0]?.rendition.id).toBe(SOURCE);
  stream.update({ ...recording, extent: 2 });
  await stream.ready;
  expect(listed().map(({ rendition }) => rendition.id)).toEqual(Array.from({ length: SEGMENTS }, () => RUNG));
  stream.close();
});

test('keeps a recording unchanged if a reload fails and reloads it with the next head', async () => {
  const warnings: unknown[] = [];
  let [hasRung, isAway] = [false, false];
  const deps = {
    secret: () => [''] as const,
    loadStored: async (windowSec: number) => {
      if (isAway) throw new Error('The database is down.');
      return storedOf(windowSec, hasRung);
    },
    warn: (error: unknown) => warnings.push(error),
  };
  const recording: LiveHead = { ...running, state: 'ended', dvrWindowSec: WHOLE_SEC, extent: 1 };
  const stream = new WatchedStream(newGuid(), recording, deps);
  await stream.ready;
  const listed = () => listSlot(stream.index, '240p', { windowSec: WHOLE_SEC, isPreview: false });
  [hasRung, isAway] = [true, true];
  stream.update({ ...recording, extent: 2 });
  await stream.ready;
  expect([listed()[0]?.rendition.id, listed().length, warnings.length]).toEqual([SOURCE, SEGMENTS, 1]);
  isAway = false;
  stream.update({ ...recording, extent: 2 });
  await stream.ready;
  expect(listed()[0]?.rendition.id).toBe(RUNG);
  stream.close();
});

test('a stream watched before its publisher connects waits for the feed', async () => {
  const [{ period }] = storedOf(0, true).periods as [StoredLive['periods'][number]];
  const [source, rung] = period.renditions;
  const announce = (renditions: readonly unknown[]) =>
    writeFeedFrame({ type: 'period', period: { ...period, renditions } } as FeedMessage);
  const owner = await startFeedServer({ host: '127.0.0.1', port: 0, secrets: () => ['s'] }, (_, response) => {
    const send = async () => {
      await sleep(200);
      for (const piece of [...announce([source]), ...writeFeedFrame({ type: 'snapshot' })]) response.write(piece);
      await sleep(200);
      for (const piece of announce([source, rung])) response.write(piece);
    };
    void send();
    return true;
  });
  const deps = {
    secret: () => ['s'] as const,
    loadStored: async (): Promise<StoredLive> => ({ periods: [], segments: [] }),
    warn: (error: unknown) => expect(error).toBe(null),
  };
  const stream = new WatchedStream(newGuid(), running, deps);
  await stream.ready;
  expect(stream.index.findRendition(SOURCE)).toBe(null);
  stream.update({ ...running, feedUrl: `http://127.0.0.1:${owner.port}` });
  await stream.ready;
  expect(stream.index.findRendition(SOURCE)).not.toBe(null);
  const { signal } = new AbortController();
  const isKnown = () => stream.index.findRendition(RUNG) !== null;
  expect(await stream.until(isKnown, 10_000, signal)).toBe(true);
  stream.close();
  await owner.close();
});

test('parts that arrive at the same time cause a single response to waiting viewers', async () => {
  const [{ period }] = storedOf(0).periods as [StoredLive['periods'][number]];
  const part = (number: number) => {
    const times = { startTick: number * 9_000, durationTicks: 9_000, samples: 1, isIndependent: true };
    const message = { type: 'part', renditionId: SOURCE, segment: 0, part: number, ...times } as const;
    return writeFeedFrame(message, Buffer.alloc(1));
  };
  const start = Promise.withResolvers<void>();
  const owner = await startFeedServer({ host: '127.0.0.1', port: 0, secrets: () => ['s'] }, (_, response) => {
    for (const piece of [...writeFeedFrame({ type: 'period', period }), ...writeFeedFrame({ type: 'snapshot' })])
      response.write(piece);
    const send = async () => {
      await start.promise;
      for (const number of [0, 1, 2]) for (const piece of part(number)) response.write(piece);
    };
    void send();
    return true;
  });
  const deps = {
    secret: () => ['s'] as const,
    loadStored: async (): Promise<StoredLive> => ({ periods: [], segments: [] }),
    warn: (error: unknown) => expect(error).toBe(null),
  };
  const stream = new WatchedStream(newGuid(), { ...running, feedUrl: `http://127.0.0.1:${owner.port}` }, deps);
  await stream.ready;
  const parts = () => stream.index.findRendition(SOURCE)?.rendition.segments[0]?.parts.length ?? 0;
  const seen: number[] = [];
  const isThere = () => {
    if (parts() > 0) seen.push(parts());
    return parts() > 0;
  };
  const waiting = stream.until(isThere, 5_000, new AbortController().signal);
  start.resolve();
  expect(await waiting).toBe(true);
  expect(seen).toEqual([3]);
  stream.close();
  await owner.close();
});

test('a stream is silent while its publisher is disconnected', async () => {
  const { periods } = storedOf(0);
  const [{ period } = { period: null }] = periods;
  if (period === null) throw new Error('Expected a period.');
  const times = { startTick: 0, durationTicks: 9_000, samples: 1, isIndependent: true };
  const connected = (isConnected: boolean) => writeFeedFrame({ type: 'publisher', isConnected });
  let send: (pieces: Buffer[]) => void = () => undefined;
  const owner = await startFeedServer({ host: '127.0.0.1', port: 0, secrets: () => ['s'] }, (_, response) => {
    send = (pieces) => {
      for (const piece of pieces) response.write(piece);
    };
    send([...connected(true), ...writeFeedFrame({ type: 'period', period }), ...writeFeedFrame({ type: 'snapshot' })]);
    return true;
  });
  const loadStored = async (): Promise<StoredLive> => ({ periods: [], segments: [] });
  const deps = { secret: () => ['s'] as const, loadStored, warn: (error: unknown) => expect(error).toBe(null) };
  const stream = new WatchedStream(newGuid(), { ...running, feedUrl: `http://127.0.0.1:${owner.port}` }, deps);
  await stream.ready;
  expect(stream.isSilent).toBe(null);
  send(writeFeedFrame({ type: 'part', renditionId: SOURCE, segment: 0, part: 0, ...times }, Buffer.alloc(1)));
  await expect.poll(() => stream.isSilent).toBe(false);
  send(connected(false));
  await expect.poll(() => stream.isSilent).toBe(true);
  stream.close();
  await owner.close();
});
