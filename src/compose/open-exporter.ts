import { join } from 'node:path';
import type { Db } from '../catalog/db.ts';
import type { ExportDestination } from '../catalog/exports/library-export.ts';
import type { RoleSettings } from '../config/settings.ts';
import type { ExportTarget } from '../jobs/exports/export-target.ts';
import type { Exporter } from '../jobs/exports/exporter.ts';
import { logEvent } from '../lib/log/log-event.ts';
import { createAddressRules } from '../lib/outbound/address-rules.ts';
import { Refused } from '../lib/refused.ts';
import type { SecretBox } from '../lib/secret-box.ts';
import type { Storage } from '../ports/storage.ts';

type Settings = Pick<RoleSettings, 'exportFolder' | 'outboundAllow' | 'edgePort' | 'host' | 'edgeUrl' | 'tls'>;
type Bucket = Extract<ExportDestination, { kind: 's3' }>;

/** Opens the exports of a worker. Their code is loaded with the first export. */
export function openExporter(
  settings: RoleSettings,
  library: { db: Db; secretBox: SecretBox; storage: Storage },
): Exporter {
  return {
    async openLibrary(libraryId) {
      const { openExportLibrary } = await import('./open-export-library.ts');
      return openExportLibrary(libraryId, { ...library, settings });
    },
    async openTarget(libraryId, destination, signal) {
      if (destination.kind === 's3') return await openBucket(settings, destination, signal);
      const { openFolderTarget } = await import('../jobs/exports/folder-target.ts');
      return await openFolderTarget(folderOf(settings, libraryId, destination.folder), signal);
    },
  };
}

/** Each library has its own folder, so that no library can change the export of another. */
function folderOf({ exportFolder }: Settings, libraryId: number, folder: string): string {
  if (exportFolder !== null) return join(exportFolder, `library-${libraryId}`, folder);
  throw new Refused('invalid', 'Exports to a folder are turned off. Set MILLRACE_EXPORT_DIR, or export to a bucket.');
}

/** Opens a bucket that a caller named: only allowed addresses, and only with the caller's keys. */
async function openBucket(
  { outboundAllow }: Settings,
  { bucket, prefix: keyPrefix, endpoint, region, ...credentials }: Bucket,
  signal: AbortSignal,
): Promise<ExportTarget> {
  const [{ createGuardedAgents }, { openExportBucket }, { openBucketTarget }] = await Promise.all([
    import('../lib/outbound/guarded-agents.ts'),
    import('./open-export-bucket.ts'),
    import('../jobs/exports/bucket-target.ts'),
  ]);
  const agents = createGuardedAgents(createAddressRules(outboundAllow));
  const { accessKeyId, secretAccessKey } = credentials;
  const access = { credentials: { accessKeyId, secretAccessKey }, agents };
  const place = { kind: 's3', bucket, keyPrefix, endpoint, region, forcePathStyle: true } as const;
  const onUnswept = (error: unknown) => logEvent('export.unswept', { err: error });
  const opened = await openExportBucket(place, { access, onUnswept }, signal);
  return await openBucketTarget(opened, signal);
}
