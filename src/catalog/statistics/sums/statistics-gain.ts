import type { Guid } from '../../../lib/guid.ts';
import { HOUR_MS, type ViewingSession } from '../sessions/viewing-session.ts';
import { type AudienceFact, type ChartKind, type Experienced, type FactKind, factsOf } from './audience-fact.ts';
import type { SketchPoint } from './viewer-sketch.ts';

/**
 * Verdict on whether a session counts as a view. `repeated`: its viewer had a view of the video within the last half
 * hour; watch time counts. `undelivered`: no media reached its viewer; nothing counts.
 */
export type Verdict = 'counted' | 'repeated' | 'undelivered';

/** A session with the edge's other facts about the viewer, but never an address. */
export type SeenSession = ViewingSession & {
  country: string;
  device: string;
  /** The viewer's point in the day's sketch, or null if unknown or not counted. */
  viewer: SketchPoint | null;
  /** Derived from segment requests of a player that is not ours. */
  isEstimate: boolean;
  /** Viewer id of this video for evidence of deliveries; null: the session counts without evidence. */
  viewerId: Guid | null;
  /** Time until which the session waits for evidence, in ms since 1970. */
  decideAtMs: number;
  verdict: Verdict;
  /** Seconds that are claimed but not counted. */
  discardedSec: number;
};

/** The counted state of a session; `sequence` is -1 if there is none. Facts about its start do not change. */
export type CountedSession = Experienced & {
  sequence: number;
  heat: Buffer;
  country: string;
  isSketched: boolean;
  verdict: Verdict;
  discardedSec: number;
};

export type HourGain = {
  libraryId: number;
  mediaId: Guid;
  hourMs: number;
  country: string;
  views: number;
  watchSec: number;
  estimatedViews: number;
  estimatedWatchSec: number;
};
export type HeatGain = {
  libraryId: number;
  mediaId: Guid;
  bucketSec: number;
  sessions: number;
  counts: number[];
  reached: number[];
};
export type DayGain = Pick<AudienceFact, 'value' | 'amount'> & {
  libraryId: number;
  mediaId: Guid;
  dayMs: number;
  kind: FactKind | ChartKind;
  sessions: number;
};
export type SketchGain = { libraryId: number; mediaId: Guid; dayMs: number; points: SketchPoint[] };

/** Additions of sessions to the sums, without what was already counted of them. */
export type StatisticsGain = { hours: HourGain[]; heat: HeatGain[]; days: DayGain[]; sketches: SketchGain[] };

/** A session as seen now, and as counted before. */
export type CountedPair = { seen: SeenSession; counted: CountedSession };

const DAY_MS = 24 * HOUR_MS;

/**
 * Sums the additions of a batch of sessions. A session already counted with the same or a higher sequence adds nothing.
 * The view counts in the starting hour, watch time in the hour in which it was watched. Estimates have separate sums,
 * and are included in the charts only with `countsEstimates`.
 */
export function gainOf(batch: readonly CountedPair[], countsEstimates: boolean): StatisticsGain {
  const gain = { hours: new Map<string, HourGain>(), heat: new Map(), days: new Map(), sketches: new Map() };
  for (const pair of batch) {
    if (pair.seen.sequence <= pair.counted.sequence) continue;
    addHours(gain, pair, countsEstimates);
    addDiscarded(gain.days, pair);
    if (pair.seen.isEstimate || pair.seen.verdict === 'undelivered') continue;
    addHeatGain(gain.heat, pair);
    addFacts(gain.days, pair);
    addViewer(gain.sketches, pair);
  }
  return {
    hours: sorted(gain.hours),
    heat: sorted(gain.heat),
    days: sorted(gain.days),
    sketches: sorted(gain.sketches),
  };
}

function isNew({ counted }: CountedPair): boolean {
  return counted.sequence < 0;
}

/** Returns whether no part of the session has been counted yet. */
function isUncounted(pair: CountedPair): boolean {
  return isNew(pair) || pair.counted.verdict === 'undelivered';
}

function becomesView(pair: CountedPair): boolean {
  return isUncounted(pair) && pair.seen.verdict === 'counted';
}

/** Adds views and seconds that were claimed but not counted. A view whose evidence arrived late is subtracted again. */
function addDiscarded(days: Map<string, DayGain>, pair: CountedPair): void {
  const { seen, counted } = pair;
  const isLate = !isNew(pair) && counted.verdict === 'undelivered' && seen.verdict !== 'undelivered';
  const undelivered = isLate ? -1 : isNew(pair) && seen.verdict === 'undelivered' ? 1 : 0;
  const repeated = isUncounted(pair) && seen.verdict === 'repeated' ? 1 : 0;
  const amount = seen.discardedSec - (isNew(pair) ? 0 : counted.discardedSec);
  addToDay(days, seen, seen.startHourMs, { kind: 'discarded', value: 'undelivered', amount, sessions: undelivered });
  addToDay(days, seen, seen.startHourMs, { kind: 'discarded', value: 'repeated', amount: 0, sessions: repeated });
}

