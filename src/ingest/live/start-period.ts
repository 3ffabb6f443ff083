import type { MediaKey } from '../../catalog/db.ts';
import { loadLibrary } from '../../catalog/libraries/read-library-store.ts';
import type { LiveLease } from '../../catalog/live/live-lease.ts';
import type { LiveState } from '../../catalog/live/live-stream.ts';
import { type OpenPeriod, openPeriod, type Period } from '../../catalog/live/publishing/period-store.ts';
import { readEncodeSettings } from '../../jobs/planning/encode-settings.ts';
import { type LiveLadder, planLiveLadder } from '../../media/live/ladder/ladder-plan.ts';
import { type PeriodTracks, parametersOf } from '../../media/live/packaging/stream-packager.ts';
import type { TrackConfig } from '../../media/live/tracks/access-unit.ts';
import { isH264Entry } from '../../media/live/tracks/sample-entry.ts';
import type { Storage } from '../../ports/storage.ts';
import { periodRenditionOf } from './period-rendition.ts';
import { type PeriodDeps, PeriodWriter } from './period-writer.ts';
import { readStill, type Still } from './read-still.ts';

/** State of a stream when a process takes it over. `isRecovered`: everything that was sent to edges is stored. */
export type Before = { period: OpenPeriod | null; isRecovered: boolean };

/**
 * A stream that needs a new period, which follows the period of `writer`, or of `before` if there is no writer yet.
 * `now` returns the state of the stream and the arrival time of the first held media, which may change until the period
 * is opened.
 */
export type StreamFacts = {
  lease: LiveLease;
  before: Before;
  writer: PeriodWriter | null;
  now(): { state: LiveState; startMs: number };
};

export type StartDeps = PeriodDeps & {
  storage: Storage;
  /**
   * Creates the keys of a stream before its first media if its library encrypts samples. Resolves to true if the stream
   * has keys.
   */
  protect(key: MediaKey): Promise<boolean>;
};

/** Thrown if a publisher's video cannot be encrypted as its library requires. The publisher is disconnected. */
export class CannotEncrypt extends Error {}

/**
 * Returns the tracks of a publisher within a period. One that sends no video gets that of the period, whose last
 * keyframe is repeated.
 */
export function tracksIn(period: { video: TrackConfig | null }, tracks: PeriodTracks): PeriodTracks {
  return tracks.video === null ? { ...tracks, video: period.video } : tracks;
}

/** Returns whether a period can continue with these tracks in this state of the stream. */
export function fitsPeriod(
  { parameters, isPreview }: Pick<Period, 'parameters' | 'isPreview'>,
  tracks: PeriodTracks,
  state: LiveState,
): boolean {
  return parameters === parametersOf(tracks) && isPreview === (state !== 'running');
}

/**
 * Opens the next period of a stream, or continues the recovered one. If the publisher sends no video, the last keyframe
 * of the previous period is repeated. Throws CannotEncrypt and LeaseLost.
 */
export async function startPeriod(stream: StreamFacts, sent: PeriodTracks, deps: StartDeps): Promise<PeriodWriter> {
  const { lease, before, writer } = stream;
  const held = sent.video === null ? await stillOf(stream, deps) : null;
  const still = held?.key ?? null;
  const tracks = held === null ? sent : tracksIn(held, sent);
  const isProtected = await deps.protect(lease.key);
  if (isProtected && tracks.video !== null && !isH264Entry(tracks.video.sampleEntry)) {
    throw new CannotEncrypt(
      'Expected H.264 video, because the library encrypts its media, got another codec. Publish H.264.',
    );
  }
  const ladder = await planLadder(lease.key, tracks, deps);
  // The previous process may have sent parts of the next segment. Different media at the same URL would conflict with
  // caches and reuse initialisation vectors (NIST SP 800-38A, appendix B).
  const isUnwritten = before.isRecovered && !isProtected && writer === null;
  if (isUnwritten && before.period !== null && fitsPeriod(before.period, tracks, stream.now().state)) {
    const place = { segment: before.period.nextSegment, endMs: before.period.endMs, still };
    return new PeriodWriter(lease, { period: before.period, tracks, place, ladder }, deps);
  }
  const period = await openNext(stream, tracks, deps);
  return new PeriodWriter(lease, { period, tracks, place: { segment: 0, endMs: 0, still }, ladder }, deps);
}

/**
 * Returns the last keyframe of a stream: from memory, or from the store after a restart of this process. Returns null
 * for one from before the start, which viewers must not see.
 */
async function stillOf({ before, writer, now }: StreamFacts, deps: StartDeps): Promise<Still | null> {
  const last = writer?.period ?? before.period;
  if (last?.isPreview !== (now().state !== 'running')) return null;
  if (writer !== null) {
    const key = writer.lastKey();
    return key === null || writer.video === null ? null : { video: writer.video, key };
  }
  if (before.period === null) return null;
  return readStill(before.period, deps).catch((cause: unknown) => {
    deps.report(new Error('The last picture of a stream could not be read, so its audio continues alone.', { cause }));
    return null;
  });
}

async function openNext(
  { lease, before, writer, now }: StreamFacts,
  tracks: PeriodTracks,
  { db }: StartDeps,
): Promise<Period> {
  const last = writer?.period ?? before.period;
  const { state, startMs } = now();
  const isPreview = state !== 'running';
  const nextSegment = writer?.nextSegment ?? before.period?.nextSegment ?? 0;
  const firstSequence = last === null || last.isPreview !== isPreview ? 0 : last.firstSequence + nextSegment;
  const renditions = [tracks.video, tracks.audio].flatMap((track) =>
    track === null ? [] : [periodRenditionOf(track, 'pass-through')],
  );
  const wanted = { firstSequence, isPreview, parameters: parametersOf(tracks), startMs, renditions };
  const { widthPx = 0, heightPx = 0, frameRate = 0 } = tracks.video ?? {};
  return await openPeriod(db, lease, wanted, { widthPx, heightPx, frameRate });
}

async function planLadder(
  { libraryId }: MediaKey,
  { video, videoBps }: PeriodTracks,
  { db }: StartDeps,
): Promise<LiveLadder> {
  if (video === null) return { rungs: [], cores: 0 };
  const { settings } = await loadLibrary(db, libraryId);
  return planLiveLadder(video, readEncodeSettings(settings, {}).ladder, videoBps);
}
