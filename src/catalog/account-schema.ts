import type { ColumnType, Generated } from 'kysely';
import type { Guid } from '../lib/guid.ts';
import type { AuditChange } from './audit/audit-line.ts';

/** A jsonb column: reads return the parsed value, writes take JSON text. */
export type Json<T> = ColumnType<T, string, string>;
export type JsonDefault<T> = ColumnType<T, string | undefined, string>;
/** Set by the database if omitted. */
export type CreatedAt = ColumnType<Date, Date | undefined, Date>;

export type LibraryTable = {
  id: Generated<number>;
  name: string;
  settings: JsonDefault<Record<string, unknown>>;
  api_key_sealed: Buffer;
  api_key_hash: Buffer;
  read_only_key_sealed: Buffer;
  read_only_key_hash: Buffer;
  /** Key that signs the requests about viewers to the owner's endpoint. */
  viewer_secret_sealed: Generated<Buffer | null>;
  created_at: CreatedAt;
  modified_at: CreatedAt;
  /** Set when the library is deleted, which hides it. A job then deletes its media, their objects and this row. */
  deleted_at: Date | null;
};

export type PullZoneTable = {
  id: Generated<number>;
  library_id: number;
  name: string;
  security_key_sealed: Buffer;
  settings: JsonDefault<Record<string, unknown>>;
  /** The database increments it with each change to the rules for viewers. */
  revision: Generated<number>;
  /** Caches downstream of the edge must discard responses that are older than this. */
  purged_at: Date | null;
  /** The previous key, while it is still valid. */
  previous_key_sealed: Buffer | null;
  previous_key_until: Date | null;
};

/** A hostname of a pull zone in lower case, in addition to the zone's default name under the edge's domain. */
export type PullZoneHostnameTable = { id: Generated<number>; pull_zone_id: number; hostname: string };

/** A request that an edge refused or logged; partitioned by `day` (UTC). */
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

/** Single row (id 0): inspection settings for requests that match no pull zone. */
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
  /** Former read-only key, which still signs webhooks. Null for other keys. */
  signing_key_sealed: Generated<Buffer | null>;
};

/** A browser that signed in with a key and now uses a cookie. Key and cookie are stored as hashes. */
export type DashboardSessionTable = {
  hash: Buffer;
  key_hash: Buffer;
  created_at: CreatedAt;
  expires_at: Date;
};

/** A link that signs a browser in once. The link and its key are stored as hashes. */
export type SignInLinkTable = { hash: Buffer; key_hash: Buffer; created_at: CreatedAt; expires_at: Date };

/**
 * A write request that was sent with a key (see catalog/audit/audit-line.ts). It has no foreign key, because it
 * outlives its library.
 */
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
  changes: Json<AuditChange[]> | null;
};
