import { accountOperations } from './account/account-operations.ts';
import { exportAccountAudit, listAccountAudit } from './audit/account-audit.ts';
import { createBulk } from './bulk/create-bulk.ts';
import { getBulk } from './bulk/get-bulk.ts';
import { createCollection } from './collections/create-collection.ts';
import { deleteCollection } from './collections/delete-collection.ts';
import { getCollection } from './collections/get-collection.ts';
import { listCollections } from './collections/list-collections.ts';
import { updateCollection } from './collections/update-collection.ts';
import { getVideoOrder, updateVideoOrder } from './collections/video-order.ts';
import { commentOperations } from './comments/comment-operations.ts';
import type { Operation } from './define-operation.ts';
import { askFairPlayLicence, askFairPlayLicenceByPath } from './drm/ask-fair-play-licence.ts';
import { askWidevineLicence } from './drm/ask-widevine-licence.ts';
import { getFairPlayCertificate } from './drm/get-fair-play-certificate.ts';
import { exportOperations } from './exports/export-operations.ts';
import { getFeed, readFeed, updateFeed } from './feeds/feeds.ts';
import { cancelImport, resumeImport } from './imports/control-import.ts';
import { createImport } from './imports/create-import.ts';
import { getImport, getImportReport, listImports } from './imports/get-import.ts';
import { createKey } from './keys/create-key.ts';
import { deleteKey } from './keys/delete-key.ts';
import { listKeys } from './keys/list-keys.ts';
import { getBitrateHistory, getCurrentBitrate } from './live/bitrates.ts';
import { createLiveStream } from './live/create-live-stream.ts';
import { deleteLiveStream } from './live/delete-live-stream.ts';
import { getLiveEncodingStatistics } from './live/get-live-encoding-statistics.ts';
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
import { chatWebhookOperations } from './notifications/chat-webhook-operations.ts';
import { getOEmbed } from './oembed/get-oembed.ts';
import type { OperationDeps } from './operation-deps.ts';
import { peopleOperations } from './people/people-operations.ts';
import { followLibrary } from './progress/follow-library.ts';
import { followVideo } from './progress/follow-video.ts';
import { pullZoneOperations } from './pull-zones/pull-zone-operations.ts';
import { getQuotas, updateQuotas } from './quotas/quotas.ts';
import {
  createCollectionShare,
  createShare,
  deleteCollectionShare,
  deleteShare,
  listCollectionShares,
  listShares,
  updateCollectionShare,
  updateShare,
} from './shares/shares.ts';
import { exportEventLogs } from './shield/export-event-logs.ts';
import { getEventLogs, getFirstEventLogs } from './shield/get-event-logs.ts';
import { getShieldZone, getShieldZoneByPullZone } from './shield/get-shield-zone.ts';
import { listShieldZones } from './shield/list-shield-zones.ts';
import { searchEventLogs } from './shield/search-event-logs.ts';
import { updateShieldZone } from './shield/update-shield-zone.ts';
import { getAccountStatistics } from './statistics/get-account-statistics.ts';
import { exportAudience, getAudience } from './statistics/get-audience.ts';
import { getQuality } from './statistics/get-quality.ts';
import { getStatistics } from './statistics/get-statistics.ts';
import { getUsage } from './statistics/get-usage.ts';
import { getStorageZone } from './storage-zones/get-storage-zone.ts';
import { updateStorageZone } from './storage-zones/update-storage-zone.ts';
import { drainNode } from './system/drain-node.ts';
import { getSystem } from './system/get-system.ts';
import { listNodes } from './system/list-nodes.ts';
import { deleteTrashedVideo } from './trash/delete-trashed-video.ts';
import { listTrash } from './trash/list-trash.ts';
import { restoreVideo } from './trash/restore-video.ts';
import {
  addAllowedReferrer,
  addBlockedReferrer,
  removeAllowedReferrer,
  removeBlockedReferrer,
} from './video-libraries/change-referrers.ts';
import { createLibrary } from './video-libraries/create-library.ts';
import { deleteLibrary } from './video-libraries/delete-library.ts';
import { getLibrary } from './video-libraries/get-library.ts';
import { getDrmStatistics, getTranscribingStatistics } from './video-libraries/get-usage-statistics.ts';
import { getLibrarySound, updateLibrarySound } from './video-libraries/library-sound.ts';
import { listAudit } from './video-libraries/list-audit.ts';
import { listLanguages } from './video-libraries/list-languages.ts';
import { listLibraries } from './video-libraries/list-libraries.ts';
import {
  resetApiKey,
  resetApiKeyByQuery,
  resetReadOnlyApiKey,
  resetReadOnlyApiKeyByQuery,
} from './video-libraries/reset-library-keys.ts';
import {
  deleteLiveDefaultThumbnail,
  deleteLiveWatermark,
  deleteLogo,
  deleteWatermark,
  putLiveDefaultThumbnail,
  putLiveWatermark,
  putLogo,
  putWatermark,
} from './video-libraries/set-library-image.ts';
import { updateLibrary } from './video-libraries/update-library.ts';
import { addCaption } from './videos/add-caption.ts';
import { addOutputCodec } from './videos/add-output-codec.ts';
import { cancelEncode } from './videos/cancel-encode.ts';
import { cancelTranscription } from './videos/cancel-transcription.ts';
import { deleteAudioTrack, listAudioTracks, updateAudioTrack } from './videos/change-audio-tracks.ts';
import { cleanResolutions } from './videos/clean-resolutions.ts';
import { composeVideos } from './videos/compose-videos.ts';
import { createVideo } from './videos/create-video.ts';
import { deleteCaption } from './videos/delete-caption.ts';
import { deleteVideo } from './videos/delete-video.ts';
import { explainVideo } from './videos/explain-video.ts';
import { fetchIntoVideo } from './videos/fetch-into-video.ts';
import { fetchNewVideo } from './videos/fetch-new-video.ts';
import { getActivity } from './videos/get-activity.ts';
import { getHeatmap } from './videos/get-heatmap.ts';
import { getOriginal } from './videos/get-original.ts';
import { getPlayData } from './videos/get-play-data.ts';
import { getPlayHeatmap } from './videos/get-play-heatmap.ts';
import { getQueuePlace } from './videos/get-queue-place.ts';
import { getResolutions } from './videos/get-resolutions.ts';
import { getStorageSize } from './videos/get-storage-size.ts';
import { getVideo } from './videos/get-video.ts';
import { listVideos } from './videos/list-videos.ts';
import { putAudioTrack } from './videos/put-audio-track.ts';
import { reencodeVideo } from './videos/reencode-video.ts';
import { repackageVideo } from './videos/repackage-video.ts';
import { replaceFile } from './videos/replace-file.ts';
import { retryIncomplete } from './videos/retry-incomplete.ts';
import { retryResolutions } from './videos/retry-resolutions.ts';
import { searchSpoken } from './videos/search-spoken.ts';
import { setThumbnail } from './videos/set-thumbnail.ts';
import { smartGenerate } from './videos/smart-generate.ts';
import { transcribeVideo } from './videos/transcribe-video.ts';
import { updateVideo } from './videos/update-video.ts';
import { uploadVideo } from './videos/upload-video.ts';
import { getViewerAccess, testViewerAccess, updateViewerAccess } from './viewers/viewer-access.ts';
import { webhookOperations } from './webhooks/webhook-operations.ts';

