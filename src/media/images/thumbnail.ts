import { pictureFilters } from '../encode/encode-filters.ts';
import type { RungPlan } from '../encode/ladder.ts';
import { type FfmpegPlan, FIRST_OUTPUT_FD, QUIET_ARGV } from '../ffmpeg/ffmpeg-plan.ts';
import { GUARD_ARGV, SOURCE_URL } from '../probe/open-source.ts';
import type { SourceFacts } from '../probe/source-facts.ts';
import { judgeMiniature, MINIATURE, toGrey } from './miniature.ts';
import { MAX_LONG_SIDE_PX } from './plan-image.ts';

/** Minimum seek in seconds. Smaller values are rounding errors. */
const MIN_SEEK_SEC = 0.001;
const CANDIDATE_SHARES = [0.1, 0.25, 0.5, 0.02, 0.8] as const;

/**
 * Plans one run that creates thumbnail candidates. Each moment has two outputs: a JPEG of the whole frame (upright,
 * square pixels, at most 1920 on the long side) and a miniature with four bytes per pixel. `timeSec`, from the start of
 * the timeline, selects a single exact frame. Null selects keyframes spread over the video. Throws for a source without
 * video.
 */
export function planThumbnails(facts: SourceFacts, timeSec: number | null): FfmpegPlan {
  const { video } = facts;
  if (video === null) throw new Error('Expected a source with video, got audio only.');
  const moments = timeSec === null ? spreadMoments(facts) : [clampMoment(facts, timeSec)];
  const inputs = moments.flatMap((moment) => [
    ...GUARD_ARGV,
    // Any nearby keyframe is good enough for a candidate, and needs a tenth of the time of the exact frame.
    ...(timeSec === null ? ['-skip_frame', 'nokey', '-noaccurate_seek'] : []),
    ...['-threads', '1', '-an', '-sn', '-dn'],
    // A seek would skip the cover of an MP3.
    ...(moment >= MIN_SEEK_SEC ? ['-ss', moment.toFixed(3)] : []),
    ...['-i', SOURCE_URL],
  ]);
  const colours = 'scale=in_color_matrix=bt709:out_color_matrix=bt601:out_range=pc,format=yuvj420p';
  const graph = moments.map((_, index) => {
    const size = `${MINIATURE.widthPx}:${MINIATURE.heightPx}`;
    const sample = `scale=${size}:flags=area:in_color_matrix=bt709,format=rgba[s${index}]`;
    const frame = pictureFilters(video, thumbnailSize(facts), `${index}`).join(',');
    const split = `[${index}:${video.streamIndex}]${frame},split=2[w${index}][m${index}]`;
    return `${split};[w${index}]${colours}[p${index}];[m${index}]${sample}`;
  });
  // A keyframe before the moment has a negative time, and any other frame mode would drop it.
  const one = ['-frames:v', '1', '-fps_mode', 'passthrough', '-map_metadata', '-1', '-fflags', '+bitexact'];
  const outputs = moments.flatMap((_, index) => [
    ...['-map', `[p${index}]`, ...one, '-c:v', 'mjpeg', '-q:v', '3'],
    ...['-f', 'image2pipe', `pipe:${FIRST_OUTPUT_FD + 2 * index}`],
    ...['-map', `[s${index}]`, ...one, '-f', 'rawvideo', `pipe:${FIRST_OUTPUT_FD + 2 * index + 1}`],
  ]);
  return {
    argv: [...QUIET_ARGV, ...inputs, '-filter_complex', graph.join(';'), ...outputs],
    outputs: moments.flatMap((_, index) => [`thumbnail-${index}`, `sample-${index}`]),
    durationSec: 1,
  };
}

/**
 * Returns the index of the most informative candidate, judged by its miniature (four bytes per pixel). An empty
 * miniature means that the moment has no frame. Returns null if all are empty.
 */
export function chooseThumbnail(samples: readonly Uint8Array[]): number | null {
  const worth = samples.map((sample) => (sample.length === 0 ? -1 : judgeMiniature(toGrey(sample))));
  const most = Math.max(...worth);
  return most < 0 ? null : worth.indexOf(most);
}

function spreadMoments(facts: SourceFacts): number[] {
  return CANDIDATE_SHARES.map((share) => clampMoment(facts, share * facts.durationSec));
}

/** Clamps a moment of the timeline to the video. Returns seconds after the start of the source's earliest stream. */
function clampMoment(facts: SourceFacts, timeSec: number): number {
  const firstSec = (facts.video?.startSec ?? facts.startSec) - facts.startSec;
  const lastSec = firstSec + (facts.video?.durationSec ?? 0) - 0.1;
  return Math.max(firstSec, Math.min(timeSec, lastSec), 0);
}

function thumbnailSize({ video }: SourceFacts): Pick<RungPlan, 'widthPx' | 'heightPx'> {
  const [widthPx, heightPx] = [video?.displayWidthPx ?? 2, video?.displayHeightPx ?? 2];
  const scale = Math.min(1, MAX_LONG_SIDE_PX / Math.max(widthPx, heightPx));
  const even = (px: number) => Math.max(2, 2 * Math.round((px * scale) / 2));
  return { widthPx: even(widthPx), heightPx: even(heightPx) };
}
