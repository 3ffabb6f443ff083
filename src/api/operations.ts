import type { AuditStore } from '../catalog/audit/audit-store.ts';
import type { CaptionStore } from '../catalog/captions/caption-store.ts';
import type { CollectionStore } from '../catalog/collections/collection-store.ts';
import type { Db } from '../catalog/db.ts';
import type { DrmPackageStore } from '../catalog/drm/drm-package-store.ts';
import type { LicenceProxy } from '../catalog/drm/licence-proxy.ts';
import type { Packager } from '../catalog/drm/packager.ts';
import type { KeyStore } from '../catalog/keys/key-store.ts';
import type { SessionStore } from '../catalog/keys/session-store.ts';
import type { LibraryStore } from '../catalog/libraries/library-store.ts';
import type { LibraryViewStore } from '../catalog/libraries/library-view-store.ts';
import type { CodecStore } from '../catalog/lifecycle/codec-store.ts';
import type { RetryStore } from '../catalog/lifecycle/retry-store.ts';
import type { LiveReportStore } from '../catalog/live/live-report-store.ts';
import type { LiveStore } from '../catalog/live/live-store.ts';
import type { LiveThumbnailStore } from '../catalog/live/live-thumbnail-store.ts';
import type { PullZoneName } from '../catalog/pull-zones/pull-zone-name.ts';
import type { PullZoneStore } from '../catalog/pull-zones/pull-zone-store.ts';
import type { ZonePolicy } from '../catalog/pull-zones/zone-policy.ts';
import type { FirewallSource } from '../catalog/shield/firewall/open-firewall.ts';
import type { ShieldEventStore } from '../catalog/shield/shield-event-store.ts';
import type { ShieldSettingsStore } from '../catalog/shield/shield-settings-store.ts';
import type { StatisticsStore } from '../catalog/statistics/statistics-store.ts';
import type { UploadStore } from '../catalog/uploads/upload-store.ts';
import type { CleanupStore } from '../catalog/videos/cleanup-store.ts';
import type { OutlookStore } from '../catalog/videos/outlook-store.ts';
import type { StoredVideoStore } from '../catalog/videos/rendition-view-store.ts';
import type { ThumbnailStore } from '../catalog/videos/thumbnail-store.ts';
import type { VideoStore } from '../catalog/videos/video-store.ts';
import type { VideoViewStore } from '../catalog/videos/video-view-store.ts';
import type { Queue } from '../jobs/queue/define-job.ts';
import type { Outbound } from '../lib/outbound/outbound.ts';
import type { SecretBox } from '../lib/secret-box.ts';
import type { PictureMaker } from '../media/images/run-picture.ts';
import type { Storage } from '../ports/storage.ts';
import { getBilling } from './account/get-billing.ts';
import { getUser } from './account/get-user.ts';
import { createCollection } from './collections/create-collection.ts';
import { deleteCollection } from './collections/delete-collection.ts';
import { getCollection } from './collections/get-collection.ts';
import { listCollections } from './collections/list-collections.ts';
import { updateCollection } from './collections/update-collection.ts';
import type { Operation } from './define-operation.ts';
import { askFairPlayLicence, askFairPlayLicenceByPath } from './drm/ask-fair-play-licence.ts';
import { askWidevineLicence } from './drm/ask-widevine-licence.ts';
import { getFairPlayCertificate } from './drm/get-fair-play-certificate.ts';
import { createKey } from './keys/create-key.ts';
import { deleteKey } from './keys/delete-key.ts';
import { listKeys } from './keys/list-keys.ts';
import { getBitrateHistory, getCurrentBitrate } from './live/bitrates.ts';
import { createLiveStream } from './live/create-live-stream.ts';
import { deleteLiveStream } from './live/delete-live-stream.ts';
import { getLivePlayData } from './live/get-live-play-data.ts';
import { getLiveStatus } from './live/get-live-status.ts';
import { getLiveStream } from './live/get-live-stream.ts';
import { listLiveStreams } from './live/list-live-streams.ts';
import { listLiveThumbnails } from './live/list-live-thumbnails.ts';
import { regenerateStreamKey } from './live/regenerate-stream-key.ts';
import { deleteLiveThumbnail, setLiveThumbnail } from './live/set-live-thumbnail.ts';
import { startLiveStream } from './live/start-live-stream.ts';
import { stopLiveStream } from './live/stop-live-stream.ts';
import { updateLiveStream } from './live/update-live-stream.ts';
import { getOEmbed } from './oembed/get-oembed.ts';
import { followLibrary } from './progress/follow-library.ts';
import { followVideo } from './progress/follow-video.ts';
import type { ProgressHub } from './progress/progress-hub.ts';
import { addHostname, purgeCache, removeHostname } from './pull-zones/change-hostnames.ts';
import {
  addBlockedIp,
  addZoneAllowedReferrer,
  addZoneBlockedReferrer,
  removeBlockedIp,
  removeZoneAllowedReferrer,
  removeZoneBlockedReferrer,
} from './pull-zones/change-zone-lists.ts';
import { explainRequest } from './pull-zones/explain-request.ts';
import { getPullZone } from './pull-zones/get-pull-zone.ts';
import { listPullZones } from './pull-zones/list-pull-zones.ts';
import { resetSecurityKey } from './pull-zones/reset-security-key.ts';
import { updatePullZone } from './pull-zones/update-pull-zone.ts';
import { getEventLogs, getFirstEventLogs } from './shield/get-event-logs.ts';
import { getShieldZone, getShieldZoneByPullZone } from './shield/get-shield-zone.ts';
import { listShieldZones } from './shield/list-shield-zones.ts';
import { updateShieldZone } from './shield/update-shield-zone.ts';
import { getStatistics } from './statistics/get-statistics.ts';
import { getStorageZone } from './storage-zones/get-storage-zone.ts';
import { updateStorageZone } from './storage-zones/update-storage-zone.ts';
import {
  addAllowedReferrer,
  addBlockedReferrer,
  removeAllowedReferrer,
  removeBlockedReferrer,
} from './video-libraries/change-referrers.ts';
import { createLibrary } from './video-libraries/create-library.ts';
import { deleteLibrary } from './video-libraries/delete-library.ts';
import { deleteWatermark } from './video-libraries/delete-watermark.ts';
import { getLibrary } from './video-libraries/get-library.ts';
import { getDrmStatistics, getTranscribingStatistics } from './video-libraries/get-usage-statistics.ts';
import { listAudit } from './video-libraries/list-audit.ts';
import { listLanguages } from './video-libraries/list-languages.ts';
import { listLibraries } from './video-libraries/list-libraries.ts';
import { putWatermark } from './video-libraries/put-watermark.ts';
import {
  resetApiKey,
  resetApiKeyByQuery,
  resetReadOnlyApiKey,
  resetReadOnlyApiKeyByQuery,
} from './video-libraries/reset-library-keys.ts';
import { updateLibrary } from './video-libraries/update-library.ts';
import { addCaption } from './videos/add-caption.ts';
import { addOutputCodec } from './videos/add-output-codec.ts';
import { cleanResolutions } from './videos/clean-resolutions.ts';
import { composeVideos } from './videos/compose-videos.ts';
import { createVideo } from './videos/create-video.ts';
import { deleteCaption } from './videos/delete-caption.ts';
import { deleteVideo } from './videos/delete-video.ts';
import { fetchIntoVideo } from './videos/fetch-into-video.ts';
import { fetchNewVideo } from './videos/fetch-new-video.ts';
import { getHeatmap } from './videos/get-heatmap.ts';
import { getPlayData } from './videos/get-play-data.ts';
import { getPlayHeatmap } from './videos/get-play-heatmap.ts';
import { getQueuePlace } from './videos/get-queue-place.ts';
import { getResolutions } from './videos/get-resolutions.ts';
import { getStorageSize } from './videos/get-storage-size.ts';
import { getVideo } from './videos/get-video.ts';
import { listVideos } from './videos/list-videos.ts';
import { reencodeVideo } from './videos/reencode-video.ts';
import { repackageVideo } from './videos/repackage-video.ts';
import { replaceFile } from './videos/replace-file.ts';
import { retryIncomplete } from './videos/retry-incomplete.ts';
import { retryResolutions } from './videos/retry-resolutions.ts';
import { setThumbnail } from './videos/set-thumbnail.ts';
import { smartGenerate } from './videos/smart-generate.ts';
import type { SpeechEngine } from './videos/spoken-language.ts';
import { transcribeVideo } from './videos/transcribe-video.ts';
import { updateVideo } from './videos/update-video.ts';
import { uploadVideo } from './videos/upload-video.ts';
import { listWebhookEvents } from './webhooks/list-webhook-events.ts';
import { resendWebhookEvent } from './webhooks/resend-webhook-event.ts';
import { testWebhook } from './webhooks/test-webhook.ts';

