import type { Guid } from '../../lib/guid.ts';
import type { SchemeName, SystemSignals } from '../../ports/drm-key-source.ts';
import type { CreatedAt, Json } from '../account-schema.ts';

/**
 * A set of keys under which a media is given out; the newest that is not retired is the one that playlists name.
 * Numbers rise and are never used twice: addresses of encrypted bytes hold them. `keys_sealed` is what
 * `formatContentKeys` writes, sealed; `signals` is what a key server says of its systems.
 */
export type DrmPackageTable = {
  library_id: number;
  media_id: Guid;
  number: number;
  scheme: SchemeName;
  keys_sealed: Buffer;
  signals: Json<StoredSignals[]>;
  created_at: CreatedAt;
  retired_at: Date | null;
};

/** `SystemSignals` as JSON: the pssh box in base64. */
export type StoredSignals = Omit<SystemSignals, 'pssh'> & { pssh: string | null };
