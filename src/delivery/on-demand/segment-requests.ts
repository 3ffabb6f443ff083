import type { SegmentRequest, SegmentRequestStore } from '../../catalog/on-demand/segment-request-store.ts';
import { MAX_AHEAD_SEGMENTS } from '../../catalog/on-demand/segment-task-store.ts';
import type { Publication, StoredRendition } from '../../catalog/publications/publication.ts';
import { logEvent } from '../../lib/log/log-event.ts';
import { remember } from '../../lib/remember.ts';
import { findChunk, segmentCount } from '../../media/presentation/published-rendition.ts';

const RENEW_EVERY_MS = 1_000;
const AWAITED_SEC = 3;
/** Time within which a viewer requests the next segment, in seconds. Segments last at most 12 s. */
const PASSED_SEC = 15;
/**
 * Number of segments that are requested ahead after a viewer seeks to a position that nobody has reached by playing. It
 * is low because most viewers who seek soon seek again.
 */
const FIRST_AHEAD = 1;
const FOLLOWS_WITHIN_MS = 30_000;
const REPEAT_AFTER_MS = 5_000;
const MAX_LOCATIONS = 10_000;

/** A segment of an on-demand rendition. */
export type RequestedSegment = { publication: Publication; rendition: StoredRendition; segment: number };

type Awaited = { request: SegmentRequest; viewers: number };

/**
 * Notifies the encoders which on-demand segments the viewers of this edge need: those that at least one viewer waits
 * for, and the next ones for viewers who continue. Any number of waiting viewers share one request.
 */
export class SegmentRequests {
  readonly #store: SegmentRequestStore;
  readonly #awaited = new Map<string, Awaited>();
  /** Times of the last segment requests, oldest first. */
  readonly #requested = new Map<string, number>();
  readonly #passed = new Map<string, number>();
  /** Pending writes by segment. They run in order. */
  readonly #writes = new Map<string, Promise<void>>();
  #isClosed = false;
  #isNotifiedOfFault = false;
  readonly #renewals: NodeJS.Timeout;

  constructor(store: SegmentRequestStore) {
    this.#store = store;
    this.#renewals = setInterval(() => this.#renew(), RENEW_EVERY_MS);
    this.#renewals.unref();
  }

  /**
   * Records that a viewer waits for a segment. The caller calls the returned function once when the wait ends.
   * `goesOn`: the viewer is still connected.
   */
  want(wanted: RequestedSegment): (goesOn: boolean) => void {
    const name = nameOf(wanted);
    const awaited = this.#awaited.get(name) ?? this.#begin(name, this.#makeRequest(wanted, true));
    awaited.viewers += 1;
    return (goesOn) => {
      awaited.viewers -= 1;
      if (awaited.viewers > 0) return;
      this.#awaited.delete(name);
      const { request } = awaited;
      const passed = { ...request, isAwaited: false, forSec: PASSED_SEC };
      this.#write([name], () => (goesOn ? this.#store.put([passed]) : this.#store.drop(request)));
    };
  }

  /**
   * Records that a viewer received an existing segment, so that the next one is encoded in time if it does not exist
   * yet.
   */
  pass(given: RequestedSegment): void {
    const request = this.#makeRequest(given, false);
    if (!isAnyMissing(given.rendition, given.segment + 1, given.segment + request.aheadSegments)) return;
    const nowMs = performance.now();
    const name = nameOf(given);
    if (nowMs - (this.#passed.get(name) ?? Number.NEGATIVE_INFINITY) < REPEAT_AFTER_MS) return;
    remember(this.#passed, [name, nowMs], MAX_LOCATIONS);
    this.#write([name], () => this.#store.put([request]));
  }

  /** Withdraws all requests. */
  async close(): Promise<void> {
    clearInterval(this.#renewals);
    this.#isClosed = true;
    await Promise.all(this.#writes.values());
    await this.#store.dropAll().catch((error: unknown) => this.#report(error));
  }

  #makeRequest({ publication, rendition, segment }: RequestedSegment, isAwaited: boolean): SegmentRequest {
    const { libraryId, mediaId } = publication;
    const nowMs = performance.now();
    const before = this.#requested.get(nameOf({ rendition, segment: segment - 1 }));
    const follows = before !== undefined && nowMs - before < FOLLOWS_WITHIN_MS;
    remember(this.#requested, [nameOf({ rendition, segment }), nowMs], MAX_LOCATIONS);
    const last = (rendition.planned === null ? segment + 1 : segmentCount(rendition.planned)) - 1;
    const aheadSegments = Math.max(0, Math.min(follows ? MAX_AHEAD_SEGMENTS : FIRST_AHEAD, last - segment));
    const forSec = isAwaited ? AWAITED_SEC : PASSED_SEC;
    return { libraryId, mediaId, renditionId: rendition.id, segment, aheadSegments, isAwaited, forSec };
  }

  #begin(name: string, request: SegmentRequest): Awaited {
    const awaited = { request, viewers: 0 };
    this.#awaited.set(name, awaited);
    this.#write([name], () => this.#store.put([request]));
    return awaited;
  }

  #renew(): void {
    const due = [...this.#awaited].filter(([name]) => !this.#writes.has(name));
    if (due.length === 0) return;
    const requests = due.map(([, { request }]) => request);
    this.#write(
      due.map(([name]) => name),
      () => this.#store.put(requests),
    );
  }

  /** Writes requests to the database. The next renewal repeats a failed write. */
  #write(names: readonly string[], write: () => Promise<void>): void {
    if (this.#isClosed) return;
    const before = Promise.all(names.map((name) => this.#writes.get(name)));
    const settled = before
      .then(write)
      .then(
        () => {
          this.#isNotifiedOfFault = false;
        },
        (error: unknown) => this.#report(error),
      )
      .finally(() => {
        for (const name of names) if (this.#writes.get(name) === settled) this.#writes.delete(name);
      });
    for (const name of names) this.#writes.set(name, settled);
  }

  /** Logs a failed write, but only once until writes succeed again, because there is a write every second. */
  #report(error: unknown): void {
    if (this.#isNotifiedOfFault) return;
    this.#isNotifiedOfFault = true;
    logEvent('segment-requests.unwritten', { err: error });
  }
}

function nameOf({ rendition, segment }: Pick<RequestedSegment, 'rendition' | 'segment'>): string {
  return `${rendition.id}/${segment}`;
}

function isAnyMissing({ chunks }: StoredRendition, first: number, last: number): boolean {
  for (let segment = first; segment <= last; segment += 1) if (findChunk(chunks, segment) === null) return true;
  return false;
}