/** All that operations are made to work with; each names the part that it needs. */
export type OperationDeps = {
  audit: AuditStore;
  captions: CaptionStore;
  cleanups: CleanupStore;
  codecs: CodecStore;
  db: Db;
  collections: CollectionStore;
  keys: KeyStore;
  sessions: SessionStore;
  libraries: LibraryStore;
  live: LiveStore;
  liveReports: LiveReportStore;
  liveThumbnails: LiveThumbnailStore;
  libraryViews: LibraryViewStore;
  outlooks: OutlookStore;
  pictures: PictureMaker;
  progressHub: ProgressHub;
  pullZones: PullZoneStore;
  retries: RetryStore;
  shieldEvents: ShieldEventStore;
  shieldSettings: ShieldSettingsStore;
  /** What inspects requests. */
  firewall: FirewallSource;
  /** What decides about the viewers of a pull zone. */
  loadPolicy(name: PullZoneName): Promise<ZonePolicy | null>;
  /** Proves the tokens of pages of the event log. */
  cursorSecret: Uint8Array;
  statistics: StatisticsStore;
  storedVideos: StoredVideoStore;
  thumbnails: ThumbnailStore;
  uploads: UploadStore;
  videos: VideoStore;
  videoViews: VideoViewStore;
  queue: Queue;
  storage: Storage;
  outbound: Outbound;
  speech: SpeechEngine | null;
  packager: Packager;
  drmPackages: DrmPackageStore;
  licences: LicenceProxy;
  secretBox: SecretBox;
  /** Where clients find the interface, where the owner said it; without a final slash. */
  publicUrl: string | null;
  /** Where the edge is for viewers, without a final slash. */
  edgeUrl: string;
  /** Hosts where our player lives, `*.` for all below. */
  ownHosts: readonly string[];
  diskFloorBytes(totalBytes: number): number;
};

