/**
 * Loudness of an audio track (EBU R 128, ITU-R BS.1770), before any gain. `integratedLufs` and `truePeakDbtp` are null
 * for a track too quiet or short to measure.
 */
export type Loudness = { integratedLufs: number | null; rangeLu: number; truePeakDbtp: number | null };

/** Default target loudness of normalised audio. EBU R 128 s2 recommends -20 to -16 LUFS for streaming. */
export const DEFAULT_TARGET_LUFS = -16;

/** EBU R 128: the maximum true peak of a programme. */
const MAX_TRUE_PEAK_DBTP = -1;

/** Maximum gain in dB. A higher gain would amplify the noise of nearly silent recordings. */
const MAX_GAIN_DB = 30;

/** Minimum gain in dB. A smaller one is inaudible and not worth another encode. */
const MIN_GAIN_DB = 0.5;

/** Gating threshold: quieter blocks do not count (ITU-R BS.1770). The filter reports this value for silence. */
const SILENCE_LUFS = -70;

/**
 * Filter that measures loudness without changing the audio. Its summary is in the last messages of the run
 * (`readLoudness`).
 */
export const MEASURE_FILTER = 'ebur128=peak=true:framelog=verbose';

/** Reads the summary of `MEASURE_FILTER` from the messages of a run that has ended. Returns null if there is none. */
export function readLoudness(messages: string): Loudness | null {
  const summary = messages.slice(messages.lastIndexOf('Summary:'));
  const read = (label: string) => new RegExp(`\\n\\s+${label}:\\s+(-?[\\d.]+|-?inf|nan) `).exec(summary)?.[1];
  const [integrated, range, peak] = [read('I'), read('LRA'), read('Peak')].map(Number);
  if (integrated === undefined || range === undefined || Number.isNaN(integrated)) return null;
  return {
    integratedLufs: integrated <= SILENCE_LUFS ? null : integrated,
    rangeLu: Number.isFinite(range) ? range : 0,
    truePeakDbtp: peak !== undefined && Number.isFinite(peak) ? peak : null,
  };
}

/**
 * Returns the constant gain, in dB, that brings a track to a target loudness. The gain is lower if the true peak would
 * exceed `MAX_TRUE_PEAK_DBTP`, and 0 if no change is needed.
 */
export function gainFor({ integratedLufs, truePeakDbtp }: Loudness, targetLufs: number): number {
  if (integratedLufs === null || truePeakDbtp === null) return 0;
  const wanted = Math.min(targetLufs - integratedLufs, MAX_GAIN_DB, MAX_TRUE_PEAK_DBTP - truePeakDbtp);
  return Math.abs(wanted) < MIN_GAIN_DB ? 0 : Math.round(wanted * 10) / 10;
}