/** Every operation of the library API and the account API. Their paths do not collide. */
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
  getLiveEncodingStatistics,
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
  listAudioTracks,
  putAudioTrack,
  updateAudioTrack,
  deleteAudioTrack,
  cleanResolutions,
  composeVideos,
  createVideo,
  deleteCaption,
  deleteVideo,
  fetchIntoVideo,
  fetchNewVideo,
  getOEmbed,
  getActivity,
  explainVideo,
  getHeatmap,
  getPlayData,
  getPlayHeatmap,
  getStatistics,
  getAudience,
  exportAudience,
  getQuality,
  getUsage,
  getOriginal,
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
  createBulk,
  getBulk,
  getFeed,
  updateFeed,
  readFeed,
  getViewerAccess,
  updateViewerAccess,
  testViewerAccess,
  getQuotas,
  updateQuotas,
  createImport,
  listImports,
  getImport,
  getImportReport,
  cancelImport,
  resumeImport,
  ...exportOperations,
  listTrash,
  restoreVideo,
  deleteTrashedVideo,
  listShares,
  createShare,
  updateShare,
  deleteShare,
  listCollectionShares,
  createCollectionShare,
  updateCollectionShare,
  deleteCollectionShare,
  ...commentOperations,
  getVideoOrder,
  updateVideoOrder,
  getSystem,
  listNodes,
  drainNode,
  searchSpoken,
  setThumbnail,
  smartGenerate,
  transcribeVideo,
  cancelEncode,
  cancelTranscription,
  updateVideo,
  uploadVideo,
  ...pullZoneOperations,
  getEventLogs,
  getFirstEventLogs,
  searchEventLogs,
  exportEventLogs,
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
  ...accountOperations,
  getAccountStatistics,
  getStorageZone,
  updateStorageZone,
  addAllowedReferrer,
  removeAllowedReferrer,
  addBlockedReferrer,
  removeBlockedReferrer,
  putLogo,
  deleteLogo,
  putWatermark,
  deleteWatermark,
  putLiveWatermark,
  deleteLiveWatermark,
  putLiveDefaultThumbnail,
  deleteLiveDefaultThumbnail,
  listAudit,
  getLibrarySound,
  updateLibrarySound,
  listKeys,
  createKey,
  deleteKey,
  ...peopleOperations,
  listAccountAudit,
  exportAccountAudit,
  ...webhookOperations,
  ...chatWebhookOperations,
  getFairPlayCertificate,
  askFairPlayLicence,
  askFairPlayLicenceByPath,
  askWidevineLicence,
];
