import type { Generated } from 'kysely';
import type { Guid } from '../../lib/guid.ts';
import type { CreatedAt, JsonDefault } from '../account-schema.ts';

/**
 * An upload session of a video: a PUT in progress, a TUS upload, a fetch. Its staged bytes are named by `id`. A
 * `complete` session passed its bytes to the video and is only kept to report that; a `closing` session accepts no
 * further bytes.
 */
export type UploadTable = {
  id: Guid;
  library_id: number;
  media_id: Guid;
  method: 'put' | 'tus' | 'fetch';
  state: Generated<'open' | 'complete' | 'closing'>;
  /** Fences the workers of a fetch: each takeover increments it. */
  attempt: Generated<number>;
  length_bytes: number | null;
  /** Bytes that count towards the storage quota while the upload is open, if they exceed its length. */
  reserved_bytes: Generated<number>;
  /** `Upload-Concat` of a tus upload as sent by the client: `partial` or `final;…`. Null for a whole file. */
  concat: Generated<string | null>;
  /** The final upload that joins this partial one, and its position there from 0. Null before that. */
  part_of: Generated<Guid | null>;
  part_number: Generated<number | null>;
  metadata: JsonDefault<Record<string, unknown>>;
  lease_owner: string | null;
  lease_until: Date | null;
  created_at: CreatedAt;
  expires_at: Date;
};
