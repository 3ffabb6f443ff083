import type { Guid } from '../../lib/guid.ts';
import type { SchemeName, SystemSignals } from '../../ports/drm-key-source.ts';
import type { CreatedAt, Json } from '../account-schema.ts';

/**
 * A set of keys that encrypts a media item. Playlists reference the newest set that is not retired. Numbers increase
 * and are never reused, because the URLs of encrypted bytes contain them. `keys_sealed` is the sealed output of
 * `formatContentKeys`; `signals` is the key server's signalling for its systems.
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

/** `SystemSignals` as JSON, with the pssh box in base64. */
export type StoredSignals = Omit<SystemSignals, 'pssh'> & { pssh: string | null };
