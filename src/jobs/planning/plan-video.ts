import type { MediaKey } from '../../catalog/db.ts';
import type { StoredWatermark } from '../../catalog/images/image-schema.ts';
import type { EncodePlan, PlannedRendition, PlannedTimeline } from '../../catalog/lifecycle/encode-plan.ts';
import { warningMessage } from '../../catalog/lifecycle/messages.ts';
import type { MediaMessage } from '../../catalog/schema.ts';
import type { EncodeTask } from '../../catalog/tasks/encode-task.ts';
import { newGuid } from '../../lib/guid.ts';
import { BASE_CODEC } from '../../media/encode/codecs/all.ts';
import { type LadderOptions, planLadder, type Rung } from '../../media/encode/ladder.ts';
import type { PassThroughPlan } from '../../media/pass-through/plan-pass-through.ts';
import { BT709, type Colours, coloursOf, hasSameColours } from '../../media/probe/colours.ts';
import type { SourceFacts } from '../../media/probe/source-facts.ts';
import { planFrameGrid } from '../../media/timeline/cut-list.ts';
import { type AudioRequest, planAudioTracks } from './plan-audio-tracks.ts';
import { encodedRendition, onDemandRendition, planCodec } from './plan-codec.ts';
import {
  asBackfill,
  audioTasks,
  encodedTasks,
  frameGridTasks,
  onDemandTasks,
  passThroughTasks,
  type TaskTimeline,
  thumbnailTask,
} from './plan-tasks.ts';

/**
 * Minimum duration in seconds of videos that get a first thumbnail from the source. Encoding a minute of video takes
 * about a minute on two cores, and the thumbnail costs a hundredth of that.
 */
const EARLY_THUMBNAIL_SEC = 60;

/** A source that may be served unchanged: permanently, or until an encoded set replaces it. */
export type ChosenPassThrough = {
  plan: PassThroughPlan;
  init: Buffer;
  plannedSegments: Buffer;
  rung: Rung;
  isForGood: boolean;
};

export type PlanRequest = AudioRequest & {
  key: MediaKey;
  facts: SourceFacts;
  ladder: LadderOptions;
  /** Codecs to encode. Playback starts with the first codec. The other codecs are encoded after it. */
  codecs: readonly string[];
  /** Watermark drawn on all frames. With a watermark, the source is never passed through. */
  watermark: StoredWatermark | null;
  passThrough: ChosenPassThrough | null;
  /** Whether the video already has an active set, so that the new one is encoded in the background. */
  isReplacement: boolean;
  /** Whether the rungs of the base codec are encoded on demand. Never true for a replacement. */
  isOnDemand: boolean;
  /** Additional messages for the video. */
  messages: readonly MediaMessage[];
  now: Date;
};

/**
 * Decides what to encode from a source. A permanent pass-through source immediately becomes the top rendition and
 * defines the cuts of the rungs below it. A temporary one is served alone until the whole ladder on the frame grid is
 * complete. Otherwise the ladder is encoded on the frame grid, starting with the first segment of its lowest rung. On
 * demand, the whole ladder is listed immediately, so no temporary source is needed.
 */
