import { newGuid } from '../../../src/lib/guid.ts';
import { writePlaylist } from '../../../src/media/hls/playlist.ts';
import type { FeedRendition } from '../../../src/media/live/playlist/feed-message.ts';
import { LiveIndex } from '../../../src/media/live/playlist/live-index.ts';
import { livePlaylist } from '../../../src/media/live/playlist/live-playlist.ts';
import { holdsMedia, newestOf } from '../../../src/media/live/playlist/newest-media.ts';
import type { Measurement } from '../report.ts';

const SEGMENT_SEC = 2;
const RELOADS = 300;
const SLOTS = ['source', '720p', '480p', '360p', '240p', 'audio'];

/**
 * Measures the CPU time of an edge per new part, which is added to the index and written to the delta update of each
 * rendition.
 */
export function measureReload(): Measurement {
  // Warm up both cases before either is measured.
  const [long, short] = [makeIndex(12 * 3600), makeIndex(60)];
  for (const one of [long, short]) reload(one, 50);
  const [baseline, ours] = [short, long].map((one) => reload(one, RELOADS));
  const name = 'reload, 12 h of 6 renditions against 1 min';
  return { name, ours: ours ?? 0, baseline: baseline ?? 1, bar: 1.5, unit: 'cpu-ms' };
}

type Seeded = { index: LiveIndex; renditions: FeedRendition[]; segment: number; part: number; windowSec: number };

function makeIndex(windowSec: number): Seeded {
  const index = new LiveIndex();
  const renditions = SLOTS.map(makeRendition);
  index.addPeriod({
    number: 0,
    firstSequence: 0,
    isPreview: false,
    frameRate: 30,
    isLadderPending: false,
    startMs: null,
    renditions,
  });
  const segments = windowSec / SEGMENT_SEC;
  for (const { id, timescale } of renditions) {
    for (let number = 0; number < segments; number += 1) {
      const times = {
        startTick: number * SEGMENT_SEC * timescale,
        durationTicks: SEGMENT_SEC * timescale,
        wallMs: number * 2e3,
      };
      index.addRow({ renditionId: id, number, ...times, storageKey: `${id}/${number}`, sizeBytes: 650_000 });
    }
  }
  return { index, renditions, segment: segments, part: 0, windowSec };
}

/** Returns CPU milliseconds per reload. */
function reload(seeded: Seeded, count: number): number {
  const { index, renditions, windowSec } = seeded;
  const view = { windowSec, isPreview: false };
  const protection = { folder: () => '', hasParts: true, keys: () => [] };
  const before = process.cpuUsage();
  for (let at = 0; at < count; at += 1) {
    for (const { id, slot, timescale } of renditions) {
      addPart(seeded, id, timescale);
      const wanted = { sequence: seeded.segment, part: seeded.part };
      if (!holdsMedia(newestOf(index, slot, { ...view, hasParts: true }), wanted))
        throw new Error('Expected the part that was added, got none.');
      const asked = { slot, folder: id, view, isDelta: true, hasEnded: false, endSequence: null, protection };
      const text = writePlaylist(livePlaylist(index, asked) ?? []);
      if (!text.includes('#EXT-X-PRELOAD-HINT')) throw new Error('Expected a playlist with a preload hint, got none.');
    }
    index.trim((windowSec + 60) * 1000, seeded.segment * 2000);
    seeded.part += 1;
    if (seeded.part < 8) continue;
    for (const { id } of renditions) {
      index.apply({ message: { type: 'closed', renditionId: id, segment: seeded.segment }, bytes: Buffer.alloc(0) });
    }
    seeded.segment += 1;
    seeded.part = 0;
  }
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000 / count / renditions.length;
}

function addPart({ index, segment, part }: Seeded, renditionId: FeedRendition['id'], timescale: number): void {
  const durationTicks = timescale / 4;
  const startTick = segment * SEGMENT_SEC * timescale + part * durationTicks;
  const place = { renditionId, segment, part, startTick, durationTicks, samples: 7, isIndependent: part === 0 };
  index.apply({ message: { type: 'cut', period: 0, segment, wallMs: segment * 2000 }, bytes: Buffer.alloc(0) });
  index.apply({ message: { type: 'part', ...place }, bytes: Buffer.alloc(1) });
}

function makeRendition(slot: string): FeedRendition {
  const kind = slot === 'audio' ? ('audio' as const) : ('video' as const);
  const rung = slot.endsWith('p') ? Number.parseInt(slot, 10) : null;
  const plain = { widthPx: null, heightPx: null, keyGroup: 'sd', ivPrefix: 0 } as const;
  return { id: newGuid(), kind, slot, rung, codecString: '', timescale: kind === 'audio' ? 48_000 : 90_000, ...plain };
}
