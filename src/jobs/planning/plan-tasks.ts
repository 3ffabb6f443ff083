import type { MediaKey } from '../../catalog/db.ts';
import type { PlannedRendition } from '../../catalog/lifecycle/encode-plan.ts';
import { BACKFILL_STEP, type EncodeTask, taskPriority, taskWeight } from '../../catalog/tasks/encode-task.ts';
import type { TaskKind } from '../../catalog/tasks/task-kind.ts';
import { type Guid, newGuid } from '../../lib/guid.ts';
import { countAudioSegments } from '../../media/cmaf/audio-grid.ts';
import { START_RUNG_LIMIT } from '../../media/hls/multivariant.ts';
import { type ChunkRange, planChunks, planEvenChunks, planShrinkingChunks } from '../../media/timeline/chunk-plan.ts';
import { type CutList, segmentStartTicks } from '../../media/timeline/cut-list.ts';

/** Context for planning encode tasks: the timeline, and the length of the video. */
export type TaskTimeline = { key: MediaKey; timelineId: Guid; cutList: CutList; durationSec: number };

/**
 * Maximum number of chunks of one copy task, about four minutes of video. It limits how long the task occupies its
 * slot.
 */
const COPIED_CHUNKS = 8;

/**
 * Priority difference between tasks of an additional codec and tasks that make a video playable. It has the effect of a
 * 180 times longer video.
 */
const FURTHER_CODEC_STEP = 300;

/**
 * Number of audio segments that are encoded in the quick queue, about a minute of audio. The rest of a long track uses
 * the long queue.
 */
const QUICK_AUDIO_SEGMENTS = 16;

/** Plans tasks that copy the source's segments in order: the first chunk alone, then several chunks per task. */
export function passThroughTasks(timeline: TaskTimeline, renditions: readonly PlannedRendition[]): EncodeTask[] {
  const ids = renditions.map(({ id }) => id);
  if (ids.length === 0) return [];
  const [first, ...rest] = planChunks(timeline.cutList);
  const ranges = first === undefined ? [] : [first];
  for (let at = 0; at < rest.length; at += COPIED_CHUNKS) {
    const group = rest.slice(at, at + COPIED_CHUNKS);
    ranges.push({ fromSegment: group[0]?.fromSegment ?? 0, toSegment: group.at(-1)?.toSegment ?? 0 });
  }
  return ranges.map((range, index) => ({
    ...base(timeline, 'pass-through', range),
    renditionIds: ids,
    isFirst: index === 0,
    queue: 'quick',
    priority: taskPriority(index === 0, 1, range.fromSegment),
    weight: taskWeight('pass-through', 0, rangeSec(timeline.cutList, range)),
  }));
}

/**
 * Plans tasks that encode the rungs below a source that is already active: the first chunk early if requested, then the
 * rest.
 */
export function encodedTasks(
  timeline: TaskTimeline,
  renditions: readonly PlannedRendition[],
  isEarly: boolean,
): EncodeTask[] {
  if (renditions.length === 0) return [];
  const [first] = planChunks(timeline.cutList);
  if (first === undefined) return [];
  const ranges = [first, ...planShrinkingChunks(timeline.cutList, first.toSegment)];
  return ranges.map((range, index) => videoTask(timeline, renditions, range, isEarly && index === 0));
}

/**
 * Plans tasks that encode the rungs of an additional codec, all in long slots and after the remaining tasks of the base
 * codec.
 */
export function codecTasks(timeline: TaskTimeline, renditions: readonly PlannedRendition[]): EncodeTask[] {
  return encodedTasks(timeline, renditions, false).map((task) => ({
    ...task,
    priority: Math.max(0, task.priority - FURTHER_CODEC_STEP),
  }));
}

/**
 * Plans tasks that join the periods of a recording, after everything that viewers wait for. `segments` has the number
 * of segments of each period. A task that encodes video reads one period only.
 */
