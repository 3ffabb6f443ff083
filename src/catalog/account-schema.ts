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
  /** Raised by the database with every change of what decides about viewers. */
  revision: Generated<number>;
  /** Answers of before are to leave the caches behind the edge. */
  purged_at: Date | null;
  /** The key before, while it is still good. */
  previous_key_sealed: Buffer | null;
  previous_key_until: Date | null;
};

/** A host name under which a pull zone answers, in small letters, beside its own below the edge's. */
export type PullZoneHostnameTable = { id: Generated<number>; pull_zone_id: number; hostname: string };

/** What an edge refused or logged; partitioned by `day` (UTC). */
export type ShieldEventTable = {
  day: ColumnType<string, string, string>;
  zone_id: number;
  seq: number;
  log_id: Guid;
  at: Date;
  rule_id: string;
  rule_group: string;
  severity: string;
  status: string;
  method: string;
  country: string;
  asn: string;
  server_zone: string;
  log: string;
};

/** One row (id 0): how requests of no pull zone are inspected. */
export type ShieldSettingsTable = { id: number; settings: JsonDefault<Record<string, unknown>> };

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

/** A browser that showed a key and goes by a cookie since: both are kept as hashes. */
export type DashboardSessionTable = {
  hash: Buffer;
  key_hash: Buffer;
  created_at: CreatedAt;
  expires_at: Date;
};

/** A link that signs a browser in once: it and the key that it stands for are kept as hashes. */
export type SignInLinkTable = { hash: Buffer; key_hash: Buffer; created_at: CreatedAt; expires_at: Date };

/** A write that a key requested (catalog/audit/audit-line.ts); no foreign key, because it outlives its library. */
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
