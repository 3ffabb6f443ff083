import type { Guid } from '../../lib/guid.ts';

/**
 * A rendition as the finish of a video sees it. `tasks` in all, `openTasks` still wait or run, `failedReason` is of a
 * failed task.
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
   * It is of a period of a recording beside the one whose timeline is active: it takes no part in how the video ends.
   */
  isOfFurtherPeriod: boolean;
  tasks: number;
  openTasks: number;
  failedReason: string | null;
};

/** What becomes of a video whose tasks have all ended. */
export type Outcome = { kind: 'finished'; activate: Guid | null } | { kind: 'failed'; reason: string };

/**
 * Decides how a video ends once no encode task is open. A set that was made in the background takes the place of
 * what is active when at least one of its video renditions (or, without video, audio) is finished, and what was added
 * to the set that is active joins it. A video is finished when something that is active then is whole.
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
  return { kind: 'failed', reason: reason?.failedReason ?? 'No rendition could be made.' };
}
