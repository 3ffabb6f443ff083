import * as keys from './access-key.ts';
import {
  BillingModel,
  DrmStatisticsModel,
  StorageZoneModel,
  StorageZoneUpdateModel,
  TranscribingStatisticsModel,
  UserModel,
} from './account.ts';
import { AccountAuditLineModel, AccountAuditModel } from './account-audit.ts';
import * as activity from './activity.ts';
import * as audience from './audience.ts';
import { AudioPurpose, AudioTrackList, AudioTrackModel, UpdateAudioTrackModel } from './audio-track.ts';
import { AuditChangeModel, AuditLineModel, PaginationListModelOfAuditLineModel } from './audit.ts';
import * as bulks from './bulk.ts';
import * as chatWebhooks from './chat-webhook.ts';
import { CollectionModel, PaginationListOfCollectionModel, UpdateCollectionModel } from './collection.ts';
import * as comments from './comment.ts';
import { ComposePartModel, ComposeVideoModel } from './compose-video.ts';
import {
  DrmVersion,
  EncoderOutputCodec,
  EncodingTier,
  IssueCodes,
  LiveStreamStatus,
  PullZoneType,
  Severity,
  SmartGenerateStatus,
  VideoModelStatus,
  VideoPlaybackSource,
  WebhookStatus,
  WidevineMinClientSecurityLevel,
} from './enums.ts';
import { EventLogPage, GenericRequestResponse, Labels, Log, ProblemDetails } from './event-log.ts';
import { EventLogsExportRequest, EventLogsSearchRequest, EventLogsSearchResponse } from './event-search.ts';
import { ExplainRequestModel, ExplanationModel } from './explanation.ts';
import * as exportModels from './export.ts';
import { FairPlayLicence, FairPlayRequest } from './fair-play.ts';
import * as feeds from './feed.ts';
import * as imports from './import.ts';
import { LibrarySoundModel, LibrarySoundUpdateModel } from './library-sound.ts';
import {
  CreateLiveStreamModel,
  IngestEndpoints,
  IngestEndpointsRtmp,
  LiveEncodingStatisticsModel,
  LiveStreamModel,
  LiveStreamStatusModel,
  PaginationListOfLiveStreamModel,
  RtmpOutput,
  ThumbnailListResponseModel,
  UpdateLiveStreamModel,
} from './live-stream.ts';
import { personModels } from './person.ts';
import * as places from './places.ts';
import {
  LiveStreamPlayDataModel,
  VideoHeatmapModel,
  VideoOEmbedModel,
  VideoPlayDataModel,
  VideoStatisticsModel,
} from './play-data.ts';
import * as portableSettings from './portable-settings.ts';
import {
  AddCertificateRequestModel,
  BlockedIpModel,
  ForceSSLRequestModel,
  HostnameModel,
  PaginationListModelOfPullZoneModel,
  PullZoneAddModel,
  PullZoneList,
  PullZoneModel,
  PullZoneUpdateModel,
  RemoveCertificateRequestModel,
  ResetPullZoneSecurityKeyModel,
} from './pull-zone.ts';
import * as quotas from './quota.ts';
import { RetryIncompleteModel } from './retry-incomplete.ts';
import * as shares from './share.ts';
import { ShieldZoneAnswer, ShieldZoneList, UpdateShieldZoneModel } from './shield-zone.ts';
import { signInProviderModels } from './sign-in-provider.ts';
import { SpokenSearchModel } from './spoken-search.ts';
import { StatisticsModel } from './statistics-model.ts';
import {
  ApiErrorData,
  AuthError401,
  CaptionValidationModel,
  StatusModel,
  StatusModelOfCaptionValidationModel,
  StatusModelOfListOfString,
} from './status.ts';
import { systemModels } from './system.ts';
import * as trash from './trash.ts';
import {
  CaptionModelAdd,
  CreateVideoModel,
  FetchVideoRequest,
  PaginationListOfVideoModel,
  SmartGenerateModel,
  TranscribeSettings,
  UpdateVideoModel,
  VideoModel,
} from './video.ts';
import * as videoExtras from './video-extras.ts';
import {
  AppleFairPlayDrm,
  GoogleWidevineDrm,
  PaginationListModelOfVideoLibraryModel,
  ReferrerModel,
  VideoLanguage,
  VideoLanguageList,
  VideoLibraryCreateModel,
  VideoLibraryList,
  VideoLibraryModel,
  VideoLibraryUpdateModel,
} from './video-library.ts';
import * as videoOrders from './video-order.ts';
import {
  CaptionModel,
  ChapterModel,
  MetaTagModel,
  MomentModel,
  SmartGenerateFeaturesStatusModel,
  TranscodingMessageModel,
} from './video-parts.ts';
import { VideoQueueModel } from './video-queue.ts';
import {
  CodecRenditionSizeModel,
  ResolutionReference,
  StatusModelOfVideoResolutionsInfoModel,
  StatusModelOfVideoStorageSizeModel,
  StorageObjectModel,
  VideoResolutionsInfoModel,
  VideoStorageSizeModel,
} from './video-storage.ts';
import * as viewerAccess from './viewer-access.ts';
import * as webhooks from './webhook.ts';

