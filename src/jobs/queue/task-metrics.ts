import { metrics } from '../../lib/metrics/metrics.ts';
import type { TaskEnd } from './run-task.ts';

/**
 * Starts the series of each kind of task at 0, because Prometheus sees no increase if a series appears only with its
 * first value.
 */
export function beginTaskMetrics(kinds: readonly string[]): void {
  for (const kind of kinds) {
    metrics.taskClaims.inc({ kind }, 0);
    metrics.taskDuration.zero({ kind });
  }
}

/** Counts the end of a task. */
export function countTaskEnd(kind: string, outcome: TaskEnd, startedMs: number): void {
  metrics.taskEnds.inc({ kind, outcome });
  metrics.taskDuration.observe({ kind }, (performance.now() - startedMs) / 1000);
}
