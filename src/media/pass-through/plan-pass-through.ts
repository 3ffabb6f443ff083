import { coloursOf, isShownByAll } from '../probe/colours.ts';
import type { SourceFacts, VideoFacts } from '../probe/source-facts.ts';
import type { CutList } from '../timeline/cut-list.ts';
import type { CutHead } from './cut-head.ts';
import { chooseCuts } from './cuts.ts';
import type { Mp4Index } from './mp4-index.ts';
import { type PlannedSegment, planSegments, type SegmentsFault } from './segments.ts';
import { readTimeline, type Timeline, type TimelineFault } from './timeline.ts';

/** Stable, machine-readable reason why a source never passes through. */
export type PassThroughRefusal =
  | 'no-video'
  | 'other-stream'
  | 'codec'
  | 'profile'
  | 'bit-depth'
  | 'chroma'
  | 'hdr'
  | 'colours'
  | 'rotation'
  | 'pixel-aspect'
  | 'interlaced'
  | 'timescale'
  | 'no-cuts'
  | 'open-gop'
  | 'cut-unreadable'
  | 'parameter-sets-in-band'
  | TimelineFault
  | SegmentsFault;

/**
 * Reason why an encoded set on the frame grid replaces a pass-through once the set is complete: a segment longer than 6
 * s, an average bit rate above 1.5 times the rung's cap, or a first frame trimmed by the edit list, which encoders
 * drop.
 */
export type TemporaryReason = 'long-gap' | 'bitrate' | 'trimmed-picture';

/**
 * A pass-through rendition whose exact sizes are known before it is written. Times are in ticks of the source track.
 */
export type PassThroughPlan = {
  /** The cuts are keyframes of the source. The tfdt of segment n equals `startTicks[n]`. */
  cutList: CutList;
  segments: readonly PlannedSegment[];
  /** RFC 6381 codec string, such as `avc1.640028`. */
  codecString: string;
  widthPx: number;
  heightPx: number;
  /** Bit rate of all segments over the whole duration. */
  averageBps: number;
  /** Highest bit rate of a single segment, which `BANDWIDTH` must state (RFC 8216 section 4.3.4.2). */
  peakSegmentBps: number;
  /**
   * Time by which the first frame is extended because the video starts late. All renditions must extend their first
   * frame by the same time.
   */
  holdTicks: number;
  /** Number of ticks to add to a media time to get the time on the timeline. */
  shiftTicks: number;
};

export type PassThroughAnswer =
  | { kind: 'accepted'; plan: PassThroughPlan }
  | { kind: 'temporary'; reasons: readonly TemporaryReason[]; plan: PassThroughPlan }
  | { kind: 'refused'; reason: PassThroughRefusal; message: string };

type Refusal = Extract<PassThroughAnswer, { kind: 'refused' }>;

const PROFILES = new Map([
  [66, 'Baseline'],
  [77, 'Main'],
  [100, 'High'],
]);
const PIXEL_FORMATS = ['yuv420p', 'yuvj420p'];
// Maximum timescale. It keeps the duration of a frame of up to 30 s within 32 bits.
const MAX_TIMESCALE = 10_000_000;
/** Maximum segment length, in seconds. Players wait for whole segments. Segments of an encoded set last 4 s. */
const MAX_SEGMENT_SEC = 6;
const BITRATE_OVER_CAP = 1.5;

/**
 * Decides whether an H.264 source can be used as a rendition without encoding, and plans this rendition. `heads` is the
 * result of `readCutHeads` for this index. `rungCapBps` is the bit rate cap of its rung. A late start is accepted by
 * extending the first frame.
 */
export function planPassThrough(
  index: Mp4Index,
  facts: SourceFacts,
  heads: readonly CutHead[],
  rungCapBps: number,
): PassThroughAnswer {
  if (facts.video === null) return refuse('no-video', 'The source has no video.');
  const picture = checkPicture(index, facts.video);
  if (picture !== null) return picture;
  const timed = readTimeline(index);
  if (timed.kind === 'refused') return timed;
  const cuts = chooseCuts(index, timed.timeline);
  if (cuts.length === 0)
    return refuse('no-cuts', 'The first sample is not a keyframe, or there are too many segments.');
  const head = checkHeads(cuts, heads);
  if (head !== null) return head;
  const planned = planSegments(index, timed.timeline, cuts);
  if (planned.kind === 'refused') return planned;
  const plan = makePlan(index, timed.timeline, planned.segments, facts.video);
  const reasons = temporaryReasons(plan, timed.timeline, rungCapBps);
  return reasons.length === 0 ? { kind: 'accepted', plan } : { kind: 'temporary', reasons, plan };
}

