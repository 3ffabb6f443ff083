import type { ColumnType, Generated } from 'kysely';
import type { Guid } from '../../lib/guid.ts';
import type { CreatedAt } from '../account-schema.ts';
import type { TaskKind, TaskQueue } from './task-kind.ts';

/**
 * Sheets that a task of the kind `sheets` stored in `folder`: their sizes in order, and the times of frames that are
 * candidates for thumbnails, with miniatures in base64.
 */
export type SheetOutput = {
  folder: string;
  sizesBytes: readonly number[];
  moments: readonly { tick: number; grey: string }[];
};

/**
 * A unit of encoding: segments [from_segment, to_segment) of the named renditions, fenced by `attempt`. For the kind
 * `sheets` they are sheets of the storyboard, and `output` describes the result.
 */
export type EncodeTaskTable = {
  library_id: number;
  media_id: Guid;
  id: Guid;
  timeline_id: Guid;
  kind: TaskKind;
  rendition_ids: Guid[];
  from_segment: number;
  to_segment: number;
  is_first: Generated<boolean>;
  queue: TaskQueue;
  priority: Generated<number>;
  weight: number;
  done_fraction: Generated<number>;
  state: 'waiting' | 'running' | 'done' | 'failed';
  attempt: Generated<number>;
  /** Attempts that ended in an error, and those whose worker disappeared. */
  failures: Generated<number>;
  deaths: Generated<number>;
  reason: string | null;
  owner: string | null;
  lease_until: Date | null;
  /** A task that is not ready waits for `ready_at`: after a failure or a postponement, or as backfill. */
  is_ready: Generated<boolean>;
  ready_at: CreatedAt;
  postponements: Generated<number>;
  started_at: Date | null;
  created_at: CreatedAt;
  /** Request that caused the task, or null for work that no request caused. */
  request_id: Generated<string | null>;
  output: ColumnType<SheetOutput | null, null | undefined, string>;
};

/** Seconds per unit of weight, smoothed over the last encode tasks of a kind (and codec: `video/h264`). */
export type EncodeSpeedTable = { kind: string; sec_per_weight: number };
