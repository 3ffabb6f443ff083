import type { SourceFacts, SourceFault } from './source-facts.ts';

/** What a scan of packets saw of one stream's clock: its reach, and seconds that passed in leaps from packet to packet. */
export type ClockScan = { firstSec: number; endSec: number; leapSec: number };

/** A step from one packet to the next that counts as a leap of the clock. */
export const LEAP_SEC = 120;
const SUSPECT_SEC = 600;
const SUSPECT_BPS = 32_000;
const LEAST_STEADY_SHARE = 0.1;

/** Whether a source is so long for its bytes that damaged times are likelier than so little to be seen or heard. */
export function isSuspectedlyLong({ durationSec, sizeBytes }: SourceFacts): boolean {
  return durationSec > SUSPECT_SEC && (sizeBytes * 8) / durationSec < SUSPECT_BPS;
}

/**
 * Why the times of a source cannot be right, from a scan of its packets by stream index: hardly any of its length is
 * filled by the packets of any stream that would be encoded, leaps of the clock left out. Null when they can.
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
  return scan === undefined ? 0 : scan.endSec - scan.firstSec - scan.leapSec;
}
