import type { Db } from '../../catalog/db.ts';
import type { LiveLease } from '../../catalog/live/live-lease.ts';
import type { LadderState } from '../../catalog/live/live-stream.ts';
import { type PeriodRendition, slotOf } from '../../catalog/live/publishing/period-rendition-store.ts';
import { addRungs, type Period } from '../../catalog/live/publishing/period-store.ts';
import type { Guid } from '../../lib/guid.ts';
import type { SegmentFragment } from '../../media/cmaf/segment.ts';
import type { LiveLadder } from '../../media/live/ladder/ladder-plan.ts';
import type { LivePart, LiveSegment } from '../../media/live/packaging/part-writer.ts';
import { RecentSegments } from '../../media/live/packaging/recent-segments.ts';
import {
  type PackagedEvent,
  type PeriodPosition,
  type PeriodTracks,
  StreamPackager,
} from '../../media/live/packaging/stream-packager.ts';
import { targetFor } from '../../media/live/packaging/video-packager.ts';
import { type FeedMessage, writeFeedFrame } from '../../media/live/playlist/feed-message.ts';
import { WallClock } from '../../media/live/recording/wall-clock.ts';
import { type AccessUnit, type TrackConfig, VIDEO_TIMESCALE } from '../../media/live/tracks/access-unit.ts';
import type { CoreBudget } from './core-budget.ts';
import type { Journal } from './journal.ts';
import { partFrame } from './part-frame.ts';
import { periodRenditionOf } from './period-rendition.ts';
import type { SegmentCommitter } from './segment-committer.ts';
import type { StillMaker } from './still-maker.ts';
import { StreamLadder } from './stream-ladder.ts';

export type PeriodDeps = {
  db: Db;
  budget: CoreBudget;
  journal: Journal;
  committer: SegmentCommitter;
  stills: StillMaker;
  /** Sends a feed frame to the subscribed edges. */
  broadcast(frame: Buffer[]): void;
  report(error: Error): void;
  lost(): void;
};

/** A period, its tracks, its position, and its ladder of encoded rungs. */
export type PeriodMedia = { period: Period; tracks: PeriodTracks; place: PeriodPosition; ladder: LiveLadder };

/** Time in ms for which a source segment waits for the segments with the same number, to be stored with them. */
const SOURCE_PATIENCE_MS = 300;
/**
 * Time in ms for which a late segment of a rung waits for the next segment of the source, to be stored with it. A lost
 * one is encoded again from the source.
 */
const RUNG_PATIENCE_MS = 4_000;
/** Maximum number of cuts that are stored for open segments. */
const MAX_CUTS = 600;

/** Writes the media of one period: packages it, writes it to the journal, sends it to edges and stores it. */
export class PeriodWriter {
  #period: Period;
  readonly #lease: LiveLease;
  readonly #deps: PeriodDeps;
  readonly video: TrackConfig | null;
  readonly #packager: StreamPackager;
  readonly #recent = new RecentSegments();
  readonly #cuts = new Map<number, number>();
  readonly #commits = new Set<Promise<void>>();
  readonly #ladder: StreamLadder | null;
  #isLadderPending: boolean;
  #wall = new WallClock();
  /** Target duration in seconds: the one that the encoder declares, or the longest segment so far. */
  #targetSec: number;
  #segments: number;

  constructor(lease: LiveLease, media: PeriodMedia, deps: PeriodDeps) {
    this.#period = media.period;
    this.#lease = lease;
    this.#deps = deps;
    this.video = media.tracks.video;
    this.#packager = new StreamPackager(media.tracks, media.place);
    this.#segments = media.place.segment;
    this.#targetSec = targetFor(media.tracks.longestGopSec ?? 0);
    this.#ladder = this.#openLadder(media);
    this.#isLadderPending = this.#ladder !== null && this.#rungs().length === 0;
  }

  get period(): Period {
    return this.#period;
  }

  /** Returns the last keyframe of the period, or null if there is none. */
  readonly lastKey = (): Buffer | null => this.#packager.lastKey();

  /** State of the period's rungs. */
  get ladder(): LadderState {
    return this.#ladder?.state ?? { kind: 'none', reason: null, rungs: [] };
  }

  /** Number of the next segment. */
  get nextSegment(): number {
    return this.#segments;
  }

  /** Whether every segment has its row and no rung is still encoding. */
  get isStored(): boolean {
    return this.#commits.size === 0 && (this.#ladder?.isIdle ?? true);
  }

