import Hls from 'hls.js';

/** Share of the connection that the average rate of a kept rung may take. */
const MAX_SHARE = 0.85;
/** Segments after a jump for which a rung is kept. Behind them, hls.js compares averages itself. */
const KEPT_SEGMENTS = 2;

/**
 * Keeps the rung after a jump to a place that is not loaded, if the connection still carries it. With an empty buffer,
 * hls.js compares the peak rate of each rung to the connection instead of the average, and would select a lower one.
 */
export function keepRungOnJump(hls: Hls, video: HTMLVideoElement): void {
  let level = -1;
  let segmentsLeft = 0;
  const keep = () => {
    const rung = hls.levels[level];
    if (level <= 0 || rung === undefined || !hls.autoLevelEnabled || hls.nextAutoLevel >= level) return;
    if (rung.averageBitrate > hls.bandwidthEstimate * MAX_SHARE) return;
    // The engine ignores a value that it has already.
    hls.nextAutoLevel = level - 1;
    hls.nextAutoLevel = level;
  };
  const jump = () => {
    if (isLoaded(video)) return;
    segmentsLeft = KEPT_SEGMENTS;
    keep();
  };
  hls.on(Hls.Events.FRAG_BUFFERED, (_, { frag }) => {
    if (frag.type !== 'main' || frag.sn === 'initSegment') return;
    segmentsLeft -= 1;
    if (segmentsLeft > 0) keep();
    else level = frag.level;
  });
  video.addEventListener('seeking', jump);
  hls.once(Hls.Events.DESTROYING, () => video.removeEventListener('seeking', jump));
}

function isLoaded({ buffered, currentTime }: HTMLVideoElement): boolean {
  const ranges = Array.from({ length: buffered.length }, (_, index) => [buffered.start(index), buffered.end(index)]);
  return ranges.some(([startSec = 0, endSec = 0]) => startSec <= currentTime && currentTime < endSec);
}
