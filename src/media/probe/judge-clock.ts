import type { SourceFacts, SourceFault } from './source-facts.ts';

/**
 * Result of scanning the packets of one stream: their number and time range, the number of steps between packets that
 * were clock leaps, and the total seconds of these leaps.
 */
export type ClockScan = { packets: number; firstSec: number; endSec: number; leaps: number; leapSec: number };

/** Minimum step between two packets that counts as a clock leap, in seconds. */
export const LEAP_SEC = 120;
const SUSPECT_SEC = 600;
const SUSPECT_BPS = 32_000;
const MIN_STEADY_SHARE = 0.1;
/** Maximum interval between slides, in seconds. */
const MAX_SLIDE_SEC = 3_600;

/** Whether a source is so long for its size that its times are probably damaged. */
export function isSuspectedlyLong({ durationSec, sizeBytes }: SourceFacts): boolean {
  return durationSec > SUSPECT_SEC && (sizeBytes * 8) / durationSec < SUSPECT_BPS;
}

/**
 * Returns the fault of a source whose times cannot be correct: without clock leaps, the packets of each stream that
 * would be encoded cover almost none of the duration. `scans` has the packet scans by stream index. Returns null if the
 * times can be correct, as for slides, where every step is a leap.
 */
export function whyClockIsBroken(facts: SourceFacts, scans: ReadonlyMap<number, ClockScan>): SourceFault | null {
  const streams = [...(facts.video === null ? [] : [facts.video]), ...facts.audio];
  const steadySec = Math.max(0, ...streams.map(({ streamIndex }) => steadySecOf(scans.get(streamIndex))));
  if (steadySec >= MIN_STEADY_SHARE * facts.durationSec) return null;
  const message =
    `Expected steadily increasing times, but only ${steadySec.toFixed(1)} of the file's ` +
    `${facts.durationSec.toFixed(0)} seconds contain media. The times are damaged. Remux the file and upload it again.`;
  return { kind: 'undecodable', message };
}

function steadySecOf(scan: ClockScan | undefined): number {
  if (scan === undefined) return 0;
  return scan.endSec - scan.firstSec - (isSlides(scan) ? 0 : scan.leapSec);
}

/**
 * Whether the leaps look like slides. In slides, most steps are leaps, but none is very long. Damage causes few or very
 * long leaps.
 */
function isSlides({ packets, leaps, leapSec }: ClockScan): boolean {
  return leaps > (packets - 1) / 2 && leapSec <= leaps * MAX_SLIDE_SEC;
}

/**
 * Maximum backward step of a decode clock, in seconds, which covers rounding. `AHEAD_SEC` is the maximum forward step,
 * which covers pauses. Larger steps are jumps.
 */
const BACK_SEC = 0.5;
const AHEAD_SEC = 10;

/** Whether a step between the decode times of a stream, in file order, is a clock jump. */
export function isJump(fromSec: number, toSec: number): boolean {
  return toSec < fromSec - BACK_SEC || toSec > fromSec + AHEAD_SEC;
}

/**
 * Returns the number of clock jumps of a source: the maximum over its streams. Excludes subtitles, which pause
 * naturally.
 */
export function countJumps(facts: SourceFacts, scans: ReadonlyMap<number, { jumps: number }>): number {
  const streams = [...(facts.video === null ? [] : [facts.video]), ...facts.audio];
  return Math.max(0, ...streams.map(({ streamIndex }) => scans.get(streamIndex)?.jumps ?? 0));
}
