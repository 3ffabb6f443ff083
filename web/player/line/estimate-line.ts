/** Size of one response, and the time in which its body arrived, in ms of the page's clock. */
export type Transfer = { startMs: number; endMs: number; bytes: number };

/** The part of `navigator.connection` that is used (https://wicg.github.io/netinfo/). */
export type Connection = { saveData: boolean; type: string; effectiveType: string; downlinkMbps: number | null };

export type LineFacts = {
  /** Responses that the page has received so far. */
  transfers: readonly Transfer[];
  /** Bandwidths at the end of earlier visits. */
  historyBps: readonly number[];
  /** Null in browsers that do not report it. */
  connection: Connection | null;
};

/**
 * Estimate of the viewer's connection. `bps` is null if nothing is known. `care` is `saving` if the viewer asked to
 * save data, and `metered` if bytes probably cost money or arrive slowly.
 */
export type Line = { bps: number | null; care: 'none' | 'metered' | 'saving' };

/**
 * Minimum size of a response that is used for the measurement. The duration of a smaller one depends on latency and on
 * the server.
 */
const MIN_BYTES = 24 * 1024;
/** Maximum size of a response that arrives in a few packets, so that its duration is the round-trip time. */
const MAX_SMALL_BYTES = 4 * 1024;
/** Maximum fraction of a response's duration that is attributed to latency. */
const MAX_DELAY_SHARE = 0.5;
/** Resolution of the clock in most browsers, in ms. */
const MIN_MS = 1;
/**
 * Factor by which the bandwidth of earlier visits may exceed the measured one, because TCP is still accelerating during
 * the first responses.
 */
const MAX_HISTORY_RATIO = 2;
/**
 * Factor applied to the `downlink` of the browser, which is rounded, and an optimistic default before the first
 * measurement.
 */
const DOWNLINK_SHARE = 0.5;

/** Estimates the connection from everything that is known before the first segment is requested. */
export function estimateLine({ transfers, historyBps, connection }: LineFacts): Line {
  const measuredBps = measure(transfers);
  const knownBps = medianOf(historyBps);
  return { bps: combine(measuredBps, knownBps) ?? downlinkBps(connection), care: careFor(connection) };
}

function combine(measuredBps: number | null, knownBps: number | null): number | null {
  if (measuredBps === null || knownBps === null) return measuredBps ?? knownBps;
  return Math.min(Math.max(knownBps, measuredBps), measuredBps * MAX_HISTORY_RATIO);
}

/**
 * Returns the rate of the largest response, together with the responses that arrived at the same time, or null if none
 * is large enough. Time between responses does not count, because it is caused by the server and latency.
 */
function measure(transfers: readonly Transfer[]): number | null {
  const largest = transfers.toSorted((a, b) => b.bytes - a.bytes)[0];
  if (largest === undefined || largest.bytes < MIN_BYTES) return null;
  const { startMs, endMs } = largest;
  const bytes = transfers
    .filter((one) => one.startMs >= startMs && one.endMs <= endMs)
    .reduce((sum, one) => sum + one.bytes, 0);
  const ms = endMs - startMs;
  return (bytes * 8 * 1000) / Math.max(MIN_MS, ms - Math.min(delayMs(transfers), ms * MAX_DELAY_SHARE));
}

/** Returns the part of a response's duration that does not depend on its size, in ms. */
function delayMs(transfers: readonly Transfer[]): number {
  const small = transfers.filter(({ bytes }) => bytes <= MAX_SMALL_BYTES);
  return small.length === 0 ? 0 : Math.min(...small.map(({ startMs, endMs }) => endMs - startMs));
}

function medianOf(values: readonly number[]): number | null {
  return values.toSorted((a, b) => a - b)[Math.floor((values.length - 1) / 2)] ?? null;
}

function downlinkBps(connection: Connection | null): number | null {
  const mbps = connection?.downlinkMbps ?? null;
  return mbps === null || mbps <= 0 ? null : mbps * 1_000_000 * DOWNLINK_SHARE;
}

function careFor(connection: Connection | null): Line['care'] {
  if (connection === null) return 'none';
  if (connection.saveData) return 'saving';
  const isSlow = ['slow-2g', '2g', '3g'].includes(connection.effectiveType);
  return isSlow || ['cellular', 'bluetooth', 'wimax'].includes(connection.type) ? 'metered' : 'none';
}
