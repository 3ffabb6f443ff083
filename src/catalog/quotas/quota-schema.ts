import type { Generated } from 'kysely';
import type { QuotaLevel, QuotaMode, QuotaResource } from './quota.ts';

/** A limit of a library, and its last measurement. */
type LibraryQuotaTable = {
  library_id: number;
  resource: QuotaResource;
  max_amount: number;
  mode: QuotaMode;
  used: Generated<number>;
  /** Last threshold that was announced and not left since, in percent. */
  level: Generated<QuotaLevel>;
  measured_at: Generated<Date>;
  /** Whether encode tasks of the library wait for this limit. */
  is_holding: Generated<boolean>;
};

/**
 * Changes of a library's stored bytes, which triggers append. Their sum is the current size: the bytes of all media
 * without those of retired renditions and objects.
 */
type LibraryStorageTable = { library_id: number; bytes: number };

/** Milliseconds of video encoded in a UTC month, spread over slots, so that concurrent commits rarely wait. */
type EncodedMonthTable = { library_id: number; month: string; slot: number; encoded_ms: number };

/** Bytes that a library stored at its last measurement in a UTC month. */
type StorageMonthTable = {
  library_id: number;
  month: string;
  stored_bytes: number;
  measured_at: Generated<Date>;
};

export type QuotaSchema = {
  library_quota: LibraryQuotaTable;
  encoded_month: EncodedMonthTable;
  storage_month: StorageMonthTable;
  library_storage: LibraryStorageTable;
};
