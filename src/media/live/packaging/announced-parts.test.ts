import { expect, test } from 'vitest';
import { aacConfig } from '../tracks/aac-config.ts';
import type { AccessUnit, TrackConfig } from '../tracks/access-unit.ts';
import type { LivePart } from './part-writer.ts';
import { StreamPackager } from './stream-packager.ts';

const AUDIO = aacConfig(Buffer.from([0x11, 0x90]));
const VIDEO: TrackConfig = { ...AUDIO, kind: 'video', timescale: 90_000, frameRate: 25, frameTicks: 0, silence: null };
const FRAME_MS = 1024 / 48;

/** Returns frames of 12 s in the order of their times. The video pauses between `fromMs` and `toMs`. */
function media(keyEveryMs: number, [fromMs, toMs]: [number, number]): AccessUnit[] {
  const unit = (kind: 'audio' | 'video', dtsMs: number, isKey: boolean): AccessUnit => {
    return { kind, dtsMs, ptsMs: dtsMs, isKey, bytes: Buffer.alloc(20, 1) };
  };
  const video = Array.from({ length: 300 }, (_, index) => unit('video', index * 40, (index * 40) % keyEveryMs === 0));
  const audio = Array.from({ length: 562 }, (_, index) => unit('audio', index * FRAME_MS, true));
  const shown = video.filter(({ dtsMs }) => dtsMs < fromMs || dtsMs >= toMs);
  return [...shown, ...audio].toSorted((a, b) => a.dtsMs - b.dtsMs);
}

/** Returns the parts after which a playlist announced a part that never came, as `kind segment.part`. */
function wronglyAnnounced(units: readonly AccessUnit[], tracks: ConstructorParameters<typeof StreamPackager>[0]) {
  const packager = new StreamPackager(tracks, { segment: 0, endMs: 0 });
  const wrong: string[] = [];
  const announced = new Map<string, LivePart>();
  for (const events of units.map((unit) => packager.push(unit)?.events ?? [])) {
    const last = events.flatMap((event) => (event.type === 'segment' ? [event.segment.segment.fragments.at(-1)] : []));
    for (const event of events) {
      if (event.type !== 'part') continue;
      const { part } = event;
      const before = announced.get(part.kind);
      if (before !== undefined && before.segment !== part.segment)
        wrong.push(`${part.kind} ${before.segment}.${before.part}`);
      announced.delete(part.kind);
      if (!last.includes(part.fragment) && part.mayBeLast !== true) announced.set(part.kind, part);
    }
  }
  return wrong;
}

test.each<{ title: string; keyEveryMs: number; pause: [number, number]; tracks: { hasVideo: boolean } }>([
  { title: 'nothing pauses', keyEveryMs: 2_000, pause: [0, 0], tracks: { hasVideo: true } },
  { title: 'the video pauses', keyEveryMs: 2_000, pause: [4_000, 9_000], tracks: { hasVideo: true } },
  { title: 'parts of audio end where segments end', keyEveryMs: 1_640, pause: [0, 0], tracks: { hasVideo: true } },
  { title: 'there is no video', keyEveryMs: 2_000, pause: [0, 12_000], tracks: { hasVideo: false } },
])('every announced part follows if $title', ({ keyEveryMs, pause, tracks: { hasVideo } }) => {
  const tracks = { video: hasVideo ? VIDEO : null, audio: AUDIO };
  expect(wronglyAnnounced(media(keyEveryMs, pause), tracks)).toEqual([]);
});
