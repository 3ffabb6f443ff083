/** The time range that the bar shows, and how far the viewer can seek in it. */
export type Span = { startSec: number; endSec: number; reachableSec: number };

type Media = Pick<HTMLVideoElement, 'duration' | 'seekable'>;

/** `expectedSec` is the length according to the server, before the media is loaded or while the video still grows. */
export type Expectation = { isLive: boolean; isGrowing: boolean; expectedSec: number };

/**
 * Returns the range of the bar. A video's bar shows all of it, including parts that are not encoded yet. A live
 * stream's bar shows the seekable range.
 */
export function spanOf({ duration, seekable }: Media, { isLive, isGrowing, expectedSec }: Expectation): Span {
  const last = seekable.length - 1;
  const reachableSec = last < 0 ? 0 : seekable.end(last);
  if (isLive) return { startSec: last < 0 ? 0 : seekable.start(0), endSec: reachableSec, reachableSec };
  const knownSec = Number.isFinite(duration) ? duration : 0;
  const endSec = isGrowing || knownSec === 0 ? Math.max(expectedSec, knownSec) : knownSec;
  return { startSec: 0, endSec, reachableSec };
}

export function partOf({ startSec, endSec }: Span, sec: number): number {
  return endSec > startSec ? Math.max(0, Math.min(1, (sec - startSec) / (endSec - startSec))) : 0;
}

export function timeAt({ startSec, endSec }: Span, part: number): number {
  return startSec + Math.max(0, Math.min(1, part)) * (endSec - startSec);
}

/** Maximum interval between `timeupdate` events during playback, in ms (HTML standard). */
const REPORTED_EACH_MS = 250;

/**
 * Returns the time in ms until playback moves the bar by half a device pixel. Returns null if the next `timeupdate`
 * event is earlier, as in all except short videos. Drawing on each frame would waste processor time on invisible
 * changes.
 */
export function nextStepMs({ startSec, endSec }: Span, rate: number, widthPx: number): number | null {
  const stepMs = ((endSec - startSec) / widthPx / rate) * 500;
  return stepMs < REPORTED_EACH_MS ? stepMs : null;
}

/** Returns the end of the loaded range around a time. */
export function loadedUntil(buffered: TimeRanges, sec: number): number {
  for (let index = 0; index < buffered.length; index += 1) {
    if (buffered.start(index) <= sec + 0.1 && sec <= buffered.end(index)) return buffered.end(index);
  }
  return sec;
}

/**
 * Returns a mask that cuts gaps of `gapPx` into a bar where chapters begin. Returns `none` if there is at most one
 * chapter.
 */
export function chapterMask(parts: readonly number[], gapPx: number, isRtl: boolean): string {
  const cuts = parts.filter((part) => part > 0.001 && part < 0.999).sort((a, b) => a - b);
  if (cuts.length === 0) return 'none';
  const stops = cuts.flatMap((part) => {
    const at = `${Math.round(part * 1e5) / 1e3}%`;
    const [from, to] = [`calc(${at} - ${gapPx / 2}px)`, `calc(${at} + ${gapPx / 2}px)`];
    return [`#000 ${from}`, `transparent ${from}`, `transparent ${to}`, `#000 ${to}`];
  });
  return `linear-gradient(to ${isRtl ? 'left' : 'right'}, #000 0, ${stops.join(', ')}, #000 100%)`;
}
