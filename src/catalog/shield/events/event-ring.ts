import type { EventDetails, ShieldEvent } from './shield-event.ts';

/** An event whose details are not serialised yet, so that they can be extended. */
export type OpenEvent = Omit<ShieldEvent, 'log'> & { details: EventDetails };

/** Sampling key of an event, and a function that creates it: most events of a flood are never created. */
export type Sample = { client: string; zoneId: number; ruleId: string; atMs: number; make: () => OpenEvent };

/** `credit`: events that may be stored at `atMs`; it increases with time. `leftOut`: the first omitted event. */
type Source = { credit: number; atMs: number; suppressed: number; storedMs: number; leftOut: OpenEvent | null };

/** Burst of events per client, zone and rule that is stored before the limit of one per second applies. */
const BURST_EVENTS = 10;
const EVENTS_PER_SEC = 1;
/** Maximum time until omitted events are reported, in ms; during a flood, its next event reports them. */
const REPORT_MS = 1_500;
const FULL_CREDIT_MS = (BURST_EVENTS / EVENTS_PER_SEC) * 1_000;
const MAX_SOURCES = 10_000;
const MAX_EVENTS = 20_000;

/**
 * Events that wait to be stored, in bounded memory. A flood is sampled by client, zone and rule, and the next stored
 * event counts the omitted ones before it. `dropped` counts events that did not fit even then.
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
      // Keeps only the stored form: whole requests would keep everything that a client sends in memory.
      source.leftOut ??= make();
      return;
    }
    source.credit -= 1;
    this.#store(source, make(), source.suppressed);
  }

  /** Returns all waiting events in order of arrival, and reports of events that were omitted long enough ago. */
  take(nowMs: number): ShieldEvent[] {
    for (const [name, source] of this.#sources) {
      if (nowMs - source.storedMs >= REPORT_MS) this.#report(source);
      if (nowMs - source.atMs >= FULL_CREDIT_MS) this.#sources.delete(name);
    }
    const events = this.#events;
    this.#events = [];
    return events.map(({ details, ...event }) => ({ ...event, log: JSON.stringify(details) }));
  }

  /** Returns all events, and reports of all omitted ones. */
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

  /** The first omitted event represents the others. */
  #report(source: Source): void {
    if (source.leftOut !== null) this.#store(source, source.leftOut, source.suppressed - 1);
  }

  /** `others`: number of additional events that the event represents. */
  #store(source: Source, event: OpenEvent, others: number): void {
    source.suppressed = 0;
    source.leftOut = null;
    source.storedMs = event.atMs;
    const details = others === 0 ? event.details : { ...event.details, Suppressed: others };
    if (this.#events.length < MAX_EVENTS) this.#events.push({ ...event, details });
    else this.#dropped += others + 1;
  }
}
