import type { RungSec } from '../sessions/viewing-session.ts';

/** A fact of a session about its audience: a kind, its value, and an amount (seconds, ms or a count, by kind). */
export type AudienceFact = { kind: FactKind; value: string; amount: number };

/**
 * `device`, `referrer` (a host, empty for none) and `rung` (video height): the amount is seconds watched. `startup`:
 * the value is one of the bounds below, the amount ms. `stall`: ms. `failure`: a count.
 */
export type FactKind = 'device' | 'referrer' | 'rung' | 'startup' | 'stall' | 'failure';

/**
 * Additional inputs of the daily charts, with views and seconds: `country` (empty if unknown) for the charts
 * themselves, `estimate` for other players, and `discarded` for those claimed but not counted (`undelivered`,
 * `repeated`).
 */
export type ChartKind = 'country' | 'estimate' | 'discarded';

/** The fields from which facts are derived. */
export type Experienced = {
  device: string;
  referrerHost: string;
  watchedSec: readonly number[];
  rungSec: RungSec;
  startupMs: number | null;
  stallMs: number;
  failures: number;
};

/** Each bound is 20 % above the previous one, from 50 ms to about two minutes, which is the precision of results. */
const FIRST_BOUND_MS = 50;
const STEP = 1.2;
const BOUNDS = 44;

/** Returns the facts of a session so far, without those of amount zero. */
export function factsOf(session: Experienced): AudienceFact[] {
  const watchSec = session.watchedSec.reduce((sum, sec) => sum + sec, 0);
  const facts: AudienceFact[] = [
    { kind: 'device', value: session.device, amount: watchSec },
    { kind: 'referrer', value: session.referrerHost, amount: watchSec },
  ];
  for (const [heightPx, sec] of session.rungSec) {
    facts.push({ kind: 'rung', value: heightPx, amount: sec });
  }
  if (session.startupMs !== null) {
    facts.push({ kind: 'startup', value: `${startupBound(session.startupMs)}`, amount: session.startupMs });
  }
  if (session.stallMs > 0) facts.push({ kind: 'stall', value: '', amount: session.stallMs });
  if (session.failures > 0) facts.push({ kind: 'failure', value: '', amount: session.failures });
  return facts;
}

/** Returns the smallest bound that is not below a start-up time. */
export function startupBound(startupMs: number): number {
  const step = Math.ceil(Math.log(Math.max(startupMs, FIRST_BOUND_MS) / FIRST_BOUND_MS) / Math.log(STEP) - 1e-9);
  return boundAt(Math.min(step, BOUNDS));
}

function boundAt(step: number): number {
  return Math.round(FIRST_BOUND_MS * STEP ** step);
}

/** Returns the bound below which `share` (0 to 1) of the counted sessions started, or null if no start was measured. */
export function startupPercentile(counts: ReadonlyMap<number, number>, share: number): number | null {
  const total = [...counts.values()].reduce((sum, count) => sum + count, 0);
  let seen = 0;
  for (const bound of [...counts.keys()].sort((a, b) => a - b)) {
    seen += counts.get(bound) ?? 0;
    if (total > 0 && seen >= total * share) return bound;
  }
  return null;
}
