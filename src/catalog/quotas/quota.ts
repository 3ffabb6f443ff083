import { bytesText } from '../../lib/bytes-text.ts';
import type { Guid } from '../../lib/guid.ts';
import { logEvent } from '../../lib/log/log-event.ts';
import { metrics } from '../../lib/metrics/metrics.ts';
import { Refused } from '../../lib/refused.ts';

/** Resources with a limit, each with its unit. Months are calendar months in UTC. */
export const QUOTA_RESOURCES = [
  'storageBytes',
  'encodedMinutesPerMonth',
  'concurrentLiveStreams',
  'concurrentViewers',
  'bandwidthBytesPerMonth',
] as const;
export type QuotaResource = (typeof QUOTA_RESOURCES)[number];

/** `soft` warns only. `hard` also refuses. */
export type QuotaMode = 'soft' | 'hard';
export type Quota = { limit: number; mode: QuotaMode };
export type Usage = Record<QuotaResource, number>;

/** Largest threshold, in percent, that the use of a resource has reached and not left since. */
export type QuotaLevel = 0 | 80 | 100;

/** Percentage points below a threshold at which the use leaves it, so that it may be announced again. */
const HYSTERESIS_POINTS = 5;

/** Kinds of tasks that encode video for which no viewer waits. They wait if the library has used its minutes. */
export const SCHEDULED_ENCODES: readonly string[] = ['video', 'backfill'];

/** Reason of encode tasks that wait for the minutes of the next month, or for a higher limit. */
export const ENCODES_HELD =
  'waiting for the quota: the library has used its encoded minutes of this month. ' +
  'Raise the limit, or wait for the next month (UTC)';

/** Id that events of a library contain instead of a video id. No media has this id. */
// The GUID has the form that RFC 9562 describes.
export const LIBRARY_EVENT_ID = '00000000-0000-0000-0000-000000000001' as Guid;

/** Returns the use in whole percent, rounded down, so that 100 means that the limit is reached. */
export function percentOf(used: number, limit: number): number {
  return limit === 0 ? 100 : Math.floor((used / limit) * 100);
}

/** Returns the level after a measurement. It falls only when the use is 5 points below a threshold. */
export function nextLevel(before: QuotaLevel, used: number, limit: number): QuotaLevel {
  const percent = percentOf(used, limit);
  const holds = (threshold: 80 | 100) =>
    percent >= threshold || (before >= threshold && percent > threshold - HYSTERESIS_POINTS);
  if (holds(100)) return 100;
  return holds(80) ? 80 : 0;
}

const NOUNS: Readonly<Record<QuotaResource, string>> = {
  storageBytes: 'of storage',
  encodedMinutesPerMonth: 'encoded minutes this month',
  concurrentLiveStreams: 'live streams at the same time',
  concurrentViewers: 'viewers at the same time',
  bandwidthBytesPerMonth: 'sent this month',
};

type Exceeded = {
  libraryId: number;
  resource: QuotaResource;
  used: number;
  limit: number;
  /** Additional use that was requested, if it is known. */
  more?: number;
  advice: string;
};

/** Counts and logs a refusal by a hard limit, and returns it to be thrown. */
export function quotaRefusal({ libraryId, resource, used, limit, more, advice }: Exceeded): Refused {
  const text = (count: number) => (/bytes/i.test(resource) ? bytesText(count) : `${count}`);
  const added = more === undefined ? '' : `, and ${text(more)} more would exceed it`;
  const use = `${text(used)} of ${text(limit)} ${NOUNS[resource]}`;
  metrics.quotaRefusals.inc({ resource });
  logEvent('quota.refused', { libraryId, resource, reason: `${use} in use${added}` });
  return new Refused('quota-reached', `The library uses ${use} (quota ${resource})${added}. ${advice}`);
}
