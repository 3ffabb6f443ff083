import type { LiveLease } from '../../catalog/live/live-lease.ts';
import { type Period, slotOf } from '../../catalog/live/period-store.ts';
import type { Guid } from '../../lib/guid.ts';
import type { AccessUnit } from '../../media/live/access-unit.ts';
import { type FeedMessage, writeFeedFrame } from '../../media/live/feed-message.ts';
import type { LivePart, LiveSegment } from '../../media/live/part-writer.ts';
import { RecentSegments } from '../../media/live/recent-segments.ts';
import {
  type PackagedEvent,
  type PeriodPlace,
  type PeriodTracks,
  StreamPackager,
} from '../../media/live/stream-packager.ts';
import { WallClock } from '../../media/live/wall-clock.ts';
import type { Journal } from './journal.ts';
import type { SegmentCommitter } from './segment-committer.ts';
import type { StillMaker } from './still-maker.ts';

export type PeriodDeps = {
  journal: Journal;
  committer: SegmentCommitter;
  stills: StillMaker;
  /** Sends a frame to the edges that watch. */
  broadcast(frame: Buffer[]): void;
  report(error: Error): void;
  lost(): void;
};

/** Cuts that are remembered for segments that are still open somewhere. */
const MOST_CUTS = 600;

/** Writes the media of one period: packages, journals, sends to edges, stores. */
export class PeriodWriter {
  readonly period: Period;
  readonly #lease: LiveLease;
  readonly #deps: PeriodDeps;
  readonly #frameRate: number;
  readonly #packager: StreamPackager;
  readonly #recent = new RecentSegments();
  readonly #cuts = new Map<number, number>();
  readonly #commits = new Set<Promise<void>>();
  #wall = new WallClock();
  #segments: number;

  constructor(lease: LiveLease, media: { period: Period; tracks: PeriodTracks; place: PeriodPlace }, deps: PeriodDeps) {
    this.period = media.period;
    this.#lease = lease;
    this.#deps = deps;
    this.#frameRate = media.tracks.video?.frameRate ?? 0;
    this.#packager = new StreamPackager(media.tracks, media.place);
    this.#segments = media.place.segment;
  }

  /** The number of the next segment. */
  get nextSegment(): number {
    return this.#segments;
  }

  /** Segments that have no row yet. */
  get isStored(): boolean {
    return this.#commits.size === 0;
  }

  push(unit: AccessUnit): void {
    const packaged = this.#packager.push(unit);
    if (packaged === null) return;
    this.#wall.arrived(packaged.mediaMs, Date.now());
    for (const event of packaged.events) this.#take(event);
  }

