import type { AuditedWrite } from '../catalog/audit/audit-line.ts';
import { createAuditStore } from '../catalog/audit/audit-store.ts';
import { createCollectionStore } from '../catalog/collections/collection-store.ts';
import type { Db } from '../catalog/db.ts';
import { createFeedStore } from '../catalog/feeds/feed-store.ts';
import { createLibraryStore } from '../catalog/libraries/library-store.ts';
import { collectChanges, type NotedChange } from '../catalog/note-change.ts';
import { createPullZoneStore } from '../catalog/pull-zones/pull-zone-store.ts';
import { createQuotaStore } from '../catalog/quotas/quota-store.ts';
import { createEndpointStore } from '../catalog/webhooks/endpoint-store.ts';
import type { SettingsImporter } from '../jobs/imports/settings-importer.ts';
import type { Guid } from '../lib/guid.ts';
import { logEvent } from '../lib/log/log-event.ts';
import type { SecretBox } from '../lib/secret-box.ts';
import { createImageMaker } from '../media/images/run-image-maker.ts';
import type { Storage } from '../ports/storage.ts';

type Deps = { db: Db; secretBox: SecretBox; storage: Storage };

/** Opens the import of settings for a worker. The code of the API is loaded with the first import. */
export function openSettingsImporter({ db, secretBox, storage }: Deps): SettingsImporter {
  const audit = createAuditStore(db, (err, { operation }) => logEvent('audit.unstored', { err, operation }));
  return async (libraryId, wanted, signal) => {
    const { importSettings } = await import('../api/import-settings.ts');
    const stores = {
      libraries: createLibraryStore({ db, secretBox }),
      quotas: createQuotaStore(db),
      webhookEndpoints: createEndpointStore({ db, secretBox }),
      feeds: createFeedStore({ db, secretBox }),
      collections: createCollectionStore(db),
      pullZones: createPullZoneStore({ db, secretBox }),
      images: createImageMaker(),
    };
    const noted: NotedChange[] = [];
    const change = () => importSettings(libraryId, wanted, { ...stores, db, secretBox, storage }, signal);
    const { toAuditChanges } = await import('../api/audit-changes.ts');
    try {
      return await collectChanges(noted, change);
    } finally {
      // Changes that were made before an error remain, and a retry does not make them again.
      const changes = toAuditChanges(noted);
      if (changes !== null) await audit.write({ ...lineOf(libraryId, wanted.importId), changes });
    }
  };
}

/** Describes a change that no request made. The import names the people who started and resumed it. */
function lineOf(libraryId: number, importId: Guid): Omit<AuditedWrite, 'changes'> {
  const targets = { libraryId: String(libraryId), importId };
  const by = { keyName: 'import', scope: 'account', ip: '', requestId: importId, pullZoneId: null };
  return { libraryId, operation: 'restoreLibrarySettings', targets, status: 200, ...by };
}
