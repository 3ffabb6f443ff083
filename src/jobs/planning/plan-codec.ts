import type { StoredWatermark } from '../../catalog/images/image-schema.ts';
import type { CodecPlan, CodecView } from '../../catalog/lifecycle/codec-store.ts';
import type { PlannedRendition } from '../../catalog/lifecycle/encode-plan.ts';
import type { EncodeTask } from '../../catalog/tasks/encode-task.ts';
import { newGuid } from '../../lib/guid.ts';
import { findCodec } from '../../media/encode/codecs/all.ts';
import { type LadderOptions, planLadder, type RungPlan } from '../../media/encode/ladder.ts';
import { listOnDemand } from '../../media/on-demand/list-on-demand.ts';
import type { Colours } from '../../media/probe/colours.ts';
import type { SourceFacts } from '../../media/probe/source-facts.ts';
import type { CutList } from '../../media/timeline/cut-list.ts';
import { readEncodeSettings } from './encode-settings.ts';
import { codecTasks, type TaskTimeline } from './plan-tasks.ts';

type CodecWanted = {
  facts: SourceFacts;
  ladder: LadderOptions;
  codec: string;
  watermark: StoredWatermark | null;
  colours: Colours | null;
  presentRungs?: readonly number[];
};

/**
 * Plans the rungs of a codec that the ladder of a video has and the video lacks, with the existing cut list of the
 * video.
 */
export function planMissingRungs(codec: string, view: CodecView): CodecPlan {
  const { ladder } = readEncodeSettings(view.librarySettings, view.uploadOptions);
  const durationSec = view.cutList.endTicks / view.cutList.timescale;
  const timeline = { key: view.key, timelineId: view.timelineId, cutList: view.cutList, durationSec };
  const { facts, watermark, colours, rungs: presentRungs } = view;
  return planCodec(timeline, { facts, ladder, codec, watermark, colours, presentRungs });
}

/**
 * Plans the rungs of an additional codec on a timeline, which may already be active. Their encode tasks have a lower
 * priority than everything that viewers wait for. Omits rungs that are too small for the codec.
 */
export function planCodec(
  timeline: TaskTimeline,
  { facts, ladder, codec, watermark, colours, presentRungs = [] }: CodecWanted,
): { renditions: PlannedRendition[]; tasks: EncodeTask[] } {
  const { minSidePx } = findCodec(codec);
  const rungs = planLadder(facts, ladder).filter(
    ({ rung, widthPx, heightPx }) => Math.min(widthPx, heightPx) >= minSidePx && !presentRungs.includes(rung),
  );
  const renditions = rungs.map((rung) => encodedRendition(rung, { codec, watermark, colours }, timeline.cutList));
  return { renditions, tasks: codecTasks(timeline, renditions) };
}

/** Returns the rendition of a rung whose segments are encoded on demand and are all listed from the start. */
export function onDemandRendition(rung: RungPlan, look: Look, cutList: CutList): PlannedRendition {
  const plannedSegments = listOnDemand(cutList, rung.maxBitrateBps);
  return { ...encodedRendition(rung, look, cutList), plannedSegments, isOnDemand: true };
}

/** Properties shared by all rungs of a set. */
type Look = { codec: string; watermark: StoredWatermark | null; colours: Colours | null };

/** Returns the rendition of a rung in a codec on a timeline. */
export function encodedRendition(
  rung: RungPlan,
  { codec, watermark, colours }: Look,
  cutList: CutList,
): PlannedRendition {
  const durationSec = cutList.endTicks / cutList.timescale;
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
    plan: {
      durationSec,
      maxBitrateBps: rung.maxBitrateBps,
      ...(watermark && { watermark }),
      ...(colours && { colours }),
    },
    listed: null,
    plannedSegments: null,
    isOnDemand: false,
  };
}
