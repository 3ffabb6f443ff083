import type { ColumnType, Generated } from 'kysely';
import type { Guid } from '../../lib/guid.ts';

/** The single row that identifies this installation. */
type InstallationTable = {
  singleton: Generated<boolean>;
  id: Generated<Guid>;
  sequence: Generated<number>;
  /** Nothing is deleted before this time, because the store's mark was ahead of this database. */
  held_until: Date | null;
  /** The sequence number in the store's mark that was ahead. */
  held_sequence: number | null;
};

/** An object or a staged upload that no row references. */
type OrphanTable = {
  kind: 'object' | 'upload';
  /** Storage key of an object, or id of an upload. */
  name: string;
  size_bytes: number;
  modified_at: Date;
  found_at: ColumnType<Date, never, never>;
  kept_at: Date | null;
};

/** Progress of the orphan search in this round, and the number of objects seen in this round and the previous one. */
type OrphanSweepTable = {
  singleton: Generated<boolean>;
  after_key: Generated<string>;
  objects: Generated<number>;
  last_objects: number | null;
};

export type InstallationSchema = {
  installation: InstallationTable;
  orphan: OrphanTable;
  orphan_sweep: OrphanSweepTable;
};