function checkPicture(index: Mp4Index, video: VideoFacts): Refusal | null {
  const { description } = index;
  const pasp = description.pixelAspect;
  if (video.codec !== 'h264') return refuse('codec', `Expected h264, got ${video.codec}.`);
  if (video.streamIndex !== index.trackPosition) {
    return refuse('other-stream', `The video to play is stream ${video.streamIndex}, not ${index.trackPosition}.`);
  }
  if (video.bitDepth !== 8) return refuse('bit-depth', `Expected 8 bits, got ${video.bitDepth}.`);
  if (!PIXEL_FORMATS.includes(video.pixelFormat)) return refuse('chroma', `Expected 4:2:0, got ${video.pixelFormat}.`);
  if (!PROFILES.has(description.profile)) {
    return refuse('profile', `Expected one of ${[...PROFILES.values()].join(', ')}, got ${description.profile}.`);
  }
  if (video.hdr !== null) return refuse('hdr', `The picture is ${video.hdr}.`);
  const colours = coloursOf(video);
  if (!isShownByAll(colours)) {
    const { primaries, transfer, matrix } = colours;
    const names = `primaries ${primaries}, transfer ${transfer} and matrix ${matrix} of ITU-T H.273`;
    return refuse('colours', `Expected colours that all players support, got ${names}.`);
  }
  if (video.rotationDeg !== 0 || !index.isUpright) return refuse('rotation', 'The video is rotated or mirrored.');
  if (video.sampleAspect.num !== video.sampleAspect.den || (pasp !== null && pasp.horizontal !== pasp.vertical)) {
    return refuse('pixel-aspect', 'The pixels are not square.');
  }
  if (video.isInterlaced) return refuse('interlaced', 'The video is interlaced.');
  if (index.timescale > MAX_TIMESCALE) return refuse('timescale', `The timescale is ${index.timescale}.`);
  return null;
}

function checkHeads(cuts: readonly number[], all: readonly CutHead[]): Refusal | null {
  const cutSet = new Set(cuts);
  const heads = all.filter(({ sample }) => cutSet.has(sample));
  if (heads.length !== cuts.length || heads.some((head, cut) => head.sample !== cuts[cut])) {
    throw new Error(`Expected the heads of ${cuts.length} cuts of this index, got ${heads.length}.`);
  }
  const open = heads.filter((head) => head.picture === 'not-idr');
  if (open.length > 0) return refuse('open-gop', `${open.length} of ${cuts.length} cuts are not IDR pictures.`);
  const unread = heads.find((head) => head.picture !== 'idr');
  if (unread !== undefined) return refuse('cut-unreadable', `Sample ${unread.sample} is ${unread.picture}.`);
  const other = all.find((head) => head.hasOtherParameterSets);
  if (other === undefined) return null;
  return refuse('parameter-sets-in-band', `Sample ${other.sample} has its own parameter sets.`);
}

function makePlan(
  index: Mp4Index,
  { shiftTicks, holdTicks, endTicks }: Timeline,
  segments: readonly PlannedSegment[],
  video: VideoFacts,
): PassThroughPlan {
  const { profile, constraints, level } = index.description;
  const { timescale } = index;
  const sizeBytes = segments.reduce((sum, segment) => sum + segment.sizeBytes, 0);
  const rates = segments.map((segment) => (segment.sizeBytes * 8 * timescale) / segment.durationTicks);
  const startTicks = segments.map((segment) => segment.startTicks);
  return {
    cutList: { timescale, startTicks, endTicks, grid: { kind: 'source' } },
    segments,
    codecString: `avc1.${Buffer.of(profile, constraints, level).toString('hex')}`,
    widthPx: video.displayWidthPx,
    heightPx: video.displayHeightPx,
    averageBps: Math.ceil((sizeBytes * 8 * timescale) / endTicks),
    peakSegmentBps: Math.ceil(rates.reduce((peak, rate) => Math.max(peak, rate), 0)),
    holdTicks,
    shiftTicks,
  };
}

function temporaryReasons(plan: PassThroughPlan, timeline: Timeline, rungCapBps: number): TemporaryReason[] {
  const longest = MAX_SEGMENT_SEC * plan.cutList.timescale;
  const reasons: TemporaryReason[] = [];
  if (plan.segments.some((segment) => segment.durationTicks > longest)) reasons.push('long-gap');
  if (plan.averageBps > rungCapBps * BITRATE_OVER_CAP) reasons.push('bitrate');
  if (timeline.clippedTicks > 0) reasons.push('trimmed-picture');
  return reasons;
}

function refuse(reason: PassThroughRefusal, message: string): Refusal {
  return { kind: 'refused', reason, message };
}
