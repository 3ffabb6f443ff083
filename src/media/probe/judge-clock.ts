import type { SourceFacts, SourceFault } from './source-facts.ts';

/**
 * What a scan of packets saw of one stream's clock: how many there are and how far they reach, how many steps from
 * packet to packet were leaps, and the seconds that passed in those.
 */
export type ClockScan = { packets: number; firstSec: number; endSec: number; leaps: number; leapSec: number };

/** A step from one packet to the next that counts as a leap of the clock. */
export const LEAP_SEC = 120;
const SUSPECT_SEC = 600;
const SUSPECT_BPS = 32_000;
const LEAST_STEADY_SHARE = 0.1;
/** Pictures that follow each other this slowly are no slides. */
const LONGEST_SLIDE_SEC = 3_600;

/** Whether a source is so long for its bytes that damaged times are likelier than so little to be seen or heard. */
export function isSuspectedlyLong({ durationSec, sizeBytes }: SourceFacts): boolean {
  return durationSec > SUSPECT_SEC && (sizeBytes * 8) / durationSec < SUSPECT_BPS;
}

/**
 * Why the times of a source cannot be right, from a scan of its packets by stream index: hardly any of its length is
 * filled by the packets of any stream that would be encoded, leaps of the clock left out. Null when they can, as those
 * of slides whose every step is one.
 */
export function whyClockIsBroken(facts: SourceFacts, scans: ReadonlyMap<number, ClockScan>): SourceFault | null {
  const streams = [...(facts.video === null ? [] : [facts.video]), ...facts.audio];
  const steadySec = Math.max(0, ...streams.map(({ streamIndex }) => steadySecOf(scans.get(streamIndex))));
  if (steadySec >= LEAST_STEADY_SHARE * facts.durationSec) return null;
  const message =
    `Expected times that go on steadily, but only ${steadySec.toFixed(1)} of the file's ` +
    `${facts.durationSec.toFixed(0)} seconds hold anything: its times are damaged. Write it anew and upload that.`;
  return { kind: 'undecodable', message };
}

function steadySecOf(scan: ClockScan | undefined): number {
  if (scan === undefined) return 0;
  return scan.endSec - scan.firstSec - (isSlides(scan) ? 0 : scan.leapSec);
}

/** Damage makes a few steps leap, or leap far; slides leap at most steps, and never far. */
function isSlides({ packets, leaps, leapSec }: ClockScan): boolean {
  return leaps > (packets - 1) / 2 && leapSec <= leaps * LONGEST_SLIDE_SEC;
}

/** A decode clock that goes back by more than rounding, or on by more than a pause, has jumped. */
const BACK_SEC = 0.5;
const AHEAD_SEC = 10;

/** Whether a step of a stream's decode times, in the order of the file, is a jump of the clock. */
export function isJump(fromSec: number, toSec: number): boolean {
  return toSec < fromSec - BACK_SEC || toSec > fromSec + AHEAD_SEC;
}

/**
 * How often the clock of a source jumps: as often as that of the stream where it does most. Subtitles pause by nature.
 */
export function countJumps(facts: SourceFacts, scans: ReadonlyMap<number, { jumps: number }>): number {
  const streams = [...(facts.video === null ? [] : [facts.video]), ...facts.audio];
  return Math.max(0, ...streams.map(({ streamIndex }) => scans.get(streamIndex)?.jumps ?? 0));
}
