/** State that `watchVideo` keeps in `window.watch`. */
export type PageWatch = { playedSec: number; holes: Set<string>; stalls: string[]; errors: string[] };

/**
 * Runs in a page: watches a video element from now on. A hole must exist in `buffered` at two successive samples,
 * because parts may arrive out of order. A stall is a position that does not change for three seconds while the page
 * runs. A jump of the position that is longer than the preceding pause also counts as a hole, because the player
 * skipped media.
 */
export function watchVideo(video: SVGElement | HTMLElement): void {
  const [lookMs, stallMs, maxLeapSec, returnMs] = [250, 3_000, 1, 10_000];
  const element = video as HTMLVideoElement;
  const watch: PageWatch = { playedSec: 0, holes: new Set(), stalls: [], errors: [] };
  Object.assign(window, { watch });
  let [firstSec, lastSec, stillMs, lookedMs] = [0, 0, 0, performance.now()];
  let [pausedSec, pausedMs] = [0, 0];
  let before: string[] = [];
  element.addEventListener('error', () => void watch.errors.push(element.error?.message ?? 'error'));
  setInterval(() => {
    const { buffered, currentTime: sec } = element;
    const nowMs = performance.now();
    if (firstSec === 0 && sec > 0) [firstSec, lastSec, stillMs, lookedMs] = [sec, sec, 0, nowMs];
    if (firstSec === 0) return;
    const ends = Array.from({ length: Math.max(0, buffered.length - 1) }, (_, index) => buffered.end(index));
    const holes = ends.filter((end) => end > firstSec + 1).map((end) => `after ${end.toFixed(1)} s`);
    for (const hole of holes) if (before.includes(hole)) watch.holes.add(hole);
    before = holes;
    const leapSec = sec - lastSec - ((nowMs - lookedMs) / 1000) * element.playbackRate;
    if (stillMs / 1000 > pausedSec) [pausedSec, pausedMs] = [stillMs / 1000, nowMs];
    if (nowMs - pausedMs > returnMs) pausedSec = 0;
    if (leapSec > maxLeapSec + pausedSec && watch.playedSec > 1)
      watch.holes.add(`leap of ${leapSec.toFixed(1)} s at ${lastSec.toFixed(1)} s`);
    stillMs += Math.min(nowMs - lookedMs, 2 * lookMs);
    if (sec !== lastSec) {
      if (stillMs > stallMs) watch.stalls.push(`${(stillMs / 1000).toFixed(1)} s at ${lastSec.toFixed(1)} s`);
      [lastSec, stillMs] = [sec, 0];
    }
    lookedMs = nowMs;
    watch.playedSec = sec - firstSec;
  }, lookMs);
}
