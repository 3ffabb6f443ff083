import type { Database } from '../catalog/db.ts';
import { createPersonSessionStore } from '../catalog/people/person-session-store.ts';
import type { RoleSettings } from '../config/settings.ts';
import type { TusHandler } from '../ingest/tus/tus-handler.ts';
import type { JobQueue } from '../jobs/queue/queue.ts';
import { usualDiskFloorBytes } from '../jobs/uploads/require-space.ts';
import { readTrustedProxies } from '../lib/client-address.ts';
import { logEvent } from '../lib/log/log-event.ts';
import type { SecretRing } from '../lib/secret-ring.ts';
import type { OpenedStorage } from './storage.ts';

const MAX_UPLOAD_BYTES = 1e12;

type TusDeps = Pick<OpenedStorage, 'storage'> & {
  settings: Pick<RoleSettings, 'publicUrl' | 'trustedProxies'>;
  secrets: SecretRing;
  database: Pick<Database, 'db'>;
};

/** Opens resumable uploads, which the api role serves. */
export async function openTus(
  { settings, secrets, database: { db }, storage }: TusDeps,
  queue: JobQueue,
): Promise<TusHandler> {
  const [{ createTusHandler }, { createTusUploads }, { publicUrlOf }] = await Promise.all([
    import('../ingest/tus/tus-handler.ts'),
    import('../ingest/tus/tus-uploads.ts'),
    import('../lib/public-url.ts'),
  ]);
  const trusted = readTrustedProxies(settings.trustedProxies);
  const space = { storage, diskFloorBytes: usualDiskFloorBytes };
  const secretBox = secrets.box;
  return createTusHandler({
    uploads: createTusUploads({ db, storage, queue, secretBox, maxBytes: MAX_UPLOAD_BYTES, space }),
    mayUpload: createPersonSessionStore(db).mayUpload,
    staging: storage.staging,
    maxBytes: MAX_UPLOAD_BYTES,
    publicUrl: (request) => settings.publicUrl ?? publicUrlOf(request, trusted),
    space,
    onError: (error) => logEvent('upload.failed', { err: error }),
  });
}
