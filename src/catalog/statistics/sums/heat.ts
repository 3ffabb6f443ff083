/** Stored heat: an unsigned 32-bit little-endian count per bucket. */
const COUNT_BYTES = 4;
const PEAK = 100;

/** Adds gains to stored counts; neither argument is changed. A count never falls below 0. */
export function addHeat(stored: Buffer, gain: readonly number[]): Buffer {
  const length = Math.max(stored.length / COUNT_BYTES, gain.length);
  const sum = Buffer.alloc(length * COUNT_BYTES);
  for (let index = 0; index < length; index += 1) {
    const at = index * COUNT_BYTES;
    const old = at < stored.length ? stored.readUInt32LE(at) : 0;
    sum.writeUInt32LE(Math.max(0, old + (gain[index] ?? 0)), at);
  }
  return sum;
}

/**
 * Returns the heatmap of the API: the plays of each second of the media, keyed by the second as a string, in percent of
 * the most played second (1 to 100). Seconds that were not played are left out.
 */
export function toHeatmap(stored: Buffer, bucketSec: number): Record<string, number> {
  const heatmap: Record<string, number> = {};
  for (const [bucket, value] of toShares(stored).entries()) {
    if (value === 0) continue;
    for (let sec = bucket * bucketSec; sec < (bucket + 1) * bucketSec; sec += 1) heatmap[sec] = value;
  }
  return heatmap;
}

/** Returns the plays of each bucket in percent of the most played one, 0 to 100. */
export function toShares(stored: Buffer): number[] {
  const counts = Array.from({ length: stored.length / COUNT_BYTES }, (_, index) =>
    stored.readUInt32LE(index * COUNT_BYTES),
  );
  const peak = Math.max(1, ...counts);
  return counts.map((count) => Math.round((count * PEAK) / peak));
}

const RETENTION_POINTS = 100;

/**
 * Returns the percentage of `sessions` that played each of at most 100 parts of equal length, from the counts of those
 * that did.
 */
export function retentionOf(reached: Buffer, sessions: number): number[] {
  const buckets = reached.length / COUNT_BYTES;
  const points = Math.min(RETENTION_POINTS, buckets);
  return Array.from({ length: points }, (_, point) => {
    const bucket = Math.floor(((point + 0.5) * buckets) / points);
    return Math.min(PEAK, Math.round((reached.readUInt32LE(bucket * COUNT_BYTES) * 100) / sessions));
  });
}
