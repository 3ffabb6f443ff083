import type { ActiveView } from '../../catalog/lifecycle/codec-store.ts';
import type { PlannedRendition, PlannedTimeline } from '../../catalog/lifecycle/encode-plan.ts';
import type { PeriodView } from '../../catalog/live/recording/recording-rungs-store.ts';
import { readDeliverySettings } from '../../catalog/publications/delivery-settings.ts';
import { listMp4Rungs } from '../../catalog/publications/mp4-rungs.ts';
import type { JoinedPlan } from '../../catalog/rendition-plan.ts';
import { newGuid } from '../../lib/guid.ts';
import { AUDIO_RATE_HZ } from '../../media/cmaf/audio-grid.ts';
import { BASE_CODEC } from '../../media/encode/codecs/all.ts';
import { planLadder, type RungPlan } from '../../media/encode/ladder.ts';
import { joinCuts } from '../../media/live/recording/join-cuts.ts';
import { VIDEO_TIMESCALE } from '../../media/live/tracks/access-unit.ts';
import type { CutList } from '../../media/timeline/cut-list.ts';
import { readEncodeSettings } from './encode-settings.ts';
import { encodedRendition } from './plan-codec.ts';
import { joinedTasks } from './plan-tasks.ts';

/**
 * Plans one video and one audio rendition of all periods of a recording, for its MP4 file: the highest rung of any
 * period that is offered as MP4. Returns null if the library offers no MP4 files, if no rung of a recording with video
 * is offered as MP4, or if there is nothing to join.
 */
export function planJoined(active: ActiveView, periods: readonly PeriodView[]): PlannedTimeline | null {
  if (!offersMp4(active)) return null;
  const cuts = periods.map((period) => period.cutList);
  // The timescale is that of live video, so that encoded frames keep their ticks.
  const cutList = joinCuts(cuts, VIDEO_TIMESCALE);
  const durationSec = cutList.endTicks / cutList.timescale;
  const video = planVideo(active, periods, cutList);
  if (video === null && periods.some(({ kind }) => kind === 'video')) return null;
  const audio = planAudio(periods, durationSec);
  const renditions = [video, audio].filter((one) => one !== null);
  if (renditions.length === 0) return null;
  const id = newGuid();
  const segments = periods.map((period) => period.cutList.startTicks.length);
  const tasks = joinedTasks({ key: active.key, timelineId: id, cutList, durationSec }, { video, audio, segments });
  return { id, cutList, isActive: false, renditions, tasks };
}

/** Returns whether the library of a recording offers MP4 files. */
export function offersMp4({ librarySettings }: ActiveView): boolean {
  return readDeliverySettings(librarySettings).offersMp4;
}

function planVideo(active: ActiveView, periods: readonly PeriodView[], cutList: CutList): PlannedRendition | null {
  const { ladder } = readEncodeSettings(active.librarySettings, active.uploadOptions);
  const allowed = ladder.allowedRungs.toSorted((one, other) => one - other);
  const offered = listMp4Rungs(allowed);
  const options = { ...ladder, allowedRungs: allowed.filter((rung) => offered.includes(rung)) };
  const rungs = periods.filter(({ kind }) => kind === 'video').flatMap(({ facts }) => planLadder(facts, options));
  const pixelsOf = ({ widthPx, heightPx }: RungPlan) => widthPx * heightPx;
  const [largest] = rungs.toSorted((one, other) => other.rung - one.rung || pixelsOf(other) - pixelsOf(one));
  if (largest === undefined) return null;
  const rendition = encodedRendition(largest, { codec: BASE_CODEC, watermark: null, colours: null }, cutList);
  const sourceOf = ({ kind, sourceId }: PeriodView) => (kind === 'video' ? sourceId : null);
  return { ...rendition, plan: { ...rendition.plan, joined: joinedPlan(periods, sourceOf) } };
}

function planAudio(periods: readonly PeriodView[], durationSec: number): PlannedRendition | null {
  if (periods.every(({ audioId }) => audioId === null)) return null;
  return {
    id: newGuid(),
    kind: 'audio',
    origin: 'encode',
    codec: 'aac',
    rung: null,
    language: 'und',
    name: '',
    isDefault: true,
    timescale: AUDIO_RATE_HZ,
    widthPx: null,
    heightPx: null,
    plan: { durationSec, joined: joinedPlan(periods, ({ audioId }) => audioId) },
    listed: null,
    plannedSegments: null,
    isOnDemand: false,
  };
}

function joinedPlan(periods: readonly PeriodView[], sourceOf: (view: PeriodView) => PeriodView['audioId']): JoinedPlan {
  return {
    parts: periods.map((view) => ({ sourceId: sourceOf(view), segments: view.cutList.startTicks.length })),
    frameRate: Math.max(0, ...periods.map(({ frameRate }) => frameRate ?? 0)),
  };
}