  /** Ends what is open: the publisher is gone, or another period follows. The next frame goes on here. */
  flush(): void {
    for (const event of this.#packager.end()) this.#take(event);
    this.#wall = new WallClock();
  }

  /** Resolves when every closed segment has its row. */
  async settled(): Promise<void> {
    while (this.#commits.size > 0) await Promise.all(this.#commits);
  }

  /** All frames that an edge needs which knows nothing yet. */
  snapshot(): Buffer[] {
    const { renditions, ...period } = this.period;
    const described = renditions.map(({ init: _, codec: __, ...rendition }) => ({
      ...rendition,
      slot: slotOf(rendition),
    }));
    const place = { number: period.number, firstSequence: period.firstSequence, isPreview: period.isPreview };
    const frames = writeFeedFrame({
      type: 'period',
      period: { ...place, frameRate: this.#frameRate, renditions: described },
    });
    for (const { id, init } of renditions) frames.push(...writeFeedFrame({ type: 'init', renditionId: id }, init));
    const cuts = new Set<number>();
    for (const { renditionId, number, parts, isClosed, stored } of this.#recent.all()) {
      if (!cuts.has(number)) frames.push(...writeFeedFrame(this.#cutMessage(number)));
      cuts.add(number);
      for (const part of parts) frames.push(...partFrame(renditionId, part));
      if (isClosed) frames.push(...writeFeedFrame({ type: 'closed', renditionId, segment: number }));
      if (stored !== null) frames.push(...writeFeedFrame({ type: 'stored', renditionId, segment: number, ...stored }));
    }
    return frames;
  }

  #take(event: PackagedEvent): void {
    switch (event.type) {
      case 'cut':
        this.#cut(event.segment, this.#wall.wallMs(event.mediaMs));
        return;
      case 'part':
        this.#takePart(event.part);
        return;
      case 'segment':
        this.#takeSegment(event.segment);
    }
  }

  #cut(segment: number, wallMs: number): void {
    this.#cuts.set(segment, wallMs);
    this.#segments = Math.max(this.#segments, segment + 1);
    const oldest = this.#cuts.keys().next();
    if (this.#cuts.size > MOST_CUTS && !oldest.done) this.#cuts.delete(oldest.value);
    this.#deps.broadcast(writeFeedFrame(this.#cutMessage(segment)));
  }

  #cutMessage(segment: number): FeedMessage {
    return { type: 'cut', period: this.period.number, segment, wallMs: this.#cuts.get(segment) ?? 0 };
  }

  #takePart(part: LivePart): void {
    const renditionId = this.#renditionOf(part.kind);
    this.#recent.add(renditionId, part);
    this.#deps.broadcast(partFrame(renditionId, part));
    this.#deps.journal.append(this.#placeOf(renditionId, part.segment), part);
    if (part.kind === 'video' && part.part === 0 && part.isIndependent) this.#offerStill(renditionId, part);
  }

  #offerStill(renditionId: Guid, { segment, fragment }: LivePart): void {
    const init = this.period.renditions.find(({ id }) => id === renditionId)?.init;
    if (init === undefined) return;
    const bytes = Buffer.concat([fragment.head, fragment.payload]);
    const wallMs = this.#cuts.get(segment) ?? Date.now();
    this.#deps.stills.offer(this.#lease.key, { init, fragment: bytes, wallMs });
  }

  #takeSegment({ kind, segment }: LiveSegment): void {
    const renditionId = this.#renditionOf(kind);
    this.#recent.close(renditionId, segment.number);
    this.#deps.broadcast(writeFeedFrame({ type: 'closed', renditionId, segment: segment.number }));
    const place = this.#placeOf(renditionId, segment.number);
    this.#deps.journal.close(place);
    const commit = this.#commit(renditionId, segment)
      .catch((error: Error) => this.#deps.report(error))
      .finally(() => this.#commits.delete(commit));
    this.#commits.add(commit);
  }

  async #commit(renditionId: Guid, segment: LiveSegment['segment']): Promise<void> {
    const { journal, committer } = this.#deps;
    const place = this.#placeOf(renditionId, segment.number);
    const result = await committer.commit({ lease: this.#lease, renditionId, segment, wallMs: place.wallMs });
    if (result.kind === 'lost') {
      this.#deps.lost();
      return;
    }
    const stored = { storageKey: result.stored.storageKey, sizeBytes: result.stored.facts.sizeBytes };
    this.#recent.store(renditionId, segment.number, stored);
    this.#deps.broadcast(writeFeedFrame({ type: 'stored', renditionId, segment: segment.number, ...stored }));
    await journal.forget(journal.pathOf(place));
  }

  #placeOf(renditionId: Guid, segment: number) {
    const wallMs = this.#cuts.get(segment) ?? 0;
    return { streamId: this.#lease.key.mediaId, period: this.period.number, renditionId, segment, wallMs };
  }

  #renditionOf(kind: 'video' | 'audio'): Guid {
    const found = this.period.renditions.find((rendition) => rendition.kind === kind);
    if (found === undefined) throw new Error(`Expected a rendition of kind ${kind} in period ${this.period.number}.`);
    return found.id;
  }
}

function partFrame(renditionId: Guid, { segment, part, fragment, durationTicks, isIndependent }: LivePart): Buffer[] {
  const startTick = fragment.baseTick;
  const message = { type: 'part', renditionId, segment, part, startTick, durationTicks, isIndependent } as const;
  return writeFeedFrame(message, fragment.head, fragment.payload);
}
