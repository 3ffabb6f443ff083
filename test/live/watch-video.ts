/** State that `watchVideo` keeps in `window.watch`. */
export type PageWatch = { playedSec: number; holes: Set<string>; stalls: string[]; errors: string[] };

/**
 * Runs in a page: watches a video element from now on. A hole must be in `buffered` at two samples in a row, because
 * parts may arrive in another order than they play. A stall is a position that does not change for three seconds.
 * Positions that leap are holes as well: a player skipped something.
 */
export function watchVideo(video: SVGElement | HTMLElement): void {
  const [lookMs, stallMs, maxLeapSec] = [250, 3_000, 1];
  const element = video as HTMLVideoElement;
  const watch: PageWatch = { playedSec: 0, holes: new Set(), stalls: [], errors: [] };
  Object.assign(window, { watch });
  let [firstSec, lastSec, movedMs, lookedMs] = [0, 0, performance.now(), performance.now()];
  let before: string[] = [];
  element.addEventListener('error', () => void watch.errors.push(element.error?.message ?? 'error'));
  setInterval(() => {
    const { buffered, currentTime: sec } = element;
    const nowMs = performance.now();
    if (firstSec === 0 && sec > 0) [firstSec, lastSec, movedMs, lookedMs] = [sec, sec, nowMs, nowMs];
    if (firstSec === 0) return;
    const ends = Array.from({ length: Math.max(0, buffered.length - 1) }, (_, at) => buffered.end(at));
    const holes = ends.filter((end) => end > firstSec + 1).map((end) => `after ${end.toFixed(1)} s`);
    for (const hole of holes) if (before.includes(hole)) watch.holes.add(hole);
    before = holes;
    const leapSec = sec - lastSec - ((nowMs - lookedMs) / 1000) * element.playbackRate;
    if (leapSec > maxLeapSec && watch.playedSec > 1)
      watch.holes.add(`leap of ${leapSec.toFixed(1)} s at ${lastSec.toFixed(1)} s`);
    if (sec !== lastSec) {
      if (nowMs - movedMs > stallMs)
        watch.stalls.push(`${((nowMs - movedMs) / 1000).toFixed(1)} s at ${lastSec.toFixed(1)} s`);
      [lastSec, movedMs] = [sec, nowMs];
    }
    lookedMs = nowMs;
    watch.playedSec = sec - firstSec;
  }, lookMs);
}
