import { expect, test } from 'vitest';
import { newGuid } from '../../src/lib/guid.ts';
import { writePlaylist } from '../../src/media/hls/playlist.ts';
import type { FeedRendition } from '../../src/media/live/playlist/feed-message.ts';
import { LiveIndex } from '../../src/media/live/playlist/live-index.ts';
import { livePlaylist } from '../../src/media/live/playlist/live-playlist.ts';
import { checkReloads } from '../support/rfc8216/live/check-reloads.ts';

const SEGMENT_SEC = 2;
const PERIOD_SEGMENTS = 1_000;
const NONE = Buffer.alloc(0);

type Window = { index: LiveIndex; rendition: FeedRendition; text(isDelta: boolean): string };

/**
 * Returns the playlist window of `hours` hours over `periods` stored periods. Each period lacks one segment. The stream
 * has not ended, so tests can append parts to the last period.
 */
function openWindow(hours: number, periods: number): Window {
  const index = new LiveIndex();
  const [first, ...others] = Array.from({ length: periods }, (_, number) => addPeriod(index, number));
  if (first === undefined) throw new Error('Expected a period.');
  const rendition = others.at(-1) ?? first;
  const view = { windowSec: hours * 3600, isPreview: false };
  const protection = { folder: (id: string) => `../${id}/`, hasParts: true, keys: () => [] };
  const asked = { slot: 'source', folder: rendition.id, view, hasEnded: false, endSequence: null, protection };
  return { index, rendition, text: (isDelta) => writePlaylist(livePlaylist(index, { ...asked, isDelta }) ?? []) };
}

function addPeriod(index: LiveIndex, number: number): FeedRendition {
  const plain = { rung: null, codecString: '', timescale: 1_000, widthPx: null, heightPx: null } as const;
  const rendition = { id: newGuid(), kind: 'video', slot: 'source', ...plain, keyGroup: 'sd', ivPrefix: 0 } as const;
  const firstSequence = number * PERIOD_SEGMENTS;
  const place = { number, firstSequence, isPreview: false, frameRate: 30, isLadderPending: false, startMs: null };
  index.addPeriod({ ...place, renditions: [rendition] });
  for (let segment = 0; segment < PERIOD_SEGMENTS; segment += 1) {
    const wallMs = (firstSequence + segment) * SEGMENT_SEC * 1_000;
    const times = { startTick: segment * SEGMENT_SEC * 1_000, durationTicks: SEGMENT_SEC * 1_000, wallMs };
    const stored = { storageKey: `${rendition.id}/${segment}`, sizeBytes: 1 };
    if (segment !== 500) index.addRow({ renditionId: rendition.id, number: segment, ...times, ...stored });
  }
  return rendition;
}

function addPart({ index, rendition: { id } }: Window, segment: number, part: number): void {
  const startTick = segment * SEGMENT_SEC * 1_000 + part * 250;
  index.apply({ message: { type: 'cut', period: 5, segment, wallMs: (5_000 + segment) * 2_000 }, bytes: NONE });
  const place = { renditionId: id, segment, part, startTick, durationTicks: 250, samples: 6 };
  index.apply({ message: { type: 'part', ...place, isIndependent: part === 0 }, bytes: Buffer.alloc(1) });
}

test('a three-hour DVR window over several periods slides, and reloads only its newest segments', () => {
  const window = openWindow(3, 6);
  const texts = [window.text(false)];
  for (let segment = PERIOD_SEGMENTS; segment < PERIOD_SEGMENTS + 12; segment += 1) {
    for (let part = 0; part < 8; part += 1) {
      addPart(window, segment, part);
      const delta = window.text(true);
      texts.push(delta);
      expect(delta.length).toBeLessThan(6_000);
    }
    window.index.apply({ message: { type: 'closed', renditionId: window.rendition.id, segment }, bytes: NONE });
  }
  const whole = window.text(false);
  texts.push(whole);
  expect(whole.match(/#EXTINF/g)).toHaveLength((3 * 3600) / SEGMENT_SEC);
  expect(whole.match(/#EXT-X-MEDIA-SEQUENCE:(\d+)/)?.[1]).toBe(`${6 * PERIOD_SEGMENTS + 12 - 5_400}`);
  // A segment without a URL or parts has no date yet.
  expect(checkReloads(texts)).toEqual([]);
});
