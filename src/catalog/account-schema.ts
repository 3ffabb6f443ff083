import type { ColumnType, Generated } from 'kysely';
import type { Guid } from '../lib/guid.ts';

/** jsonb: read as a value, written as JSON text. */
export type Json<T> = ColumnType<T, string, string>;
export type JsonDefault<T> = ColumnType<T, string | undefined, string>;
/** Set by the database when it is left out. */
export type CreatedAt = ColumnType<Date, Date | undefined, Date>;

export type LibraryTable = {
  id: Generated<number>;
  name: string;
  settings: JsonDefault<Record<string, unknown>>;
  api_key_sealed: Buffer;
  api_key_hash: Buffer;
  read_only_key_sealed: Buffer;
  read_only_key_hash: Buffer;
  video_count: Generated<number>;
  created_at: CreatedAt;
  modified_at: CreatedAt;
  /** Set: gone for everybody; a job deletes its media, their objects and then this row. */
  deleted_at: Date | null;
};

export type PullZoneTable = {
  id: Generated<number>;
  library_id: number;
  name: string;
  security_key_sealed: Buffer;
  settings: JsonDefault<Record<string, unknown>>;
};

export type AccessKeyTable = {
  id: Guid;
  library_id: number | null;
  hash: Buffer;
  scope: 'account' | 'write' | 'read';
  label: Generated<string>;
  created_at: CreatedAt;
  expires_at: Date | null;
  last_used_at: Date | null;
  revoked_at: Date | null;
};

/** A write that a key asked for (catalog/audit/audit-line.ts); no foreign key, because it outlives its library. */
export type AuditLineTable = {
  id: Generated<number>;
  at: Date;
  library_id: number | null;
  key_name: string;
  scope: string;
  operation: string;
  targets: Json<Record<string, string>>;
  status: number;
  request_id: string;
  ip: string;
  hash: Buffer;
};
