import type { ColumnType, Generated } from 'kysely';
import type { Guid } from '../../lib/guid.ts';
import type { CreatedAt, Json, JsonDefault } from '../account-schema.ts';
import type { ImportItemKind, ImportSourceName, ImportState, ItemState } from './library-import.ts';
import type { SettingsReport } from './settings-report.ts';

/**
 * An import into a library. `request` is sealed, because it contains keys of the source. `cursor` is the next page to
 * list, and `tick` the number of the job that may work on the import.
 */
export type LibraryImportTable = {
  id: Guid;
  library_id: number;
  source: ImportSourceName;
  address: string;
  request: Buffer;
  state: ImportState;
  is_dry_run: boolean;
  concurrency: number;
  max_bytes_per_sec: number | null;
  skips_duplicates: Generated<boolean>;
  makes_new_guids: Generated<boolean>;
  /** Speed of a sample transfer during a dry run, or null if none was measured. */
  source_bytes_per_sec: number | null;
  /** Start of the transfers. A resume moves it by the time of the pause. */
  running_at: Date | null;
  cursor: string | null;
  is_listed: Generated<boolean>;
  reason: string | null;
  /** Whether the settings of the source are restored. Null: only into a library without videos and collections. */
  restores_settings: boolean | null;
  settings_report: Json<SettingsReport> | null;
  tick: Generated<number>;
  created_at: CreatedAt;
  ended_at: Date | null;
};

/** An entry of an import. `owns_target` is true once the import created the video or collection `target_id`. */
export type ImportItemTable = {
  import_id: Guid;
  place: number;
  library_id: number;
  kind: ImportItemKind;
  source_id: string;
  title: string;
  target_id: Guid;
  size_bytes: number | null;
  duration_sec: number | null;
  details: Json<unknown>;
  /** Video order of a collection; null for a video, and for a collection without one. */
  arrangement: Json<unknown> | null;
  state: Generated<ItemState>;
  owns_target: Generated<boolean>;
  reason: string | null;
  is_retryable: Generated<boolean>;
  notes: JsonDefault<string[]>;
  attempts: Generated<number>;
  /** Number of times that the source was still preparing the file. */
  waits: Generated<number>;
  /** Size of the file as its origin stated it at the transfer, or null if unknown. */
  file_bytes: number | null;
  ready_at: ColumnType<Date, Date | undefined, Date>;
};
