import { MOST_AHEAD } from '../../catalog/jit/run-store.ts';
import type { Wish, WishStore } from '../../catalog/jit/wish-store.ts';
import type { Publication, StoredRendition } from '../../catalog/publications/publication.ts';
import { findChunk, segmentCount } from '../../media/presentation/published-rendition.ts';
import type { EdgeLog } from '../edge-deps.ts';

const RENEW_EVERY_MS = 1_000;
const AWAITED_SEC = 3;
/** A viewer who was given a segment asks for the next within its length; the longest are 12 s. */
const PASSED_SEC = 15;
/** Where nobody has been before, one segment more is made: most who seek go on seeking. */
const FIRST_AHEAD = 1;
const FOLLOWS_WITHIN_MS = 30_000;
const REPEAT_AFTER_MS = 5_000;
const MOST_PLACES = 10_000;

/** A segment of a rendition that is encoded on demand. */
export type WishedSegment = { publication: Publication; rendition: StoredRendition; segment: number };

type Awaited = { wish: Wish; viewers: number };

/**
 * Tells the encoders what this edge's viewers want of renditions that are encoded on demand: what they wait for, for
 * as long as one of them waits, and what comes next for those who go on. However many wait, it is one wish.
 */
export class SegmentWishes {
  readonly #store: WishStore;
  readonly #log: EdgeLog;
  readonly #awaited = new Map<string, Awaited>();
  /** When segments were asked for last, the longest ago first. */
  readonly #asked = new Map<string, number>();
  readonly #passed = new Map<string, number>();
  /** What is being written of a segment: it is written in order. */
  readonly #writes = new Map<string, Promise<void>>();
  #isClosed = false;
  #isToldOfFault = false;
  readonly #renewals: NodeJS.Timeout;

  constructor(store: WishStore, log: EdgeLog) {
    this.#store = store;
    this.#log = log;
    this.#renewals = setInterval(() => this.#renew(), RENEW_EVERY_MS);
    this.#renewals.unref();
  }

  /** A viewer waits for a segment. The answer is to be called once when that is over; `goesOn`: the viewer is still there. */
  want(wanted: WishedSegment): (goesOn: boolean) => void {
    const name = nameOf(wanted);
    const awaited = this.#awaited.get(name) ?? this.#begin(name, this.#makeWish(wanted, true));
    awaited.viewers += 1;
    return (goesOn) => {
      awaited.viewers -= 1;
      if (awaited.viewers > 0) return;
      this.#awaited.delete(name);
      const { wish } = awaited;
      const passed = { ...wish, isAwaited: false, forSec: PASSED_SEC };
      this.#write([name], () => (goesOn ? this.#store.put([passed]) : this.#store.drop(wish)));
    };
  }

  /** A viewer is given a segment that is there: what comes next is made in time, unless it is there too. */
  pass(given: WishedSegment): void {
    const wish = this.#makeWish(given, false);
    if (!isAnyMissing(given.rendition, given.segment + 1, given.segment + wish.aheadSegments)) return;
    const nowMs = performance.now();
    const name = nameOf(given);
    if (nowMs - (this.#passed.get(name) ?? Number.NEGATIVE_INFINITY) < REPEAT_AFTER_MS) return;
    remember(this.#passed, name, nowMs);
    this.#write([name], () => this.#store.put([wish]));
  }

  /** Takes all wishes back. */
  async close(): Promise<void> {
    clearInterval(this.#renewals);
    this.#isClosed = true;
    await Promise.all(this.#writes.values());
    await this.#store.dropAll().catch((error: unknown) => this.#tell(error));
  }

  #makeWish({ publication, rendition, segment }: WishedSegment, isAwaited: boolean): Wish {
    const { libraryId, mediaId } = publication;
    const nowMs = performance.now();
    const before = this.#asked.get(nameOf({ rendition, segment: segment - 1 }));
    const follows = before !== undefined && nowMs - before < FOLLOWS_WITHIN_MS;
    remember(this.#asked, nameOf({ rendition, segment }), nowMs);
    const last = (rendition.planned === null ? segment + 1 : segmentCount(rendition.planned)) - 1;
    const aheadSegments = Math.max(0, Math.min(follows ? MOST_AHEAD : FIRST_AHEAD, last - segment));
    const forSec = isAwaited ? AWAITED_SEC : PASSED_SEC;
    return { libraryId, mediaId, renditionId: rendition.id, segment, aheadSegments, isAwaited, forSec };
  }

  #begin(name: string, wish: Wish): Awaited {
    const awaited = { wish, viewers: 0 };
    this.#awaited.set(name, awaited);
    this.#write([name], () => this.#store.put([wish]));
    return awaited;
  }

  #renew(): void {
    const due = [...this.#awaited].filter(([name]) => !this.#writes.has(name));
    if (due.length === 0) return;
    const wishes = due.map(([, { wish }]) => wish);
    this.#write(
      due.map(([name]) => name),
      () => this.#store.put(wishes),
    );
  }

  /** A wish that could not be written is written with the next renewal. */
  #write(names: readonly string[], write: () => Promise<void>): void {
    if (this.#isClosed) return;
    const before = Promise.all(names.map((name) => this.#writes.get(name)));
    const settled = before
      .then(write)
      .then(
        () => {
          this.#isToldOfFault = false;
        },
        (error: unknown) => this.#tell(error),
      )
      .finally(() => {
        for (const name of names) if (this.#writes.get(name) === settled) this.#writes.delete(name);
      });
    for (const name of names) this.#writes.set(name, settled);
  }

  /** Once until it works again: wishes are written every second. */
  #tell(error: unknown): void {
    if (this.#isToldOfFault) return;
    this.#isToldOfFault = true;
    this.#log.warn({ err: error }, 'Wishes for segments could not be written.');
  }
}

function nameOf({ rendition, segment }: Pick<WishedSegment, 'rendition' | 'segment'>): string {
  return `${rendition.id}/${segment}`;
}

function isAnyMissing({ chunks }: StoredRendition, first: number, last: number): boolean {
  for (let segment = first; segment <= last; segment += 1) if (findChunk(chunks, segment) === null) return true;
  return false;
}

function remember(places: Map<string, number>, name: string, atMs: number): void {
  places.delete(name);
  places.set(name, atMs);
  const oldest = places.keys().next();
  if (places.size > MOST_PLACES && !oldest.done) places.delete(oldest.value);
}
