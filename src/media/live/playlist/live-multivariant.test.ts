import { expect, test } from 'vitest';
import { newGuid } from '../../../lib/guid.ts';
import type { FeedRendition } from './feed-message.ts';
import { LiveIndex } from './live-index.ts';
import { liveMultivariant } from './live-multivariant.ts';

const VIEW = { windowSec: 600, isPreview: false };
const WAYS = {
  addresses: { media: (id: string) => `${id}.m3u8`, iFrames: (id: string) => `${id}-i.m3u8` },
  listsIFrames: false,
  sessionKeys: () => [],
};

test.each([
  { title: 'first', order: [0, 1] },
  { title: 'last', order: [1, 0] },
])('a recording with a period of audio only plays as audio until the period has black video: $title', ({ order }) => {
  const [alone, sound, source, blank] = [
    rendition('audio'),
    rendition('audio'),
    rendition('source'),
    rendition('240p'),
  ];
  const index = new LiveIndex();
  const periods = [[alone], [source, sound]];
  order.forEach((from, number) => {
    addPeriod(index, number, periods[from] ?? []);
  });
  const listed = (isOver: boolean) => variantsOf(liveMultivariant(index, VIEW, { ...WAYS, isOver }) ?? '');
  const newestSound = order[1] === 1 ? sound : alone;
  expect(listed(true)).toEqual([newestSound.id]);
  // Viewers of a running stream see its newest period.
  expect(listed(false)).toEqual(order[1] === 1 ? [source.id, sound.id] : [alone.id]);
  addPeriod(index, order.indexOf(0), [blank]);
  expect(listed(true)).toEqual([source.id, newestSound.id]);
});

function variantsOf(text: string): string[] {
  return [...text.matchAll(/^(.*)\.m3u8$/gm)].map(([, id]) => id ?? '');
}

function rendition(slot: string): FeedRendition {
  const isAudio = slot === 'audio';
  const size = { widthPx: isAudio ? null : 320, heightPx: isAudio ? null : 180 };
  const rung = isAudio || slot === 'source' ? null : Number.parseInt(slot, 10);
  const shape = { kind: isAudio ? 'audio' : 'video', timescale: 1_000, rung, ivPrefix: 0, ...size } as const;
  return { id: newGuid(), slot, codecString: isAudio ? 'mp4a.40.2' : 'avc1.640028', keyGroup: 'sd', ...shape };
}

function addPeriod(index: LiveIndex, number: number, renditions: FeedRendition[]): void {
  const place = { number, firstSequence: number, isPreview: false, frameRate: 30, isLadderPending: false };
  index.addPeriod({ ...place, startMs: null, renditions });
  for (const { id } of renditions) {
    const times = { number: 0, startTick: 0, durationTicks: 2_000, wallMs: number * 2_000 };
    index.addRow({ renditionId: id, ...times, storageKey: id, sizeBytes: 1 });
  }
}
