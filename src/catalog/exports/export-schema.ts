import type { Generated } from 'kysely';
import type { Guid } from '../../lib/guid.ts';
import type { CreatedAt, JsonDefault } from '../account-schema.ts';
import type { ExportProblem, ExportState, ExportTargetKind } from './library-export.ts';

/**
 * An export of a library. `destination` is sealed, because it contains the keys of the bucket. `cursor` is the last
 * video of the last finished step, in the order of their ids, and `tick` the number of the job that may work on the
 * export.
 */
export type LibraryExportTable = {
  id: Guid;
  library_id: number;
  target: ExportTargetKind;
  address: string;
  destination: Buffer;
  state: ExportState;
  concurrency: number;
  max_bytes_per_sec: number | null;
  cursor: Guid | null;
  /** Number of consecutive runs in which the destination did not respond. */
  failures: Generated<number>;
  total: Generated<number>;
  exported: Generated<number>;
  unchanged: Generated<number>;
  empty: Generated<number>;
  failed: Generated<number>;
  bytes: Generated<number>;
  current: string | null;
  problems: JsonDefault<ExportProblem[]>;
  reason: string | null;
  tick: Generated<number>;
  created_at: CreatedAt;
  ended_at: Date | null;
};