/** Every named model and enumeration of the API, for documents and checks derived from them. */
export const models = {
  AudioPurpose,
  AudioTrackModel,
  AudioTrackList,
  UpdateAudioTrackModel,
  ...bulks,
  ...feeds,
  ...viewerAccess,
  ...chatWebhooks,
  ...quotas,
  ...imports,
  ...exportModels,
  ...portableSettings,
  ...videoExtras,
  ...shares,
  ...comments,
  ...videoOrders,
  ...trash,
  TaskModel: activity.TaskModel,
  TranscriptionModel: activity.TranscriptionModel,
  AudioLoudnessModel: activity.AudioLoudnessModel,
  VideoActivityModel: activity.VideoActivityModel,
  FindingModel: activity.FindingModel,
  ExperienceModel: activity.ExperienceModel,
  WhyModel: activity.WhyModel,
  ...systemModels,
  AttemptModel: activity.AttemptModel,
  StatusModel,
  StatusModelOfListOfString,
  CaptionValidationModel,
  StatusModelOfCaptionValidationModel,
  AuthError401,
  ApiErrorData,
  UserModel,
  BillingModel,
  StorageZoneModel,
  StorageZoneUpdateModel,
  DrmStatisticsModel,
  TranscribingStatisticsModel,
  CaptionModel,
  ChapterModel,
  MomentModel,
  MetaTagModel,
  TranscodingMessageModel,
  SmartGenerateFeaturesStatusModel,
  VideoModel,
  PaginationListOfVideoModel,
  CreateVideoModel,
  UpdateVideoModel,
  ComposePartModel,
  ComposeVideoModel,
  FetchVideoRequest,
  CaptionModelAdd,
  TranscribeSettings,
  SmartGenerateModel,
  ResolutionReference,
  StorageObjectModel,
  VideoResolutionsInfoModel,
  StatusModelOfVideoResolutionsInfoModel,
  CodecRenditionSizeModel,
  VideoStorageSizeModel,
  StatusModelOfVideoStorageSizeModel,
  VideoPlayDataModel,
  LiveStreamPlayDataModel,
  VideoHeatmapModel,
  VideoStatisticsModel,
  ...audience,
  VideoOEmbedModel,
  VideoQueueModel,
  RetryIncompleteModel,
  CollectionModel,
  PaginationListOfCollectionModel,
  UpdateCollectionModel,
  IngestEndpointsRtmp,
  IngestEndpoints,
  RtmpOutput,
  LiveStreamModel,
  CreateLiveStreamModel,
  UpdateLiveStreamModel,
  PaginationListOfLiveStreamModel,
  ThumbnailListResponseModel,
  LiveStreamStatusModel,
  LiveEncodingStatisticsModel,
  AppleFairPlayDrm,
  GoogleWidevineDrm,
  VideoLibraryModel,
  PaginationListModelOfVideoLibraryModel,
  VideoLibraryCreateModel,
  VideoLibraryUpdateModel,
  VideoLanguage,
  VideoLanguageList,
  VideoLibraryList,
  ReferrerModel,
  ResetPullZoneSecurityKeyModel,
  HostnameModel,
  PullZoneModel,
  PaginationListModelOfPullZoneModel,
  PullZoneList,
  AccessKeyScope: keys.AccessKeyScope,
  AccessKeyModel: keys.AccessKeyModel,
  AccessKeyList: keys.AccessKeyList,
  NewAccessKeyModel: keys.NewAccessKeyModel,
  CreateAccessKeyModel: keys.CreateAccessKeyModel,
  LibrarySoundModel,
  LibrarySoundUpdateModel,
  AccountAuditLineModel,
  AccountAuditModel,
  AuditChangeModel,
  AuditLineModel,
  PaginationListModelOfAuditLineModel,
  ...personModels,
  ...signInProviderModels,
  Labels,
  Log,
  GenericRequestResponse,
  FairPlayLicence,
  FairPlayRequest,
  EventLogPage,
  ExplainRequestModel,
  ExplanationModel,
  BlockedIpModel,
  PullZoneAddModel,
  ForceSSLRequestModel,
  AddCertificateRequestModel,
  RemoveCertificateRequestModel,
  ...places,
  StatisticsModel,
  PullZoneUpdateModel,
  ProblemDetails,
  EventLogsExportRequest,
  EventLogsSearchRequest,
  EventLogsSearchResponse,
  ShieldZoneAnswer,
  ShieldZoneList,
  UpdateShieldZoneModel,
  SpokenSearchModel,
  ...webhooks,
  LiveStreamStatus,
  VideoModelStatus,
  Severity,
  IssueCodes,
  SmartGenerateStatus,
  EncoderOutputCodec,
  VideoPlaybackSource,
  WebhookStatus,
  EncodingTier,
  DrmVersion,
  PullZoneType,
  WidevineMinClientSecurityLevel,
} as const;
