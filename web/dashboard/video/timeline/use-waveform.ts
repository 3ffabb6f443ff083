import { useMemo } from 'preact/hooks';
import { useLoaded } from '../../base/load.ts';

type Peaks = { durationMs: number; peaks: readonly number[] };

/** Shape of the sound of a video in a box of `count` by 510. `count` is 0 without sound. */
export type Waveform = { lengthSec: number; count: number; outline: string };

/** Reads the waveform of a video. Null until it is known. */
export function useWaveform(libraryId: number, videoId: string): Waveform | null {
  const { value } = useLoaded<Peaks>(`/dashboard/libraries/${libraryId}/videos/${videoId}/waveform`);
  const found = value.value;
  return useMemo(
    () =>
      found && {
        lengthSec: found.durationMs / 1000,
        count: found.peaks.length,
        outline: outlineOf(found.peaks),
      },
    [found],
  );
}

/** Returns the path of mirrored peaks around the middle. */
function outlineOf(peaks: readonly number[]): string {
  const above = peaks.map((peak, index) => `${index + 0.5},${255 - Math.max(3, peak)}`);
  const below = peaks.map((peak, index) => `${index + 0.5},${255 + Math.max(3, peak)}`).reverse();
  return peaks.length === 0 ? '' : `M0,255L${[...above, `${peaks.length},255`, ...below].join('L')}Z`;
}