type ChartGains = { hours: Map<string, HourGain>; days: Map<string, DayGain> };

function addHours({ hours, days }: ChartGains, pair: CountedPair, countsEstimates: boolean): void {
  const { seen, counted } = pair;
  const { libraryId, mediaId, startHourMs, isEstimate } = seen;
  const country = isNew(pair) ? seen.country : counted.country;
  const isInCharts = !isEstimate || countsEstimates;
  const length = Math.max(seen.watchedSec.length, counted.watchedSec.length, 1);
  for (let index = 0; index < length; index += 1) {
    const watchSec = (seen.watchedSec[index] ?? 0) - (counted.watchedSec[index] ?? 0);
    const views = becomesView(pair) && index === 0 ? 1 : 0;
    if (watchSec === 0 && views === 0) continue;
    const hourMs = startHourMs + index * HOUR_MS;
    const key = `${libraryId}/${mediaId}/${hourMs}/${country}`;
    const none = { views: 0, watchSec: 0, estimatedViews: 0, estimatedWatchSec: 0 };
    const gain = hours.get(key) ?? { libraryId, mediaId, hourMs, country, ...none };
    gain.views += isInCharts ? views : 0;
    gain.watchSec += isInCharts ? watchSec : 0;
    gain.estimatedViews += isEstimate ? views : 0;
    gain.estimatedWatchSec += isEstimate ? watchSec : 0;
    hours.set(key, gain);
    const sums = { amount: watchSec, sessions: views };
    if (isInCharts) addToDay(days, seen, hourMs, { kind: 'country', value: country, ...sums });
    if (isEstimate) addToDay(days, seen, hourMs, { kind: 'estimate', value: '', ...sums });
  }
}

function addHeatGain(heat: Map<string, HeatGain>, pair: CountedPair): void {
  const { libraryId, mediaId, bucketSec } = pair.seen;
  const [before, after] = [pair.counted.heat, pair.seen.heat];
  if (before.equals(after)) return;
  const key = `${libraryId}/${mediaId}/${bucketSec}`;
  const gain = heat.get(key) ?? { libraryId, mediaId, bucketSec, sessions: 0, counts: [], reached: [] };
  for (let bucket = 0; bucket < Math.max(before.length, after.length); bucket += 1) {
    const [old, now] = [before[bucket] ?? 0, after[bucket] ?? 0];
    gain.counts[bucket] = (gain.counts[bucket] ?? 0) + now - old;
    gain.reached[bucket] = (gain.reached[bucket] ?? 0) + Math.min(1, now) - Math.min(1, old);
  }
  // Time watched while the media had no length, as a live stream, is not evidence of retention.
  gain.sessions += isBlank(before) && !isBlank(after) ? 1 : 0;
  heat.set(key, gain);
}

function isBlank(heat: Buffer): boolean {
  return heat.every((count) => count === 0);
}

/** Device and referrer are taken from the start. Later values do not change them. */
function addFacts(days: Map<string, DayGain>, pair: CountedPair): void {
  const { seen, counted } = pair;
  const start = isNew(pair) ? seen : { ...seen, device: counted.device, referrerHost: counted.referrerHost };
  const before = isUncounted(pair) ? [] : factsOf(counted);
  const isView = seen.verdict === 'counted';
  for (const { kind, value, amount } of factsOf(start)) {
    const known = before.find((fact) => fact.kind === kind && fact.value === value);
    const sums = { amount: amount - (known?.amount ?? 0), sessions: isView && known === undefined ? 1 : 0 };
    addToDay(days, seen, seen.startHourMs, { kind, value, ...sums });
  }
}

function addToDay(
  days: Map<string, DayGain>,
  { libraryId, mediaId }: SeenSession,
  hourMs: number,
  { kind, value, amount, sessions }: Pick<DayGain, 'kind' | 'value' | 'amount' | 'sessions'>,
): void {
  if (amount === 0 && sessions === 0) return;
  const dayMs = dayOf(hourMs);
  const key = `${libraryId}/${mediaId}/${dayMs}/${kind}/${value}`;
  const gain = days.get(key) ?? { libraryId, mediaId, dayMs, kind, value, amount: 0, sessions: 0 };
  gain.amount += amount;
  gain.sessions += sessions;
  days.set(key, gain);
}

function addViewer(sketches: Map<string, SketchGain>, { seen, counted }: CountedPair): void {
  const { libraryId, mediaId, startHourMs, viewer } = seen;
  if (viewer === null || counted.isSketched) return;
  const dayMs = dayOf(startHourMs);
  const key = `${libraryId}/${mediaId}/${dayMs}`;
  const known = sketches.get(key) ?? { libraryId, mediaId, dayMs, points: [] };
  known.points.push(viewer);
  sketches.set(key, known);
}

function dayOf(ms: number): number {
  return Math.floor(ms / DAY_MS) * DAY_MS;
}

/** All writers use the same order, so that they never wait for each other's rows. */
function sorted<T>(gains: Map<string, T>): T[] {
  return [...gains].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, gain]) => gain);
}