/** Every operation of the interface, at both addresses: their paths do not collide. */
export const operations: readonly Operation<OperationDeps>[] = [
  createCollection,
  deleteCollection,
  getCollection,
  listCollections,
  updateCollection,
  createLiveStream,
  deleteLiveStream,
  deleteLiveThumbnail,
  getBitrateHistory,
  getCurrentBitrate,
  getLivePlayData,
  getLiveStatus,
  getLiveStream,
  listLiveStreams,
  listLiveThumbnails,
  regenerateStreamKey,
  setLiveThumbnail,
  startLiveStream,
  stopLiveStream,
  updateLiveStream,
  addCaption,
  addOutputCodec,
  cleanResolutions,
  composeVideos,
  createVideo,
  deleteCaption,
  deleteVideo,
  fetchIntoVideo,
  fetchNewVideo,
  getOEmbed,
  getHeatmap,
  getPlayData,
  getPlayHeatmap,
  getStatistics,
  getQueuePlace,
  getResolutions,
  getStorageSize,
  getVideo,
  listVideos,
  followLibrary,
  followVideo,
  reencodeVideo,
  repackageVideo,
  replaceFile,
  retryResolutions,
  retryIncomplete,
  setThumbnail,
  smartGenerate,
  transcribeVideo,
  updateVideo,
  uploadVideo,
  resetSecurityKey,
  getPullZone,
  listPullZones,
  updatePullZone,
  addZoneAllowedReferrer,
  removeZoneAllowedReferrer,
  addZoneBlockedReferrer,
  removeZoneBlockedReferrer,
  addBlockedIp,
  removeBlockedIp,
  addHostname,
  removeHostname,
  purgeCache,
  explainRequest,
  getEventLogs,
  getFirstEventLogs,
  listShieldZones,
  getShieldZone,
  getShieldZoneByPullZone,
  updateShieldZone,
  listLibraries,
  createLibrary,
  getLibrary,
  updateLibrary,
  deleteLibrary,
  listLanguages,
  resetApiKey,
  resetApiKeyByQuery,
  resetReadOnlyApiKey,
  resetReadOnlyApiKeyByQuery,
  getDrmStatistics,
  getTranscribingStatistics,
  getUser,
  getBilling,
  getStorageZone,
  updateStorageZone,
  addAllowedReferrer,
  removeAllowedReferrer,
  addBlockedReferrer,
  removeBlockedReferrer,
  putWatermark,
  deleteWatermark,
  listAudit,
  listKeys,
  createKey,
  deleteKey,
  listWebhookEvents,
  resendWebhookEvent,
  testWebhook,
  getFairPlayCertificate,
  askFairPlayLicence,
  askFairPlayLicenceByPath,
  askWidevineLicence,
];
