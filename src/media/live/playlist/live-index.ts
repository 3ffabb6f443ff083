import type { Guid } from '../../../lib/guid.ts';
import type { FeedFrame, FeedMessage, FeedPeriod, FeedRendition } from './feed-message.ts';

/** A partial segment and its bytes, which are null once the segment is stored and the bytes were released. */
export type IndexedPart = {
  startTick: number;
  durationTicks: number;
  samples: number;
  isIndependent: boolean;
  /** Whether the segment possibly ends with this part, so that no further part of it is announced. */
  mayBeLast: boolean;
  /** Arrival time, in ms since 1970. */
  atMs: number;
  bytes: Buffer | null;
};

/** A segment of one rendition in an edge's memory. */
export type IndexedSegment = {
  number: number;
  startTick: number;
  durationTicks: number;
  wallMs: number | null;
  parts: IndexedPart[];
  isClosed: boolean;
  /**
   * Whether the segment is closed, but still listed without EXTINF in playlists with parts, because no part of the next
   * segment exists yet. hls.js 1.7 would treat the last part of a listed segment as loaded if it is shorter than 0.2 s.
   */
  isHeldOpen: boolean;
  /** Whether the segment is missing permanently. */
  isGap: boolean;
  stored: { storageKey: string; sizeBytes: number } | null;
};

/** A stored segment, read from its row. */
export type SegmentRow = {
  renditionId: Guid;
  number: number;
  startTick: number;
  durationTicks: number;
  wallMs: number | null;
  storageKey: string;
  sizeBytes: number;
};

export type IndexedRendition = FeedRendition & { init: Buffer; segments: IndexedSegment[] };

export type IndexedPeriod = Omit<FeedPeriod, 'renditions'> & {
  renditions: IndexedRendition[];
  cuts: Map<number, number>;
};

/** Whether a slot belongs to an encoded rung and not to audio or source video. */
export function isRung(slot: string): boolean {
  return slot !== 'audio' && slot !== 'source';
}

/** Minimum number of segments whose parts are kept in memory and listed. */
export const SEGMENTS_WITH_PARTS = 4;
/** Minimum time for which parts are kept in memory, in ms, so that players can load those of a burst. */
const MIN_HELD_MS = 4_000;

/**
 * State of a live stream on an edge: rows of stored segments, and messages of the owner's feed. Applying the same
 * message or row twice changes nothing.
 */
export class LiveIndex {
  readonly #periods = new Map<number, IndexedPeriod>();
  readonly #renditions = new Map<Guid, { period: IndexedPeriod; rendition: IndexedRendition }>();
  #isConnected = false;
  hasEnded = false;
  /** Increases with each change that affects a playlist. */
  version = 0;
  /**
   * Duration of the longest complete segment of any rendition so far, in whole seconds. At least the length required by
   * the encoder's settings, so that EXT-X-TARGETDURATION does not change when the longest segment arrives.
   */
  longestSec = 0;

  /** Whether a publisher is connected. */
  get isConnected(): boolean {
    return this.#isConnected;
  }

  /**
   * Sets whether a publisher is connected. Without one, no part follows the last segments, so they are listed with
   * EXTINF.
   */
  connect(isConnected: boolean): void {
    this.#isConnected = isConnected;
    if (!isConnected) this.#release();
  }

