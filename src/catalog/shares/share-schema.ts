import type { ColumnType, Generated } from 'kysely';
import type { Guid } from '../../lib/guid.ts';
import type { CreatedAt } from '../account-schema.ts';

/**
 * A page that shows one video, or the videos of one collection, to everyone who has its link. `token_hash` finds it,
 * `token_sealed` restores its link.
 */
export type ShareTable = {
  id: Guid;
  library_id: number;
  media_id: Guid | null;
  collection_id: Guid | null;
  token_hash: Buffer;
  token_sealed: Buffer;
  password_hash: string | null;
  /** Domains of the e-mail addresses of viewers; empty: no address is needed. */
  email_domains: Generated<string[]>;
  allows_download: boolean;
  allows_comments: Generated<boolean>;
  expires_at: ColumnType<Date | null, Date | null, Date | null>;
  created_by: string;
  created_at: CreatedAt;
};

/** A code that was sent to a viewer's e-mail address. Address and code are keyed hashes. */
export type ShareCodeTable = {
  share_id: Guid;
  address_hash: Buffer;
  code_hash: Buffer;
  /** Wrong codes that were entered. */
  failures: Generated<number>;
  expires_at: ColumnType<Date, Date, Date>;
};
