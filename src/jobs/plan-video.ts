import type { MediaKey } from '../catalog/db.ts';
import type { EncodePlan, PlannedRendition, PlannedTimeline } from '../catalog/encoding/encode-plan.ts';
import { warningMessage } from '../catalog/encoding/messages.ts';
import { newGuid } from '../lib/guid.ts';
import { type CutList, planFrameGrid } from '../media/cut-list.ts';
import { AUDIO_RATE_HZ } from '../media/encode-audio.ts';
import { type LadderOptions, planLadder, type Rung, type RungPlan } from '../media/ladder.ts';
import type { PassThroughPlan } from '../media/pass-through/plan-pass-through.ts';
import type { AudioFacts, SourceFacts } from '../media/source-facts.ts';
import { audioWorks, encodedWorks, frameGridWorks, passThroughWorks, thumbnailWork } from './plan-works.ts';

/** A source that may be shown as it is: for good, or until its encoded set takes its place. */
export type ChosenPassThrough = {
  plan: PassThroughPlan;
  init: Buffer;
  plannedSegments: Buffer;
  rung: Rung;
  isForGood: boolean;
};

export type PlanRequest = {
  key: MediaKey;
  facts: SourceFacts;
  ladder: LadderOptions;
  codec: string;
  passThrough: ChosenPassThrough | null;
  /** Something is shown already: the new set is made in the background. */
  isReplacement: boolean;
  now: Date;
};

/**
 * Decides what is made of a source. A source that passes through is the top rendition at once and gives the
 * cuts of the rungs below it. One that passes through for a while only is shown alone until the whole ladder
 * on its own grid is complete. Else the ladder is encoded on the frame grid, its lowest rung's first segment first.
 */
export function planVideo(request: PlanRequest): EncodePlan {
  const { facts, passThrough, isReplacement, now } = request;
  const isForGood = passThrough?.isForGood === true;
  const cutList = isForGood ? passThrough.plan.cutList : planFrameGrid(facts);
  const durationSec = cutList.endTicks / cutList.timescale;
  const timelines: PlannedTimeline[] = [];
  const isShownMeanwhile = passThrough !== null && !isForGood && !isReplacement;
  if (isShownMeanwhile) timelines.push(planMeanwhile(request, passThrough, durationSec));
  const copied = isForGood ? [passThroughRendition(passThrough)] : [];
  const rungs = planLadder(facts, request.ladder).filter((rung) => !isForGood || rung.rung < passThrough.rung);
  const encoded = rungs.map((rung) => encodedRendition(rung, request.codec, cutList));
  const sounds = isShownMeanwhile ? [] : planSounds(facts, durationSec);
  const id = newGuid();
  const place = { key: request.key, timelineId: id, cutList, durationSec };
  timelines.push({
    id,
    cutList,
    isActive: !isReplacement && !isShownMeanwhile,
    renditions: [...copied, ...encoded, ...sounds],
    works: [
      ...passThroughWorks(place, copied),
      ...(isForGood || isShownMeanwhile
        ? encodedWorks(place, encoded, !isShownMeanwhile)
        : frameGridWorks(place, encoded)),
      ...audioWorks(place, sounds),
      ...(facts.video === null || isShownMeanwhile ? [] : [thumbnailWork(place)]),
    ],
  });
  const messages = facts.warnings.map((warning) => warningMessage(warning, now));
  return { facts, durationMs: Math.round(durationSec * 1000), timelines, messages };
}

/** What is shown while the ladder on its own grid is made: the source as it is, with the sound that will stay. */
function planMeanwhile(request: PlanRequest, passThrough: ChosenPassThrough, durationSec: number): PlannedTimeline {
  const { cutList } = passThrough.plan;
  const id = newGuid();
  const place = { key: request.key, timelineId: id, cutList, durationSec };
  const copied = [passThroughRendition(passThrough)];
  const sounds = planSounds(request.facts, durationSec);
  const works = [...passThroughWorks(place, copied), ...audioWorks(place, sounds), thumbnailWork(place)];
  return { id, cutList, isActive: true, renditions: [...copied, ...sounds], works };
}

function passThroughRendition({ plan, init, plannedSegments, rung }: ChosenPassThrough): PlannedRendition {
  return {
    id: newGuid(),
    kind: 'video',
    origin: 'pass-through',
    codec: 'x264',
    rung,
    language: 'und',
    name: '',
    isDefault: true,
    timescale: plan.cutList.timescale,
    widthPx: plan.widthPx,
    heightPx: plan.heightPx,
    plan: { durationSec: plan.cutList.endTicks / plan.cutList.timescale },
    listed: { init, codecString: plan.codecString, plannedSegments },
  };
}

/** A rendition of a rung that an encoder makes on a timeline. */
export function encodedRendition(rung: RungPlan, codec: string, cutList: CutList): PlannedRendition {
  return {
    id: newGuid(),
    kind: 'video',
    origin: 'encode',
    codec,
    rung: rung.rung,
    language: 'und',
    name: '',
    isDefault: true,
    timescale: cutList.timescale,
    widthPx: rung.widthPx,
    heightPx: rung.heightPx,
    plan: { durationSec: cutList.endTicks / cutList.timescale, maxBitrateBps: rung.maxBitrateBps },
    listed: null,
  };
}

/** One sound rendition for each language: the first track that has it. */
function planSounds(facts: SourceFacts, durationSec: number): PlannedRendition[] {
  const tracks = facts.audio.filter(
    (track, index) => facts.audio.findIndex(({ language }) => language === track.language) === index,
  );
  return tracks.map((track, index) => ({
    id: newGuid(),
    kind: 'audio',
    origin: 'encode',
    codec: 'aac',
    rung: null,
    language: track.language,
    name: nameOf(track),
    isDefault: index === 0,
    timescale: AUDIO_RATE_HZ,
    widthPx: null,
    heightPx: null,
    plan: { durationSec, streamIndex: track.streamIndex },
    listed: null,
  }));
}

function nameOf({ title, language }: AudioFacts): string {
  if (title !== null && title !== '') return title;
  if (language === 'und') return 'Audio';
  return new Intl.DisplayNames(['en'], { type: 'language', fallback: 'code' }).of(language) ?? language;
}
