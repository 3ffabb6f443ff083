import type { Guid } from '../../../lib/guid.ts';
import { cutToSeconds } from '../sessions/viewing-session.ts';
import type { SeenSession, Verdict } from './statistics-gain.ts';

/** Deliveries to a viewer of a video, and the part already counted. Times are in ms since 1970. */
export type ViewEvidence = {
  viewerId: Guid;
  deliveredMs: number;
  usedSec: number;
  passes: number;
  /** Views counted in the window that began at `windowMs`. */
  views: number;
  windowMs: number;
  firstMs: number;
};

/** The stored state of a session. */
export type Stored = { sequence: number; watchedSec: number[]; heat: Buffer; verdict: Verdict };

/** A viewer counts at most once per video within this time, in ms. */
export const WINDOW_MS = 30 * 60_000;
/** Maximum viewers of one address and User-Agent that count for a video in one window. */
const MAX_VIEWERS = 100;
/**
 * Seconds that may be watched beyond the recorded deliveries. The first segment is played while it is still being
 * delivered, and each edge writes once a second.
 */
const SLACK_SEC = 5;

type Of = { evidence: ViewEvidence | null; before: Stored | null };
type Rules = { nowMs: number; countsByRate: boolean };

/**
 * Limits a session to its viewer's evidence, and marks the part that it uses. Returns `wait` if its evidence may still
 * arrive from another edge.
 */
export function judgeSession(session: SeenSession, { evidence, before }: Of, rules: Rules): SeenSession | 'wait' {
  if (before !== null && before.sequence >= session.sequence) return session;
  const isSure = session.isEstimate || rules.countsByRate;
  const hasEvidence = evidence !== null && (isSure || evidence.deliveredMs > 0);
  if (!hasEvidence) {
    if (before === null && rules.nowMs < session.decideAtMs) return 'wait';
    const verdict = before?.verdict ?? 'undelivered';
    return cutTo(session, before, { verdict, addedSec: 0 });
  }
  const isOpen = before === null || before.verdict === 'undelivered';
  const passes = isSure ? 1 : Math.min(evidence.passes, MAX_VIEWERS);
  const verdict = isOpen ? takeView(evidence, passes, rules.nowMs) : before.verdict;
  const claimedSec = sum(session.watchedSec) - sum(before?.watchedSec ?? []);
  const leftSec = session.isEstimate ? Number.POSITIVE_INFINITY : budgetSec(evidence, passes, rules) - evidence.usedSec;
  const addedSec = Math.max(0, Math.min(claimedSec, leftSec));
  evidence.usedSec += addedSec;
  return cutTo(session, before, { verdict, addedSec });
}

function takeView(evidence: ViewEvidence, passes: number, nowMs: number): Verdict {
  if (nowMs - evidence.windowMs >= WINDOW_MS) {
    Object.assign(evidence, { windowMs: nowMs, views: 1 });
    return 'counted';
  }
  if (evidence.views >= passes) return 'repeated';
  evidence.views += 1;
  return 'counted';
}

/** Returns at most the delivered seconds, and at most the elapsed time for each viewer who shares the address. */
function budgetSec({ deliveredMs, firstMs }: ViewEvidence, passes: number, { nowMs, countsByRate }: Rules): number {
  const passedSec = passes * (Math.floor((nowMs - firstMs) / 1000) + SLACK_SEC);
  return countsByRate ? passedSec : Math.min(Math.ceil(deliveredMs / 1000), passedSec);
}

function cutTo(
  session: SeenSession,
  before: Stored | null,
  { verdict, addedSec }: { verdict: Verdict; addedSec: number },
): SeenSession {
  const watchedSec = before?.watchedSec ?? [];
  const totalSec = sum(watchedSec) + addedSec;
  const discardedSec = Math.max(0, sum(session.watchedSec) - totalSec);
  const nothing = { startupMs: null, stallCount: 0, stallMs: 0, failures: 0 };
  const judged = { ...session, verdict, discardedSec, ...(verdict === 'undelivered' ? nothing : {}) };
  if (discardedSec === 0 && verdict !== 'undelivered') return judged;
  return { ...judged, ...cutToSeconds(session, { watchedSec, heat: before?.heat ?? Buffer.alloc(0) }, totalSec) };
}

function sum(seconds: readonly number[]): number {
  return seconds.reduce((all, sec) => all + sec, 0);
}
