import type { Guid } from '../../../lib/guid.ts';
import { type ViewingTicket, visitId } from './viewing-ticket.ts';

/**
 * State of one tab's session with one video so far: totals, never differences, so that lost, repeated or late beacons
 * change nothing. `watchedSec[n]` belongs to the n-th UTC hour from `startHourMs`.
 */
export type ViewingSession = {
  libraryId: number;
  mediaId: Guid;
  sessionId: Guid;
  /** The UTC hour of the first frame played; the view counts there. */
  startHourMs: number;
  /** Increases with each beacon of a session; only a higher number replaces the stored state. */
  sequence: number;
  watchedSec: number[];
  bucketSec: number;
  /** Number of times each bucket was played, one byte each. */
  heat: Buffer;
  /** Seconds watched by video height in pixels. Pairs, because objects with numeric keys take several KiB each. */
  rungSec: RungSec;
  startupMs: number | null;
  stallCount: number;
  stallMs: number;
  failures: number;
  /** Host of the page that embeds the player; empty if unknown. */
  referrerHost: string;
};

/** Video heights in pixels, each with its seconds watched. */
export type RungSec = readonly (readonly [heightPx: string, sec: number])[];

/** A received beacon: JSON of these fields. `heat` is base64url with a byte per bucket, without trailing zeros. */
type Beacon = {
  /** Number of the page's session; a new one begins after half an hour without playback. */
  visit: number;
  sequence: number;
  /** Time from the page's delivery to the first frame played. */
  startedMs: number;
  watchedSec: number[];
  heat: string;
  rungSec: Record<string, number>;
  startupMs: number | null;
  stallCount: number;
  stallMs: number;
  failures: number;
  page: string;
};

export const HOUR_MS = 3600_000;
const MAX_SEQUENCE = 1_000_000;
const MAX_HOURS = 73;
const MAX_VISITS = 2 * MAX_HOURS;
const MAX_PLAYBACK_RATE = 4;
const MAX_COUNT = 100_000;
/** Maximum reported wait, in ms. A page may stay open for three days, and be suspended. */
const MAX_MS = 24 * HOUR_MS;
const MAX_DURATION_MS = MAX_HOURS * HOUR_MS;
/** Time without playback after which a page's session ends. */
const IDLE_MS = HOUR_MS / 2;
/** Seconds by which the totals of a beacon may exceed the time that passed on the edge's clock. */
const SLACK_SEC = 5;
/** Maximum clock difference between two edges, in ms. */
const CLOCK_MS = 10_000;
const HOST = /^[a-z0-9.:[\]-]{0,253}$/i;
const HEAT = /^[A-Za-z0-9_-]{0,800}$/;
const HEIGHT = /^[1-9]\d{1,3}$/;
const MAX_RUNGS = 16;

/**
 * Parses a beacon with its ticket. Limits totals to the time that passed on the edge's own clock since the page was
 * delivered, and heat to the media's length. Returns null for anything that no player page writes, and for more
 * sessions than a page has had time for.
 */
export function readBeacon(text: string, ticket: ViewingTicket, nowMs: number): ViewingSession | null {
  const beacon = parseBeacon(text);
  if (beacon === null || beacon.startedMs < beacon.visit * IDLE_MS) return null;
  // Equal for each beacon of a session, whichever edge receives it, because it is part of the session's identity.
  const startMs = ticket.issuedAtMs + beacon.startedMs;
  if (startMs > nowMs + CLOCK_MS) return null;
  const startHourMs = Math.floor(startMs / HOUR_MS) * HOUR_MS;
  const elapsedSec = Math.max(0, nowMs - startMs) / 1000 + SLACK_SEC;
  const watchedSec = cutHours(beacon.watchedSec, { startHourMs, startMs, nowMs, elapsedSec });
  return {
    libraryId: ticket.libraryId,
    mediaId: ticket.mediaId,
    sessionId: visitId(ticket, beacon.visit),
    startHourMs,
    sequence: beacon.sequence,
    watchedSec,
    bucketSec: ticket.bucketSec,
    heat: cutHeat(Buffer.from(beacon.heat, 'base64url'), ticket, elapsedSec),
    rungSec: cutRungs(beacon.rungSec, watchedSec),
    startupMs: beacon.startupMs === null ? null : Math.min(beacon.startupMs, MAX_MS),
    stallCount: beacon.stallCount,
    stallMs: Math.min(beacon.stallMs, MAX_MS),
    failures: beacon.failures,
    referrerHost: beacon.page.toLowerCase(),
  };
}

type Elapsed = { startHourMs: number; startMs: number; nowMs: number; elapsedSec: number };

/** Limits each hour to its part between start and now, and the total to the time elapsed. */
function cutHours(watchedSec: readonly number[], { startHourMs, startMs, nowMs, elapsedSec }: Elapsed): number[] {
  let leftSec = Math.floor(elapsedSec);
  const cut: number[] = [];
  for (const [index, sec] of watchedSec.entries()) {
    const fromMs = Math.max(startHourMs + index * HOUR_MS, startMs);
    const toMs = Math.min(startHourMs + (index + 1) * HOUR_MS, nowMs + SLACK_SEC * 1000);
    const hourSec = Math.ceil((toMs - fromMs) / 1000);
    const kept = Math.max(0, Math.min(sec, hourSec, leftSec));
    leftSec -= kept;
    cut.push(kept);
  }
  return cut;
}