  /** Periods, oldest first. */
  get periods(): IndexedPeriod[] {
    return [...this.#periods.values()].toSorted((a, b) => a.number - b.number);
  }

  findRendition(renditionId: Guid): { period: IndexedPeriod; rendition: IndexedRendition } | null {
    return this.#renditions.get(renditionId) ?? null;
  }

  /**
   * Stops listing `retired` renditions. Their URLs keep working for players that already have them, and return the
   * playlists of their replacements.
   */
  addPeriod(
    { renditions, ...period }: FeedPeriod,
    inits: ReadonlyMap<Guid, Buffer> = new Map(),
    retired: ReadonlySet<Guid> = new Set(),
  ): void {
    const added: IndexedPeriod = this.#periods.get(period.number) ?? { ...period, renditions: [], cuts: new Map() };
    // Rungs are added once their encoder has started, which rows do not indicate.
    if (!this.#periods.has(period.number)) this.#release();
    added.isLadderPending &&= period.isLadderPending;
    this.longestSec = Math.max(this.longestSec, period.targetSec ?? 0);
    for (const described of renditions) {
      if (this.#renditions.has(described.id)) continue;
      const rendition = { ...described, init: inits.get(described.id) ?? Buffer.alloc(0), segments: [] };
      added.renditions.push(rendition);
      this.#renditions.set(rendition.id, { period: added, rendition });
    }
    added.renditions = added.renditions.filter(({ id }) => !retired.has(id));
    this.#periods.set(period.number, added);
    this.version += 1;
  }

  addRow({ renditionId, storageKey, sizeBytes, ...times }: SegmentRow): void {
    const rendition = this.#renditions.get(renditionId)?.rendition;
    if (rendition === undefined) return;
    const known = findSegment(rendition.segments, times.number);
    const stored = { storageKey, sizeBytes };
    if (known !== null) Object.assign(known, { stored: known.stored ?? stored, isClosed: true, isGap: false });
    else insert(rendition.segments, { ...times, parts: [], isClosed: true, isHeldOpen: false, isGap: false, stored });
    this.#measure(times.durationTicks, rendition);
    this.version += 1;
  }

  /** Applies a message of the feed, which arrived at `nowMs`. Returns true if it affects a playlist. */
  apply({ message, bytes }: FeedFrame, nowMs = Date.now()): boolean {
    const isShown = this.#apply(message, bytes, nowMs);
    if (isShown) this.version += 1;
    return isShown;
  }

  /** Drops segments older than the window, but keeps the newest ones. */
  trim(windowMs: number, nowMs: number): void {
    for (const { renditions } of this.#periods.values()) {
      for (const { segments, timescale } of renditions) {
        const surplus = segments.findIndex(({ wallMs, durationTicks, isGap }) => {
          return !isGap && (wallMs === null || wallMs + (durationTicks * 1000) / timescale > nowMs - windowMs);
        });
        const spare = Math.max(0, segments.length - SEGMENTS_WITH_PARTS);
        segments.splice(0, Math.min(surplus === -1 ? segments.length : surplus, spare));
        for (let index = segments.length - 1 - SEGMENTS_WITH_PARTS; index >= 0; index -= 1) {
          if (!releaseParts(segments[index], nowMs)) break;
        }
      }
    }
  }

  #apply(message: FeedMessage, bytes: Buffer, atMs: number): boolean {
    switch (message.type) {
      case 'period':
        this.addPeriod(message.period);
        return true;
      case 'init': {
        const found = this.#renditions.get(message.renditionId);
        if (found !== undefined) found.rendition.init = bytes;
        return true;
      }
      case 'cut':
        this.#periods.get(message.period)?.cuts.set(message.segment, message.wallMs);
        return false;
      case 'part':
        return this.#addPart(message, bytes, atMs);
      case 'closed': {
        const segment = this.#segment(message);
        if (segment === null || segment.isClosed) return false;
        this.#close(segment, this.#renditions.get(message.renditionId)?.rendition);
        return true;
      }
      case 'gap':
        return this.#addGap(message);
      case 'stored': {
        const segment = this.#segment(message);
        if (segment !== null) segment.stored = { storageKey: message.storageKey, sizeBytes: message.sizeBytes };
        return false;
      }
      case 'publisher':
        this.connect(message.isConnected);
        return true;
      case 'end':
        this.hasEnded = true;
        return true;
      case 'ping':
      case 'snapshot':
        return false;
    }
  }

  #addPart(message: Extract<FeedMessage, { type: 'part' }>, bytes: Buffer, atMs: number): boolean {
    const found = this.#renditions.get(message.renditionId);
    if (found === undefined) return false;
    const { segments } = found.rendition;
    let segment = findSegment(segments, message.segment);
    if (segment === null) {
      const wallMs = found.period.cuts.get(message.segment) ?? null;
      const times = { startTick: message.startTick, durationTicks: 0, wallMs };
      const isOpen = { isClosed: false, isHeldOpen: false, isGap: false };
      segment = { number: message.segment, ...times, parts: [], ...isOpen, stored: null };
      insert(segments, segment);
    }
    if (segment.isClosed || message.part !== segment.parts.length) return false;
    const { startTick, durationTicks, samples, isIndependent, mayBeLast = false } = message;
    segment.parts.push({ startTick, durationTicks, samples, isIndependent, mayBeLast, atMs, bytes });
    segment.durationTicks += durationTicks;
    if (message.isLast === true) this.#close(segment, found.rendition);
    return true;
  }

  #addGap({ renditionId, segment: number }: { renditionId: Guid; segment: number }): boolean {
    const rendition = this.#renditions.get(renditionId)?.rendition;
    if (rendition === undefined) return false;
    const known = findSegment(rendition.segments, number);
    if (known?.isClosed === true) return false;
    const times = { startTick: 0, durationTicks: 0, wallMs: null };
    const isGone = { isClosed: true, isHeldOpen: false, isGap: true, parts: [] };
    if (known !== null) Object.assign(known, isGone);
    else insert(rendition.segments, { number, ...times, ...isGone, stored: null });
    return true;
  }

