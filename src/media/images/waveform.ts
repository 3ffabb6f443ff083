/** Number of 16-bit samples per second from which a waveform is drawn. */
export const WAVEFORM_RATE_HZ = 8_000;

/** Maximum number of peaks: one for each pixel of a wide player. */
const MAX_PEAKS = 1_500;
/** Maximum number of peaks per second, which applies to short audio. */
const MAX_PEAKS_PER_SEC = 20;
const BYTES_PER_SAMPLE = 2;
const FULL_SCALE = 2 ** 15;

/** Returns the maximum number of peaks of a track. */
export function peakCount(durationSec: number): number {
  return Math.max(1, Math.min(MAX_PEAKS, Math.ceil(durationSec * MAX_PEAKS_PER_SEC)));
}

/** Returns the number of bytes of mono samples that one peak of a waveform covers. */
export function bytesPerPeak(durationSec: number): number {
  return Math.max(1, Math.ceil((durationSec * WAVEFORM_RATE_HZ) / peakCount(durationSec))) * BYTES_PER_SAMPLE;
}

/** Returns the peak of mono 16-bit samples, from 0 to 255. */
export function peakOf(samples: Buffer): number {
  let highest = 0;
  for (let at = 0; at + BYTES_PER_SAMPLE <= samples.length; at += BYTES_PER_SAMPLE) {
    highest = Math.max(highest, Math.abs(samples.readInt16LE(at)));
  }
  return Math.round((highest / FULL_SCALE) * 255);
}

/**
 * Returns an SVG image of peaks that may be stretched to any size. Its grey is visible on light and dark backgrounds.
 */
export function drawPeaks(peaks: Uint8Array): string {
  const bars = Array.from(peaks, (peak, index) => `M${index} ${-Math.max(1, peak)}V${Math.max(1, peak)}`).join('');
  return (
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="-0.5 -255 ${peaks.length} 510" preserveAspectRatio="none">` +
    `<path d="${bars}" stroke="#8a93a6" stroke-width="0.8"/></svg>`
  );
}