/**
 * Limits the buckets to those that can have been played since the start at the highest rate that players offer. Changes
 * `heat` in place and returns a view of it.
 */
function cutHeat(
  heat: Buffer,
  { bucketSec, bucketCount }: Pick<ViewingTicket, 'bucketSec' | 'bucketCount'>,
  elapsedSec: number,
): Buffer {
  const cut = heat.subarray(0, bucketCount);
  // Each entry into a bucket counts. Seeks enter without playing, at most four times a second.
  let left = Math.ceil((elapsedSec * MAX_PLAYBACK_RATE) / bucketSec) + MAX_PLAYBACK_RATE * Math.ceil(elapsedSec);
  for (let index = 0; index < cut.length; index += 1) {
    const kept = Math.min(cut[index] ?? 0, left);
    cut[index] = kept;
    left -= kept;
  }
  return cut;
}

/** The parts of a session that can be cut to fewer seconds. */
type Cuttable = Pick<ViewingSession, 'watchedSec' | 'heat' | 'rungSec' | 'bucketSec'>;

/** Cuts a session to `totalSec`, newest seconds first. Seconds and buckets counted `before` are kept. */
export function cutToSeconds(
  session: Cuttable,
  before: Pick<ViewingSession, 'watchedSec' | 'heat'>,
  totalSec: number,
): Pick<ViewingSession, 'watchedSec' | 'heat' | 'rungSec'> {
  let excessSec = session.watchedSec.reduce((sum, sec) => sum + sec, 0) - totalSec;
  const watchedSec = session.watchedSec.toReversed().map((sec, fromEnd) => {
    const hour = session.watchedSec.length - 1 - fromEnd;
    const taken = Math.max(0, Math.min(excessSec, sec - (before.watchedSec[hour] ?? 0)));
    excessSec -= taken;
    return sec - taken;
  });
  watchedSec.reverse();
  const ticket = { bucketSec: session.bucketSec, bucketCount: session.heat.length };
  const heat = totalSec === 0 ? Buffer.alloc(0) : cutHeat(Buffer.from(session.heat), ticket, totalSec);
  const kept = Buffer.alloc(Math.max(heat.length, before.heat.length));
  for (let index = 0; index < kept.length; index += 1)
    kept[index] = Math.max(heat[index] ?? 0, before.heat[index] ?? 0);
  return { watchedSec, heat: kept, rungSec: cutRungs(Object.fromEntries(session.rungSec), watchedSec) };
}

/** Limits all rungs together to the seconds watched. */
function cutRungs(rungSec: Readonly<Record<string, number>>, watchedSec: readonly number[]): RungSec {
  // Each rung is rounded separately.
  let leftSec = watchedSec.reduce((sum, sec) => sum + sec, 0) + Object.keys(rungSec).length;
  const cut: [string, number][] = [];
  for (const [heightPx, sec] of Object.entries(rungSec)) {
    const kept = Math.min(sec, leftSec);
    leftSec -= kept;
    if (kept > 0) cut.push([heightPx, kept]);
  }
  return cut;
}

function parseBeacon(text: string): Beacon | null {
  const sent = parseObject(text);
  if (sent === null) return null;
  const { visit, sequence, startedMs, watchedSec, heat, rungSec, startupMs, stallCount, stallMs, failures, page } =
    sent;
  const isFit =
    isCount(visit, MAX_VISITS) &&
    isCount(sequence, MAX_SEQUENCE) &&
    isCount(startedMs, MAX_DURATION_MS) &&
    Array.isArray(watchedSec) &&
    watchedSec.length <= MAX_HOURS &&
    watchedSec.every((sec) => isCount(sec, 3600 + SLACK_SEC)) &&
    typeof heat === 'string' &&
    HEAT.test(heat) &&
    isRungSec(rungSec) &&
    (startupMs === null || isCount(startupMs, MAX_DURATION_MS)) &&
    isCount(stallCount, MAX_COUNT) &&
    isCount(stallMs, MAX_DURATION_MS) &&
    isCount(failures, MAX_COUNT) &&
    typeof page === 'string' &&
    HOST.test(page);
  // Each field was just checked against the type.
  const counts = { startupMs, stallCount, stallMs, failures };
  return isFit ? ({ visit, sequence, startedMs, watchedSec, heat, rungSec, page, ...counts } as Beacon) : null;
}

function parseObject(text: string): Record<string, unknown> | null {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : null;
  } catch {
    return null;
  }
}

function isRungSec(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false;
  const entries = Object.entries(value);
  return (
    entries.length <= MAX_RUNGS &&
    entries.every(([height, sec]) => HEIGHT.test(height) && isCount(sec, MAX_HOURS * 3600))
  );
}

function isCount(value: unknown, most: number): value is number {
  return Number.isInteger(value) && Number(value) >= 0 && Number(value) <= most;
}
