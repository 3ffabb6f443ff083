import type { LiveSegment } from '../../src/media/live/packaging/part-writer.ts';
import { type PackagedEvent, StreamPackager } from '../../src/media/live/packaging/stream-packager.ts';
import { aacConfig } from '../../src/media/live/tracks/aac-config.ts';
import type { AccessUnit, TrackConfig } from '../../src/media/live/tracks/access-unit.ts';

export const AUDIO = aacConfig(Buffer.from([0x11, 0x90]));
const VIDEO: TrackConfig = { ...AUDIO, kind: 'video', timescale: 90_000, frameRate: 25, frameTicks: 0, silence: null };
const BOTH = { video: VIDEO, audio: AUDIO };
export const AUDIO_FRAME_MS = 1024 / 48;
export const SOUND = Buffer.alloc(20, 1);

/** Periods in which a track sends nothing, in ms of the publisher's clock. */
type Away = { audio?: readonly [number, number][]; video?: readonly [number, number][] };
export type Source = Away & {
  lengthMs: number;
  fromMs?: number;
  audioLateMs?: number;
  keyEveryMs?: number;
  rate?: number;
};

/** Returns frames with exact times, in the order in which a publisher sends them. */
export function media({
  lengthMs,
  fromMs = 0,
  audioLateMs = 0,
  keyEveryMs = 2_000,
  rate = 25,
  ...away
}: Source): AccessUnit[] {
  const isAway = (kind: 'audio' | 'video', ms: number) =>
    away[kind]?.some(([from, to]) => ms >= from && ms < to) ?? false;
  const video = Array.from({ length: (lengthMs * rate) / 1000 }, (_, index) => (index * 1000) / rate)
    .filter((ms) => !isAway('video', ms))
    .map((ms): AccessUnit => {
      const bytes = Buffer.alloc(100);
      bytes.writeUInt32BE(Math.round((ms * rate) / 1000));
      return { kind: 'video', dtsMs: fromMs + ms, ptsMs: fromMs + ms, isKey: ms % keyEveryMs === 0, bytes };
    });
  const audio = Array.from({ length: Math.floor(lengthMs / AUDIO_FRAME_MS) }, (_, index) => index * AUDIO_FRAME_MS)
    .filter((ms) => !isAway('audio', ms))
    .map((ms): AccessUnit => ({ kind: 'audio', dtsMs: fromMs + ms, ptsMs: fromMs + ms, isKey: true, bytes: SOUND }));
  const sentMs = ({ kind, dtsMs }: AccessUnit) => dtsMs + (kind === 'audio' ? audioLateMs : 0);
  return [...video, ...audio].toSorted((a, b) => sentMs(a) - sentMs(b));
}

type Sent = { unit: AccessUnit; edgesMs: { video: number; audio: number } };
type Packaged = { sent: Sent[]; events: PackagedEvent[] };

/**
 * Packages the media of several publishers, one after another. `sent` contains each frame, and the time up to which
 * each track had been packaged after it.
 */
export function packageAll(
  runs: readonly AccessUnit[][],
  tracks: ConstructorParameters<typeof StreamPackager>[0] = BOTH,
): Packaged {
  const packager = new StreamPackager(tracks, { segment: 0, endMs: 0 });
  const edgesMs = { video: 0, audio: 0 };
  const packaged: Packaged = { sent: [], events: [] };
  const take = (events: readonly PackagedEvent[]) => {
    for (const event of events) {
      packaged.events.push(event);
      if (event.type !== 'part') continue;
      const { kind, fragment, durationTicks } = event.part;
      edgesMs[kind] = ((fragment.baseTick + durationTicks) * 1000) / (kind === 'video' ? 90_000 : 48_000);
    }
  };
  for (const units of runs) {
    for (const unit of units) {
      take(packager.push(unit)?.events ?? []);
      packaged.sent.push({ unit, edgesMs: { ...edgesMs } });
    }
    take(packager.end());
  }
  return packaged;
}

export function segmentsOf({ events }: Packaged, kind: 'audio' | 'video'): LiveSegment['segment'][] {
  return events.flatMap((event) =>
    event.type === 'segment' && event.segment.kind === kind ? [event.segment.segment] : [],
  );
}

export type Sample = { startMs: number; endMs: number; bytes: Buffer };

export function samplesOf(packaged: Packaged, kind: 'audio' | 'video'): Sample[] {
  return segmentsOf(packaged, kind).flatMap(({ fragments, timescale }) =>
    fragments.flatMap(({ baseTick, samples, payload }) => {
      let tick = baseTick;
      let at = 0;
      return samples.map(({ durationTicks, sizeBytes }) => {
        const startMs = (tick * 1000) / timescale;
        tick += durationTicks;
        at += sizeBytes;
        return { startMs, endMs: (tick * 1000) / timescale, bytes: payload.subarray(at - sizeBytes, at) };
      });
    }),
  );
}

/** Returns the gaps between samples, in ms. */
export function holesOf(samples: readonly Sample[]): [number, number][] {
  return samples.flatMap(({ startMs }, index): [number, number][] => {
    const endMs = samples[index - 1]?.endMs ?? 0;
    return Math.abs(startMs - endMs) < 0.1 ? [] : [[endMs, startMs]];
  });
}
