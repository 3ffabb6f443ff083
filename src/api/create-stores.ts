import { createAudioTrackStore } from '../catalog/audio-tracks/audio-track-store.ts';
import { createAccountAuditStore } from '../catalog/audit/account-audit-store.ts';
import { createBulkStore } from '../catalog/bulk/bulk-store.ts';
import { createCaptionStore } from '../catalog/captions/caption-store.ts';
import { createCollectionStore } from '../catalog/collections/collection-store.ts';
import { createVideoOrderStore } from '../catalog/collections/video-order-store.ts';
import { createCommentStore } from '../catalog/comments/comment-store.ts';
import { createExportStore } from '../catalog/exports/export-store.ts';
import { createFeedStore } from '../catalog/feeds/feed-store.ts';
import { createImportStore } from '../catalog/imports/import-store.ts';
import { createKeyStore } from '../catalog/keys/key-store.ts';
import { createSessionStore } from '../catalog/keys/session-store.ts';
import { createLibraryStore } from '../catalog/libraries/library-store.ts';
import { createLibraryViewStore } from '../catalog/libraries/library-view-store.ts';
import { createCodecStore } from '../catalog/lifecycle/codec-store.ts';
import { createRetryStore } from '../catalog/lifecycle/retry-store.ts';
import { createLiveReportStore } from '../catalog/live/streams/live-report-store.ts';
import { createLiveStore } from '../catalog/live/streams/live-store.ts';
import { createLiveThumbnailStore } from '../catalog/live/streams/live-thumbnail-store.ts';
import { createCredentialStore } from '../catalog/people/credential-store.ts';
import { createIdentityStore } from '../catalog/people/identity-store.ts';
import { createPasskeyStore } from '../catalog/people/passkey-store.ts';
import { createPersonSessionStore } from '../catalog/people/person-session-store.ts';
import { createPersonStore } from '../catalog/people/person-store.ts';
import { createSignInProviderStore } from '../catalog/people/sign-in-provider-store.ts';
import { createPullZoneStore } from '../catalog/pull-zones/pull-zone-store.ts';
import { loadZonePolicy } from '../catalog/pull-zones/zone-policy-store.ts';
import { createQuotaStore } from '../catalog/quotas/quota-store.ts';
import { createShareStore } from '../catalog/shares/share-store.ts';
import { createEventSearchStore } from '../catalog/shield/events/event-search-store.ts';
import { createShieldEventStore } from '../catalog/shield/events/shield-event-store.ts';
import { createShieldSettingsStore } from '../catalog/shield/shield-settings-store.ts';
import { createAudienceStore } from '../catalog/statistics/reports/audience-store.ts';
import { createStatisticsStore } from '../catalog/statistics/reports/statistics-store.ts';
import { createSystemStore } from '../catalog/system/system-store.ts';
import { createUploadStore } from '../catalog/uploads/upload-store.ts';
import { createThumbnailStore } from '../catalog/videos/thumbnail-store.ts';
import { createTrashStore } from '../catalog/videos/trash-store.ts';
import { createVideoStore } from '../catalog/videos/video-store.ts';
import { createVideoViewStore } from '../catalog/videos/video-view-store.ts';
import { ViewerAuthorizer } from '../catalog/viewers/viewer-authorizer.ts';
import { createEndpointStore } from '../catalog/webhooks/endpoint-store.ts';
import { createImageMaker } from '../media/images/run-image-maker.ts';
import type { OperationDeps } from './operation-deps.ts';

type Stores = Pick<
  OperationDeps,
  | 'accountAudit'
  | 'audioTracks'
  | 'bulks'
  | 'captions'
  | 'codecs'
  | 'collections'
  | 'videoOrders'
  | 'imports'
  | 'exports'
  | 'keys'
  | 'sessions'
  | 'people'
  | 'personSessions'
  | 'passkeys'
  | 'credentials'
  | 'providers'
  | 'identities'
  | 'live'
  | 'liveReports'
  | 'liveThumbnails'
  | 'libraries'
  | 'libraryViews'
  | 'statistics'
  | 'audiences'
  | 'system'
  | 'trash'
  | 'images'
  | 'pullZones'
  | 'retries'
  | 'shares'
  | 'comments'
  | 'feeds'
  | 'quotas'
  | 'webhookEndpoints'
  | 'eventSearch'
  | 'shieldEvents'
  | 'shieldSettings'
  | 'loadPolicy'
  | 'thumbnails'
  | 'uploads'
  | 'videos'
  | 'videoViews'
  | 'viewers'
>;

type StoreDeps = Pick<OperationDeps, 'db' | 'outbound' | 'secretBox'>;

/** Creates the stores that the operations use, all on one database. */
export function createStores({ db, outbound, secretBox }: StoreDeps): Stores {
  const keys = createKeyStore(db);
  return {
    audioTracks: createAudioTrackStore(db),
    bulks: createBulkStore(db),
    captions: createCaptionStore(db),
    codecs: createCodecStore(db),
    collections: createCollectionStore(db),
    videoOrders: createVideoOrderStore(db),
    imports: createImportStore({ db, secretBox }),
    exports: createExportStore({ db, secretBox }),
    keys,
    sessions: createSessionStore(db, keys),
    people: createPersonStore(db),
    accountAudit: createAccountAuditStore(db),
    personSessions: createPersonSessionStore(db),
    passkeys: createPasskeyStore(db),
    credentials: createCredentialStore({ db, secretBox }),
    providers: createSignInProviderStore({ db, secretBox }),
    identities: createIdentityStore(db),
    live: createLiveStore({ db, secretBox: secretBox }),
    liveReports: createLiveReportStore(db),
    liveThumbnails: createLiveThumbnailStore(db),
    libraries: createLibraryStore({ db, secretBox }),
    libraryViews: createLibraryViewStore({ db, secretBox }),
    statistics: createStatisticsStore(db),
    audiences: createAudienceStore(db),
    system: createSystemStore(db),
    trash: createTrashStore(db),
    images: createImageMaker(),
    pullZones: createPullZoneStore({ db, secretBox }),
    retries: createRetryStore(db),
    shares: createShareStore({ db, secretBox }),
    comments: createCommentStore(db),
    feeds: createFeedStore({ db, secretBox }),
    quotas: createQuotaStore(db),
    viewers: new ViewerAuthorizer({ outbound }),
    webhookEndpoints: createEndpointStore({ db, secretBox }),
    eventSearch: createEventSearchStore(db),
    shieldEvents: createShieldEventStore(db),
    shieldSettings: createShieldSettingsStore(db),
    loadPolicy: (ref) => loadZonePolicy({ db, secretBox }, ref),
    thumbnails: createThumbnailStore(db),
    uploads: createUploadStore(db),
    videos: createVideoStore(db),
    videoViews: createVideoViewStore(db),
  };
}
