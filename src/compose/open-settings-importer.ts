import { createCollectionStore } from '../catalog/collections/collection-store.ts';
import type { Db } from '../catalog/db.ts';
import { createFeedStore } from '../catalog/feeds/feed-store.ts';
import { createLibraryStore } from '../catalog/libraries/library-store.ts';
import { createPullZoneStore } from '../catalog/pull-zones/pull-zone-store.ts';
import { createQuotaStore } from '../catalog/quotas/quota-store.ts';
import { createEndpointStore } from '../catalog/webhooks/endpoint-store.ts';
import type { SettingsImporter } from '../jobs/imports/settings-importer.ts';
import type { SecretBox } from '../lib/secret-box.ts';
import { createImageMaker } from '../media/images/run-image-maker.ts';
import type { Storage } from '../ports/storage.ts';

type Deps = { db: Db; secretBox: SecretBox; storage: Storage };

/** Opens the import of settings for a worker. The code of the API is loaded with the first import. */
export function openSettingsImporter({ db, secretBox, storage }: Deps): SettingsImporter {
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
    return importSettings(libraryId, wanted, { ...stores, db, secretBox, storage }, signal);
  };
}
