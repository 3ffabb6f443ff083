import type { CodecPlan } from '../../catalog/lifecycle/codec-store.ts';
import type { RetryView } from '../../catalog/lifecycle/retry-store.ts';
import { audioTasks, encodedTasks, passThroughTasks } from './plan-tasks.ts';

/** Plans encode tasks that repeat failed work: the video of each codec together, and each audio track separately. */
export function planRetry({ failed, ...view }: RetryView): CodecPlan {
  const durationSec = view.cutList.endTicks / view.cutList.timescale;
  const timeline = { key: view.key, timelineId: view.timelineId, cutList: view.cutList, durationSec };
  const videoRenditions = failed.filter(({ kind }) => kind === 'video');
  const encoded = videoRenditions
    .filter(({ origin }) => origin === 'encode')
    .toSorted((a, b) => (b.rung ?? 0) - (a.rung ?? 0));
  const codecs = [...new Set(encoded.map(({ codec }) => codec))];
  const tasks = [
    ...passThroughTasks(
      timeline,
      videoRenditions.filter(({ origin }) => origin === 'pass-through'),
    ),
    ...codecs.flatMap((name) => {
      const rungs = encoded.filter(({ codec }) => codec === name);
      return encodedTasks(timeline, rungs, false);
    }),
    ...audioTasks(
      timeline,
      failed.filter(({ kind }) => kind === 'audio'),
      false,
    ),
  ];
  return { renditions: failed, tasks };
}
