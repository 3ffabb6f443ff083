import type { Guid } from '../../lib/guid.ts';
import { heatGain } from './heat.ts';
import { HOUR_MS, type ViewingSession } from './viewing-session.ts';

/** A session with what the edge knows of the viewer besides: never an address. */
export type SeenSession = ViewingSession & { country: string; device: string };

/** What was counted of a session before; `sequence` is -1 when nothing was. */
export type CountedSession = { sequence: number; watchedSec: readonly number[]; heat: Buffer };

export type HourGain = {
  libraryId: number;
  mediaId: Guid;
  hourMs: number;
  country: string;
  views: number;
  watchSec: number;
};
export type HeatGain = { libraryId: number; mediaId: Guid; bucketSec: number; sessions: number; counts: number[] };

/** What sessions add to the sums beyond what was counted of them before. */
export type StatisticsGain = { hours: HourGain[]; heat: HeatGain[] };

/**
 * Sums up what a batch of sessions adds. A session that is counted already with the same or a higher sequence adds
 * nothing. The view lies in the starting hour, watch time in the hour in which it was watched.
 */
export function gainOf(batch: readonly { seen: SeenSession; counted: CountedSession }[]): StatisticsGain {
  const hours = new Map<string, HourGain>();
  const heat = new Map<string, HeatGain>();
  for (const { seen, counted } of batch) {
    if (seen.sequence <= counted.sequence) continue;
    const isNew = counted.sequence < 0;
    const length = Math.max(seen.watchedSec.length, counted.watchedSec.length, 1);
    for (let index = 0; index < length; index += 1) {
      const watchSec = (seen.watchedSec[index] ?? 0) - (counted.watchedSec[index] ?? 0);
      const views = isNew && index === 0 ? 1 : 0;
      if (watchSec !== 0 || views !== 0) addHour(hours, seen, { index, views, watchSec });
    }
    addHeatGain(heat, seen, { isNew, counts: heatGain(counted.heat, seen.heat) });
  }
  return { hours: sorted(hours), heat: sorted(heat) };
}

function addHour(
  hours: Map<string, HourGain>,
  { libraryId, mediaId, startHourMs, country }: SeenSession,
  { index, views, watchSec }: { index: number; views: number; watchSec: number },
): void {
  const hourMs = startHourMs + index * HOUR_MS;
  const key = `${libraryId}/${mediaId}/${hourMs}/${country}`;
  const known = hours.get(key) ?? { libraryId, mediaId, hourMs, country, views: 0, watchSec: 0 };
  hours.set(key, { ...known, views: known.views + views, watchSec: known.watchSec + watchSec });
}

function addHeatGain(
  heat: Map<string, HeatGain>,
  { libraryId, mediaId, bucketSec }: SeenSession,
  { isNew, counts }: { isNew: boolean; counts: number[] },
): void {
  const key = `${libraryId}/${mediaId}/${bucketSec}`;
  const known = heat.get(key) ?? { libraryId, mediaId, bucketSec, sessions: 0, counts: [] };
  for (const [index, count] of counts.entries()) known.counts[index] = (known.counts[index] ?? 0) + count;
  heat.set(key, { ...known, sessions: known.sessions + (isNew ? 1 : 0) });
}

/** In one order for all writers, so that two of them never wait for each other's rows. */
function sorted<T>(gains: Map<string, T>): T[] {
  return [...gains].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, gain]) => gain);
}