  /** `isAlone`: the publisher sends no video. The last keyframe of the period is repeated. */
  push(unit: AccessUnit, isAlone: boolean): void {
    const packaged = this.#packager.push(unit, isAlone && this.video !== null);
    if (packaged === null) return;
    this.#wall.arrived(packaged.mediaMs, Date.now());
    this.#takeAll(packaged.events);
  }

  /** Ends the open segments, because the publisher disconnected or another period follows. */
  flush(): void {
    this.#takeAll(this.#packager.end());
    this.#wall = new WallClock();
  }

  /** Resolves when every closed segment has its row. */
  async settled(): Promise<void> {
    await this.#ladder?.settled();
    this.#deps.committer.hurry(this.#lease.key.mediaId);
    while (this.#commits.size > 0) await Promise.all(this.#commits);
  }

  /** Returns all feed frames that a new edge needs. */
  snapshot(): Buffer[] {
    const frames = this.#description();
    const recent = this.#recent.all();
    // Includes the open segment even without a part: edges date a segment by its first part.
    const oldest = recent[0]?.number ?? this.#segments - 1;
    for (const segment of this.#cuts.keys())
      if (segment >= oldest) frames.push(...writeFeedFrame(this.#cutMessage(segment)));
    for (const { renditionId, number, parts, isClosed, stored } of recent) {
      for (const part of parts) frames.push(...partFrame(renditionId, part));
      if (isClosed) frames.push(...writeFeedFrame({ type: 'closed', renditionId, segment: number }));
      if (stored !== null) frames.push(...writeFeedFrame({ type: 'stored', renditionId, segment: number, ...stored }));
    }
    return frames;
  }

  /** Returns feed frames with the period, its renditions and their init segments. */
  #description(): Buffer[] {
    const { number, firstSequence, isPreview, startMs, renditions } = this.#period;
    const described = renditions.map((rendition) => {
      const { init: _, codec: __, origin: ___, ...plain } = rendition;
      return { ...plain, slot: slotOf(rendition) };
    });
    const place = { number, firstSequence, isPreview, startMs, isLadderPending: this.#isLadderPending };
    const shape = { frameRate: this.video?.frameRate ?? 0, targetSec: this.#targetSec };
    const frames = writeFeedFrame({ type: 'period', period: { ...place, ...shape, renditions: described } });
    for (const { id, init } of renditions) frames.push(...writeFeedFrame({ type: 'init', renditionId: id }, init));
    return frames;
  }

  #takeAll(events: readonly PackagedEvent[]): void {
    const lastParts = new Set(
      events.flatMap((event) => (event.type === 'segment' ? [event.segment.segment.fragments.at(-1)] : [])),
    );
    for (const event of events) this.#take(event, lastParts);
  }

  #take(event: PackagedEvent, lastParts: ReadonlySet<SegmentFragment | undefined>): void {
    switch (event.type) {
      case 'cut':
        this.#cut(event.segment, this.#wall.segmentMs(event.mediaMs));
        this.#ladder?.cut(event.segment, Math.round((event.mediaMs * VIDEO_TIMESCALE) / 1000));
        return;
      case 'frame':
        this.#ladder?.frame(event.frame);
        return;
      case 'end':
        this.#ladder?.end(event.tick);
        return;
      case 'part':
        this.#takePart(this.#source(event.part.kind).id, event.part, lastParts.has(event.part.fragment));
        if (event.part.kind === 'video' && event.part.part === 0 && event.part.isIndependent)
          this.#offerStill(event.part);
        return;
      case 'segment':
        this.#takeSegment(this.#source(event.segment.kind).id, event.segment);
    }
  }

  #openLadder({ tracks: { video }, ladder }: PeriodMedia): StreamLadder | null {
    if (video === null || ladder.rungs.length === 0) return null;
    const known = this.#rungs();
    const fits = known.every(({ rung }, index) => rung === ladder.rungs[index]?.rung);
    if (!fits || (known.length > 0 && known.length !== ladder.rungs.length)) return null;
    // The renditions of the rungs exist before their first media arrives.
    const at = (rung: number) => this.#rungs()[rung]?.id as Guid;
    return new StreamLadder(
      { source: video, ladder, isOpen: known.length > 0 },
      {
        budget: this.#deps.budget,
        open: (configs) => this.#openRungs(configs, ladder),
        part: (rung, part, isLast) => this.#takePart(at(rung), part, isLast),
        segment: (rung, segment) => this.#takeSegment(at(rung), segment),
        gap: (rung, segment) => this.#takeGap(at(rung), segment),
        settled: () => this.#ladderSettled(),
        report: this.#deps.report,
      },
    );
  }

  #rungs(): PeriodRendition[] {
    return this.#period.renditions.filter(({ origin }) => origin === 'encode');
  }

  async #openRungs(configs: readonly TrackConfig[], ladder: LiveLadder): Promise<boolean> {
    const known = this.#rungs();
    const made = configs.map((config, index) => ({
      ...periodRenditionOf(config, 'encode'),
      rung: ladder.rungs[index]?.rung ?? 0,
    }));
    if (known.length > 0) return made.every(({ init }, index) => known[index]?.init.equals(init) === true);
    const added = await addRungs(this.#deps.db, this.#lease, this.#period.timelineId, made);
    this.#period = { ...this.#period, renditions: [...this.#period.renditions, ...added] };
    this.#isLadderPending = false;
    this.#deps.broadcast(this.#description());
    return true;
  }

  #ladderSettled(): void {
    if (!this.#isLadderPending) return;
    this.#isLadderPending = false;
    this.#deps.broadcast(this.#description());
  }

  #cut(segment: number, wallMs: number): void {
    this.#cuts.set(segment, wallMs);
    this.#segments = Math.max(this.#segments, segment + 1);
    const oldest = this.#cuts.keys().next();
    if (this.#cuts.size > MAX_CUTS && !oldest.done) this.#cuts.delete(oldest.value);
    this.#deps.broadcast(writeFeedFrame(this.#cutMessage(segment)));
  }

  #cutMessage(segment: number): FeedMessage {
    return { type: 'cut', period: this.#period.number, segment, wallMs: this.#cuts.get(segment) ?? 0 };
  }

  #takePart(renditionId: Guid, part: LivePart, isLast: boolean): void {
    this.#recent.add(renditionId, part);
    this.#deps.broadcast(partFrame(renditionId, part, isLast));
    this.#deps.journal.append(this.#placeOf(renditionId, part.segment), part);
  }

