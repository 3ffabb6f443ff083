import type { Guid } from '../../lib/guid.ts';

/**
 * A rendition at the time its video ends. `tasks` counts all its encode tasks, `openTasks` the waiting and running
 * ones. `failedReason` is the reason of a failed task.
 */
export type RenditionProgress = {
  id: Guid;
  timelineId: Guid;
  kind: 'video' | 'audio';
  name: string;
  state: 'building' | 'finished' | 'failed';
  isActive: boolean;
  isRetired: boolean;
  /**
   * True for a rendition of an additional period of a recording, or one that joins the periods. It is not part of the
   * active timeline, and does not affect the outcome of the video.
   */
  isOfFurtherPeriod: boolean;
  tasks: number;
  openTasks: number;
  failedReason: string | null;
};

/** Outcome of a video whose tasks have all ended. */
export type Outcome = { kind: 'finished'; activate: Guid | null } | { kind: 'failed'; reason: string };

/**
 * Decides the outcome of a video without an open encode task. A set that was encoded in the background replaces the
 * active one if at least one of its video renditions (or audio renditions, if the source has no video) is finished.
 * Renditions added to the active set join it. A video is finished if anything in the resulting active set is complete.
 */
export function decideOutcome(all: readonly RenditionProgress[], hasVideo: boolean): Outcome {
  const renditions = all.filter(({ isOfFurtherPeriod }) => !isOfFurtherPeriod);
  const wanted = hasVideo ? 'video' : 'audio';
  const whole = renditions.filter((rendition) => rendition.kind === wanted && rendition.state === 'finished');
  const activeTimelineId = renditions.find((rendition) => rendition.isActive)?.timelineId;
  const added = renditions.filter(({ state, timelineId }) => state === 'finished' && timelineId === activeTimelineId);
  const waiting = [...whole, ...added].find((rendition) => !rendition.isActive && !rendition.isRetired);
  if (waiting !== undefined) return { kind: 'finished', activate: waiting.timelineId };
  if (whole.some((rendition) => rendition.isActive)) return { kind: 'finished', activate: null };
  const reason = renditions.find((rendition) => rendition.kind === wanted && rendition.failedReason !== null);
  return { kind: 'failed', reason: reason?.failedReason ?? 'No rendition could be encoded.' };
}
