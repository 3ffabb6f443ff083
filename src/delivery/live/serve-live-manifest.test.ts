import { expect, test } from 'vitest';
import type { StoredLive } from '../../catalog/live/viewing/live-media-store.ts';
import type { Publication } from '../../catalog/publications/publication.ts';
import { newGuid } from '../../lib/guid.ts';
import { createSecretBox } from '../../lib/secret-box.ts';
import { buildLiveInit } from '../../media/live/packaging/period-init.ts';
import { aacConfig } from '../../media/live/tracks/aac-config.ts';
import type { TrackConfig } from '../../media/live/tracks/access-unit.ts';
import { avcConfig } from '../../media/live/tracks/video-config.ts';
import { PackageKeys } from '../drm/package-keys.ts';
import { serveLiveManifest } from './serve-live-manifest.ts';
import { type LiveMediaDeps, serveLiveMedia } from './serve-live-media.ts';
import { WatchedStream } from './watched-stream.ts';

const RECORD = '0142c00affe100156742c00ada11ec0440000003004000000c83c489a801000468ce0fc8';
const PICTURES = avcConfig(Buffer.from(RECORD, 'hex'), 25);
const SOUND = aacConfig(Buffer.from('1190', 'hex'));
const mediaId = newGuid();
/** Contains only the fields of a publication that a clear manifest needs. */
const publication = { mediaId, packages: [], settings: { drm: 'none' } } as unknown as Publication;
const view = { windowSec: 600, isPreview: false };
const VIEW = { publication, view, licenceUrl: '' };

/** Returns a stream of stored 2 s segments: one period with three of them and one with two. */
async function watch(): Promise<WatchedStream> {
  const stored: StoredLive = { periods: [], segments: [] };
  addPeriod(stored, 0, 3);
  addPeriod(stored, 1, 2);
  const ended = {
    state: 'ended',
    isPublic: true,
    feedUrl: null,
    isInterrupted: false,
    hasBegun: true,
    startsAtMs: null,
    trailerId: null,
    extent: null,
  } as const;
  const head = { ...ended, dvrWindowSec: 600 };
  const deps = { secret: () => [''] as const, loadStored: async () => stored, warn: () => undefined };
  const stream = new WatchedStream(mediaId, head, deps);
  await stream.ready;
  return stream;
}

function addPeriod({ periods, segments }: StoredLive, number: number, count: number): void {
  const tracks = [PICTURES, SOUND].map((track) => ({ track, id: newGuid() }));
  const renditions = tracks.map(({ track, id }) => describe(track, id));
  const period = {
    number,
    firstSequence: number * 3,
    isPreview: false,
    frameRate: 25,
    isLadderPending: false,
    startMs: null,
    renditions,
  };
  const inits = new Map(tracks.map(({ track, id }) => [id, buildLiveInit(track).init]));
  periods.push({ period, inits, retired: new Set() });
  for (const { track, id } of tracks) {
    for (let segment = 0; segment < count; segment += 1) {
      const times = { startTick: 2 * segment * track.timescale, durationTicks: 2 * track.timescale };
      const place = { storageKey: '1/a/b/0-1.cmaf', sizeBytes: 1_000 };
      const wallMs = 1_800_000_000_000 + number * 60_000 + segment * 2_000;
      segments.push({ renditionId: id, number: segment, ...times, wallMs, ...place });
    }
  }
}

function describe({ kind, timescale, widthPx, heightPx }: TrackConfig, id: ReturnType<typeof newGuid>) {
  const isVideo = kind === 'video';
  const size = { widthPx: isVideo ? widthPx : null, heightPx: isVideo ? heightPx : null };
  const keys = { keyGroup: isVideo ? 'sd' : 'audio', ivPrefix: 1 } as const;
  const codecString = isVideo ? 'avc1.42c00a' : 'mp4a.40.2';
  return { id, kind, slot: isVideo ? 'source' : 'audio', rung: null, codecString, timescale, ...size, ...keys };
}

async function write(hasEnded: boolean): Promise<string> {
  const answer = await serveLiveManifest(
    await watch(),
    { ...VIEW, hasEnded },
    new PackageKeys(createSecretBox(Buffer.alloc(32, 7))),
  );
  if (answer.kind !== 'bytes') throw new Error('Expected a response with a manifest.');
  return answer.bytes.toString();
}

test('the manifest of a recording is static and its Periods are contiguous', async () => {
  const text = await write(true);
  expect(text).toContain('type="static" mediaPresentationDuration="PT10S"');
  expect(text.match(/<Period [^>]*>/g)).toEqual(['<Period id="0" start="PT0S">', '<Period id="1" start="PT6S">']);
  expect(text.match(/<AdaptationSet /g)).toHaveLength(4);
  expect(text.match(/<S t="0" d="180000" r="\d"\/>/g)).toEqual([
    '<S t="0" d="180000" r="2"/>',
    '<S t="0" d="180000" r="1"/>',
  ]);
});

test('the manifest of a running stream is dynamic and its Periods start at their capture times', async () => {
  const text = await write(false);
  expect(text).toContain('type="dynamic"');
  expect(text).toContain('timeShiftBufferDepth="PT600S"');
  const starts = [...text.matchAll(/<Period id="\d" start="PT([\d.]+)S"/g)].map(([, sec]) => Number(sec));
  expect((starts[1] ?? 0) - (starts[0] ?? 0)).toBeCloseTo(60, 3);
  // Audio begins up to a frame later than video, so a Period starts when both are present.
  expect(new Set(text.match(/presentationTimeOffset="\d+"/g))).toEqual(
    new Set(['presentationTimeOffset="4500"', 'presentationTimeOffset="2400"']),
  );
  expect(text.match(/<S t="\d+" d="\d+"/g)?.slice(0, 2)).toEqual(['<S t="4500" d="175500"', '<S t="2400" d="93600"']);
  expect(await write(true)).not.toContain('presentationTimeOffset="4500"');
});

test.each([
  { what: 'a segment known to be missing', part: null, hasEnded: false },
  { what: 'the next segment after the end', part: null, hasEnded: true },
  { what: 'the next part after the end', part: 0, hasEnded: true },
])('does not wait for $what', async ({ part, hasEnded }) => {
  const stream = await watch();
  const renditionId = stream.index.periods[1]?.renditions[0]?.id ?? newGuid();
  const message = hasEnded ? ({ type: 'end' } as const) : ({ type: 'gap', renditionId, segment: 2 } as const);
  stream.index.apply({ message, bytes: Buffer.alloc(0) });
  const place = { renditionId, protection: { kind: 'clear' }, segment: 2 } as const;
  const file = part === null ? ({ kind: 'segment', ...place } as const) : ({ kind: 'part', part, ...place } as const);
  // Only a waiting response needs the disconnect signal, and a clear response needs no other dependency.
  const leave = () => {
    throw new Error('Expected a response without waiting.');
  };
  const answer = await serveLiveMedia(stream, { publication, file, leave }, {} as LiveMediaDeps);
  const code = part === null ? 'unknown-segment' : 'unknown-part';
  expect(answer).toMatchObject({ kind: 'problem', problem: { status: 404, code } });
});
