import type { EventDetails, ShieldEvent } from './shield-event.ts';

/** An event whose details are still values, so that they can be added to. */
export type OpenEvent = Omit<ShieldEvent, 'log'> & { details: EventDetails };

/** What events are sampled by. */
export type Sample = { client: string; event: OpenEvent };

type Window = { startMs: number; events: number; suppressed: number; last: OpenEvent };

const WINDOW_MS = 1_000;
/** So many events of one client, zone and rule are stored of each second; of the rest their number. */
const EVENTS_A_WINDOW = 10;
const MAX_WINDOWS = 10_000;
const MAX_EVENTS = 20_000;

/**
 * Events that wait to be stored, in bounded memory: a flood is sampled by client, zone and rule, and what is left out
 * is counted in an event of its own. `dropped` are those that even this had no room for.
 */
export class EventRing {
  #events: OpenEvent[] = [];
  readonly #windows = new Map<string, Window>();
  #dropped = 0;

  get dropped(): number {
    return this.#dropped;
  }

  add({ client, event }: Sample): void {
    const name = `${client}|${event.zoneId}|${event.ruleId}`;
    const window = this.#windows.get(name);
    if (window !== undefined && event.atMs - window.startMs < WINDOW_MS && event.atMs >= window.startMs) {
      window.last = event;
      if (window.events >= EVENTS_A_WINDOW) {
        window.suppressed += 1;
        return;
      }
      window.events += 1;
    } else {
      if (window !== undefined) this.#close(window);
      this.#open(name, event);
    }
    this.#push(event);
  }

  /** All that waits, in the order in which it came; windows that are over are closed first. */
  take(nowMs: number): ShieldEvent[] {
    for (const [name, window] of this.#windows) {
      if (nowMs - window.startMs < WINDOW_MS) continue;
      this.#close(window);
      this.#windows.delete(name);
    }
    const events = this.#events;
    this.#events = [];
    return events.map(({ details, ...event }) => ({ ...event, log: JSON.stringify(details) }));
  }

  /** All, of windows that are still open too. */
  takeAll(): ShieldEvent[] {
    return this.take(Number.POSITIVE_INFINITY);
  }

  #open(name: string, event: OpenEvent): void {
    this.#windows.set(name, { startMs: event.atMs, events: 1, suppressed: 0, last: event });
    const oldest = this.#windows.entries().next();
    if (this.#windows.size <= MAX_WINDOWS || oldest.done) return;
    this.#close(oldest.value[1]);
    this.#windows.delete(oldest.value[0]);
  }

  /** Reports how many there were beside those that were stored. */
  #close({ suppressed, last }: Window): void {
    if (suppressed === 0) return;
    this.#push({ ...last, details: { ...last.details, Suppressed: suppressed - 1 } }, suppressed);
  }

  #push(event: OpenEvent, stands = 1): void {
    if (this.#events.length < MAX_EVENTS) this.#events.push(event);
    else this.#dropped += stands;
  }
}
