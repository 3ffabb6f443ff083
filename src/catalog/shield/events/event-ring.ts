import type { EventDetails, ShieldEvent } from './shield-event.ts';

/** An event whose details are still values, so that they can be added to. */
export type OpenEvent = Omit<ShieldEvent, 'log'> & { details: EventDetails };

/** What events are sampled by, and how one is made: most of a flood are never made. */
export type Sample = { client: string; zoneId: number; ruleId: string; atMs: number; make: () => OpenEvent };

/**
 * `credit`: events that may be stored at `atMs`, rising with time. `leftOut`: the first of those that were left out.
 */
type Source = { credit: number; atMs: number; suppressed: number; storedMs: number; leftOut: OpenEvent | null };

/** So many events of one client, zone and rule are stored at once, and one each second from then on. */
const BURST_EVENTS = 10;
const EVENTS_PER_SEC = 1;
/** Those that were left out are reported after so long at the latest; while a flood goes on, its next event does it. */
const REPORT_MS = 1_500;
const FULL_CREDIT_MS = (BURST_EVENTS / EVENTS_PER_SEC) * 1_000;
const MAX_SOURCES = 10_000;
const MAX_EVENTS = 20_000;

/**
 * Events that wait to be stored, in bounded memory: a flood is sampled by client, zone and rule, and the next event
 * that is stored counts what was left out before it. `dropped` are those that even this had no room for.
 */
export class EventRing {
  #events: OpenEvent[] = [];
  readonly #sources = new Map<string, Source>();
  #dropped = 0;

  get dropped(): number {
    return this.#dropped;
  }

  add({ client, zoneId, ruleId, atMs, make }: Sample): void {
    const source = this.#sourceOf(`${client}|${zoneId}|${ruleId}`, atMs);
    const credit = source.credit + (Math.max(0, atMs - source.atMs) * EVENTS_PER_SEC) / 1_000;
    source.credit = Math.min(BURST_EVENTS, credit);
    source.atMs = atMs;
    if (source.credit < 1) {
      source.suppressed += 1;
      // As it is stored: whole requests, with all that a client sends in them, are not kept.
      source.leftOut ??= make();
      return;
    }
    source.credit -= 1;
    this.#store(source, make(), source.suppressed);
  }

  /** All that waits, in the order in which it came, and what was left out so long ago that it has to be reported. */
  take(nowMs: number): ShieldEvent[] {
    for (const [name, source] of this.#sources) {
      if (nowMs - source.storedMs >= REPORT_MS) this.#report(source);
      if (nowMs - source.atMs >= FULL_CREDIT_MS) this.#sources.delete(name);
    }
    const events = this.#events;
    this.#events = [];
    return events.map(({ details, ...event }) => ({ ...event, log: JSON.stringify(details) }));
  }

  /** All, and all that was left out. */
  takeAll(): ShieldEvent[] {
    return this.take(Number.POSITIVE_INFINITY);
  }

  #sourceOf(name: string, atMs: number): Source {
    const known = this.#sources.get(name);
    if (known !== undefined) return known;
    const source: Source = { credit: BURST_EVENTS, atMs, suppressed: 0, storedMs: atMs, leftOut: null };
    this.#sources.set(name, source);
    const oldest = this.#sources.entries().next();
    if (this.#sources.size > MAX_SOURCES && !oldest.done) {
      this.#report(oldest.value[1]);
      this.#sources.delete(oldest.value[0]);
    }
    return source;
  }

  /** The first of those that were left out stands for the others. */
  #report(source: Source): void {
    if (source.leftOut !== null) this.#store(source, source.leftOut, source.suppressed - 1);
  }

  /** `others`: how many the event stands for beside itself. */
  #store(source: Source, event: OpenEvent, others: number): void {
    source.suppressed = 0;
    source.leftOut = null;
    source.storedMs = event.atMs;
    const details = others === 0 ? event.details : { ...event.details, Suppressed: others };
    if (this.#events.length < MAX_EVENTS) this.#events.push({ ...event, details });
    else this.#dropped += others + 1;
  }
}
