import type { VideoActivityModel } from '../../../src/api/models/activity.ts';

type Task = Pick<VideoActivityModel['tasks'][number], 'renditions' | 'fromSegment' | 'toSegment' | 'done'>;

/**
 * Returns the finished fraction of each rendition, 0 to 1: the progress of its tasks, weighted by their segments. The
 * highest rung is first, and audio is last.
 */
export function shareOfEach(tasks: readonly Task[]): Map<string, number> {
  const sums = new Map<string, { segments: number; done: number }>();
  for (const { renditions, fromSegment, toSegment, done } of tasks) {
    const segments = Math.max(1, toSegment - fromSegment);
    for (const name of renditions) {
      const sum = sums.get(name) ?? { segments: 0, done: 0 };
      sums.set(name, { segments: sum.segments + segments, done: sum.done + segments * done });
    }
  }
  const sorted = [...sums].toSorted(([one], [other]) => heightOf(other) - heightOf(one));
  return new Map(sorted.map(([name, { segments, done }]) => [name, done / segments]));
}

/** Returns the height in a name such as `720p`, or 0 for audio. */
function heightOf(name: string): number {
  return Number(/^(\d+)p/.exec(name)?.[1] ?? 0);
}
