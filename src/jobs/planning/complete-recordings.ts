import type { MediaKey } from '../../catalog/db.ts';
import type { CodecPlan } from '../../catalog/lifecycle/codec-store.ts';
import {
  completeRecording,
  findUnseenRecordings,
  type PeriodView,
} from '../../catalog/live/recording/recording-rungs-store.ts';
import { BASE_CODEC } from '../../media/encode/codecs/all.ts';
import { planLadder, type RungPlan } from '../../media/encode/ladder.ts';
import type { SourceFacts } from '../../media/probe/source-facts.ts';
import type { JobDeps } from '../job-deps.ts';
import { pastFailures } from '../store/past-failures.ts';
import { readEncodeSettings } from './encode-settings.ts';
import { encodedRendition } from './plan-codec.ts';
import { offersMp4, planJoined } from './plan-joined.ts';
import { encodedTasks } from './plan-tasks.ts';

/**
 * Plans the rungs of recordings that the live encoders did not produce completely. These rungs are encoded from the
 * published media. Periods that have only audio get black video if other periods have video. Several periods are also
 * joined for the MP4 file.
 */
export async function completeRecordings({ db }: Pick<JobDeps, 'db'>, signal: AbortSignal): Promise<void> {
  const planner = { complete: planRecordedRungs, join: planJoined, offersMp4 };
  const complete = (key: MediaKey) => completeRecording(db, key, planner);
  await pastFailures(await findUnseenRecordings(db), complete, signal);
}

/** Plans the rungs of the library that are below the published size and that a period lacks. */
function planRecordedRungs(view: PeriodView): CodecPlan {
  const { video } = view.facts;
  if (view.blankLike !== null) return planBlank(view, view.blankLike);
  if (video === null) return { renditions: [], tasks: [] };
  const { ladder } = readEncodeSettings(view.librarySettings, view.uploadOptions);
  const sourcePx = video.displayWidthPx * video.displayHeightPx;
  const rungs = planLadder(view.facts, ladder).filter(
    ({ rung, widthPx, heightPx }) => widthPx * heightPx < sourcePx && !view.rungs.includes(rung),
  );
  return planEncoded(view, rungs);
}

/** Plans black video for a period that has only audio, in the lowest resolution of another period. */
function planBlank(view: PeriodView, like: SourceFacts): CodecPlan {
  const { ladder } = readEncodeSettings(view.librarySettings, view.uploadOptions);
  return planEncoded(view, view.rungs.length > 0 ? [] : planLadder(like, ladder).slice(-1));
}

function planEncoded(view: PeriodView, rungs: readonly RungPlan[]): CodecPlan {
  const { key, timelineId, cutList } = view;
  const renditions = rungs.map((rung) => {
    const rendition = encodedRendition(rung, { codec: BASE_CODEC, watermark: null, colours: null }, cutList);
    return { ...rendition, plan: { ...rendition.plan, recordedOf: view.sourceId } };
  });
  const durationSec = cutList.endTicks / cutList.timescale;
  return { renditions, tasks: encodedTasks({ key, timelineId, cutList, durationSec }, renditions, false) };
}