export function joinedTasks(
  timeline: TaskTimeline,
  wanted: { video: PlannedRendition | null; audio: PlannedRendition | null; segments: readonly number[] },
): EncodeTask[] {
  const { video, audio } = wanted;
  const ranges = video === null ? [] : periodRanges(timeline.cutList, wanted.segments);
  const tasks = video === null ? [] : ranges.map((range) => videoTask(timeline, [video], range, false));
  if (audio !== null) {
    const range = { fromSegment: 0, toSegment: countAudioSegments(timeline.durationSec) };
    tasks.push({
      ...base(timeline, 'audio', range),
      renditionIds: [audio.id],
      isFirst: false,
      queue: 'long',
      priority: taskPriority(false, timeline.durationSec, 0),
      weight: taskWeight('audio', 0, timeline.durationSec),
    });
  }
  return tasks.map((task) => ({ ...task, priority: Math.max(0, task.priority - FURTHER_CODEC_STEP) }));
}

function periodRanges({ startTicks, endTicks, ...rest }: CutList, segments: readonly number[]): ChunkRange[] {
  let first = 0;
  return segments.flatMap((count) => {
    const from = first;
    first += count;
    const period = { ...rest, startTicks: startTicks.slice(from, first), endTicks: startTicks[first] ?? endTicks };
    return planEvenChunks(period, 0).map(({ fromSegment, toSegment }) => ({
      fromSegment: from + fromSegment,
      toSegment: from + toSegment,
    }));
  });
}

/** Lowers the priority of tasks below that of all requested work, and keeps their order. */
export function asBackfill(tasks: readonly EncodeTask[]): EncodeTask[] {
  return tasks.map((task) => ({ ...task, kind: 'backfill', priority: task.priority - BACKFILL_STEP }));
}

/**
 * Plans tasks for a ladder of which nothing is playable yet: the first segment of the lowest rung alone, and all rungs
 * together in chunks. The first chunk encodes that segment again, which costs less than decoding it once more for the
 * other rungs only.
 */
export function frameGridTasks(timeline: TaskTimeline, renditions: readonly PlannedRendition[]): EncodeTask[] {
  const lowest = renditions.at(-1);
  if (lowest === undefined) return [];
  const first = { fromSegment: 0, toSegment: 1 };
  const others = renditions.slice(0, -1);
  const ranges = planShrinkingChunks(timeline.cutList, others.length > 0 ? 0 : first.toSegment);
  const tasks = ranges.map((range) => videoTask(timeline, range.toSegment === 1 ? others : renditions, range, false));
  return [videoTask(timeline, [lowest], first, true), ...tasks];
}

/**
 * Plans tasks for an on-demand ladder: the init segments, so that it can be listed, the first segment of the rung with
 * which players start, and the backfill with the lowest priority.
 */
export function onDemandTasks(timeline: TaskTimeline, renditions: readonly PlannedRendition[]): EncodeTask[] {
  const first = { fromSegment: 0, toSegment: 1 };
  const begun = renditions.find(({ rung }) => (rung ?? 0) <= START_RUNG_LIMIT) ?? renditions.at(-1);
  const start: EncodeTask = {
    ...base(timeline, 'jit-start', first),
    renditionIds: renditions.map(({ id }) => id),
    isFirst: true,
    queue: 'quick',
    priority: taskPriority(true, 1, 0) + 1,
    weight: taskWeight('jit-start', 0, 0),
  };
  const rest = asBackfill(encodedTasks(timeline, renditions, false));
  return [start, ...(begun === undefined ? [] : [videoTask(timeline, [begun], first, true)]), ...rest];
}

/**
 * Plans tasks that encode audio tracks: the beginning immediately, and the rest of a long one in a long slot.
 * `isUrgent` means that video is available from the start. Urgent audio is encoded before the audio of other videos.
 */
