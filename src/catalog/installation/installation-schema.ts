import type { ColumnType, Generated } from 'kysely';
import type { Guid } from '../../lib/guid.ts';

/** The one row that names this installation. */
type InstallationTable = {
  singleton: Generated<boolean>;
  id: Generated<Guid>;
  sequence: Generated<number>;
  /** Nothing is deleted before: the store's mark was ahead of this database. */
  held_until: Date | null;
  /** The store's sequence that was ahead. */
  held_sequence: number | null;
};

/** An object, or a staged upload, that no row names. */
type OrphanTable = {
  kind: 'object' | 'upload';
  /** The storage key of an object, the id of an upload. */
  name: string;
  size_bytes: number;
  modified_at: Date;
  found_at: ColumnType<Date, never, never>;
  kept_at: Date | null;
};

/** How far the search for orphans is in this round, and how many objects it saw in this one and in the last. */
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
