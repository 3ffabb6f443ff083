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
import { type PassThroughPlan, planPassThrough } from '../../media/pass-through/plan-pass-through.ts';
import { buildInit } from '../../media/pass-through/write-init.ts';
import { coloursOf } from '../../media/probe/colours.ts';
import type { SourceFacts, VideoFacts } from '../../media/probe/source-facts.ts';
import type { IndexedSource } from '../encode/read-pass-through.ts';
import type { ChosenPassThrough } from './plan-video.ts';

/** A source may be this much larger than the highest rung and still stand for it. */
const OVERSIZE = 1.1;
/** Audio that goes on this much longer than the picture, or a start this far off, needs the frame grid. */
const END_TOLERANCE_SEC = 0.1;
const START_TOLERANCE_SEC = 0.025;
/** A source may be shown meanwhile when its own clock is at most this far from the encoded timeline's. */
const ORIGIN_TOLERANCE_SEC = 0.005;
const MOST_SAMPLES = 0xffff;

/**
 * Decides whether a source is shown as it is. For good only when nothing about it would differ from an
 * encoded set: size and rate within what the library allows, picture and audio over the same time from 0 on.
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
  // Sound is encoded once, for the timeline that stays.
  const originSec = timelineOriginSec(facts, isForGood ? 'source' : 'frames');
  if (Math.abs(originSec) > ORIGIN_TOLERANCE_SEC) return null;
  const init = buildInit(index, plan, coloursOf(facts.video));
  return { plan, init, plannedSegments: listSegments(plan), rung: listedRung(facts.video, rung), isForGood };
}

/** The rung that a source of its size is listed as; one that is larger than all stands for the highest. */
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

/** A fragment table of one entry a segment. The sample count is for show only where it does not fit. */
function listSegments({ segments }: PassThroughPlan): Buffer {
  return encodeFragmentTable(
    segments.map(({ payloadBytes, sizeBytes, firstSample, endSample }) => ({
      payloadBytes,
      prefixBytes: sizeBytes - payloadBytes,
      samples: Math.min(MOST_SAMPLES, endSample - firstSample),
      startsSegment: true,
    })),
  );
}
