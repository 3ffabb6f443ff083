import type { Memory } from '../base/memory.ts';
import { type Connection, estimateLine, type Line, type Transfer } from './estimate-line.ts';

const NAME = 'history';
const MAX_VISITS = 5;
/** Limits of a plausible bandwidth, because other scripts of the origin can write to the storage. */
const MIN_BPS = 10_000;
const MAX_BPS = 100_000_000_000;

/**
 * Stores the bandwidths at the end of the last visits to any player of this origin, and estimates the connection from
 * them.
 */
export class LineHistory {
  readonly #memory: Memory;
  readonly #earlierBps: readonly number[];

  constructor(memory: Memory) {
    this.#memory = memory;
    this.#earlierBps = readVisits(memory.readText(NAME) ?? '').slice(-MAX_VISITS);
  }

  /** Returns the current estimate of the connection. */
  line(): Line {
    return estimateLine({
      transfers: readTransfers(),
      historyBps: this.#earlierBps,
      connection: readConnection(navigator),
    });
  }

  /**
   * Returns an estimate from earlier visits alone. It is used for live streams, so that they start with a low rung
   * close to the live edge.
   */
  earlier(): Line {
    const line = estimateLine({ transfers: [], historyBps: this.#earlierBps, connection: null });
    return { ...line, care: 'metered' };
  }

  /** Stores the bandwidth of this visit, replacing the previous value of this visit. */
  keep(bps: number): void {
    const visits = [...this.#earlierBps, Math.round(bps)].slice(-MAX_VISITS);
    this.#memory.keep(NAME, visits.join(' '));
  }
}

function readVisits(text: string): number[] {
  return text
    .split(' ')
    .map(Number)
    .filter((bps) => bps >= MIN_BPS && bps <= MAX_BPS);
}

/** Returns the responses of this page and its resources that have a body and were received over the network. */
function readTransfers(): Transfer[] {
  const entries = [...performance.getEntriesByType('navigation'), ...performance.getEntriesByType('resource')];
  return entries.flatMap((entry) => {
    if (!(entry instanceof PerformanceResourceTiming)) return [];
    const { responseStart: startMs, responseEnd: endMs, transferSize: bytes, encodedBodySize } = entry;
    return startMs > 0 && endMs >= startMs && bytes > 0 && encodedBodySize > 0 ? [{ startMs, endMs, bytes }] : [];
  });
}

/**
 * Reads `navigator.connection`. Firefox and Safari lack it, and some versions of other browsers lack some of its
 * fields.
 */
function readConnection(source: Navigator): Connection | null {
  const connection: unknown = Reflect.get(source, 'connection');
  if (typeof connection !== 'object' || connection === null) return null;
  const read = (name: string): unknown => Reflect.get(connection, name);
  const downlink = read('downlink');
  return {
    saveData: read('saveData') === true,
    type: String(read('type') ?? ''),
    effectiveType: String(read('effectiveType') ?? ''),
    downlinkMbps: typeof downlink === 'number' && Number.isFinite(downlink) ? downlink : null,
  };
}
