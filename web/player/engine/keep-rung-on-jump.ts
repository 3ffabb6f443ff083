import Hls from 'hls.js';

/** Maximum fraction of the bandwidth that the average rate of a kept rung may need. */
const MAX_BANDWIDTH_SHARE = 0.85;
/** Number of segments after a seek for which the rung is kept. After them, hls.js itself compares average rates. */
const KEPT_SEGMENTS = 2;

/**
 * Keeps the rung after a seek to a position that is not loaded, if the bandwidth still suffices. With an empty buffer,
 * hls.js compares the bandwidth with the peak rate of each rung instead of the average rate, and would select a lower
 * rung.
 */
export function keepRungOnJump(hls: Hls, video: HTMLVideoElement): void {
  let level = -1;
  let segmentsLeft = 0;
  const keep = () => {
    const rung = hls.levels[level];
    if (level <= 0 || rung === undefined || !hls.autoLevelEnabled || hls.nextAutoLevel >= level) return;
    if (rung.averageBitrate > hls.bandwidthEstimate * MAX_BANDWIDTH_SHARE) return;
    // hls.js ignores an unchanged value, so set a different one first.
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
