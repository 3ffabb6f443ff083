import type { LiveHead } from '../../catalog/live/viewing/live-head.ts';
import type { StoredLive } from '../../catalog/live/viewing/live-media-store.ts';
import type { ViewerCount } from '../../catalog/live/viewing/stream-figures-store.ts';
import type { Publication } from '../../catalog/publications/publication.ts';
import type { Guid } from '../../lib/guid.ts';
import { logEvent } from '../../lib/log/log-event.ts';
import { metrics } from '../../lib/metrics/metrics.ts';
import type { DerivedSecret } from '../../lib/secret-ring.ts';
import { findSegment, isRung } from '../../media/live/playlist/live-index.ts';
import { WatchedStream } from './watched-stream.ts';

export type LiveSource = {
  /** Secret with which edges authenticate to stream owners. */
  secret: DerivedSecret<string>;
  /** Stores the viewer counts. */
  recordViewers(counts: readonly ViewerCount[]): Promise<void>;
  loadStored(key: { libraryId: number; mediaId: Guid }, windowSec: number): Promise<StoredLive>;
};

/** Time without requests after which a stream is dropped, in ms. */
const UNUSED_MS = 60_000;
const COUNT_EVERY_SEC = 10;
/** Number of segments with which the video of a stream is listed (`canList`), the open one included. */
const MIN_SEGMENTS = 3;
const MAX_STREAMS = 1_000;

/** Live streams that are watched at this edge. Each stream has one feed, regardless of its number of viewers. */
export class LiveStreams {
  readonly #source: LiveSource;
  readonly #watched = new Map<Guid, WatchedStream>();
  readonly #timer: NodeJS.Timeout;

  constructor(source: LiveSource) {
    this.#source = source;
    this.#timer = setInterval(() => {
      this.#countViewers();
      this.#dropUnused();
    }, COUNT_EVERY_SEC * 1000);
    this.#timer.unref();
  }

  /** Returns the local state of a stream, or null if this edge already watches the maximum number. */
  async watch({ libraryId, mediaId }: Publication, head: LiveHead): Promise<WatchedStream | null> {
    let stream = this.#watched.get(mediaId);
    if (stream === undefined) {
      if (this.#watched.size >= MAX_STREAMS) return null;
      stream = new WatchedStream(mediaId, head, {
        secret: this.#source.secret,
        loadStored: (windowSec) => this.#source.loadStored({ libraryId, mediaId }, windowSec),
        warn: (error, message) => logEvent('live-feed.lost', { err: error, streamGuid: mediaId, reason: message }),
      });
      this.#watched.set(mediaId, stream);
    }
    stream.update(head);
    try {
      await stream.ready;
    } catch (error) {
      // The stream's state is unknown. The next viewer's request tries again.
      this.#watched.delete(mediaId);
      stream.close();
      throw error;
    }
    return stream;
  }

  /**
   * Returns the length of a segment or part of the video, or of the audio if there is no video. Returns null for other
   * files.
   */
  watchedLengthMs(
    mediaId: Guid,
    { renditionId, segment, part }: { renditionId: Guid; segment: number; part: number | null },
  ): number | null {
    const found = this.#watched.get(mediaId)?.index.findRendition(renditionId);
    if (found === undefined || found === null) return null;
    const hasVideo = found.period.renditions.some(({ kind }) => kind === 'video');
    if (hasVideo !== (found.rendition.kind === 'video')) return null;
    const piece = findSegment(found.rendition.segments, segment);
    const ticks = (part === null ? piece : piece?.parts[part])?.durationTicks;
    return ticks === undefined ? null : (ticks / found.rendition.timescale) * 1000;
  }

  /** Returns whether no new media of a stream arrives at this edge. Null if the edge does not know. */
  isSilent(mediaId: Guid): boolean | null {
    return this.#watched.get(mediaId)?.isSilent ?? null;
  }

  /**
   * Returns the ids of the video of a stream's newest period. Empty if it has none yet, or if the edge does not know.
   */
  videoOf(mediaId: Guid): Guid[] {
    const newest = this.#watched.get(mediaId)?.index.periods.at(-1);
    const videos = newest?.renditions.filter(({ kind, slot }) => kind === 'video' && !isRung(slot)) ?? [];
    return videos.filter(({ segments }) => segments.length >= MIN_SEGMENTS).map(({ id }) => id);
  }

  close(): void {
    clearInterval(this.#timer);
    for (const stream of this.#watched.values()) stream.close();
    this.#watched.clear();
  }

  #countViewers(): void {
    const nowMs = Date.now();
    const counts = [...this.#watched].flatMap(([streamId, stream]): ViewerCount[] => {
      const viewers = stream.index.hasEnded ? 0 : stream.viewers.count(nowMs);
      return viewers === 0 ? [] : [{ streamId, viewers, watchedSec: viewers * COUNT_EVERY_SEC }];
    });
    metrics.liveViewers.set(counts.reduce((sum, { viewers }) => sum + viewers, 0));
    if (counts.length === 0) return;
    // A count that cannot be stored is dropped, which is acceptable for a statistic.
    this.#source.recordViewers(counts).catch((error: unknown) => {
      logEvent('live-viewers.uncounted', { err: error });
    });
  }

  #dropUnused(): void {
    const oldest = Date.now() - UNUSED_MS;
    for (const [mediaId, stream] of this.#watched) {
      if (stream.lastUsedMs > oldest) continue;
      stream.close();
      this.#watched.delete(mediaId);
    }
  }
}
