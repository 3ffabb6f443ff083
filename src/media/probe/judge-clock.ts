import type { SourceFacts, SourceFault } from './source-facts.ts';

/**
 * Result of scanning the packets of one stream: their number and time range, how many steps from packet to packet were
 * leaps of the clock, and the seconds that passed in those.
 */
export type ClockScan = { packets: number; firstSec: number; endSec: number; leaps: number; leapSec: number };

/** Minimum step between two packets that counts as a leap of the clock. */
export const LEAP_SEC = 120;
const SUSPECT_SEC = 600;
const SUSPECT_BPS = 32_000;
const MIN_STEADY_SHARE = 0.1;
/** Maximum interval between slides, in seconds. */
const MAX_SLIDE_SEC = 3_600;

/** Returns whether a source is so long for its size that damaged times are more likely than so little content. */
export function isSuspectedlyLong({ durationSec, sizeBytes }: SourceFacts): boolean {
  return durationSec > SUSPECT_SEC && (sizeBytes * 8) / durationSec < SUSPECT_BPS;
}

/**
 * Returns why the times of a source cannot be right, from a scan of its packets by stream index: the packets of every
 * stream that would be encoded fill hardly any of its length, leaps of the clock excluded. Null if they can be right,
 * as for slides, whose every step is a leap.
 */
export function whyClockIsBroken(facts: SourceFacts, scans: ReadonlyMap<number, ClockScan>): SourceFault | null {
  const streams = [...(facts.video === null ? [] : [facts.video]), ...facts.audio];
  const steadySec = Math.max(0, ...streams.map(({ streamIndex }) => steadySecOf(scans.get(streamIndex))));
  if (steadySec >= MIN_STEADY_SHARE * facts.durationSec) return null;
  const message =
    `Expected times that go on steadily, but only ${steadySec.toFixed(1)} of the file's ` +
    `${facts.durationSec.toFixed(0)} seconds hold anything: its times are damaged. Write it anew and upload that.`;
  return { kind: 'undecodable', message };
}

function steadySecOf(scan: ClockScan | undefined): number {
  if (scan === undefined) return 0;
  return scan.endSec - scan.firstSec - (isSlides(scan) ? 0 : scan.leapSec);
}

/** Damage causes few or very long leaps. Slides leap at most steps, and never far. */
function isSlides({ packets, leaps, leapSec }: ClockScan): boolean {
  return leaps > (packets - 1) / 2 && leapSec <= leaps * MAX_SLIDE_SEC;
}

/** A decode clock that goes back by more than rounding, or forward by more than a pause, has jumped. */
const BACK_SEC = 0.5;
const AHEAD_SEC = 10;

/** Returns whether a step between a stream's decode times, in file order, is a clock jump. */
export function isJump(fromSec: number, toSec: number): boolean {
  return toSec < fromSec - BACK_SEC || toSec > fromSec + AHEAD_SEC;
}

/**
 * Returns how often the clock of a source jumps: the maximum over its streams. Subtitles are excluded, because they
 * pause by nature.
 */
export function countJumps(facts: SourceFacts, scans: ReadonlyMap<number, { jumps: number }>): number {
  const streams = [...(facts.video === null ? [] : [facts.video]), ...facts.audio];
  return Math.max(0, ...streams.map(({ streamIndex }) => scans.get(streamIndex)?.jumps ?? 0));
}
