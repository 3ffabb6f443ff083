import { encodeFragmentTable } from '../../media/cmaf/fragment-table.ts';
import { timelineOriginSec } from '../../media/encode/encode-filters.ts';
import {
  type LadderOptions,
  listedRung,
  MAX_BITRATES_BPS,
  RUNGS,
  type Rung,
  rungForSize,
} from '../../media/encode/ladder.ts';
import { buildInit } from '../../media/pass-through/build-init.ts';
import { type PassThroughPlan, planPassThrough } from '../../media/pass-through/plan-pass-through.ts';
import { coloursOf } from '../../media/probe/colours.ts';
import type { SourceFacts, VideoFacts } from '../../media/probe/source-facts.ts';
import type { IndexedSource } from '../encode/read-pass-through.ts';
import type { ChosenPassThrough } from './plan-video.ts';

/** Maximum factor by which a source may exceed the size of the highest rung and still count as that rung. */
const OVERSIZE = 1.1;
/**
 * Maximum time in seconds by which audio may end after the video if the source's own time grid is used.
 * `START_TOLERANCE_SEC` is the maximum difference between their starts.
 */
const END_TOLERANCE_SEC = 0.1;
const START_TOLERANCE_SEC = 0.025;
/**
 * Maximum difference between the clocks of the source and of the encoded timeline, in seconds, for temporary
 * pass-through.
 */
const ORIGIN_TOLERANCE_SEC = 0.005;
const MAX_SAMPLES = 0xffff;

/**
 * Decides whether a source is served unchanged. This is permanent only if the source is as good as an encoded set: its
 * size and bitrate are within the limits of the library, and its video and audio cover the same time from 0 on.
 */
export function choosePassThrough(
  { index, heads }: IndexedSource,
  facts: SourceFacts,
  ladder: LadderOptions,
): ChosenPassThrough | null {
  if (facts.video === null) return null;
  const { rung, isAllowed } = standsFor(facts.video, ladder);
  const capBps = ladder.maxBitratesBps?.[rung] ?? MAX_BITRATES_BPS[rung];
  const answer = planPassThrough(index, facts, heads, capBps);
  if (answer.kind === 'refused') return null;
  const { plan } = answer;
  const isForGood = answer.kind === 'accepted' && isAllowed && plan.holdTicks === 0 && fitsAudio(plan, facts);
  // Audio is encoded once, for the final timeline.
  const originSec = timelineOriginSec(facts, isForGood ? 'source' : 'frames');
  if (Math.abs(originSec) > ORIGIN_TOLERANCE_SEC) return null;
  const init = buildInit(index, plan, coloursOf(facts.video));
  return { plan, init, plannedSegments: listSegments(plan), rung: listedRung(facts.video, rung), isForGood };
}

/**
 * Returns the rung under which a source of this size is listed. A source larger than all rungs counts as the highest.
 */
function standsFor(video: VideoFacts, { allowedRungs }: LadderOptions): { rung: Rung; isAllowed: boolean } {
  const rung = rungForSize(video, allowedRungs);
  if (rung !== null) return { rung, isAllowed: true };
  const shortPx = Math.min(video.displayWidthPx, video.displayHeightPx);
  const highest = RUNGS.findLast((candidate) => allowedRungs.includes(candidate)) ?? RUNGS[0];
  return { rung: highest, isAllowed: shortPx <= highest * OVERSIZE };
}

function fitsAudio({ cutList }: PassThroughPlan, facts: SourceFacts): boolean {
  const endSec = cutList.endTicks / cutList.timescale;
  const startsTogether = Math.abs(facts.startSec) <= START_TOLERANCE_SEC;
  return startsTogether && Math.abs(facts.durationSec - endSec) <= END_TOLERANCE_SEC;
}

/**
 * Encodes a fragment table with one entry per segment. A sample count that does not fit is capped, because it is only
 * informative.
 */
function listSegments({ segments }: PassThroughPlan): Buffer {
  return encodeFragmentTable(
    segments.map(({ payloadBytes, sizeBytes, firstSample, endSample }) => ({
      payloadBytes,
      prefixBytes: sizeBytes - payloadBytes,
      samples: Math.min(MAX_SAMPLES, endSample - firstSample),
      startsSegment: true,
    })),
  );
}