  #close(segment: IndexedSegment, rendition: IndexedRendition | undefined): void {
    segment.isClosed = true;
    segment.isHeldOpen = this.#isConnected && segment === rendition?.segments.at(-1);
    this.#measure(segment.durationTicks, rendition);
  }

  /** Lists the last segments of all renditions with EXTINF, because possibly no part of the same period follows. */
  #release(): void {
    for (const { rendition } of this.#renditions.values()) {
      const last = rendition.segments.at(-1);
      if (last !== undefined) last.isHeldOpen = false;
    }
    this.version += 1;
  }

  #measure(durationTicks: number, rendition: IndexedRendition | undefined): void {
    if (rendition === undefined) return;
    this.longestSec = Math.max(this.longestSec, Math.round(durationTicks / rendition.timescale));
  }

  #segment({ renditionId, segment }: { renditionId: Guid; segment: number }): IndexedSegment | null {
    return findSegment(this.#renditions.get(renditionId)?.rendition.segments ?? [], segment);
  }
}

/**
 * Returns the capture time of the media at time 0 of a period, in ms since 1970. With the durations, it determines
 * EXT-X-PROGRAM-DATE-TIME, which is therefore the same in all playlists. With `number`, derives it from the capture
 * time of that segment. Returns null if unknown.
 */
export function programmeStartMs(period: IndexedPeriod, number: number | null = null): number | null {
  if (number === null && typeof period.startMs === 'number') return period.startMs;
  for (const { segments, timescale } of period.renditions) {
    const known = segments.find((one) => one.wallMs !== null && (number === null || one.number >= number));
    if (known?.wallMs != null) return known.wallMs - (known.startTick * 1000) / timescale;
  }
  return period.startMs;
}

/** Finds a segment by number. `segments` must be sorted by number. */
export function findSegment(segments: readonly IndexedSegment[], number: number): IndexedSegment | null {
  let low = 0;
  let high = segments.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((segments[middle]?.number ?? 0) < number) low = middle + 1;
    else high = middle;
  }
  const found = segments[low];
  return found?.number === number ? found : null;
}

function insert(segments: IndexedSegment[], segment: IndexedSegment): void {
  const index = segments.findLastIndex(({ number }) => number < segment.number);
  const before = segments[index];
  if (before !== undefined) before.isHeldOpen = false;
  segments.splice(index + 1, 0, segment);
}

/** Releases the parts of a segment, except new ones. Returns false if there were none. */
function releaseParts(segment: IndexedSegment | undefined, nowMs: number): boolean {
  if (segment?.isGap === true) return true;
  const last = segment?.parts.at(-1);
  if (segment === undefined || last === undefined) return false;
  if (segment.stored !== null && nowMs - last.atMs > MIN_HELD_MS) segment.parts = [];
  return true;
}