export function audioTasks(
  timeline: TaskTimeline,
  renditions: readonly PlannedRendition[],
  isUrgent: boolean,
): EncodeTask[] {
  const total = countAudioSegments(timeline.durationSec);
  const quickEnd = Math.min(total, QUICK_AUDIO_SEGMENTS);
  const ranges = [{ fromSegment: 0, toSegment: quickEnd }];
  if (quickEnd < total) ranges.push({ fromSegment: quickEnd, toSegment: total });
  return renditions.flatMap(({ id, isDefault }) =>
    ranges.map((range, index) => ({
      ...base(timeline, 'audio', range),
      renditionIds: [id],
      isFirst: index === 0,
      queue: index === 0 ? ('quick' as const) : ('long' as const),
      priority: taskPriority((index === 0 || isUrgent) && isDefault, timeline.durationSec, range.fromSegment),
      weight: taskWeight('audio', 0, (timeline.durationSec * (range.toSegment - range.fromSegment)) / total),
    })),
  );
}

/** Plans tasks that compose video: one per copied chunk, the first early, then the chunks that need encoding. */
export function composeTasks(
  timeline: TaskTimeline,
  {
    copied,
    made,
    isAllCopied,
  }: { copied: readonly PlannedRendition[]; made: readonly PlannedRendition[]; isAllCopied: boolean },
): EncodeTask[] {
  const ranges = planChunks(timeline.cutList);
  const tasks = (renditions: readonly PlannedRendition[], isEarly: boolean) =>
    renditions.length === 0
      ? []
      : ranges.map((range, index): EncodeTask => {
          const isFirst = isEarly && index === 0;
          const pixels = isEarly
            ? 0
            : renditions.reduce((sum, one) => sum + (one.widthPx ?? 0) * (one.heightPx ?? 0), 0);
          return {
            ...base(timeline, 'compose', range),
            renditionIds: renditions.map(({ id }) => id),
            isFirst,
            // Copying needs no encoder, so it uses the quick queue.
            queue: isFirst || isAllCopied ? 'quick' : 'long',
            priority: taskPriority(isFirst, timeline.durationSec, range.fromSegment),
            weight: taskWeight('compose', pixels, rangeSec(timeline.cutList, range)),
          };
        });
  return [...tasks(copied, true), ...tasks(made, copied.length === 0)];
}

/** Plans one task that composes an audio track without encoding. */
export function composeAudioTasks(timeline: TaskTimeline, { id }: PlannedRendition): EncodeTask[] {
  const range = { fromSegment: 0, toSegment: countAudioSegments(timeline.durationSec) };
  return [
    {
      ...base(timeline, 'compose-audio', range),
      renditionIds: [id],
      isFirst: true,
      queue: 'quick',
      priority: taskPriority(true, timeline.durationSec, 0),
      weight: taskWeight('compose-audio', 0, timeline.durationSec),
    },
  ];
}

export function thumbnailTask(timeline: TaskTimeline): EncodeTask {
  return {
    ...base(timeline, 'thumbnail', { fromSegment: 0, toSegment: 1 }),
    renditionIds: [],
    isFirst: false,
    queue: 'quick',
    priority: taskPriority(false, 1, 0),
    weight: taskWeight('thumbnail', 0, 0),
  };
}

function videoTask(
  timeline: TaskTimeline,
  renditions: readonly PlannedRendition[],
  range: ChunkRange,
  isFirst: boolean,
): EncodeTask {
  const pixels = renditions.reduce((sum, { widthPx, heightPx }) => sum + (widthPx ?? 0) * (heightPx ?? 0), 0);
  return {
    ...base(timeline, 'video', range),
    renditionIds: renditions.map(({ id }) => id),
    isFirst,
    queue: isFirst ? 'quick' : 'long',
    priority: taskPriority(isFirst, timeline.durationSec, range.fromSegment),
    weight: taskWeight('video', pixels, rangeSec(timeline.cutList, range)),
  };
}

function base(timeline: TaskTimeline, kind: TaskKind, range: ChunkRange) {
  return { key: timeline.key, id: newGuid(), timelineId: timeline.timelineId, kind, ...range };
}

function rangeSec(cutList: CutList, range: ChunkRange): number {
  const ticks = segmentStartTicks(cutList, range.toSegment) - segmentStartTicks(cutList, range.fromSegment);
  return ticks / cutList.timescale;
}
