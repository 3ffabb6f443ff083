import type { KeyObject } from 'node:crypto';
import { Worker } from 'node:worker_threads';
import type { SeenSession } from '../../catalog/statistics/sums/statistics-gain.ts';
import type { Delivery } from '../../catalog/statistics/sums/view-evidence-store.ts';
import type { SentBeacon, Visits } from '../../catalog/statistics/visits/visits.ts';
import { forwardLog, logEvent } from '../../lib/log/log-event.ts';
import type { DerivedSecret } from '../../lib/secret-ring.ts';
import type { CounterAnswer, CounterBatch, CounterData } from './visit-counter-thread.ts';

export type VisitCounterDeps = {
  thread: CounterData;
  ticketSecret: DerivedSecret<KeyObject>;
};

/** Interval in ms at which beacons and estimates are sent to the thread in a batch. */
const BATCH_MS = 100;
/**
 * Maximum number of characters of beacons that wait if the thread is behind. Further beacons are dropped. The next
 * beacon of a session contains the data of a dropped one.
 */
const MAX_WAITING_CHARS = 8 * 1024 * 1024;
/** Assumed size of a beacon without its texts, in characters. */
const BEACON_CHARS = 200;
const MAX_ESTIMATES = 10_000;
const MAX_DELIVERIES = 50_000;
const OLD_MIB = 256;
/** Time in ms after which a thread that has not acknowledged a batch is terminated and replaced. */
const STANDSTILL_MS = 120_000;
const CLOSE_MS = 4_000;

/**
 * Counts viewing sessions in a separate thread. Otherwise segments, which the same event loop sends, would wait while
 * thousands of beacons are read and summed. The thread starts with the first session, and again after it exited: the
 * next beacons of current viewers restore its data.
 */
export class VisitCounter implements Visits {
  readonly #deps: VisitCounterDeps;
  #thread: Worker | null = null;
  #waiting = emptyBatch();
  #waitingChars = 0;
  #leftOut = 0;
  #timer: NodeJS.Timeout | null = null;
  /** Timer that runs while a batch is not acknowledged. At most one batch is sent at a time. */
  #standstill: NodeJS.Timeout | null = null;
  #isClosed = false;

  constructor(deps: VisitCounterDeps) {
    this.#deps = deps;
  }

  take(beacon: SentBeacon): void {
    const chars = beacon.body.length + beacon.userAgent.length + BEACON_CHARS;
    if (this.#waitingChars + chars > MAX_WAITING_CHARS) this.#leftOut += 1;
    else {
      this.#waitingChars += chars;
      this.#waiting.beacons.push(beacon);
    }
    this.#sendSoon();
  }

  estimate(session: SeenSession): void {
    if (this.#waiting.estimates.length === MAX_ESTIMATES) this.#leftOut += 1;
    else this.#waiting.estimates.push(session);
    this.#sendSoon();
  }

  deliver(delivery: Delivery): void {
    const { deliveries } = this.#waiting;
    if (deliveries.length === MAX_DELIVERIES) this.#leftOut += 1;
    else deliveries.push(delivery);
    this.#sendSoon();
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    if (this.#timer !== null) clearTimeout(this.#timer);
    if (this.#thread === null && isEmpty(this.#waiting)) return;
    const thread = this.#send(true);
    await closed(thread);
    if (this.#standstill !== null) clearTimeout(this.#standstill);
    await thread.terminate();
  }

  #sendSoon(): void {
    if (this.#isClosed) return;
    this.#timer ??= setTimeout(() => {
      this.#timer = null;
      // If a batch is pending, its acknowledgement triggers the next one.
      if (this.#standstill === null) this.#send(false);
    }, BATCH_MS).unref();
  }

  #send(isLast: boolean): Worker {
    this.#thread ??= this.#open();
    const thread = this.#thread;
    this.#standstill ??= setTimeout(() => void thread.terminate(), STANDSTILL_MS).unref();
    const batch: CounterBatch = { ...this.#waiting, ticketSecrets: this.#deps.ticketSecret(), isLast };
    thread.postMessage(batch);
    this.#waiting = emptyBatch();
    this.#waitingChars = 0;
    if (this.#leftOut > 0) {
      logEvent('visits.dropped', { dropped: this.#leftOut });
    }
    this.#leftOut = 0;
    return thread;
  }

  #taken(): void {
    if (this.#standstill !== null) clearTimeout(this.#standstill);
    this.#standstill = null;
    if (!isEmpty(this.#waiting)) this.#sendSoon();
  }

  #open(): Worker {
    const { thread: workerData } = this.#deps;
    const thread = new Worker(new URL('./visit-counter-thread.ts', import.meta.url), {
      workerData,
      resourceLimits: { maxOldGenerationSizeMb: OLD_MIB },
    });
    thread.unref();
    thread.on('message', (answer: CounterAnswer) => {
      if (answer.kind === 'taken') this.#taken();
      if (answer.kind === 'line') forwardLog(answer.line);
    });
    thread.on('error', (err) => logEvent('thread.ended', { err }));
    thread.once('exit', () => {
      this.#thread = null;
      this.#taken();
    });
    return thread;
  }
}

type Waiting = Omit<CounterBatch, 'isLast' | 'ticketSecrets'>;

function emptyBatch(): Waiting {
  return { beacons: [], estimates: [], deliveries: [] };
}

function isEmpty({ beacons, estimates, deliveries }: Waiting): boolean {
  return beacons.length + estimates.length + deliveries.length === 0;
}

/** Resolves when the thread has written its data or exited, or after `CLOSE_MS`. */
function closed(thread: Worker): Promise<void> {
  return new Promise((resolve) => {
    const limit = setTimeout(resolve, CLOSE_MS);
    const done = () => {
      clearTimeout(limit);
      resolve();
    };
    thread.once('exit', done);
    thread.on('message', ({ kind }: CounterAnswer) => {
      if (kind === 'closed') done();
    });
  });
}