export function planVideo(request: PlanRequest): EncodePlan {
  const { facts, passThrough, isReplacement, now } = request;
  const [baseCodec = BASE_CODEC, ...otherCodecs] = request.codecs;
  const isForGood = passThrough?.isForGood === true;
  const cutList = isForGood ? passThrough.plan.cutList : planFrameGrid(facts);
  const durationSec = cutList.endTicks / cutList.timescale;
  const timelines: PlannedTimeline[] = [];
  const isOnDemand = request.isOnDemand && !isReplacement;
  const playsMeanwhile = passThrough !== null && !isForGood && !isReplacement && !isOnDemand;
  if (playsMeanwhile) timelines.push(planMeanwhile(request, passThrough, durationSec));
  const colours = isForGood ? coloursNextTo(facts) : null;
  const copied = isForGood ? [passThroughRendition(passThrough, colours)] : [];
  const rungs = planLadder(facts, request.ladder).filter((rung) => !isForGood || rung.rung < passThrough.rung);
  const makeRung = isOnDemand ? onDemandRendition : encodedRendition;
  const { watermark } = request;
  const encoded = rungs.map((rung) => makeRung(rung, { codec: baseCodec, watermark, colours }, cutList));
  const isListed = encoded.some((rendition) => rendition.isOnDemand);
  const audioTracks = playsMeanwhile
    ? []
    : planAudioTracks(request, durationSec, isListed && request.loudnessTargetLufs === null);
  const id = newGuid();
  const timeline = { key: request.key, timelineId: id, cutList, durationSec };
  const others = otherCodecs.map((codec) =>
    planCodec(timeline, { facts, ladder: request.ladder, codec, watermark, colours }),
  );
  timelines.push({
    id,
    cutList,
    isActive: !isReplacement && !playsMeanwhile,
    renditions: [...copied, ...encoded, ...others.flatMap(({ renditions }) => renditions), ...audioTracks],
    tasks: [
      ...passThroughTasks(timeline, copied),
      ...ladderTasks(timeline, encoded, playsMeanwhile),
      ...audioTasks(timeline, audioTracks, isOnDemand),
      ...(playsMeanwhile ? [] : earlyThumbnail(request, timeline)),
      ...others.flatMap(({ tasks }) => (isOnDemand ? asBackfill(tasks) : tasks)),
    ],
  });
  const messages = [...facts.warnings.map((warning) => warningMessage(warning, now)), ...request.messages];
  return { facts, durationMs: Math.round(durationSec * 1000), isOnDemand: isListed, timelines, messages };
}

function ladderTasks(
  timeline: TaskTimeline,
  encoded: readonly PlannedRendition[],
  playsMeanwhile: boolean,
): EncodeTask[] {
  if (encoded.some(({ isOnDemand }) => isOnDemand)) return onDemandTasks(timeline, encoded);
  if (playsMeanwhile) return encodedTasks(timeline, encoded, false);
  return timeline.cutList.grid.kind === 'source'
    ? encodedTasks(timeline, encoded, true)
    : frameGridTasks(timeline, encoded);
}

/**
 * Plans the timeline that is active while the ladder on the frame grid is encoded: the unchanged source with the final
 * audio.
 */
function planMeanwhile(request: PlanRequest, passThrough: ChosenPassThrough, durationSec: number): PlannedTimeline {
  const { cutList } = passThrough.plan;
  const id = newGuid();
  const timeline = { key: request.key, timelineId: id, cutList, durationSec };
  const copied = [passThroughRendition(passThrough, coloursNextTo(request.facts))];
  const audioTracks = planAudioTracks(request, durationSec, false);
  const tasks = [
    ...passThroughTasks(timeline, copied),
    ...audioTasks(timeline, audioTracks, false),
    ...earlyThumbnail(request, timeline),
  ];
  return { id, cutList, isActive: true, renditions: [...copied, ...audioTracks], tasks };
}

/**
 * Plans a first thumbnail from the source if encoding takes long and there is no thumbnail yet. With a watermark, no
 * thumbnail is planned, because it would lack the watermark. The thumbnail of an audio file is its cover.
 */
function earlyThumbnail(
  { facts, isReplacement, isOnDemand, watermark }: PlanRequest,
  timeline: TaskTimeline,
): EncodeTask[] {
  if (facts.video === null) return facts.cover === undefined ? [] : [thumbnailTask(timeline)];
  if (isReplacement || watermark !== null) return [];
  return isOnDemand || timeline.durationSec >= EARLY_THUMBNAIL_SEC ? [thumbnailTask(timeline)] : [];
}

/**
 * Returns the colours of the pass-through video, because the rungs in the same playlist must have the same colours.
 * Null means the default colours.
 */
function coloursNextTo({ video }: SourceFacts): Colours | null {
  const colours = video === null ? BT709 : coloursOf(video);
  return hasSameColours(colours, BT709) ? null : colours;
}

function passThroughRendition(
  { plan, init, plannedSegments, rung }: ChosenPassThrough,
  colours: Colours | null,
): PlannedRendition {
  return {
    id: newGuid(),
    kind: 'video',
    origin: 'pass-through',
    codec: BASE_CODEC,
    rung,
    language: 'und',
    name: '',
    isDefault: true,
    timescale: plan.cutList.timescale,
    widthPx: plan.widthPx,
    heightPx: plan.heightPx,
    plan: { durationSec: plan.cutList.endTicks / plan.cutList.timescale, ...(colours && { colours }) },
    listed: { init, codecString: plan.codecString },
    plannedSegments,
    isOnDemand: false,
  };
}