  #offerStill({ segment, fragment }: LivePart): void {
    const [{ init }, wallMs] = [this.#source('video'), this.#cuts.get(segment) ?? Date.now()];
    const bytes = Buffer.concat([fragment.head, fragment.payload]);
    this.#deps.stills.offer(this.#lease.key, { init, fragment: bytes, wallMs });
  }

  #takeSegment(renditionId: Guid, { segment }: LiveSegment): void {
    this.#recent.close(renditionId, segment.number);
    this.#targetSec = Math.max(this.#targetSec, Math.round(segment.durationTicks / segment.timescale));
    this.#deps.broadcast(writeFeedFrame({ type: 'closed', renditionId, segment: segment.number }));
    this.#deps.journal.close(this.#placeOf(renditionId, segment.number));
    const commit = this.#commit(renditionId, segment)
      .catch((error: Error) => this.#deps.report(error))
      .finally(() => this.#commits.delete(commit));
    this.#commits.add(commit);
  }

  #takeGap(renditionId: Guid, segment: number): void {
    this.#recent.drop(renditionId, segment);
    this.#deps.broadcast(writeFeedFrame({ type: 'gap', renditionId, segment }));
    const { journal, report } = this.#deps;
    journal.forget(journal.pathOf(this.#placeOf(renditionId, segment))).catch(report);
  }

  async #commit(renditionId: Guid, segment: LiveSegment['segment']): Promise<void> {
    const { journal, committer } = this.#deps;
    const place = this.#placeOf(renditionId, segment.number);
    const { renditions } = this.#period;
    const isRung = renditions.some(({ id, origin }) => id === renditionId && origin === 'encode');
    const waits = { patienceMs: isRung ? RUNG_PATIENCE_MS : SOURCE_PATIENCE_MS, company: renditions.length };
    const closed = { lease: this.#lease, renditionId, segment, wallMs: place.wallMs };
    const result = await committer.commit(closed, waits);
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
    return { streamId: this.#lease.key.mediaId, period: this.#period.number, renditionId, segment, wallMs };
  }

  #source(kind: 'video' | 'audio'): Period['renditions'][number] {
    const found = this.#period.renditions.find((one) => one.kind === kind && one.origin !== 'encode');
    if (found === undefined) throw new Error(`Expected a rendition of kind ${kind} in period ${this.#period.number}.`);
    return found;
  }
}
