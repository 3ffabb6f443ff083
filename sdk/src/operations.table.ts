// Generated from docs/openapi.json: npm test -- test/conformance/documents.test.ts -u writes it.

export type AccessKeyList = (AccessKeyModel)[];

export type AccessKeyModel = { Id: string; Label: string; Scope: AccessKeyScope; DateCreated: string; DateExpires: string | null; DateLastUsed: string | null };

export type AccessKeyScope = "read" | "write";

export type AccountAuditLineModel = { Id: number; Date: string; Key: string; Scope: string; Operation: string; Targets: Record<string, string>; Status: number; RequestId: string; Ip: string; Hash: string; Changes: (AuditChangeModel)[]; LibraryId: number | null; Object: string | null; ObjectKind: string | null; ObjectId: string | null };

export type AccountAuditModel = { Items: (AccountAuditLineModel)[]; HasMoreItems: boolean };

export type AddCertificateRequestModel = { Hostname: string; Certificate: string; CertificateKey: string };

export type ApiErrorData = { ErrorKey: string | null; Field: string | null; Message: string | null };

export type AppleFairPlayDrm = { Enabled: boolean; CertificateId: number | null; CertificateExpirationDate: string | null; Provider: string | null };

export type AttemptModel = { kind: string; renditions: (string)[]; fromSegment: number; toSegment: number; reason: string; log: string; dateFailed: string };

export type AudienceDiscardedModel = { views: number; watchTime: number };

export type AudienceEstimateModel = { viewsChart: Record<string, number>; watchTimeChart: Record<string, number> };

export type AudienceFailuresModel = { views: number; count: number };

export type AudienceLibraryRetentionModel = { videos: number; percents: (number)[] };

export type AudienceModel = { uniqueViewers: number; uniqueViewersChart: Record<string, number>; viewersNow: number; devices: (AudienceShareModel)[]; referrers: (AudienceShareModel)[]; renditions: (AudienceRenditionModel)[]; startup: AudienceStartupModel; rebuffering: AudienceRebufferingModel; failures: AudienceFailuresModel; retention: (number)[] | null; libraryRetention: AudienceLibraryRetentionModel | null; estimated: AudienceEstimateModel; discarded: AudienceDiscardedModel; bytesSent: number; bytesChart: Record<string, number> };

export type AudienceRebufferingModel = { views: number; seconds: number };

export type AudienceRenditionModel = { height: number; views: number; watchTime: number };

export type AudienceShareModel = { name: string; views: number; watchTime: number };

export type AudienceStartupModel = { measured: number; p50Ms: number | null; p75Ms: number | null; p95Ms: number | null };

export type AudioLoudnessModel = { name: string; language: string; integratedLufs: number | null; rangeLu: number | null; truePeakDbtp: number | null; gainDb: number };

export type AudioPurpose = "main" | "commentary" | "description";

export type AudioTrackList = { items: (AudioTrackModel)[] };

export type AudioTrackModel = { trackId: string; title: string; language: string; purpose: AudioPurpose; isDefault: boolean; origin: "file" | "added"; state: "ready" | "processing" | "replacing" | "failed"; message: string | null; storageSize: number };

export type AuditChangeModel = { Field: string; Old: string | null; New: string | null };

export type AuditLineModel = { Id: number; Date: string; Key: string; Scope: string; Operation: string; Targets: Record<string, string>; Status: number; RequestId: string; Ip: string; Hash: string; Changes: (AuditChangeModel)[]; Who: string; WhoKind: string; Object: string | null; ObjectKind: string | null; ObjectId: string | null };

export type AuthError401 = { Success: boolean; Message: string; StatusCode: number };

export type BackupModel = { MadeAt: string; Objects: number; Bytes: number; Place: string };

export type BillingModel = { Balance: number; AvailableBalance: number; ThisMonthCharges: number; BillingEnabled: boolean; BillingRecords: (Record<string, unknown>)[]; MonthlyChargesStorage: number; MonthlyChargesEUTraffic: number; MonthlyChargesUSTraffic: number; MonthlyChargesASIATraffic: number; MonthlyChargesAFTraffic: number; MonthlyChargesSATraffic: number; MonthlyChargesTranscribe: number; MonthlyChargesPremiumEncoding: number; MonthlyChargesDrm: number; MonthlyChargesTaxes: number; VATRate: number };

export type BlockedIpModel = { BlockedIp: string };

export type BulkAction = "move" | "visibility" | "trash" | "restore" | "delete" | "reencode" | "retry" | "cancel" | "transcribe";

export type BulkFailureModel = { videoId: string; title: string | null; reason: string };

export type BulkFilterModel = { search?: string; collection?: string; status?: string; tag?: string; visibility?: "public" | "unlisted" | "private" | null; incomplete?: boolean; dateFrom?: string | null; dateTo?: string | null };

export type BulkModel = { guid: string; videoLibraryId: number; action: BulkAction; collectionId: string; visibility: "public" | "unlisted" | "private" | null; total: number; done: number; failed: number; dateCreated: string; dateEnded: string | null; failures: (BulkFailureModel)[] };

export type CaptionModel = { srclang: string | null; label: string | null; version: number };

export type CaptionModelAdd = { srclang?: string | null; label?: string | null; captionsFile?: string | null };

export type CaptionValidationModel = { valid: boolean; errorList: (string)[] | null; warningList: (string)[] | null; warningMessage: string };

export type ChapterModel = { title: string; start?: number; end?: number };

export type ChatWebhookModel = { maskedUrl: string | null; events: (NotificationEvent)[]; language: NotificationLanguage; enabled: boolean; dateSent: string | null; lastError: string | null; dateFailed: string | null };

export type ChatWebhookTestModel = { delivered: boolean; error: string | null };

export type CodecRenditionSizeModel = { codec: string | null; resolution: string | null; size: number };

export type CollectionModel = { videoLibraryId: number; guid: string | null; name: string | null; videoCount: number; totalSize: number; previewVideoIds: string | null; previewImageUrls: (string)[] | null };

export type CommentAuthorKind = "person" | "key" | "email" | "guest";

export type CommentModel = { guid: string; text: string; authorName: string; authorKind: CommentAuthorKind; isOwn: boolean; dateCreated: string; dateEdited: string | null; parentId: string | null; time: number; shareId: string | null; isResolved: boolean; resolvedBy: string | null; dateResolved: string | null; replies: (CommentReplyModel)[] };

export type CommentReplyModel = { guid: string; text: string; authorName: string; authorKind: CommentAuthorKind; isOwn: boolean; dateCreated: string; dateEdited: string | null };

export type ComposePartModel = { videoId: string; startMs?: number | null; endMs?: number | null };

export type ComposeVideoModel = { title: string; collectionId?: string | null; exact?: boolean | null; parts: (ComposePartModel)[] };

export type CountryList = (CountryModel)[];

export type CountryModel = { Name: string; IsoCode: string; IsEU: boolean; TaxRate: number; TaxPrefix: string | null; FlagUrl: string | null; PopList: (string)[] };

export type CreateAccessKeyModel = { Label?: string | null; Scope: AccessKeyScope; ExpiresInSec?: number | null };

export type CreateBulkModel = { action: BulkAction; collectionId?: string | null; visibility?: "public" | "unlisted" | "private" | null; videoIds?: (string)[]; filter?: BulkFilterModel; undoOf?: string | null; all?: boolean | null };

export type CreateCommentModel = { text: string; time?: number | null; parentId?: string | null };

export type CreateExportModel = { target: ExportTarget; apiUrl?: string | null; region?: string | null; bucket?: string | null; prefix?: string | null; accessKey?: string | null; secretKey?: string | null; folder?: string | null; concurrency?: number | null; bandwidth?: number | null };

export type CreateImportModel = { source: ImportSource; apiUrl?: string | null; coreUrl?: string | null; accessKey?: string | null; accountKey?: string | null; sourceLibraryId?: number | null; cdnUrl?: string | null; securityKey?: string | null; referrer?: string | null; account?: string | null; secretKey?: string | null; bucket?: string | null; prefix?: string | null; region?: string | null; dryRun?: boolean | null; concurrency?: number | null; bandwidth?: number | null; skipDuplicates?: boolean | null; newGuids?: boolean | null; settings?: boolean | null; items?: (ImportUploadModel)[] | null };

export type CreateLiveStreamModel = { title?: string | null; description?: string | null; collectionId?: string | null; dvrEnabled?: boolean; dvrWindowSeconds?: number | null; recordVod?: boolean; scheduledStartTime?: string | null; scheduledEndTime?: string | null; public?: boolean; enableCountdown?: boolean | null; rtmpOutputs?: (string | { endpoint?: string | null; streamKey?: string | null })[] | null; preStreamTrailerVideoId?: string | null };

export type CreateShareModel = { password?: string | null; emailDomains?: (string)[] | null; allowDownload?: boolean | null; allowComments?: boolean | null; dateExpires?: string | null };

export type CreateSignInProviderModel = { Name: string; Issuer: string; ClientId: string; ClientSecret?: string | null; Scopes?: string; EmailDomains?: (string)[]; TrustsEmail?: boolean; DefaultRole?: PersonRole | null; GroupClaim?: string | null; GroupRoles?: (GroupRoleModel)[] };

export type CreateVideoModel = { title: string; collectionId?: string | null; thumbnailTime?: number | null; visibility?: "public" | "unlisted" | "private" | null };

export type CreateWebhookEndpointModel = { url: string; name?: string; events?: (number)[] | null; enabled?: boolean };

export type DrmStatisticsModel = { TotalLicensesIssued: number; LicensesIssuedChart: Record<string, number> };

export type DrmVersion = 0 | 1 | 2;

export type EncodeLineModel = { LibraryId: number; VideoId: string; Title: string; Planned: boolean; Percent: number; Running: number; Since: string };

export type EncodingTier = 0 | 1;

export type EventLogPage = { logs: (Log)[] | null; hasMoreData: boolean; continuationToken: string | null; startToken: string | null; errorResponse: GenericRequestResponse };

export type EventLogsExportRequest = { from: number; to: number; query?: string | null; filters?: ({ field: string; op?: string | null; value?: (string)[] | null })[] | null };

export type EventLogsSearchRequest = { from: number; to: number; query?: string | null; filters?: ({ field: string; op?: string | null; value?: (string)[] | null })[] | null; groupBy?: (string)[] | null; page?: number | null; pageSize?: number | null };

export type EventLogsSearchResponse = { rows: ({ logId: string | null; timestamp: number; log: string | null; fields: Record<string, string> })[] | null; groups: ({ key: Record<string, string>; count: number; firstSeen: number; lastSeen: number })[] | null; total: number; totalPages: number; page: number };

export type ExperienceModel = { country: string; sessions: number; startupMs: number | null; stalled: number; stallMs: number; failures: number };

export type ExplainRequestModel = { Url: string; Method?: string | null; RemoteIp?: string | null; Country?: string | null; Headers?: Record<string, string>; At?: string | null };

export type ExplanationModel = { Verdict: string; RuleId: string | null; Stages: ({ Stage: string; Verdict: string; RuleId: string | null; Expected: string | null; Came: string | null })[]; SignedString: string | null; NearMiss: string | null };

export type ExportCountsModel = { total: number; exported: number; unchanged: number; empty: number; failed: number; sizeBytes: number };

export type ExportModel = { guid: string; videoLibraryId: number; target: ExportTarget; address: string; state: ExportState; concurrency: number; bandwidth: number | null; currentTitle: string | null; reason: string | null; dateCreated: string; dateEnded: string | null; counts: ExportCountsModel; problems: (ExportProblemModel)[] };

export type ExportProblemModel = { guid: string; title: string; reason: string };

export type ExportState = "running" | "cancelled" | "finished" | "failed";

export type ExportTarget = "s3" | "folder";

export type FairPlayLicence = { ckc: string };

export type FairPlayRequest = { spc: string };

export type FeedAccess = "off" | "public" | "token";

export type FeedModel = { access: FeedAccess; podcastUrl: string | null; mediaRssUrl: string | null; title: string | null; description: string | null; author: string | null; language: string | null; category: string | null; explicit: boolean };

export type FetchVideoRequest = { url: string; headers?: Record<string, string> | null; title?: string | null; visibility?: "public" | "unlisted" | "private" | null };

export type FindingModel = { kind: string; level: string; sentence: string; remedy: string | null };

export type ForceSSLRequestModel = { Hostname: string; ForceSSL: boolean };

export type GeneratedCaptionModel = { srclang: string; translatedFrom: string | null };

export type GenericRequestResponse = { statusCode: number; success: boolean; message: string | null; errorKey: string | null };

export type GoogleWidevineDrm = { Enabled: boolean; CertificateId: number | null; CertificateExpirationDate: string | null; Provider: string | null; SdOnlyForL3: boolean; MinClientSecurityLevel: WidevineMinClientSecurityLevel | null };

export type GroupRoleModel = { Group: string; Role: PersonRole; LibraryId?: number | null };

export type HostnameModel = { Id: number; Value: string | null; ForceSSL: boolean; IsSystemHostname: boolean; HasCertificate: boolean };

export type ImportCommentModel = { guid: string; text: string; authorName: string; authorKind: CommentAuthorKind; dateCreated: string; dateEdited?: string | null; time: number; isResolved?: boolean | null; resolvedBy?: string | null; dateResolved?: string | null; replies?: (ImportReplyModel)[] | null };

export type ImportCountsModel = { total: number; waiting: number; fetching: number; imported: number; skipped: number; failed: number; sizeBytes: number; durationSeconds: number; unknownSizes: number };

export type ImportDetailsModel = { guid: string; videoLibraryId: number; source: ImportSource; address: string; state: ImportState; dryRun: boolean; concurrency: number; bandwidth: number | null; skipDuplicates: boolean; newGuids: boolean; settings: ImportSettingsModel | null; remainingSeconds: number | null; notImported: (string)[]; reason: string | null; dateCreated: string; dateEnded: string | null; counts: ImportCountsModel; totalItems: number; currentPage: number; itemsPerPage: number; items: (ImportItemModel)[] };

export type ImportItemCheck = "same" | "different" | "unplayable" | "pending" | "deleted";

export type ImportItemKind = "collection" | "video";

export type ImportItemModel = { kind: ImportItemKind; sourceId: string; guid: string; title: string; sizeBytes: number | null; durationSeconds: number | null; storedSizeBytes: number | null; storedDurationSeconds: number | null; check: ImportItemCheck | null; state: ImportItemState; reason: string | null; retryable: boolean; notes: (string)[] };

export type ImportItemState = "waiting" | "fetching" | "imported" | "skipped" | "failed";

export type ImportModel = { guid: string; videoLibraryId: number; source: ImportSource; address: string; state: ImportState; dryRun: boolean; concurrency: number; bandwidth: number | null; skipDuplicates: boolean; newGuids: boolean; settings: ImportSettingsModel | null; remainingSeconds: number | null; notImported: (string)[]; reason: string | null; dateCreated: string; dateEnded: string | null; counts: ImportCountsModel };

export type ImportReplyModel = { guid: string; text: string; authorName: string; authorKind: CommentAuthorKind; dateCreated: string; dateEdited?: string | null };

export type ImportSettingsModel = { state: ImportSettingsState; changes: (SettingChangeModel)[]; leftOut: (SettingOmissionModel)[]; reason: string | null };

export type ImportSettingsState = "planned" | "restored" | "kept" | "failed";

export type ImportSource = "bunny" | "millrace" | "s3" | "peertube" | "mux" | "cloudflare" | "vimeo" | "mediacms" | "upload";

export type ImportState = "listing" | "planned" | "running" | "cancelling" | "cancelled" | "finished" | "failed";

export type ImportUploadModel = { kind: ImportItemKind; sourceId: string; guid: string; title: string; sizeBytes?: number | null; description?: string | null; category?: string | null; collectionId?: string | null; isPublic?: boolean | null; visibility?: "public" | "unlisted" | "private" | null; dateUploaded?: string | null; views?: number | null; totalWatchTime?: number | null; thumbnailTime?: number | null; chapters?: (ChapterModel)[] | null; moments?: (MomentModel)[] | null; metaTags?: (MetaTagModel)[] | null; statistics?: (VideoDayModel)[] | null; comments?: (ImportCommentModel)[] | null; status?: number | null; noMediaReason?: string | null; videoOrder?: VideoOrder | null; videoIds?: (string)[] | null };

export type IngestEndpoints = { rtmp: IngestEndpointsRtmp | null; rtmps?: IngestEndpointsRtmp; srt?: IngestEndpointsRtmp; whip?: IngestEndpointsRtmp };

export type IngestEndpointsRtmp = { primaryIngestUrl: string | null; backupIngestUrl: string | null };

export type InvitePersonModel = { Email: string; Name?: string; Role?: PersonRole | null; LibraryRoles?: (LibraryRoleModel)[] };

export type InvitedPersonModel = { Id: string; Email: string; Name: string; Status: PersonStatus; Role: PersonRole | null; LibraryRoles: (LibraryRoleModel)[]; HasTotp: boolean; DateCreated: string; DateLastSeen: string | null; Link: string };

export type IssueCodes = 0 | 1 | 2 | 3 | 4 | 5 | 6 | 7 | 8 | 9 | 10 | 11;

export type Labels = { asn: string | null; country: string | null; ruleId: string | null; severity: string | null; method: string | null; ruleGroup: string | null; status: string | null; serverZone: string | null };

export type LibraryRoleModel = { LibraryId: number; Role: PersonRole };

export type LibrarySoundModel = { NormaliseLoudness: boolean; LoudnessTarget: number; SurroundAudio: boolean };

export type LibrarySoundUpdateModel = { NormaliseLoudness?: boolean | null; LoudnessTarget?: number | null; SurroundAudio?: boolean | null };

export type LiveEncodingStatisticsModel = { hourly: boolean; totalEncodingSeconds: number; encodingSecondsChart: Record<string, number> | null; encodingSecondsByLiveStream: Record<string, number> | null; encodingSecondsByVideoCodec: Record<string, number> | null; encodingSecondsByResolution: Record<string, number> | null };

export type LiveStreamModel = { videoLibraryId: number; guid: string; title: string; description: string | null; category: string | null; collectionId: string | null; public: boolean; status: LiveStreamStatus; publisherState: "none" | "live" | "away"; dateCreated: string; scheduledStartTime: string | null; scheduledEndTime: string | null; startedAt: string | null; endedAt: string | null; durationSeconds: number | null; streamKey: string; playbackUrlHls: string; dvrEnabled: boolean; dvrWindowSeconds: number | null; recordVod: boolean; availableResolutions: string; width: number | null; height: number | null; framerate: number | null; ingestRegion: string; peakConcurrentViewers: number | null; totalViewerSeconds: number | null; thumbnailFileName: string | null; thumbnailUpdatedAt: string | null; enableCountdown: boolean | null; rtmpOutputs: (string | { endpoint?: string | null; streamKey?: string | null })[] | null; preStreamTrailerVideoId: string | null; ingestEndpoints: IngestEndpoints | null };

export type LiveStreamPlayDataModel = { liveStream: LiveStreamModel | null; libraryName: string | null; captionsPath: string; seekPath: string; thumbnailUrl: string; fallbackUrl: string | null; videoPlaylistUrl: string; originalUrl: string | null; previewUrl: string | null; controls: string; enableDRM: boolean; drmVersion: number; playerKeyColor: string; vastTagUrl: string | null; viAiPublisherId: string | null; captionsFontSize: number; captionsFontColor: string; captionsBackground: string; uiLanguage: string; allowEarlyPlay: boolean; tokenAuthEnabled: boolean; enableMP4Fallback: boolean; showHeatmap: boolean; fontFamily: string; playbackSpeeds: string | null; widevineMinClientSecurityLevel: number | null; zoneTier: number | null; rememberPlayerPosition: boolean; enableCompactControls: boolean };

export type LiveStreamStatus = 0 | 1 | 2 | 3 | 4 | 5 | 6 | 7;

export type LiveStreamStatusModel = { readyToStart: boolean | null; primaryLive: boolean | null; backupLive: boolean | null; lastPingAgo: number | null; duration: number | null; statusTimeUtc: string | null; transcoding: { state: string; reason: string | null; resolutions: string } | null; relays: ({ host: string; state: string; reason: string | null })[] };

export type Log = { logId: string | null; timestamp: number; log: string | null; labels: Labels };

export type MetaTagModel = { property?: string | null; value?: string | null };

export type MomentModel = { label: string; timestamp?: number };

export type MonthUsageModel = { month: string; storageBytes: number | null; encodedMinutes: number; bandwidthBytes: number };

export type MoveModel = { ObjectsLeft: number; BytesLeft: number; UploadsLeft: number; NotedAt: string };

export type NamedQualityModel = { name: string; views: number; watchTime: number; startupP50Ms: number | null; startupP95Ms: number | null; rebufferingViews: number; rebufferingSeconds: number; failedViews: number };

export type NewAccessKeyModel = { Id: string; Label: string; Scope: AccessKeyScope; DateCreated: string; DateExpires: string | null; DateLastUsed: string | null; Key: string };

export type NodeModel = { Id: string; Host: string; Role: string; Version: string; StartedAt: string; LastSeenAt: string; Lost: boolean; Draining: boolean; Incompatible: boolean; CpuCores: number; MemoryBytes: number; HostLoad: number; HostCores: number; Streams: (NodeStreamModel)[] };

export type NodeStreamModel = { LibraryId: number; StreamId: string; Title: string; Publisher: string | null };

export type NotificationEvent = "ready" | "failed" | "live" | "quota";

export type NotificationLanguage = "en" | "de" | "es" | "fr" | "pt" | "ja";

export type OrderedVideoModel = { guid: string; title: string };

export type PaginationListModelOfAuditLineModel = { Items: (AuditLineModel)[]; CurrentPage: number; TotalItems: number; HasMoreItems: boolean };

export type PaginationListModelOfPersonModel = { Items: (PersonModel)[]; CurrentPage: number; TotalItems: number; HasMoreItems: boolean };

export type PaginationListModelOfPullZoneModel = { Items: (PullZoneModel)[] | null; CurrentPage: number; TotalItems: number; HasMoreItems: boolean };

export type PaginationListModelOfVideoLibraryModel = { Items: (VideoLibraryModel)[] | null; CurrentPage: number; TotalItems: number; HasMoreItems: boolean };

export type PaginationListOfCollectionModel = { totalItems: number; currentPage: number; itemsPerPage: number; items: (CollectionModel)[] };

export type PaginationListOfCommentModel = { totalItems: number; currentPage: number; itemsPerPage: number; items: (CommentModel)[] };

export type PaginationListOfExportModel = { totalItems: number; currentPage: number; itemsPerPage: number; foldersAllowed: boolean; items: (ExportModel)[] };

export type PaginationListOfImportModel = { totalItems: number; currentPage: number; itemsPerPage: number; items: (ImportModel)[] };

export type PaginationListOfLiveStreamModel = { totalItems: number; currentPage: number; itemsPerPage: number; items: (LiveStreamModel)[] };

export type PaginationListOfTrashedVideoModel = { totalItems: number; currentPage: number; itemsPerPage: number; items: (TrashedVideoModel)[] };

export type PaginationListOfVideoModel = { totalItems: number; currentPage: number; itemsPerPage: number; items: (VideoModel)[] };

export type PaginationListOfWebhookEventModel = { totalItems: number; currentPage: number; itemsPerPage: number; items: (WebhookEventModel)[] };

export type PersonModel = { Id: string; Email: string; Name: string; Status: PersonStatus; Role: PersonRole | null; LibraryRoles: (LibraryRoleModel)[]; HasTotp: boolean; DateCreated: string; DateLastSeen: string | null };

export type PersonRole = "owner" | "admin" | "editor" | "uploader" | "analyst" | "viewer";

export type PersonSessionList = (PersonSessionModel)[];

export type PersonSessionModel = { Id: string; Device: string; Address: string; DateCreated: string; DateLastUsed: string; DateExpires: string };

export type PersonStatus = "invited" | "active" | "disabled";

export type PortableFeedModel = { collectionId: string; access: FeedAccess; title: string | null; description: string | null; author: string | null; language: string | null; category: string | null; explicit: boolean };

export type PortableImagesModel = { watermark?: string | null; liveWatermark?: string | null; liveThumbnail?: string | null; logo?: string | null };

export type PortableSettingsModel = { version: number; library?: VideoLibraryUpdateModel; sound?: LibrarySoundUpdateModel; pullZone?: PullZoneUpdateModel; firewall?: { wafEnabled?: boolean | null; wafExecutionMode?: 0 | 1 | null; wafDisabledRules?: (string)[] | null; wafLogOnlyRules?: (string)[] | null; wafRequestIgnoredHeaders?: (string)[] | null }; viewers?: UpdateViewerAccessModel; quotas?: UpdateQuotasModel; webhooks?: (CreateWebhookEndpointModel)[]; feeds?: (PortableFeedModel)[]; images?: PortableImagesModel; notCarried?: (SettingOmissionModel)[] };

export type ProblemDetails = { type: string | null; title: string | null; status: number; detail: string | null };

export type PullZoneAddModel = { Name: string; OriginUrl?: string | null; StorageZoneId?: number | null; Type?: number | null };

export type PullZoneList = PaginationListModelOfPullZoneModel | (PullZoneModel)[];

export type PullZoneModel = { Id: number; Name: string | null; Enabled: boolean; Suspended: boolean; Hostnames: (HostnameModel)[]; VideoLibraryId: number; StorageZoneId: number; ZoneSecurityEnabled: boolean; ZoneSecurityKey: string | null; ZoneSecurityIncludeHashRemoteIP: boolean; AllowedReferrers: (string)[]; BlockedReferrers: (string)[]; BlockNoneReferrer: boolean; BlockedIps: (string)[]; BlockedCountries: (string)[]; RequestLimit: number; BurstSize: number; ConnectionLimitPerIPCount: number; BlockRootPathAccess: boolean; BlockPostRequests: boolean; LimitRatePerSecond: number; LimitRateAfter: number; IgnoreQueryStrings: boolean; EnableAccessControlOriginHeader: boolean; AccessControlOriginHeaderExtensions: (string)[]; UseStaleWhileUpdating: boolean; UseStaleWhileOffline: boolean; CacheErrorResponses: boolean; OriginRetries: number; LoggingIPAnonymizationEnabled: boolean; Type: PullZoneType };

export type PullZoneType = 0 | 1;

export type PullZoneUpdateModel = { ZoneSecurityEnabled?: boolean | null; ZoneSecurityIncludeHashRemoteIP?: boolean | null; AllowedReferrers?: (string)[] | null; BlockedReferrers?: (string)[] | null; BlockNoneReferrer?: boolean | null; BlockedIps?: (string)[] | null; BlockedCountries?: (string)[] | null; RequestLimit?: number | null; BurstSize?: number | null; ConnectionLimitPerIPCount?: number | null; BlockRootPathAccess?: boolean | null; BlockPostRequests?: boolean | null; LimitRatePerSecond?: number | null; LimitRateAfter?: number | null; IgnoreQueryStrings?: boolean | null; EnableAccessControlOriginHeader?: boolean | null; AccessControlOriginHeaderExtensions?: (string)[] | null; UseStaleWhileUpdating?: boolean | null; UseStaleWhileOffline?: boolean | null; CacheErrorResponses?: boolean | null; OriginRetries?: number | null; LoggingIPAnonymizationEnabled?: boolean | null };

export type QualityModel = { views: number; isLimited: boolean; countries: (NamedQualityModel)[]; devices: (NamedQualityModel)[]; renditions: (RenditionQualityModel)[]; videos: (VideoQualityModel)[] };

export type QueueLineModel = { Queue: string; Kind: string; Waiting: number; Running: number; Failed: number; OldestAt: string | null };

export type QuotaMode = "soft" | "hard";

export type QuotaModel = { limit: number; mode: QuotaMode };

export type QuotaStateModel = { limit: number | null; mode: QuotaMode | null; used: number; percent: number | null };

export type QuotasModel = { month: string; storageBytes: QuotaStateModel; encodedMinutesPerMonth: QuotaStateModel; concurrentLiveStreams: QuotaStateModel; concurrentViewers: QuotaStateModel; bandwidthBytesPerMonth: QuotaStateModel };

export type ReferrerModel = { Hostname: string };

export type RegionList = (RegionModel)[];

export type RegionModel = { Id: number; Name: string | null; PricePerGigabyte: number; RegionCode: string | null; ContinentCode: string | null; CountryCode: string | null; Latitude: number; Longitude: number; AllowLatencyRouting: boolean };

export type RemoveCertificateRequestModel = { Hostname: string };

export type RenditionQualityModel = { height: number; views: number; watchTime: number; startupP50Ms: number | null; startupP95Ms: number | null; rebufferingViews: number; rebufferingSeconds: number; failedViews: number };

export type ResetPullZoneSecurityKeyModel = { SecurityKey?: string | null };

export type ResolutionReference = { resolution: string | null; path: string | null };

export type RestoredSettingsModel = { isEmpty: boolean; changes: (SettingChangeModel)[]; postponed: (SettingOmissionModel)[] };

export type RetryIncompleteModel = { retried: number; refused: number };

export type ScrubModel = { RoundBeganAt: string; Objects: number; Bytes: number; Damaged: number; Unread: number };

export type SettingChangeModel = { field: string; from: string | null; to: string | null };

export type SettingOmissionModel = { field: string; reason: string };

export type Severity = 0 | 1 | 2 | 3;

export type ShareAccess = "link" | "password" | "email";

export type ShareList = { items: (ShareModel)[] };

export type ShareModel = { guid: string; url: string; access: ShareAccess; emailDomains: (string)[]; allowDownload: boolean; allowComments: boolean; dateExpires: string | null; createdBy: string; dateCreated: string };

export type ShieldZoneAnswer = { data: { shieldZoneId: number; pullZoneId: number; wafEnabled: boolean; wafExecutionMode: 0 | 1; wafDisabledRules: (string)[]; wafLogOnlyRules: (string)[]; wafRequestIgnoredHeaders: (string)[] } };

export type ShieldZoneList = { data: ({ shieldZoneId: number; pullZoneId: number; wafEnabled: boolean; wafExecutionMode: 0 | 1; wafDisabledRules: (string)[]; wafLogOnlyRules: (string)[]; wafRequestIgnoredHeaders: (string)[] })[]; page: { totalCount: number; totalPages: number; currentPage: number; nextPage: number | null; pageSize: number } };

export type SignInProviderList = (SignInProviderModel)[];

export type SignInProviderModel = { Id: string; Name: string; Issuer: string; ClientId: string; HasClientSecret: boolean; Scopes: string; EmailDomains: (string)[]; TrustsEmail: boolean; DefaultRole: PersonRole | null; GroupClaim: string | null; GroupRoles: (GroupRoleModel)[]; CallbackUrl: string; LogoutUrl: string; DateCreated: string };

export type SmartGenerateFeaturesStatusModel = { title: SmartGenerateStatus | null; description: SmartGenerateStatus | null; chapters: SmartGenerateStatus | null; moments: SmartGenerateStatus | null };

export type SmartGenerateModel = { generateTitle?: boolean | null; generateDescription?: boolean | null; generateChapters?: boolean | null; generateMoments?: boolean | null; sourceLanguage?: string | null };

export type SmartGenerateStatus = 0 | 1 | 2 | 3 | 4;

export type SpokenSearchModel = { items: ({ videoGuid: string; title: string; cues: ({ srclang: string; start: number; end: number; text: string })[] })[] };

export type StatisticsModel = { TotalBandwidthUsed: number; TotalOriginTraffic: number; AverageOriginResponseTime: number; OriginResponseTimeChart: Record<string, number>; TotalRequestsServed: number; CacheHitRate: number; BandwidthUsedChart: Record<string, number>; BandwidthCachedChart: Record<string, number>; CacheHitRateChart: Record<string, number>; RequestsServedChart: Record<string, number>; PullRequestsPulledChart: Record<string, number>; OriginShieldBandwidthUsedChart: Record<string, number>; OriginShieldInternalBandwidthUsedChart: Record<string, number>; OriginTrafficChart: Record<string, number>; UserBalanceHistoryChart: Record<string, number>; GeoTrafficDistribution: Record<string, number>; Error3xxChart: Record<string, number>; Error4xxChart: Record<string, number>; Error5xxChart: Record<string, number> };

export type StatusModel = { success: boolean; message: string; statusCode: number; data?: unknown; id?: string | null };

export type StatusModelOfCaptionValidationModel = { success: boolean; message: string; statusCode: number; data: CaptionValidationModel | null; id?: string | null };

export type StatusModelOfListOfString = { success: boolean; message: string; statusCode: number; data: (string)[] | null; id?: string | null };

export type StatusModelOfVideoResolutionsInfoModel = { success: boolean; message: string; statusCode: number; data: VideoResolutionsInfoModel | null; id?: string | null };

export type StatusModelOfVideoStorageSizeModel = { success: boolean; message: string; statusCode: number; data: VideoStorageSizeModel | null; id?: string | null };

export type StorageObjectModel = { guid: string | null; storageZoneName: string | null; path: string | null; objectName: string | null; length: number; lastChanged: string; serverId: number; isDirectory: boolean; userId: string | null; contentType: string | null; dateCreated: string; storageZoneId: number; checksum: string | null; replicatedZones: string | null };

export type StorageZoneModel = { Id: number; Name: string | null; Password: string | null; ReadOnlyPassword: string | null; UserId: string | null; DateModified: string; Deleted: boolean; StorageUsed: number; Region: string | null; ReplicationRegions: (string)[]; StorageHostname: string | null; ZoneTier: number; ReplicationChangeInProgress: boolean; Custom404FilePath: string | null; Rewrite404To200: boolean };

export type StorageZoneUpdateModel = { ReplicationZones?: (string)[] | null; OriginUrl?: string | null; Custom404FilePath?: string | null; Rewrite404To200?: boolean | null };

export type SystemModel = { Version: string; NodeVersion: string; DatabaseVersion: string; DatabaseBytes: number; Libraries: number; Videos: number; TrashedVideos: number; StoredBytes: number; Storage: string; FreeBytes: number | null; TotalBytes: number | null; Host: { Cores: number; LoadAverage: number; MemoryBytes: number; FreeMemoryBytes: number }; EncodeSpeed: number | null; FailuresLastDay: number; Queue: (QueueLineModel)[]; Workers: (WorkerLineModel)[]; Encodes: (EncodeLineModel)[]; Scrub: ScrubModel | null; Move: MoveModel | null; Backup: BackupModel | null };

export type TaskModel = { id: string; kind: string; renditions: (string)[]; fromSegment: number; toSegment: number; state: string; done: number; failures: number; deaths: number; reason: string | null; worker: string | null; dateCreated: string; dateStarted: string | null; dateRetry: string | null };

export type TestViewerAccessModel = { videoId: string; viewer?: string; ip?: string; userAgent?: string; referrer?: string | null };

export type ThumbnailListResponseModel = { url: string | null; timestamp: string };

export type TranscodingMessageModel = { timeStamp: string; level: Severity; issueCode: IssueCodes; message: string | null; value: string | null };

export type TranscribeSettings = { targetLanguages?: (string)[] | null; generateTitle?: boolean | null; generateDescription?: boolean | null; generateChapters?: boolean | null; generateMoments?: boolean | null; sourceLanguage?: string | null };

export type TranscribingStatisticsModel = { TotalTranscriptionSeconds: number; TranscriptionSecondsChart: Record<string, number> };

export type TranscriptionModel = { state: string; reason: string; doneSeconds: number; durationSeconds: number; language: string | null };

export type TrashedVideoModel = { guid: string; title: string; length: number; storageSize: number; dateTrashed: string; dateExpires: string };

export type UpdateAudioTrackModel = { title?: string | null; language?: string | null; purpose?: AudioPurpose | null; isDefault?: boolean | null };

export type UpdateChatWebhookModel = { url?: string; events?: (NotificationEvent)[]; language?: NotificationLanguage; enabled?: boolean };

export type UpdateCollectionModel = { name?: string | null };

export type UpdateCommentModel = { text?: string | null; isResolved?: boolean | null };

export type UpdateFeedModel = { access?: FeedAccess | null; renewToken?: boolean | null; title?: string | null; description?: string | null; author?: string | null; language?: string | null; category?: string | null; explicit?: boolean | null };

export type UpdateLiveStreamModel = { title?: string | null; description?: string | null; collectionId?: string | null; dvrEnabled?: boolean; dvrWindowSeconds?: number | null; recordVod?: boolean; scheduledStartTime?: string | null; scheduledEndTime?: string | null; public?: boolean; enableCountdown?: boolean | null; rtmpOutputs?: (string | { endpoint?: string | null; streamKey?: string | null })[] | null; preStreamTrailerVideoId?: string | null };

export type UpdatePersonModel = { Name?: string; Status?: "active" | "disabled"; Role?: PersonRole | null; LibraryRoles?: (LibraryRoleModel)[] };

export type UpdateQuotasModel = { storageBytes?: QuotaModel | null; encodedMinutesPerMonth?: QuotaModel | null; concurrentLiveStreams?: QuotaModel | null; concurrentViewers?: QuotaModel | null; bandwidthBytesPerMonth?: QuotaModel | null };

export type UpdateShareModel = { password?: string | null; emailDomains?: (string)[] | null; allowDownload?: boolean | null; allowComments?: boolean | null; dateExpires?: string | null };

export type UpdateShieldZoneModel = { shieldZoneId: number; shieldZone?: { wafEnabled?: boolean | null; wafExecutionMode?: 0 | 1 | null; wafDisabledRules?: (string)[] | null; wafLogOnlyRules?: (string)[] | null; wafRequestIgnoredHeaders?: (string)[] | null } | null };

export type UpdateSignInProviderModel = { Name?: string; Issuer?: string; ClientId?: string; ClientSecret?: string | null; Scopes?: string; EmailDomains?: (string)[]; TrustsEmail?: boolean; DefaultRole?: PersonRole | null; GroupClaim?: string | null; GroupRoles?: (GroupRoleModel)[] };

export type UpdateVideoModel = { title?: string | null; description?: string | null; category?: string | null; visibility?: "public" | "unlisted" | "private" | null; collectionId?: string | null; chapters?: (ChapterModel)[] | null; moments?: (MomentModel)[] | null; metaTags?: (MetaTagModel)[] | null };

export type UpdateVideoOrderModel = { order: VideoOrder; videoIds?: (string)[] };

export type UpdateViewerAccessModel = { mode?: ViewerAccessMode; url?: string | null; renewSecret?: boolean; failOpen?: boolean; cacheSec?: number; issuer?: string | null; audience?: string | null; jwksUrl?: string | null; videoClaim?: string | null; collectionClaim?: string | null };

export type UpdateWebhookEndpointModel = { url?: string; name?: string; events?: (number)[] | null; enabled?: boolean };

export type UsageForecastModel = { month: string; storageBytes: number; encodedMinutes: number; bandwidthBytes: number };

export type UsageModel = { months: (MonthUsageModel)[]; forecast: UsageForecastModel };

export type UserModel = { Id: string; AccountId: string; Email: string | null; BillingEmail: string | null; FirstName: string | null; LastName: string | null; StreetAddress: string | null; City: string | null; ZipCode: string | null; Country: string | null; CompanyName: string | null; VATNumber: string | null; DateJoined: string; Balance: number; Suspended: boolean; EmailVerified: boolean; TwoFactorAuthenticationEnabled: boolean; IsSsoAccount: boolean; PaymentsDisabled: boolean; HasCompleteBillingProfile: boolean; ReceiveNotificationEmails: boolean; ReceivePromotionalEmails: boolean; UnreadSupportTicketCount: number; Roles: (string)[]; FeatureFlags: (string)[]; EnabledPaymentTypes: (string)[] };

export type VideoActivityModel = { tasks: (TaskModel)[]; messages: (TranscodingMessageModel)[]; failedAttempts: (AttemptModel)[]; transcription: TranscriptionModel | null; loudness: (AudioLoudnessModel)[] };

export type VideoDayModel = { day: string; views: number; watchTime: number };

export type VideoExtrasModel = { thumbnailTime: number | null; generatedCaptions: (GeneratedCaptionModel)[]; statistics: (VideoDayModel)[] };

export type VideoHeatmapModel = { heatmap: Record<string, number> | null };

export type VideoLanguage = { ShortCode: string; Name: string; SupportPlayerTranslation: boolean; SupportTranscribing: boolean; TranscribingAccuracy: number };

export type VideoLanguageList = (VideoLanguage)[];

export type VideoLibraryCreateModel = { Name: string; EnableTokenAuthentication?: boolean | null; EnableTokenIPVerification?: boolean | null; PlayerTokenAuthenticationEnabled?: boolean | null; BlockNoneReferrer?: boolean | null; KeepOriginalFiles?: boolean | null; AllowDirectPlay?: boolean | null; EnableDRM?: boolean | null; DrmVersion?: DrmVersion | null; AppleFairPlayDrm?: { Enabled?: boolean; CertificateId?: number | null; CertificateExpirationDate?: string | null; Provider?: string | null } | null; GoogleWidevineDrm?: { Enabled?: boolean; CertificateId?: number | null; CertificateExpirationDate?: string | null; Provider?: string | null; SdOnlyForL3?: boolean; MinClientSecurityLevel?: WidevineMinClientSecurityLevel | null } | null; RemoveMetadataFromFallbackVideos?: boolean | null; ExposeOriginals?: boolean | null; ExposeVideoMetadata?: boolean | null; AllowedReferrers?: (string)[] | null; BlockedReferrers?: (string)[] | null; ReplicationRegions?: (string)[] | null; PlayerVersion?: number | null; EncodingTier?: EncodingTier | null; JitEncodingEnabled?: boolean | null; OutputCodecs?: string | null; EnabledResolutions?: string | null; EnableMP4Fallback?: boolean | null; EnableMultiAudioTrackSupport?: boolean | null; EnableTranscribing?: boolean | null; TranscribingCaptionLanguages?: (string)[] | null; EnableTranscribingTitleGeneration?: boolean | null; EnableTranscribingDescriptionGeneration?: boolean | null; EnableTranscribingChaptersGeneration?: boolean | null; EnableTranscribingMomentsGeneration?: boolean | null; AllowEarlyPlay?: boolean | null; EnableContentTagging?: boolean | null };

export type VideoLibraryList = PaginationListModelOfVideoLibraryModel | (VideoLibraryModel)[];

export type VideoLibraryModel = { Id: number; Name: string | null; VideoCount: number; TrafficUsage: number; StorageUsage: number; DateCreated: string; DateModified: string; ReplicationRegions: (string)[] | null; ApiKey: string | null; ReadOnlyApiKey: string | null; HasWatermark: boolean; WatermarkPositionLeft: number; WatermarkPositionTop: number; WatermarkWidth: number; PullZoneId: number; StorageZoneId: number; WatermarkHeight: number; EnabledResolutions: string | null; ViAiPublisherId: string | null; VastTagUrl: string | null; WebhookUrl: string | null; CaptionsFontSize: number; CaptionsFontColor: string | null; CaptionsBackground: string | null; UILanguage: string | null; AllowEarlyPlay: boolean | null; PlayerTokenAuthenticationEnabled: boolean; AllowedReferrers: (string)[] | null; BlockedReferrers: (string)[] | null; BlockNoneReferrer: boolean; EnableMP4Fallback: boolean; KeepOriginalFiles: boolean; AllowDirectPlay: boolean; EnableDRM: boolean; DrmVersion: DrmVersion; AppleFairPlayDrm: AppleFairPlayDrm | null; GoogleWidevineDrm: GoogleWidevineDrm | null; Bitrate240p: number; Bitrate360p: number; Bitrate480p: number; Bitrate720p: number; Bitrate1080p: number; Bitrate1440p: number; Bitrate2160p: number; ApiAccessKey: string | null; ShowHeatmap: boolean; EnableContentTagging: boolean; PerTitleEncoding: boolean; PullZoneType: PullZoneType; CustomHTML: string | null; Controls: string | null; PlaybackSpeeds: string | null; PlayerKeyColor: string | null; FontFamily: string | null; WatermarkVersion: number; EnableTranscribing: boolean; EnableTranscribingTitleGeneration: boolean; EnableTranscribingDescriptionGeneration: boolean; EnableTranscribingChaptersGeneration: boolean; EnableTranscribingMomentsGeneration: boolean; TranscribingCaptionLanguages: (string)[] | null; EnableCaptionsInPlaylist: boolean | null; RememberPlayerPosition: boolean; EnableMultiAudioTrackSupport: boolean; UseSeparateAudioStream: boolean; JitEncodingEnabled: boolean; EncodingTier: EncodingTier; OutputCodecs: string | null; DrmBasePriceOverride: number | null; DrmCostPerLicenseOverride: number | null; TranscribingPriceOverride: number | null; PremiumEncodingPriceOverride: number | null; MonthlyChargesTranscribing: number; MonthlyChargesPremiumEncoding: number; MonthlyChargesEnterpriseDrm: number; FeatureFlags: string | null; PlayerVersion: number; RemoveMetadataFromFallbackVideos: boolean; ScaleVideoUsingBothDimensions: boolean; ExposeOriginals: boolean; ExposeVideoMetadata: boolean; EnableCompactControls: boolean };

export type VideoLibraryUpdateModel = { Name?: string | null; EnableTokenAuthentication?: boolean | null; EnableTokenIPVerification?: boolean | null; PlayerTokenAuthenticationEnabled?: boolean | null; BlockNoneReferrer?: boolean | null; KeepOriginalFiles?: boolean | null; AllowDirectPlay?: boolean | null; EnableDRM?: boolean | null; DrmVersion?: DrmVersion | null; AppleFairPlayDrm?: { Enabled?: boolean; CertificateId?: number | null; CertificateExpirationDate?: string | null; Provider?: string | null } | null; GoogleWidevineDrm?: { Enabled?: boolean; CertificateId?: number | null; CertificateExpirationDate?: string | null; Provider?: string | null; SdOnlyForL3?: boolean; MinClientSecurityLevel?: WidevineMinClientSecurityLevel | null } | null; RemoveMetadataFromFallbackVideos?: boolean | null; ExposeOriginals?: boolean | null; ExposeVideoMetadata?: boolean | null; AllowedReferrers?: (string)[] | null; BlockedReferrers?: (string)[] | null; CustomHTML?: string | null; PlayerKeyColor?: string | null; ResetToken?: boolean | null; WatermarkPositionLeft?: number | null; WatermarkPositionTop?: number | null; WatermarkWidth?: number | null; WatermarkHeight?: number | null; EnabledResolutions?: string | null; ViAiPublisherId?: string | null; VastTagUrl?: string | null; WebhookUrl?: string | null; CaptionsFontSize?: number | null; CaptionsFontColor?: string | null; CaptionsBackground?: string | null; UILanguage?: string | null; AllowEarlyPlay?: boolean | null; EnableMP4Fallback?: boolean | null; Controls?: string | null; PlaybackSpeeds?: string | null; Bitrate240p?: number | null; Bitrate360p?: number | null; Bitrate480p?: number | null; Bitrate720p?: number | null; Bitrate1080p?: number | null; Bitrate1440p?: number | null; Bitrate2160p?: number | null; ShowHeatmap?: boolean | null; EnableContentTagging?: boolean | null; PerTitleEncoding?: boolean | null; FontFamily?: string | null; EnableTranscribing?: boolean | null; EnableTranscribingTitleGeneration?: boolean | null; EnableTranscribingDescriptionGeneration?: boolean | null; EnableTranscribingChaptersGeneration?: boolean | null; EnableTranscribingMomentsGeneration?: boolean | null; TranscribingCaptionLanguages?: (string)[] | null; EnableCaptionsInPlaylist?: boolean | null; RememberPlayerPosition?: boolean | null; EnableMultiAudioTrackSupport?: boolean | null; UseSeparateAudioStream?: boolean | null; JitEncodingEnabled?: boolean | null; EncodingTier?: EncodingTier | null; OutputCodecs?: string | null; PlayerVersion?: number | null; ScaleVideoUsingBothDimensions?: boolean | null; EnableCompactControls?: boolean | null };

export type VideoModel = { videoLibraryId: number; guid: string; title: string; description: string | null; dateUploaded: string; views: number; isPublic: boolean; visibility: "public" | "unlisted" | "private"; length: number; status: VideoModelStatus; framerate: number; rotation: number | null; width: number; height: number; availableResolutions: string; outputCodecs: string; thumbnailCount: number; encodeProgress: number; storageSize: number; captions: (CaptionModel)[]; hasMP4Fallback: boolean; collectionId: string; thumbnailFileName: string | null; thumbnailBlurhash: string | null; averageWatchTime: number; totalWatchTime: number; category: string | null; chapters: (ChapterModel)[]; moments: (MomentModel)[]; metaTags: (MetaTagModel)[]; transcodingMessages: (TranscodingMessageModel)[] | null; jitEncodingEnabled: boolean | null; smartGenerateStatus: SmartGenerateStatus | null; hasOriginal: boolean | null; originalHash: string | null; thumbnailUrl: string | null; smartGenerateFeaturesStatus: SmartGenerateFeaturesStatusModel | null; hasHighQualityPreview: boolean | null };

export type VideoModelStatus = 0 | 1 | 2 | 3 | 4 | 5 | 6 | 7 | 8;

export type VideoOEmbedModel = { version: string | null; title: string | null; type: string | null; thumbnail_url: string | null; thumbnail_width: number | null; thumbnail_height: number | null; width: number; height: number; html: string | null; provider_name: string | null; provider_url: string | null; thumbnailUrl: string | null; thumbnailWidth: number | null; thumbnailHeight: number | null; providerName: string | null; providerUrl: string | null };

export type VideoOrder = "oldest" | "newest" | "title" | "manual";

export type VideoOrderModel = { order: VideoOrder; videos: (OrderedVideoModel)[] };

export type VideoPlayDataModel = { video: VideoModel | null; libraryName: string | null; captionsPath: string; seekPath: string; thumbnailUrl: string; fallbackUrl: string | null; videoPlaylistUrl: string; originalUrl: string | null; previewUrl: string | null; controls: string; enableDRM: boolean; drmVersion: number; playerKeyColor: string; vastTagUrl: string | null; viAiPublisherId: string | null; captionsFontSize: number; captionsFontColor: string; captionsBackground: string; uiLanguage: string; allowEarlyPlay: boolean; tokenAuthEnabled: boolean; enableMP4Fallback: boolean; showHeatmap: boolean; fontFamily: string; playbackSpeeds: string | null; widevineMinClientSecurityLevel: number | null; zoneTier: number | null; rememberPlayerPosition: boolean; customCss: string | null; pullZoneId: number; widevineEmeRobustness: string | null; widevineSdOnlyForL3: boolean; maxSoftwareWidevineResolution: number | null; isPlayable: boolean; isPlaylistPlayable: boolean; preferredPlaybackSource: VideoPlaybackSource; exposeVideoMetadata: boolean; enableCompactControls: boolean; resumePosition?: number | null; heatmap?: Record<string, number> | null };

export type VideoPlaybackSource = "None" | "Playlist" | "Original";

export type VideoQualityModel = { guid: string; title: string | null; views: number; watchTime: number; startupP50Ms: number | null; startupP95Ms: number | null; rebufferingViews: number; rebufferingSeconds: number; failedViews: number };

export type VideoQueueModel = { videoLibraryId: number; guid: string; status: VideoModelStatus; encodeProgress: number; waitsFor: number; otherLibraries: number; etaSeconds: number | null; estimatedFinish: string | null; message: string };

export type VideoResolutionsInfoModel = { videoId: string | null; videoLibraryId: number; availableResolutions: (string)[] | null; configuredResolutions: (string)[] | null; playlistResolutions: (ResolutionReference)[] | null; storageResolutions: (ResolutionReference)[] | null; mp4Resolutions: (ResolutionReference)[] | null; storageObjects: (StorageObjectModel)[] | null; oldResolutions: (StorageObjectModel)[] | null; hasBothOldAndNewResolutionFormat: boolean; hasOriginal: boolean };

export type VideoStatisticsModel = { viewsChart: Record<string, number> | null; watchTimeChart: Record<string, number> | null; countryViewCounts: Record<string, number> | null; countryWatchTime: Record<string, number> | null; engagementScore: number };

export type VideoStorageSizeModel = { encoded: Record<string, CodecRenditionSizeModel> | null; thumbnails: number; previews: number; originals: number; mp4Fallback: number; miscellaneous: number; calculatedAt: string };

export type ViewerAccessMode = "off" | "hook" | "jwt";

export type ViewerAccessModel = { mode: ViewerAccessMode; url: string | null; secret: string | null; failOpen: boolean; cacheSec: number; issuer: string | null; audience: string | null; jwksUrl: string | null; videoClaim: string | null; collectionClaim: string | null };

export type ViewerVerdict = "allowed" | "denied" | "unchecked";

export type ViewerVerdictModel = { verdict: ViewerVerdict; reason: string; validSec: number | null; durationMs: number };

export type WebhookEndpointList = { items: (WebhookEndpointModel)[] };

export type WebhookEndpointModel = { guid: string; name: string; url: string; events: (number)[] | null; enabled: boolean; secret: string | null; dateCreated: string | null };

export type WebhookEventModel = { videoLibraryId: number; guid: string; endpointGuid: string; videoGuid: string; status: WebhookStatus; quota: WebhookQuotaModel | null; state: WebhookEventState; attempts: number; lastAnswer: string | null; dateCreated: string; dateNextAttempt: string | null; dateSettled: string | null };

export type WebhookEventState = "pending" | "delivered" | "dead";

export type WebhookQuotaModel = { Resource: string; Percent: number; Used: number; Limit: number; Mode: string };

export type WebhookStatus = 0 | 1 | 2 | 3 | 4 | 5 | 6 | 7 | 8 | 9 | 10;

export type WebhookTestModel = { guid: string };

export type WhyModel = { guid: string; etaSeconds: number | null; findings: (FindingModel)[]; experience: (ExperienceModel)[] };

export type WidevineMinClientSecurityLevel = 0 | 1 | 2 | 3;

export type WorkerLineModel = { Owner: string; Tasks: number; Kinds: (string)[]; LeaseUntil: string | null };

export type Operations = {
  /** Adds a host to the sites that may embed the library's videos. `POST /videolibrary/{id}/addAllowedReferrer` */
  addAllowedReferrer: { input: { id: number; body: ReferrerModel }; answer: undefined };
  /** Adds an entry to the blocked addresses of a pull zone. `POST /pullzone/{id}/addBlockedIp` */
  addBlockedIp: { input: { id: number; body: BlockedIpModel }; answer: undefined };
  /** Adds a host to the sites that may not embed the library's videos. `POST /videolibrary/{id}/addBlockedReferrer` */
  addBlockedReferrer: { input: { id: number; body: ReferrerModel }; answer: undefined };
  /** Adds or replaces the captions of a language from a base64-encoded SubRip or WebVTT file. The response lists the corrections that were made to the file. `POST /library/{libraryId}/videos/{videoId}/captions/{srclang}` */
  addCaption: { input: { libraryId: number; videoId: string; srclang: string; origin?: "speech"; translatedFrom?: string; body: CaptionModelAdd }; answer: StatusModelOfCaptionValidationModel };
  /** Checks that a hostname has this certificate. Certificates are configured in the service or its proxy. `POST /pullzone/{id}/addCertificate` */
  addCertificate: { input: { id: number; body: AddCertificateRequestModel }; answer: undefined };
  /** Adds a hostname to a pull zone. `POST /pullzone/{id}/addHostname` */
  addHostname: { input: { id: number; body: ReferrerModel }; answer: undefined };
  /** Encodes a finished video in another codec. The existing renditions stay playable. `PUT /library/{libraryId}/videos/{videoId}/outputs/{outputCodecId}` */
  addOutputCodec: { input: { libraryId: number; videoId: string; outputCodecId: string }; answer: VideoModel };
  /** Adds an entry to the allowed referrers of a pull zone. Its library has the same list. `POST /pullzone/{id}/addAllowedReferrer` */
  addZoneAllowedReferrer: { input: { id: number; body: ReferrerModel }; answer: undefined };
  /** Adds an entry to the blocked referrers of a pull zone. Its library has the same list. `POST /pullzone/{id}/addBlockedReferrer` */
  addZoneBlockedReferrer: { input: { id: number; body: ReferrerModel }; answer: undefined };
  /** Returns the FairPlay licence (CKC) for the raw request (SPC) of a player. The library's referrer rules and embed token apply. `POST /FairPlay/{libraryId}/license` */
  askFairPlayLicence: { input: { libraryId: number; token?: string; expires?: number; videoId?: string; body?: BodyInit }; answer: Response };
  /** Returns the FairPlay licence (CKC) for the request (SPC) of a player. Request and licence are base64 in JSON. The library's referrer rules and embed token apply. `POST /FairPlayLicense/{libraryId}/{videoId}` */
  askFairPlayLicenceByPath: { input: { libraryId: number; videoId: string; token?: string; expires?: number; body: FairPlayRequest }; answer: FairPlayLicence };
  /** Returns the Widevine licence for the raw challenge of a player. The library's referrer rules and embed token apply. `POST /WidevineLicense/{libraryId}/{videoId}` */
  askWidevineLicence: { input: { libraryId: number; videoId: string; token?: string; expires?: number; contentId?: string; body?: BodyInit }; answer: Response };
  /** Cancels the waiting or running encode of a video. Encoders stop within seconds. A video that was being re-encoded keeps its previous version. A video with one complete resolution and its audio is finished without the others. Any other video fails with the value `cancelled`. Re-encode or retry encodes the cancelled renditions. Videos without a file of their own, such as clips or the resolutions of a recording, cannot be cancelled. `DELETE /library/{libraryId}/videos/{videoId}/encode` */
  cancelEncode: { input: { libraryId: number; videoId: string }; answer: VideoModel };
  /** Stops an export and its transfers. Exported files are kept. It can be resumed. `POST /library/{libraryId}/exports/{exportId}/cancel` */
  cancelExport: { input: { libraryId: number; exportId: string }; answer: ExportModel };
  /** Stops an import. Transfers in progress are completed. Imported videos are kept. It can be resumed. `POST /library/{libraryId}/imports/{importId}/cancel` */
  cancelImport: { input: { libraryId: number; importId: string }; answer: ImportModel };
  /** Cancels the waiting or running transcription of a video. A running one stops within a few seconds. Existing captions are kept. If there is no transcription, nothing changes. `DELETE /library/{libraryId}/videos/{videoId}/transcribe` */
  cancelTranscription: { input: { libraryId: number; videoId: string }; answer: StatusModel };
  /** Deletes resolutions or the original of a finished video. Sizes and lists change immediately. The objects are deleted within a day, so that running players can finish. MP4 files are assembled while they are sent, so there is no second copy to delete. `POST /library/{libraryId}/videos/{videoId}/resolutions/cleanup` */
  cleanResolutions: { input: { libraryId: number; videoId: string; resolutionsToDelete?: string; deleteNonConfiguredResolutions?: boolean; deleteOriginal?: boolean; deleteMp4Files?: boolean; dryRun?: boolean; allResolutions?: boolean; outputs?: "hls" | "mp4" | "all" }; answer: StatusModel };
  /** Creates a video from parts of other videos of the library, without another upload. A part can also come from a live stream, even while it is running; it then starts and ends at segment boundaries. Negative times count from the end. `POST /library/{libraryId}/videos/compose` */
  composeVideos: { input: { libraryId: number; body: ComposeVideoModel }; answer: VideoModel };
  /** Starts a background operation on many videos: move, set the visibility, trash, restore, delete, re-encode, retry, cancel or transcribe. Select the videos by `videoIds`, by a `filter`, by `undoOf` (the videos of an earlier operation), or by `"all": true`. The report lists each video that failed and the reason. `POST /library/{libraryId}/bulk` */
  createBulk: { input: { libraryId: number; body: CreateBulkModel }; answer: BulkModel };
  /** Creates a collection, which groups videos of a library. `POST /library/{libraryId}/collections` */
  createCollection: { input: { libraryId: number; body: UpdateCollectionModel }; answer: CollectionModel };
  /** Creates a page that shows the videos of a collection to everyone who has its link. It may require a password and may expire. Videos are shown as long as they are in the collection, in its order. `POST /library/{libraryId}/collections/{collectionId}/shares` */
  createCollectionShare: { input: { libraryId: number; collectionId: string; body?: CreateShareModel }; answer: ShareModel };
  /** Adds a review comment at a time of a video, or a reply to a comment. A video has at most 1,000 comments and replies. `POST /library/{libraryId}/videos/{videoId}/comments` */
  createComment: { input: { libraryId: number; videoId: string; body: CreateCommentModel }; answer: CommentModel };
  /** Writes a library into an S3 bucket in the background: originals, captions, thumbnails, metadata, statistics and checksums. An import restores it with the same ids. A second export into the same place transfers only changes. `POST /library/{libraryId}/exports` */
  createExport: { input: { libraryId: number; body: CreateExportModel }; answer: ExportModel };
  /** Imports the videos and collections of another service in the background, with their GUIDs. `dryRun` only lists what would be imported. With the source `upload`, the request lists the videos, and you upload their files. `POST /library/{libraryId}/imports` */
  createImport: { input: { libraryId: number; body: CreateImportModel }; answer: ImportModel };
  /** Creates an additional key of a library with read or write scope. Only this response contains the key. `POST /videolibrary/{id}/keys` */
  createKey: { input: { id: number; body: CreateAccessKeyModel }; answer: NewAccessKeyModel };
  /** Creates a library with its own keys and pull zone. `POST /videolibrary` */
  createLibrary: { input: { body: VideoLibraryCreateModel }; answer: VideoLibraryModel };
  /** Creates a live stream with a stream key. Viewers can watch after the stream is started, or after a publisher connects at its scheduled time or later. `POST /library/{libraryId}/live` */
  createLiveStream: { input: { libraryId: number; body: CreateLiveStreamModel }; answer: LiveStreamModel };
  /** Refuses to create a pull zone and names the existing one. Each library has exactly one pull zone, which is created with the library. `POST /pullzone` */
  createPullZone: { input: { body: PullZoneAddModel }; answer: PullZoneModel };
  /** Creates a page that shows a video to everyone who has its link. It may require a password and may expire. `POST /library/{libraryId}/videos/{videoId}/shares` */
  createShare: { input: { libraryId: number; videoId: string; body?: CreateShareModel }; answer: ShareModel };
  /** Adds an OpenID Connect provider with which people sign in. Register `CallbackUrl` there. `POST /sign-in-providers` */
  createSignInProvider: { input: { body: CreateSignInProviderModel }; answer: SignInProviderModel };
  /** Creates a video without a file. Then upload the file by PUT, tus or fetch. `POST /library/{libraryId}/videos` */
  createVideo: { input: { libraryId: number; body: CreateVideoModel }; answer: VideoModel };
  /** Adds a webhook endpoint with its own secret. It receives the events with the given statuses, or all. A library has at most 10 besides its `WebhookUrl`. `POST /library/{libraryId}/webhook-endpoints` */
  createWebhookEndpoint: { input: { libraryId: number; body: CreateWebhookEndpointModel }; answer: WebhookEndpointModel };
  /** Removes an audio track. Later encodes leave out a removed track of the uploaded file. If the track was the default, another one becomes the default. The last track is removed only with allowNone=true, and never from a video without a picture. `DELETE /library/{libraryId}/videos/{videoId}/audio-tracks/{trackId}` */
  deleteAudioTrack: { input: { libraryId: number; videoId: string; trackId: string; allowNone?: boolean }; answer: StatusModel };
  /** Deletes the captions of a language. `DELETE /library/{libraryId}/videos/{videoId}/captions/{srclang}` */
  deleteCaption: { input: { libraryId: number; videoId: string; srclang: string }; answer: StatusModel };
  /** Deletes the chat webhook of a library. Waiting messages are not sent. `DELETE /library/{libraryId}/chat-webhook` */
  deleteChatWebhook: { input: { libraryId: number }; answer: StatusModel };
  /** Deletes a collection. Its videos stay in the library, without a collection. `DELETE /library/{libraryId}/collections/{collectionId}` */
  deleteCollection: { input: { libraryId: number; collectionId: string }; answer: StatusModel };
  /** Deletes a share page. The link stops working within 2 s, and open pages close the player within about 30 s. `DELETE /library/{libraryId}/collections/{collectionId}/shares/{shareId}` */
  deleteCollectionShare: { input: { libraryId: number; collectionId: string; shareId: string }; answer: StatusModel };
  /** Deletes a comment with its replies, or a reply. Authors may delete their own, unless others have replied. People who may edit videos may delete all. `DELETE /library/{libraryId}/videos/{videoId}/comments/{commentId}` */
  deleteComment: { input: { libraryId: number; videoId: string; commentId: string }; answer: StatusModel };
  /** Deletes an additional key of a library permanently. `DELETE /videolibrary/{id}/keys/{keyId}` */
  deleteKey: { input: { id: number; keyId: string }; answer: undefined };
  /** Deletes a library and all of its videos permanently. `DELETE /videolibrary/{id}` */
  deleteLibrary: { input: { id: number }; answer: undefined };
  /** Deletes the default image of a library's new live streams. Existing streams keep it. `DELETE /videolibrary/{id}/live/thumbnail` */
  deleteLiveDefaultThumbnail: { input: { id: number }; answer: undefined };
  /** Deletes a live stream and its recorded media. A video that was already made from the recording stays. Returns the deleted stream. `DELETE /library/{libraryId}/live/{streamId}` */
  deleteLiveStream: { input: { libraryId: number; streamId: string }; answer: LiveStreamModel };
  /** Deletes the image of a live stream. With `restoreLibraryDefault`, the stream gets the default image of its library, if there is one. `DELETE /library/{libraryId}/live/{streamId}/thumbnail` */
  deleteLiveThumbnail: { input: { libraryId: number; streamId: string; restoreLibraryDefault?: boolean }; answer: undefined };
  /** Deletes the watermark of a library's live streams. Connected publishers keep it. `DELETE /videolibrary/{id}/live/watermark` */
  deleteLiveWatermark: { input: { id: number }; answer: undefined };
  /** Deletes the logo of the share pages of a library. `DELETE /videolibrary/{id}/logo` */
  deleteLogo: { input: { id: number }; answer: undefined };
  /** Deletes a person and ends all of their sessions. `DELETE /people/{personId}` */
  deletePerson: { input: { personId: string }; answer: undefined };
  /** Refuses to delete the pull zone of a library. It is deleted with the library. `DELETE /pullzone/{id}` */
  deletePullZone: { input: { id: number }; answer: undefined };
  /** Deletes a share page. The link stops working within 2 s, and open pages close the player within about 30 s. `DELETE /library/{libraryId}/videos/{videoId}/shares/{shareId}` */
  deleteShare: { input: { libraryId: number; videoId: string; shareId: string }; answer: StatusModel };
  /** Deletes a sign-in provider. People who used it remain, with their sessions and roles. `DELETE /sign-in-providers/{providerId}` */
  deleteSignInProvider: { input: { providerId: string }; answer: undefined };
  /** Deletes a video in the trash permanently, with all of its objects. `DELETE /library/{libraryId}/trash/{videoId}` */
  deleteTrashedVideo: { input: { libraryId: number; videoId: string }; answer: StatusModel };
  /** Deletes a video and all of its objects permanently. With `trash=true`, it moves the video to the trash, where it stays for a week. `DELETE /library/{libraryId}/videos/{videoId}` */
  deleteVideo: { input: { libraryId: number; videoId: string; trash?: boolean }; answer: StatusModel };
  /** Deletes the watermark of a library. Encoded videos keep it. `DELETE /videolibrary/{id}/watermark` */
  deleteWatermark: { input: { id: number }; answer: undefined };
  /** Deletes a webhook endpoint with its deliveries. Waiting ones are not sent. `DELETE /library/{libraryId}/webhook-endpoints/{endpointId}` */
  deleteWebhookEndpoint: { input: { libraryId: number; endpointId: string }; answer: StatusModel };
  /** Asks a process to finish or return its work and to exit. It learns of it within 10 s and stays in the list of nodes, draining, until it has exited. An ingest process moves its live streams to another one. `POST /system/nodes/{nodeId}/drain` */
  drainNode: { input: { nodeId: string; force?: boolean }; answer: undefined };
  /** Signs a person out of all browsers. `DELETE /people/{personId}/sessions` */
  endPersonSessions: { input: { personId: string }; answer: undefined };
  /** Evaluates a request as the edge would, without counting it. Returns the verdict of each rule, and the likely mistake if its token is wrong. `POST /pullzone/{id}/explain` */
  explainRequest: { input: { id: number; body: ExplainRequestModel }; answer: ExplanationModel };
  /** Explains in sentences why a video does not play, waits or starts slowly: its state and queue position, what is stored, which viewers are allowed, and which errors viewers had. `GET /library/{libraryId}/videos/{videoId}/why` */
  explainVideo: { input: { libraryId: number; videoId: string }; answer: WhyModel };
  /** Exports all entries of the audit log that match, as CSV, newest first. The response is streamed. `GET /audit/export` */
  exportAccountAudit: { input: { kind?: "sign-in" | "people" | "keys" | "providers" | "other"; who?: string; operation?: string; libraryId?: number; from?: string; to?: string }; answer: Response };
  /** Exports the statistics and the audience of a library or of one of its videos as CSV, one value per line. `GET /library/{libraryId}/statistics/export` */
  exportAudience: { input: { libraryId: number; dateFrom?: string; dateTo?: string; hourly?: boolean; videoGuid?: string }; answer: Response };
  /** Exports all events of a search as CSV, oldest first. The response is streamed and has no size limit. `POST /shield/event-logs/{shieldZoneId}/export` */
  exportEventLogs: { input: { shieldZoneId: number; body: EventLogsExportRequest }; answer: Response };
  /** Fetches the file of a video that has none yet from a URL. `POST /library/{libraryId}/videos/{videoId}/fetch` */
  fetchIntoVideo: { input: { libraryId: number; videoId: string; body: FetchVideoRequest }; answer: StatusModel };
  /** Creates a video and fetches its file from a URL. The `id` of the response is the GUID of the video. `POST /library/{libraryId}/videos/fetch` */
  fetchVideo: { input: { libraryId: number; collectionId?: string; thumbnailTime?: number; body: FetchVideoRequest }; answer: StatusModel };
  /** Streams the states and progress of all videos of a library as server-sent events. `GET /library/{libraryId}/progress` */
  followLibrary: { input: { libraryId: number }; answer: Response };
  /** Streams the state and progress of a video as server-sent events. `GET /library/{libraryId}/videos/{videoId}/progress` */
  followVideo: { input: { libraryId: number; videoId: string }; answer: Response };
  /** Returns the bytes delivered by all pull zones, or by one, by UTC day or hour. Without `dateFrom`, it covers the last 30 days. Values that are not counted are 0, and their charts are empty. `GET /statistics` */
  getAccountStatistics: { input: { dateFrom?: string; dateTo?: string; pullZone?: number; serverZoneId?: number; hourly?: boolean; exactRange?: boolean; loadErrors?: boolean; loadOriginResponseTimes?: boolean; loadOriginTraffic?: boolean; loadRequestsServed?: boolean; loadBandwidthUsed?: boolean; loadOriginShieldBandwidth?: boolean; loadGeographicTrafficDistribution?: boolean; loadUserBalanceHistory?: boolean }; answer: StatisticsModel };
  /** Returns the encode tasks of a video with their attempts and failure reasons, the messages of the encode, the last log lines of failed attempts, the progress of the transcription, and the loudness of its audio. `GET /library/{libraryId}/videos/{videoId}/activity` */
  getActivity: { input: { libraryId: number; videoId: string }; answer: VideoActivityModel };
  /** Returns who watched a library or one of its videos and how playback went: unique viewers, devices, referrers, startup time, rebuffering, retention, current viewers, estimates for other players, and bytes sent. `GET /library/{libraryId}/statistics/audience` */
  getAudience: { input: { libraryId: number; dateFrom?: string; dateTo?: string; hourly?: boolean; videoGuid?: string }; answer: AudienceModel };
  /** Returns the billing data of the account. A self-hosted service charges nothing, so all amounts are 0. `GET /billing` */
  getBilling: { input: object; answer: BillingModel };
  /** Returns the bitrates of the publisher in bits per second, one sample per second between `startTime` and `endTime`. `GET /library/{libraryId}/live/{streamId}/bitrate-history` */
  getBitrateHistory: { input: { libraryId: number; streamId: string; startTime?: string; endTime?: string }; answer: Response };
  /** Returns the progress of a bulk operation, and the videos that failed with their reasons. `GET /library/{libraryId}/bulk/{bulkId}` */
  getBulk: { input: { libraryId: number; bulkId: string }; answer: BulkModel };
  /** Returns the chat to which a library posts notifications, and the last failure. Requires a key with write access. `GET /library/{libraryId}/chat-webhook` */
  getChatWebhook: { input: { libraryId: number }; answer: ChatWebhookModel };
  /** Returns a collection with its counts. With `includeThumbnails`, it also returns the thumbnails of its newest videos. `GET /library/{libraryId}/collections/{collectionId}` */
  getCollection: { input: { libraryId: number; collectionId: string; includeThumbnails?: boolean }; answer: CollectionModel };
  /** Returns the current bitrates of the publisher in bits per second. They are 0 while no publisher is connected. `GET /library/{libraryId}/live/{streamId}/current-bitrate` */
  getCurrentBitrate: { input: { libraryId: number; streamId: string }; answer: Response };
  /** Returns the number of Widevine, PlayReady and FairPlay licences issued for a library, by UTC day. `GET /videolibrary/{id}/drm/statistics` */
  getDrmStatistics: { input: { id: number; dateFrom?: string; dateTo?: string }; answer: DrmStatisticsModel };
  /** Returns the next page of the requests that the edges refused or logged on a UTC day, oldest first. Pass the token of the previous page. `GET /shield/event-logs/{shieldZoneId}/{date}/{continuationToken}` */
  getEventLogs: { input: { shieldZoneId: string; date: string; continuationToken: string }; answer: EventLogPage };
  /** Returns the progress of an export, and the first 100 videos that could not be exported with the reason. `GET /library/{libraryId}/exports/{exportId}` */
  getExport: { input: { libraryId: number; exportId: string }; answer: ExportModel };
  /** Returns the FairPlay application certificate (DER). Players need it before they request a licence. `GET /FairPlay/{libraryId}/certificate` */
  getFairPlayCertificate: { input: { libraryId: number; token?: string; expires?: number }; answer: Response };
  /** Returns the settings and URLs of the feeds of a collection. Requires a key with write access. `GET /library/{libraryId}/collections/{collectionId}/feed` */
  getFeed: { input: { libraryId: number; collectionId: string }; answer: FeedModel };
  /** Returns the first page of the requests that the edges refused or logged on a UTC day, oldest first. `GET /shield/event-logs/{shieldZoneId}/{date}` */
  getFirstEventLogs: { input: { shieldZoneId: string; date: string }; answer: EventLogPage };
  /** Returns the state of the service. Requests from this machine, from trusted proxies or with a valid key get the version, the listeners, the state of every role, the storage and the problems. All others get only `status`. `GET /healthz` */
  getHealth: { input: object; answer: Record<string, unknown> };
  /** Returns how often each part of a video was watched, from 0 to 100. `GET /library/{libraryId}/videos/{videoId}/heatmap` */
  getHeatmap: { input: { libraryId: number; videoId: string }; answer: VideoHeatmapModel };
  /** Returns the progress of an import, and a page of its items with their outcomes. `state` selects items: waiting, fetching, imported, skipped or failed. `GET /library/{libraryId}/imports/{importId}` */
  getImport: { input: { libraryId: number; importId: string; page?: number; itemsPerPage?: number; state?: "waiting" | "fetching" | "imported" | "skipped" | "failed" }; answer: ImportDetailsModel };
  /** Returns all items of an import as CSV: outcome, reason, and a comparison of size, length and playability with the source. `getImport` returns the same as JSON, in pages. `GET /library/{libraryId}/imports/{importId}/report` */
  getImportReport: { input: { libraryId: number; importId: string }; answer: Response };
  /** Returns a library with its settings and keys. `GET /videolibrary/{id}` */
  getLibrary: { input: { id: number }; answer: VideoLibraryModel };
  /** Returns all settings of a library that another service can use: `library.json` of an export. Keys, host names and URLs with a user name or password are left out. `GET /library/{libraryId}/settings` */
  getLibrarySettings: { input: { libraryId: number }; answer: PortableSettingsModel };
  /** Returns the sound settings of a library: the loudness of its videos, and whether they get 5.1. `GET /videolibrary/{id}/sound` */
  getLibrarySound: { input: { id: number }; answer: LibrarySoundModel };
  /** Returns the seconds of video that were encoded for live streams, by UTC day or hour, stream, codec and resolution. Separate several values of a filter with commas. `GET /library/{libraryId}/live/statistics/encoding` */
  getLiveEncodingStatistics: { input: { libraryId: number; dateFrom?: string; dateTo?: string; hourly?: boolean; liveStreamGuids?: string; videoCodecs?: string; resolutions?: string }; answer: LiveEncodingStatisticsModel };
  /** Returns the data that a player needs to show a live stream. It never contains the stream key, an ingest URL or a relay. `GET /library/{libraryId}/live/{streamId}/play` */
  getLivePlayData: { input: { libraryId: number; streamId: string; token?: string; expires?: number }; answer: LiveStreamPlayDataModel };
  /** Returns whether a publisher is connected and whether the stream can be started. Its ingest process reports this every second. `GET /library/{libraryId}/live/{streamId}/status` */
  getLiveStatus: { input: { libraryId: number; streamId: string }; answer: LiveStreamStatusModel };
  /** Returns a live stream. Read-only keys do not get the stream key and the relays. `GET /library/{libraryId}/live/{streamId}` */
  getLiveStream: { input: { libraryId: number; streamId: string }; answer: LiveStreamModel };
  /** Returns the oEmbed description of a player page or share page. Referrer rules and the embed token apply. A private video needs a token, or the URL of its share page. `GET /OEmbed` */
  getOEmbed: { input: { url?: string; maxWidth?: number; maxHeight?: number; token?: string; expires?: number }; answer: VideoOEmbedModel };
  /** Downloads the uploaded file of a video, whether or not viewers may download it. Requires a key with write access. `Range` with one range and `If-Range` continue an interrupted download. A range past the end is refused with 416. `GET /library/{libraryId}/videos/{videoId}/original` */
  getOriginal: { input: { libraryId: number; videoId: string; fromByte?: number }; answer: Response };
  /** Returns the data that a player needs to show a video. It needs no key. The library's referrer rules and embed token apply. A private video always needs a token. `GET /library/{libraryId}/videos/{videoId}/play` */
  getPlayData: { input: { libraryId: number; videoId: string; token?: string; expires?: number }; answer: VideoPlayDataModel };
  /** Returns the play data of a video with its heatmap. It needs no key. The library's referrer rules and embed token apply. A private video always needs a token. `GET /library/{libraryId}/videos/{videoId}/play/heatmap` */
  getPlayHeatmap: { input: { libraryId: number; videoId: string; token?: string; expires?: number }; answer: VideoPlayDataModel };
  /** Returns a pull zone: the hostnames, the token key and the referrer rules of a library's delivery. `GET /pullzone/{id}` */
  getPullZone: { input: { id: number }; answer: PullZoneModel };
  /** Returns startup time, rebuffering and failures by country, device, resolution and video, for a library or one video. It examines the newest 50,000 views of the period, and at most the days for which visits are kept. `GET /library/{libraryId}/statistics/quality` */
  getQuality: { input: { libraryId: number; dateFrom?: string; dateTo?: string; videoGuid?: string }; answer: QualityModel };
  /** Returns why a video waits, its queue position, and the estimated time in seconds. `GET /library/{libraryId}/videos/{videoId}/queue` */
  getQueuePlace: { input: { libraryId: number; videoId: string }; answer: VideoQueueModel };
  /** Returns the limits of a library and its current use. Months are calendar months in UTC. `GET /library/{libraryId}/quotas` */
  getQuotas: { input: { libraryId: number }; answer: QuotasModel };
  /** Lists the resolutions of a video by use: in playlists, stored, available as MP4, and configured in the library. `GET /library/{libraryId}/videos/{videoId}/resolutions` */
  getResolutions: { input: { libraryId: number; videoId: string }; answer: StatusModelOfVideoResolutionsInfoModel };
  /** Returns the firewall settings of a pull zone. Id 0 applies to requests that match no pull zone. `GET /shield/shield-zone/{shieldZoneId}` */
  getShieldZone: { input: { shieldZoneId: number }; answer: ShieldZoneAnswer };
  /** Returns the firewall settings of a pull zone by the id of the pull zone. A shield zone has the same id. `GET /shield/shield-zone/get-by-pullzone/{pullZoneId}` */
  getShieldZoneByPullZone: { input: { pullZoneId: number }; answer: ShieldZoneAnswer };
  /** Returns views and watch time of a library or of one video, by UTC day or hour and by country. Without `dateFrom`, it covers the last 30 days. `GET /library/{libraryId}/statistics` */
  getStatistics: { input: { libraryId: number; dateFrom?: string; dateTo?: string; hourly?: boolean; videoGuid?: string }; answer: VideoStatisticsModel };
  /** Returns the stored bytes of a video, by rendition and by kind. Deleted files are not counted. `GET /library/{libraryId}/videos/{videoId}/storage` */
  getStorageSize: { input: { libraryId: number; videoId: string }; answer: StatusModelOfVideoStorageSizeModel };
  /** Returns the storage of a library: its name and its size in bytes. `GET /storagezone/{id}` */
  getStorageZone: { input: { id: number }; answer: StorageZoneModel };
  /** Returns versions, sizes, free space, load and memory of the machine, the encode queue by kind, the speed and the failures of encoders, active workers, running encodes, the scrub, the latest backup, and the remaining objects of a storage move. `GET /system` */
  getSystem: { input: object; answer: SystemModel };
  /** Returns the transcribed seconds of a library, by UTC day. This version does not count them, so all values are 0. `GET /videolibrary/{id}/transcribing/statistics` */
  getTranscribingStatistics: { input: { id: number; dateFrom?: string; dateTo?: string }; answer: TranscribingStatisticsModel };
  /** Returns the stored bytes, encoded minutes and delivered bytes of a library by calendar month in UTC, the oldest first, with a forecast for the end of the current month. `GET /library/{libraryId}/statistics/usage` */
  getUsage: { input: { libraryId: number; months?: number }; answer: UsageModel };
  /** Returns the account. It has an id and no personal data. `GET /user` */
  getUser: { input: object; answer: UserModel };
  /** Returns a video with its state, its progress, its technical data and its texts. `GET /library/{libraryId}/videos/{videoId}` */
  getVideo: { input: { libraryId: number; videoId: string }; answer: VideoModel };
  /** Returns the chosen frame of the thumbnail, which captions were generated from speech, and views and watch time by day. Exports contain all of them. `GET /library/{libraryId}/videos/{videoId}/extras` */
  getVideoExtras: { input: { libraryId: number; videoId: string }; answer: VideoExtrasModel };
  /** Returns the order in which share pages play the videos of a collection, and its first 500 videos. `GET /library/{libraryId}/collections/{collectionId}/order` */
  getVideoOrder: { input: { libraryId: number; collectionId: string }; answer: VideoOrderModel };
  /** Returns how the library decides which viewers may watch. Requires a key with write access. `GET /library/{libraryId}/viewers` */
  getViewerAccess: { input: { libraryId: number }; answer: ViewerAccessModel };
  /** Invites a person. Only this response contains the link at which the person chooses a password. `POST /people` */
  invitePerson: { input: { body: InvitePersonModel }; answer: InvitedPersonModel };
  /** Creates a link at which a person chooses a new password, which also removes the second factor and ends all sessions. Replaces the previous link. `POST /people/{personId}/invitation` */
  invitePersonAgain: { input: { personId: string }; answer: InvitedPersonModel };
  /** Lists sign-ins and write requests of the whole account, newest first, with the names of objects. Entries are kept for 90 days. `GET /audit` */
  listAccountAudit: { input: { kind?: "sign-in" | "people" | "keys" | "providers" | "other"; who?: string; operation?: string; libraryId?: number; from?: string; to?: string; before?: number; perPage?: number }; answer: AccountAuditModel };
  /** Lists the audio tracks of a video, the default one first, with those that are being encoded. `GET /library/{libraryId}/videos/{videoId}/audio-tracks` */
  listAudioTracks: { input: { libraryId: number; videoId: string }; answer: AudioTrackList };
  /** Lists the write requests to a library, newest first, with the names of people, keys and objects. `GET /videolibrary/{id}/audit` */
  listAudit: { input: { id: number; page?: number; perPage?: number; key?: string; operation?: string; result?: "done" | "failed" }; answer: PaginationListModelOfAuditLineModel };
  /** Lists the share pages of a collection, oldest first, with their links. Requires a key with write access. `GET /library/{libraryId}/collections/{collectionId}/shares` */
  listCollectionShares: { input: { libraryId: number; collectionId: string }; answer: ShareList };
  /** Lists the collections of a library, one page at a time. The newest come first unless `orderBy` is `name`. `GET /library/{libraryId}/collections` */
  listCollections: { input: { libraryId: number; page?: number; itemsPerPage?: number; search?: string; orderBy?: string; includeThumbnails?: boolean }; answer: PaginationListOfCollectionModel };
  /** Lists the review comments of a video in the order of their times, with all replies. `GET /library/{libraryId}/videos/{videoId}/comments` */
  listComments: { input: { libraryId: number; videoId: string; page?: number; itemsPerPage?: number; state?: "open" | "resolved" | "all" }; answer: PaginationListOfCommentModel };
  /** Lists all countries by their two-letter code (ISO 3166-1). Tax rates are 0. `GET /country` */
  listCountries: { input: object; answer: CountryList };
  /** Lists the exports of a library that run in the service, newest first, with their progress. Ended ones are kept for a year. `GET /library/{libraryId}/exports` */
  listExports: { input: { libraryId: number; page?: number; itemsPerPage?: number }; answer: PaginationListOfExportModel };
  /** Lists the imports of a library and their progress, newest first. Ended ones are kept for a year. `GET /library/{libraryId}/imports` */
  listImports: { input: { libraryId: number; page?: number; itemsPerPage?: number }; answer: PaginationListOfImportModel };
  /** Lists the additional keys of a library. Their secrets are not returned: only hashes are stored. `GET /videolibrary/{id}/keys` */
  listKeys: { input: { id: number }; answer: AccessKeyList };
  /** Lists the languages that captions and players support. `GET /videolibrary/languages` */
  listLanguages: { input: object; answer: VideoLanguageList };
  /** Lists the libraries of the account, or of a person. Without `page`, the response is a plain list. `GET /videolibrary` */
  listLibraries: { input: { page?: number; perPage?: number; search?: string }; answer: VideoLibraryList };
  /** Lists the live streams of a library, one page at a time. Read-only keys do not get stream keys and relays. `GET /library/{libraryId}/live` */
  listLiveStreams: { input: { libraryId: number; page?: number; itemsPerPage?: number; search?: string; orderBy?: "date" | "title" | "status" | "started" | "ended" | "planned"; collectionId?: string }; answer: PaginationListOfLiveStreamModel };
  /** Lists the stills of a live stream between `from` and `to`, newest first. `GET /library/{libraryId}/live/{streamId}/thumbnails` */
  listLiveThumbnails: { input: { libraryId: number; streamId: string; limit?: number; from?: string; to?: string }; answer: (ThumbnailListResponseModel)[] };
  /** Lists the running processes of all machines with role, version and load, and the live streams that each ingest has. A process that stopped without notice is lost after 45 s, and leaves the list after 10 min. `GET /system/nodes` */
  listNodes: { input: object; answer: (NodeModel)[] };
  /** Lists the people who can sign in to the dashboard, by e-mail address, with their roles. `GET /people` */
  listPeople: { input: { page?: number; perPage?: number }; answer: PaginationListModelOfPersonModel };
  /** Lists the browsers in which a person is signed in, with the time of the last use. `GET /people/{personId}/sessions` */
  listPersonSessions: { input: { personId: string }; answer: PersonSessionList };
  /** Lists the pull zones of the account. Without `page`, the response is a plain list. `GET /pullzone` */
  listPullZones: { input: { page?: number; perPage?: number; search?: string }; answer: PullZoneList };
  /** Lists the regions of the service: one, the installation itself. Its location is unknown. `GET /region` */
  listRegions: { input: object; answer: RegionList };
  /** Lists the share pages of a video, oldest first, with their links. Requires a key with write access. `GET /library/{libraryId}/videos/{videoId}/shares` */
  listShares: { input: { libraryId: number; videoId: string }; answer: ShareList };
  /** Lists the firewall settings of all pull zones by ascending id, one page at a time. `GET /shield/shield-zones` */
  listShieldZones: { input: { page?: number; perPage?: number }; answer: ShieldZoneList };
  /** Lists the OpenID Connect providers with which people sign in to the dashboard, by name. `GET /sign-in-providers` */
  listSignInProviders: { input: object; answer: SignInProviderList };
  /** Lists the videos in the trash, the last deleted first, each with the time of its permanent deletion. `GET /library/{libraryId}/trash` */
  listTrash: { input: { libraryId: number; page?: number; itemsPerPage?: number }; answer: PaginationListOfTrashedVideoModel };
  /** Lists the videos of a library, one page at a time, newest first. `search` matches any part of the title. `GET /library/{libraryId}/videos` */
  listVideos: { input: { libraryId: number; page?: number; itemsPerPage?: number; search?: string; collection?: string; orderBy?: string; incomplete?: boolean; status?: string; tag?: string; visibility?: "public" | "unlisted" | "private"; direction?: string; dateFrom?: string; dateTo?: string }; answer: PaginationListOfVideoModel };
  /** Lists the webhook endpoints of a library with their secrets. Requires a key with write access. The `WebhookUrl` of the library is the first one. `GET /library/{libraryId}/webhook-endpoints` */
  listWebhookEndpoints: { input: { libraryId: number }; answer: WebhookEndpointList };
  /** Lists the webhook events of a library with their delivery state, newest first. `GET /library/{libraryId}/webhooks` */
  listWebhookEvents: { input: { libraryId: number; page?: number; itemsPerPage?: number; state?: "pending" | "delivered" | "dead"; endpoint?: string }; answer: PaginationListOfWebhookEventModel };
  /** Checks that a hostname has a certificate. Millrace obtains none itself: the proxy in front of it does, or the operator provides one. `GET /pullzone/loadFreeCertificate` */
  loadFreeCertificate: { input: { hostname?: string; useOnlyHttp01?: boolean }; answer: undefined };
  /** Redirects to the player page at the delivery URL and keeps the query. The player page checks tokens and rules. `GET /play/{libraryId}/{videoId}` */
  openPlayer: { input: { libraryId: number; videoId: string }; answer: Response };
  /** Purges the files of a pull zone from the caches in front of the edges. `POST /pullzone/{id}/purgeCache` */
  purgeCache: { input: { id: number }; answer: undefined };
  /** Adds an audio track to a video from the audio file that is the body, or replaces the media of the track with this id. The caller chooses the id, such as de-commentary; file-N replaces a track of the file of the video. The track begins with the video, and is cut or filled with silence to its length. Viewers get it once it is encoded; the picture is not encoded again. Absent fields are left unchanged. `PUT /library/{libraryId}/videos/{videoId}/audio-tracks/{trackId}` */
  putAudioTrack: { input: { libraryId: number; videoId: string; trackId: string; language?: string; title?: string; purpose?: AudioPurpose; isDefault?: boolean; body?: BodyInit }; answer: AudioTrackModel };
  /** Sets the default image of a library's new live streams. A stream keeps it until it gets its own. `PUT /videolibrary/{id}/live/thumbnail` */
  putLiveDefaultThumbnail: { input: { id: number; body?: BodyInit }; answer: undefined };
  /** Sets the watermark of a library's live streams, at the position of the video watermark. It applies to publishers that connect after the change. `PUT /videolibrary/{id}/live/watermark` */
  putLiveWatermark: { input: { id: number; body?: BodyInit }; answer: undefined };
  /** Sets the logo of the share pages of a library. `PUT /videolibrary/{id}/logo` */
  putLogo: { input: { id: number; body?: BodyInit }; answer: undefined };
  /** Sets the watermark of a library. It is drawn on videos while they are encoded. `PUT /videolibrary/{id}/watermark` */
  putWatermark: { input: { id: number; body?: BodyInit }; answer: undefined };
  /** Returns the finished public videos of a collection as RSS 2.0, newest first, 100 on a page: `rss` with tags of podcasts, `mrss` with Media RSS. A feed that is not public needs its `token`. `GET /feeds/{libraryId}/{collectionId}` */
  readFeed: { input: { libraryId: number; collectionId: string; format?: "rss" | "mrss"; token?: string; page?: number }; answer: Response };
  /** Encodes a video again from its original, with the current settings of the library and the options of its upload. It keeps the codecs of the video. The current version plays until the new one is complete. `POST /library/{libraryId}/videos/{videoId}/reencode` */
  reencodeVideo: { input: { libraryId: number; videoId: string }; answer: VideoModel };
  /** Replaces the stream key and disconnects the publisher that uses the old one. `PUT /library/{libraryId}/live/{streamId}/regenerate-key` */
  regenerateStreamKey: { input: { libraryId: number; streamId: string }; answer: LiveStreamModel };
  /** Removes a host from the sites that may embed the library's videos. `POST /videolibrary/{id}/removeAllowedReferrer` */
  removeAllowedReferrer: { input: { id: number; body: ReferrerModel }; answer: undefined };
  /** Removes an entry from the blocked addresses of a pull zone. `POST /pullzone/{id}/removeBlockedIp` */
  removeBlockedIp: { input: { id: number; body: BlockedIpModel }; answer: undefined };
  /** Removes a host from the sites that may not embed the library's videos. `POST /videolibrary/{id}/removeBlockedReferrer` */
  removeBlockedReferrer: { input: { id: number; body: ReferrerModel }; answer: undefined };
  /** Checks that a hostname has no certificate. Certificates are configured in the service or its proxy. `DELETE /pullzone/{id}/removeCertificate` */
  removeCertificate: { input: { id: number; body: RemoveCertificateRequestModel }; answer: undefined };
  /** Removes a hostname from a pull zone. `DELETE /pullzone/{id}/removeHostname` */
  removeHostname: { input: { id: number; body: ReferrerModel }; answer: undefined };
  /** Removes an entry from the allowed referrers of a pull zone. Its library has the same list. `POST /pullzone/{id}/removeAllowedReferrer` */
  removeZoneAllowedReferrer: { input: { id: number; body: ReferrerModel }; answer: undefined };
  /** Removes an entry from the blocked referrers of a pull zone. Its library has the same list. `POST /pullzone/{id}/removeBlockedReferrer` */
  removeZoneBlockedReferrer: { input: { id: number; body: ReferrerModel }; answer: undefined };
  /** Packages a video of a library with Enterprise DRM for the DRM systems of the library. With `keepOriginalFiles=false`, it creates new content keys. Otherwise open players keep the previous version for a day. `POST /library/{libraryId}/videos/{videoId}/repackage` */
  repackageVideo: { input: { libraryId: number; videoId: string; keepOriginalFiles?: boolean }; answer: VideoModel };
  /** Allows one more upload to a finished video within 24 hours. The new file replaces the old one when it is encoded. `POST /library/{libraryId}/videos/{videoId}/replace` */
  replaceFile: { input: { libraryId: number; videoId: string }; answer: StatusModel };
  /** Sends a webhook event again. `POST /library/{libraryId}/webhooks/{eventId}/resend` */
  resendWebhookEvent: { input: { libraryId: number; eventId: string }; answer: StatusModel };
  /** Replaces the ApiKey of a library. With `overlapSec`, the old key stays valid for that time. `POST /videolibrary/{id}/resetApiKey` */
  resetApiKey: { input: { id: number; overlapSec?: number }; answer: undefined };
  /** Replaces the ApiKey of a library. The query contains the id of the library, as older clients expect. `POST /videolibrary/resetApiKey` */
  resetApiKeyByQuery: { input: { id?: number; overlapSec?: number }; answer: undefined };
  /** Replaces the ReadOnlyApiKey of a library, which also signs its webhooks. With `overlapSec`, the old key stays valid for that time, and webhooks are signed with both keys. `POST /videolibrary/{id}/resetReadOnlyApiKey` */
  resetReadOnlyApiKey: { input: { id: number; overlapSec?: number }; answer: undefined };
  /** Replaces the ReadOnlyApiKey of a library. The query contains the id of the library, as older clients expect. `POST /videolibrary/resetReadOnlyApiKey` */
  resetReadOnlyApiKeyByQuery: { input: { id?: number; overlapSec?: number }; answer: undefined };
  /** Replaces the token key of a pull zone with a random key, or with the key in the body. With `overlapSec`, tokens signed with the old key stay valid for that time; otherwise they become invalid immediately. `POST /pullzone/{id}/resetSecurityKey` */
  resetSecurityKey: { input: { id: number; overlapSec?: number; body?: ResetPullZoneSecurityKeyModel }; answer: undefined };
  /** Gives a library the settings of an export, and lists the changes. Absent sections are left unchanged. Webhook endpoints and feeds are never removed. All values are checked first, and a failed restore can be repeated. With `dryRun`, it only lists the changes. `POST /library/{libraryId}/settings` */
  restoreLibrarySettings: { input: { libraryId: number; dryRun?: boolean; body: PortableSettingsModel }; answer: RestoredSettingsModel };
  /** Restores a video from the trash unchanged. It returns to its collection if the collection still exists. `POST /library/{libraryId}/trash/{videoId}/restore` */
  restoreVideo: { input: { libraryId: number; videoId: string }; answer: StatusModel };
  /** Continues an export that was cancelled or failed. One that finished, or in which videos failed, runs again and transfers only what is missing or was changed. `POST /library/{libraryId}/exports/{exportId}/resume` */
  resumeExport: { input: { libraryId: number; exportId: string }; answer: ExportModel };
  /** Continues an import that was cancelled or failed, starts one that was only planned (not one of uploads), and tries retryable items again. `POST /library/{libraryId}/imports/{importId}/resume` */
  resumeImport: { input: { libraryId: number; importId: string }; answer: ImportModel };
  /** Encodes the failed renditions of all finished videos of a library again. `POST /library/{libraryId}/videos/incomplete/retry` */
  retryIncomplete: { input: { libraryId: number }; answer: RetryIncompleteModel };
  /** Encodes the failed renditions of a finished video again. `POST /library/{libraryId}/videos/{videoId}/resolutions/retry` */
  retryResolutions: { input: { libraryId: number; videoId: string; resolution?: string }; answer: VideoModel };
  /** Searches the requests that the edges refused or logged in the last 72 hours, newest first. Combines text and filters with AND, and returns rows or groups. The first page is 0. In addition to the hosted API, `severity` and `method` can also be filtered and grouped. `POST /shield/event-logs/{shieldZoneId}/search` */
  searchEventLogs: { input: { shieldZoneId: number; body: EventLogsSearchRequest }; answer: EventLogsSearchResponse };
  /** Searches the captions of all videos. Finds videos in which all words of `q` are spoken within about a minute, newest first, with the matching captions and their times in seconds. With `language`, it searches only the captions of that language. `GET /library/{libraryId}/search` */
  searchSpoken: { input: { libraryId: number; q?: string; language?: string; itemsPerPage?: number }; answer: SpokenSearchModel };
  /** Checks whether a hostname accepts only HTTPS. A service with a certificate does, for all hostnames. `POST /pullzone/{id}/setForceSSL` */
  setForceSsl: { input: { id: number; body: ForceSSLRequestModel }; answer: undefined };
  /** Sets the image of a live stream from a URL or from the body. If the URL cannot be fetched, the status is 422. `POST /library/{libraryId}/live/{streamId}/thumbnail` */
  setLiveThumbnail: { input: { libraryId: number; streamId: string; thumbnailUrl?: string; body?: BodyInit }; answer: StatusModel };
  /** Sets the thumbnail of a video from a URL in the query, or from an image in the body (JPEG, PNG, WebP or AVIF). `POST /library/{libraryId}/videos/{videoId}/thumbnail` */
  setThumbnail: { input: { libraryId: number; videoId: string; thumbnailUrl?: string; body?: BodyInit }; answer: StatusModel };
  /** Generates title, description, chapters and moments from the speech of a video. A video without captions is transcribed first. Without a body, it generates the texts that the library's settings select. It does not overwrite texts that a person has set since the last generation. `POST /library/{libraryId}/videos/{videoId}/smart` */
  smartGenerate: { input: { libraryId: number; videoId: string; body?: SmartGenerateModel }; answer: StatusModel };
  /** Starts a live stream, so that viewers can watch. Starting a running stream changes nothing. `PUT /library/{libraryId}/live/{streamId}/start` */
  startLiveStream: { input: { libraryId: number; streamId: string }; answer: LiveStreamModel };
  /** Ends a live stream permanently and disconnects its publisher. The recording becomes a video with the same id. `PUT /library/{libraryId}/live/{streamId}/stop` */
  stopLiveStream: { input: { libraryId: number; streamId: string }; answer: LiveStreamModel };
  /** Posts a test message to the chat of a library, once, and returns the result. `POST /library/{libraryId}/chat-webhook/test` */
  testChatWebhook: { input: { libraryId: number }; answer: ChatWebhookTestModel };
  /** Asks the endpoint, or verifies the token, as for a viewer of a video. Returns the verdict and its time. `POST /library/{libraryId}/viewers/test` */
  testViewerAccess: { input: { libraryId: number; body: TestViewerAccessModel }; answer: ViewerVerdictModel };
  /** Sends a test event to the webhook URL of a library, or to another endpoint. The delivery log shows the result. `POST /library/{libraryId}/webhooks/test` */
  testWebhook: { input: { libraryId: number; endpoint?: string }; answer: WebhookTestModel };
  /** Creates captions from the speech of a video in the spoken language. If a language model is configured, it also translates them into the target languages. Captions that a person uploaded are kept. With `force`, it replaces generated captions. `POST /library/{libraryId}/videos/{videoId}/transcribe` */
  transcribeVideo: { input: { libraryId: number; videoId: string; force?: boolean; language?: string; body?: TranscribeSettings }; answer: StatusModel };
  /** Changes title, language, purpose or default of an audio track; absent fields are left unchanged. Nothing is encoded, and a later encode of the video keeps the change. `POST /library/{libraryId}/videos/{videoId}/audio-tracks/{trackId}` */
  updateAudioTrack: { input: { libraryId: number; videoId: string; trackId: string; body: UpdateAudioTrackModel }; answer: AudioTrackModel };
  /** Posts notifications of a library to an incoming webhook of Slack, Mattermost or Discord (with `/slack` at the end of its URL). Absent fields are left unchanged. `POST /library/{libraryId}/chat-webhook` */
  updateChatWebhook: { input: { libraryId: number; body: UpdateChatWebhookModel }; answer: ChatWebhookModel };
  /** Renames a collection. `POST /library/{libraryId}/collections/{collectionId}` */
  updateCollection: { input: { libraryId: number; collectionId: string; body: UpdateCollectionModel }; answer: StatusModel };
  /** Changes a share page; absent fields are left unchanged, null removes the password or the expiry date. Viewers who know the previous password must enter the new one. `POST /library/{libraryId}/collections/{collectionId}/shares/{shareId}` */
  updateCollectionShare: { input: { libraryId: number; collectionId: string; shareId: string; body: UpdateShareModel }; answer: ShareModel };
  /** Changes the text of a comment or reply, or resolves or opens a comment. Absent fields are left unchanged. Only the author may change the text. The author and people who may edit videos may resolve and open a comment. `POST /library/{libraryId}/videos/{videoId}/comments/{commentId}` */
  updateComment: { input: { libraryId: number; videoId: string; commentId: string; body: UpdateCommentModel }; answer: CommentModel };
  /** Switches the feeds of a collection on or off, or changes their texts. Absent fields are left unchanged. Texts and secret are kept while the feeds are off. `POST /library/{libraryId}/collections/{collectionId}/feed` */
  updateFeed: { input: { libraryId: number; collectionId: string; body: UpdateFeedModel }; answer: FeedModel };
  /** Changes the settings that are sent and keeps all others. `POST /videolibrary/{id}` */
  updateLibrary: { input: { id: number; body: VideoLibraryUpdateModel }; answer: VideoLibraryModel };
  /** Changes the sound settings of a library, for videos that are uploaded from now on. Absent fields are left unchanged. `POST /videolibrary/{id}/sound` */
  updateLibrarySound: { input: { id: number; body: LibrarySoundUpdateModel }; answer: LibrarySoundModel };
  /** Changes the fields that are sent and keeps all others. After the start, only `title` and `description` can be changed, and recording can be turned on. `PUT /library/{libraryId}/live/{streamId}` */
  updateLiveStream: { input: { libraryId: number; streamId: string; body: UpdateLiveStreamModel }; answer: LiveStreamModel };
  /** Changes the name, status or roles of a person. Disabling a person ends all sessions. `POST /people/{personId}` */
  updatePerson: { input: { personId: string; body: UpdatePersonModel }; answer: PersonModel };
  /** Changes the rules of a pull zone: tokens, referrers, addresses, countries and rates. Edges apply them within 2 s. `POST /pullzone/{id}` */
  updatePullZone: { input: { id: number; body: PullZoneUpdateModel }; answer: PullZoneModel };
  /** Changes the limits of a library. Absent ones are left unchanged, and `null` removes one. `soft` only warns; `hard` also refuses. A limit may be below the current use. Requires the key of the account. `PUT /library/{libraryId}/quotas` */
  updateQuotas: { input: { libraryId: number; body: UpdateQuotasModel }; answer: QuotasModel };
  /** Changes a share page; absent fields are left unchanged, null removes the password or the expiry date. Viewers who know the previous password must enter the new one. `POST /library/{libraryId}/videos/{videoId}/shares/{shareId}` */
  updateShare: { input: { libraryId: number; videoId: string; shareId: string; body: UpdateShareModel }; answer: ShareModel };
  /** Changes how the firewall inspects the requests of a pull zone: logging or blocking, and disabled rules. Id 0 applies to requests that match no pull zone. Edges apply the change within 2 s. `PATCH /shield/shield-zone` */
  updateShieldZone: { input: { body: UpdateShieldZoneModel }; answer: ShieldZoneAnswer };
  /** Changes a sign-in provider. Fields that are not sent stay unchanged, including the client secret. `POST /sign-in-providers/{providerId}` */
  updateSignInProvider: { input: { providerId: string; body: UpdateSignInProviderModel }; answer: SignInProviderModel };
  /** Accepts an update of a storage zone for compatibility. A storage zone has no settings, so any value that is not empty is refused. `POST /storagezone/{id}` */
  updateStorageZone: { input: { id: number; body: StorageZoneUpdateModel }; answer: undefined };
  /** Changes the fields that are sent and keeps all others. Chapters and moments are in whole seconds within the video. A chapter without an end ends where the next one starts. `POST /library/{libraryId}/videos/{videoId}` */
  updateVideo: { input: { libraryId: number; videoId: string; body: UpdateVideoModel }; answer: StatusModel };
  /** Changes the order in which share pages play the videos of a collection. With `manual`, `videoIds` are the first videos, at most 500; the others follow, oldest first. The order of the list of videos is not affected. `POST /library/{libraryId}/collections/{collectionId}/order` */
  updateVideoOrder: { input: { libraryId: number; collectionId: string; body: UpdateVideoOrderModel }; answer: VideoOrderModel };
  /** Lets an endpoint of yours (`hook`) or tokens of your issuer (`jwt`) decide which viewers may watch. Absent fields are left unchanged. `POST /library/{libraryId}/viewers` */
  updateViewerAccess: { input: { libraryId: number; body: UpdateViewerAccessModel }; answer: ViewerAccessModel };
  /** Changes a webhook endpoint; absent fields are left unchanged. Change the first one by `WebhookUrl` of the library. `POST /library/{libraryId}/webhook-endpoints/{endpointId}` */
  updateWebhookEndpoint: { input: { libraryId: number; endpointId: string; body: UpdateWebhookEndpointModel }; answer: WebhookEndpointModel };
  /** Uploads the file of a video as the raw body. Content type and length do not matter. A video takes one file. `PUT /library/{libraryId}/videos/{videoId}` */
  uploadVideo: { input: { libraryId: number; videoId: string; jitEnabled?: boolean; enabledResolutions?: string; enabledOutputCodecs?: string; transcribeEnabled?: boolean; transcribeLanguages?: string; sourceLanguage?: string; generateTitle?: boolean; generateDescription?: boolean; generateChapters?: boolean; generateMoments?: boolean; body?: BodyInit }; answer: StatusModel };
};

export type OperationName = keyof Operations;

export const operations = {
  addAllowedReferrer: {"method":"POST","path":"/videolibrary/{id}/addAllowedReferrer","query":[],"body":"application/json","answer":"none","key":"account"},
  addBlockedIp: {"method":"POST","path":"/pullzone/{id}/addBlockedIp","query":[],"body":"application/json","answer":"none","key":"account"},
  addBlockedReferrer: {"method":"POST","path":"/videolibrary/{id}/addBlockedReferrer","query":[],"body":"application/json","answer":"none","key":"account"},
  addCaption: {"method":"POST","path":"/library/{libraryId}/videos/{videoId}/captions/{srclang}","query":["origin","translatedFrom"],"body":"application/json","answer":"json"},
  addCertificate: {"method":"POST","path":"/pullzone/{id}/addCertificate","query":[],"body":"application/json","answer":"none","key":"account"},
  addHostname: {"method":"POST","path":"/pullzone/{id}/addHostname","query":[],"body":"application/json","answer":"none","key":"account"},
  addOutputCodec: {"method":"PUT","path":"/library/{libraryId}/videos/{videoId}/outputs/{outputCodecId}","query":[],"body":null,"answer":"json"},
  addZoneAllowedReferrer: {"method":"POST","path":"/pullzone/{id}/addAllowedReferrer","query":[],"body":"application/json","answer":"none","key":"account"},
  addZoneBlockedReferrer: {"method":"POST","path":"/pullzone/{id}/addBlockedReferrer","query":[],"body":"application/json","answer":"none","key":"account"},
  askFairPlayLicence: {"method":"POST","path":"/FairPlay/{libraryId}/license","query":["token","expires","videoId"],"body":"application/octet-stream","answer":"response"},
  askFairPlayLicenceByPath: {"method":"POST","path":"/FairPlayLicense/{libraryId}/{videoId}","query":["token","expires"],"body":"application/json","answer":"json"},
  askWidevineLicence: {"method":"POST","path":"/WidevineLicense/{libraryId}/{videoId}","query":["token","expires","contentId"],"body":"application/octet-stream","answer":"response"},
  cancelEncode: {"method":"DELETE","path":"/library/{libraryId}/videos/{videoId}/encode","query":[],"body":null,"answer":"json"},
  cancelExport: {"method":"POST","path":"/library/{libraryId}/exports/{exportId}/cancel","query":[],"body":null,"answer":"json","key":"account"},
  cancelImport: {"method":"POST","path":"/library/{libraryId}/imports/{importId}/cancel","query":[],"body":null,"answer":"json","key":"account"},
  cancelTranscription: {"method":"DELETE","path":"/library/{libraryId}/videos/{videoId}/transcribe","query":[],"body":null,"answer":"json"},
  cleanResolutions: {"method":"POST","path":"/library/{libraryId}/videos/{videoId}/resolutions/cleanup","query":["resolutionsToDelete","deleteNonConfiguredResolutions","deleteOriginal","deleteMp4Files","dryRun","allResolutions","outputs"],"body":null,"answer":"json"},
  composeVideos: {"method":"POST","path":"/library/{libraryId}/videos/compose","query":[],"body":"application/json","answer":"json"},
  createBulk: {"method":"POST","path":"/library/{libraryId}/bulk","query":[],"body":"application/json","answer":"json"},
  createCollection: {"method":"POST","path":"/library/{libraryId}/collections","query":[],"body":"application/json","answer":"json"},
  createCollectionShare: {"method":"POST","path":"/library/{libraryId}/collections/{collectionId}/shares","query":[],"body":"application/json","answer":"json"},
  createComment: {"method":"POST","path":"/library/{libraryId}/videos/{videoId}/comments","query":[],"body":"application/json","answer":"json"},
  createExport: {"method":"POST","path":"/library/{libraryId}/exports","query":[],"body":"application/json","answer":"json","key":"account"},
  createImport: {"method":"POST","path":"/library/{libraryId}/imports","query":[],"body":"application/json","answer":"json","key":"account"},
  createKey: {"method":"POST","path":"/videolibrary/{id}/keys","query":[],"body":"application/json","answer":"json","key":"account"},
  createLibrary: {"method":"POST","path":"/videolibrary","query":[],"body":"application/json","answer":"json","key":"account"},
  createLiveStream: {"method":"POST","path":"/library/{libraryId}/live","query":[],"body":"application/json","answer":"json"},
  createPullZone: {"method":"POST","path":"/pullzone","query":[],"body":"application/json","answer":"json","key":"account"},
  createShare: {"method":"POST","path":"/library/{libraryId}/videos/{videoId}/shares","query":[],"body":"application/json","answer":"json"},
  createSignInProvider: {"method":"POST","path":"/sign-in-providers","query":[],"body":"application/json","answer":"json","key":"account"},
  createVideo: {"method":"POST","path":"/library/{libraryId}/videos","query":[],"body":"application/json","answer":"json"},
  createWebhookEndpoint: {"method":"POST","path":"/library/{libraryId}/webhook-endpoints","query":[],"body":"application/json","answer":"json"},
  deleteAudioTrack: {"method":"DELETE","path":"/library/{libraryId}/videos/{videoId}/audio-tracks/{trackId}","query":["allowNone"],"body":null,"answer":"json"},
  deleteCaption: {"method":"DELETE","path":"/library/{libraryId}/videos/{videoId}/captions/{srclang}","query":[],"body":null,"answer":"json"},
  deleteChatWebhook: {"method":"DELETE","path":"/library/{libraryId}/chat-webhook","query":[],"body":null,"answer":"json"},
  deleteCollection: {"method":"DELETE","path":"/library/{libraryId}/collections/{collectionId}","query":[],"body":null,"answer":"json"},
  deleteCollectionShare: {"method":"DELETE","path":"/library/{libraryId}/collections/{collectionId}/shares/{shareId}","query":[],"body":null,"answer":"json"},
  deleteComment: {"method":"DELETE","path":"/library/{libraryId}/videos/{videoId}/comments/{commentId}","query":[],"body":null,"answer":"json"},
  deleteKey: {"method":"DELETE","path":"/videolibrary/{id}/keys/{keyId}","query":[],"body":null,"answer":"none","key":"account"},
  deleteLibrary: {"method":"DELETE","path":"/videolibrary/{id}","query":[],"body":null,"answer":"none","key":"account"},
  deleteLiveDefaultThumbnail: {"method":"DELETE","path":"/videolibrary/{id}/live/thumbnail","query":[],"body":null,"answer":"none","key":"account"},
  deleteLiveStream: {"method":"DELETE","path":"/library/{libraryId}/live/{streamId}","query":[],"body":null,"answer":"json"},
  deleteLiveThumbnail: {"method":"DELETE","path":"/library/{libraryId}/live/{streamId}/thumbnail","query":["restoreLibraryDefault"],"body":null,"answer":"none"},
  deleteLiveWatermark: {"method":"DELETE","path":"/videolibrary/{id}/live/watermark","query":[],"body":null,"answer":"none","key":"account"},
  deleteLogo: {"method":"DELETE","path":"/videolibrary/{id}/logo","query":[],"body":null,"answer":"none","key":"account"},
  deletePerson: {"method":"DELETE","path":"/people/{personId}","query":[],"body":null,"answer":"none","key":"account"},
  deletePullZone: {"method":"DELETE","path":"/pullzone/{id}","query":[],"body":null,"answer":"none","key":"account"},
  deleteShare: {"method":"DELETE","path":"/library/{libraryId}/videos/{videoId}/shares/{shareId}","query":[],"body":null,"answer":"json"},
  deleteSignInProvider: {"method":"DELETE","path":"/sign-in-providers/{providerId}","query":[],"body":null,"answer":"none","key":"account"},
  deleteTrashedVideo: {"method":"DELETE","path":"/library/{libraryId}/trash/{videoId}","query":[],"body":null,"answer":"json"},
  deleteVideo: {"method":"DELETE","path":"/library/{libraryId}/videos/{videoId}","query":["trash"],"body":null,"answer":"json"},
  deleteWatermark: {"method":"DELETE","path":"/videolibrary/{id}/watermark","query":[],"body":null,"answer":"none","key":"account"},
  deleteWebhookEndpoint: {"method":"DELETE","path":"/library/{libraryId}/webhook-endpoints/{endpointId}","query":[],"body":null,"answer":"json"},
  drainNode: {"method":"POST","path":"/system/nodes/{nodeId}/drain","query":["force"],"body":null,"answer":"none","key":"account"},
  endPersonSessions: {"method":"DELETE","path":"/people/{personId}/sessions","query":[],"body":null,"answer":"none","key":"account"},
  explainRequest: {"method":"POST","path":"/pullzone/{id}/explain","query":[],"body":"application/json","answer":"json","key":"account"},
  explainVideo: {"method":"GET","path":"/library/{libraryId}/videos/{videoId}/why","query":[],"body":null,"answer":"json"},
  exportAccountAudit: {"method":"GET","path":"/audit/export","query":["kind","who","operation","libraryId","from","to"],"body":null,"answer":"response","key":"account"},
  exportAudience: {"method":"GET","path":"/library/{libraryId}/statistics/export","query":["dateFrom","dateTo","hourly","videoGuid"],"body":null,"answer":"response"},
  exportEventLogs: {"method":"POST","path":"/shield/event-logs/{shieldZoneId}/export","query":[],"body":"application/json","answer":"response","key":"account"},
  fetchIntoVideo: {"method":"POST","path":"/library/{libraryId}/videos/{videoId}/fetch","query":[],"body":"application/json","answer":"json"},
  fetchVideo: {"method":"POST","path":"/library/{libraryId}/videos/fetch","query":["collectionId","thumbnailTime"],"body":"application/json","answer":"json"},
  followLibrary: {"method":"GET","path":"/library/{libraryId}/progress","query":[],"body":null,"answer":"response"},
  followVideo: {"method":"GET","path":"/library/{libraryId}/videos/{videoId}/progress","query":[],"body":null,"answer":"response"},
  getAccountStatistics: {"method":"GET","path":"/statistics","query":["dateFrom","dateTo","pullZone","serverZoneId","hourly","exactRange","loadErrors","loadOriginResponseTimes","loadOriginTraffic","loadRequestsServed","loadBandwidthUsed","loadOriginShieldBandwidth","loadGeographicTrafficDistribution","loadUserBalanceHistory"],"body":null,"answer":"json","key":"account"},
  getActivity: {"method":"GET","path":"/library/{libraryId}/videos/{videoId}/activity","query":[],"body":null,"answer":"json"},
  getAudience: {"method":"GET","path":"/library/{libraryId}/statistics/audience","query":["dateFrom","dateTo","hourly","videoGuid"],"body":null,"answer":"json"},
  getBilling: {"method":"GET","path":"/billing","query":[],"body":null,"answer":"json","key":"account"},
  getBitrateHistory: {"method":"GET","path":"/library/{libraryId}/live/{streamId}/bitrate-history","query":["startTime","endTime"],"body":null,"answer":"response"},
  getBulk: {"method":"GET","path":"/library/{libraryId}/bulk/{bulkId}","query":[],"body":null,"answer":"json"},
  getChatWebhook: {"method":"GET","path":"/library/{libraryId}/chat-webhook","query":[],"body":null,"answer":"json"},
  getCollection: {"method":"GET","path":"/library/{libraryId}/collections/{collectionId}","query":["includeThumbnails"],"body":null,"answer":"json"},
  getCurrentBitrate: {"method":"GET","path":"/library/{libraryId}/live/{streamId}/current-bitrate","query":[],"body":null,"answer":"response"},
  getDrmStatistics: {"method":"GET","path":"/videolibrary/{id}/drm/statistics","query":["dateFrom","dateTo"],"body":null,"answer":"json","key":"account"},
  getEventLogs: {"method":"GET","path":"/shield/event-logs/{shieldZoneId}/{date}/{continuationToken}","query":[],"body":null,"answer":"json","key":"account"},
  getExport: {"method":"GET","path":"/library/{libraryId}/exports/{exportId}","query":[],"body":null,"answer":"json","key":"account"},
  getFairPlayCertificate: {"method":"GET","path":"/FairPlay/{libraryId}/certificate","query":["token","expires"],"body":null,"answer":"response"},
  getFeed: {"method":"GET","path":"/library/{libraryId}/collections/{collectionId}/feed","query":[],"body":null,"answer":"json"},
  getFirstEventLogs: {"method":"GET","path":"/shield/event-logs/{shieldZoneId}/{date}","query":[],"body":null,"answer":"json","key":"account"},
  getHealth: {"method":"GET","path":"/healthz","query":[],"body":null,"answer":"json"},
  getHeatmap: {"method":"GET","path":"/library/{libraryId}/videos/{videoId}/heatmap","query":[],"body":null,"answer":"json"},
  getImport: {"method":"GET","path":"/library/{libraryId}/imports/{importId}","query":["page","itemsPerPage","state"],"body":null,"answer":"json"},
  getImportReport: {"method":"GET","path":"/library/{libraryId}/imports/{importId}/report","query":[],"body":null,"answer":"response"},
  getLibrary: {"method":"GET","path":"/videolibrary/{id}","query":[],"body":null,"answer":"json","key":"account"},
  getLibrarySettings: {"method":"GET","path":"/library/{libraryId}/settings","query":[],"body":null,"answer":"json","key":"account"},
  getLibrarySound: {"method":"GET","path":"/videolibrary/{id}/sound","query":[],"body":null,"answer":"json","key":"account"},
  getLiveEncodingStatistics: {"method":"GET","path":"/library/{libraryId}/live/statistics/encoding","query":["dateFrom","dateTo","hourly","liveStreamGuids","videoCodecs","resolutions"],"body":null,"answer":"json"},
  getLivePlayData: {"method":"GET","path":"/library/{libraryId}/live/{streamId}/play","query":["token","expires"],"body":null,"answer":"json"},
  getLiveStatus: {"method":"GET","path":"/library/{libraryId}/live/{streamId}/status","query":[],"body":null,"answer":"json"},
  getLiveStream: {"method":"GET","path":"/library/{libraryId}/live/{streamId}","query":[],"body":null,"answer":"json"},
  getOEmbed: {"method":"GET","path":"/OEmbed","query":["url","maxWidth","maxHeight","token","expires"],"body":null,"answer":"json"},
  getOriginal: {"method":"GET","path":"/library/{libraryId}/videos/{videoId}/original","query":["fromByte"],"body":null,"answer":"response"},
  getPlayData: {"method":"GET","path":"/library/{libraryId}/videos/{videoId}/play","query":["token","expires"],"body":null,"answer":"json"},
  getPlayHeatmap: {"method":"GET","path":"/library/{libraryId}/videos/{videoId}/play/heatmap","query":["token","expires"],"body":null,"answer":"json"},
  getPullZone: {"method":"GET","path":"/pullzone/{id}","query":[],"body":null,"answer":"json","key":"account"},
  getQuality: {"method":"GET","path":"/library/{libraryId}/statistics/quality","query":["dateFrom","dateTo","videoGuid"],"body":null,"answer":"json"},
  getQueuePlace: {"method":"GET","path":"/library/{libraryId}/videos/{videoId}/queue","query":[],"body":null,"answer":"json"},
  getQuotas: {"method":"GET","path":"/library/{libraryId}/quotas","query":[],"body":null,"answer":"json"},
  getResolutions: {"method":"GET","path":"/library/{libraryId}/videos/{videoId}/resolutions","query":[],"body":null,"answer":"json"},
  getShieldZone: {"method":"GET","path":"/shield/shield-zone/{shieldZoneId}","query":[],"body":null,"answer":"json","key":"account"},
  getShieldZoneByPullZone: {"method":"GET","path":"/shield/shield-zone/get-by-pullzone/{pullZoneId}","query":[],"body":null,"answer":"json","key":"account"},
  getStatistics: {"method":"GET","path":"/library/{libraryId}/statistics","query":["dateFrom","dateTo","hourly","videoGuid"],"body":null,"answer":"json"},
  getStorageSize: {"method":"GET","path":"/library/{libraryId}/videos/{videoId}/storage","query":[],"body":null,"answer":"json"},
  getStorageZone: {"method":"GET","path":"/storagezone/{id}","query":[],"body":null,"answer":"json","key":"account"},
  getSystem: {"method":"GET","path":"/system","query":[],"body":null,"answer":"json","key":"account"},
  getTranscribingStatistics: {"method":"GET","path":"/videolibrary/{id}/transcribing/statistics","query":["dateFrom","dateTo"],"body":null,"answer":"json","key":"account"},
  getUsage: {"method":"GET","path":"/library/{libraryId}/statistics/usage","query":["months"],"body":null,"answer":"json"},
  getUser: {"method":"GET","path":"/user","query":[],"body":null,"answer":"json","key":"account"},
  getVideo: {"method":"GET","path":"/library/{libraryId}/videos/{videoId}","query":[],"body":null,"answer":"json"},
  getVideoExtras: {"method":"GET","path":"/library/{libraryId}/videos/{videoId}/extras","query":[],"body":null,"answer":"json"},
  getVideoOrder: {"method":"GET","path":"/library/{libraryId}/collections/{collectionId}/order","query":[],"body":null,"answer":"json"},
  getViewerAccess: {"method":"GET","path":"/library/{libraryId}/viewers","query":[],"body":null,"answer":"json"},
  invitePerson: {"method":"POST","path":"/people","query":[],"body":"application/json","answer":"json","key":"account"},
  invitePersonAgain: {"method":"POST","path":"/people/{personId}/invitation","query":[],"body":null,"answer":"json","key":"account"},
  listAccountAudit: {"method":"GET","path":"/audit","query":["kind","who","operation","libraryId","from","to","before","perPage"],"body":null,"answer":"json","key":"account"},
  listAudioTracks: {"method":"GET","path":"/library/{libraryId}/videos/{videoId}/audio-tracks","query":[],"body":null,"answer":"json"},
  listAudit: {"method":"GET","path":"/videolibrary/{id}/audit","query":["page","perPage","key","operation","result"],"body":null,"answer":"json","key":"account"},
  listCollectionShares: {"method":"GET","path":"/library/{libraryId}/collections/{collectionId}/shares","query":[],"body":null,"answer":"json"},
  listCollections: {"method":"GET","path":"/library/{libraryId}/collections","query":["page","itemsPerPage","search","orderBy","includeThumbnails"],"body":null,"answer":"json"},
  listComments: {"method":"GET","path":"/library/{libraryId}/videos/{videoId}/comments","query":["page","itemsPerPage","state"],"body":null,"answer":"json"},
  listCountries: {"method":"GET","path":"/country","query":[],"body":null,"answer":"json","key":"account"},
  listExports: {"method":"GET","path":"/library/{libraryId}/exports","query":["page","itemsPerPage"],"body":null,"answer":"json","key":"account"},
  listImports: {"method":"GET","path":"/library/{libraryId}/imports","query":["page","itemsPerPage"],"body":null,"answer":"json"},
  listKeys: {"method":"GET","path":"/videolibrary/{id}/keys","query":[],"body":null,"answer":"json","key":"account"},
  listLanguages: {"method":"GET","path":"/videolibrary/languages","query":[],"body":null,"answer":"json","key":"account"},
  listLibraries: {"method":"GET","path":"/videolibrary","query":["page","perPage","search"],"body":null,"answer":"json","key":"account"},
  listLiveStreams: {"method":"GET","path":"/library/{libraryId}/live","query":["page","itemsPerPage","search","orderBy","collectionId"],"body":null,"answer":"json"},
  listLiveThumbnails: {"method":"GET","path":"/library/{libraryId}/live/{streamId}/thumbnails","query":["limit","from","to"],"body":null,"answer":"json"},
  listNodes: {"method":"GET","path":"/system/nodes","query":[],"body":null,"answer":"json","key":"account"},
  listPeople: {"method":"GET","path":"/people","query":["page","perPage"],"body":null,"answer":"json","key":"account"},
  listPersonSessions: {"method":"GET","path":"/people/{personId}/sessions","query":[],"body":null,"answer":"json","key":"account"},
  listPullZones: {"method":"GET","path":"/pullzone","query":["page","perPage","search"],"body":null,"answer":"json","key":"account"},
  listRegions: {"method":"GET","path":"/region","query":[],"body":null,"answer":"json","key":"account"},
  listShares: {"method":"GET","path":"/library/{libraryId}/videos/{videoId}/shares","query":[],"body":null,"answer":"json"},
  listShieldZones: {"method":"GET","path":"/shield/shield-zones","query":["page","perPage"],"body":null,"answer":"json","key":"account"},
  listSignInProviders: {"method":"GET","path":"/sign-in-providers","query":[],"body":null,"answer":"json","key":"account"},
  listTrash: {"method":"GET","path":"/library/{libraryId}/trash","query":["page","itemsPerPage"],"body":null,"answer":"json"},
  listVideos: {"method":"GET","path":"/library/{libraryId}/videos","query":["page","itemsPerPage","search","collection","orderBy","incomplete","status","tag","visibility","direction","dateFrom","dateTo"],"body":null,"answer":"json"},
  listWebhookEndpoints: {"method":"GET","path":"/library/{libraryId}/webhook-endpoints","query":[],"body":null,"answer":"json"},
  listWebhookEvents: {"method":"GET","path":"/library/{libraryId}/webhooks","query":["page","itemsPerPage","state","endpoint"],"body":null,"answer":"json"},
  loadFreeCertificate: {"method":"GET","path":"/pullzone/loadFreeCertificate","query":["hostname","useOnlyHttp01"],"body":null,"answer":"none","key":"account"},
  openPlayer: {"method":"GET","path":"/play/{libraryId}/{videoId}","query":[],"body":null,"answer":"response"},
  purgeCache: {"method":"POST","path":"/pullzone/{id}/purgeCache","query":[],"body":null,"answer":"none","key":"account"},
  putAudioTrack: {"method":"PUT","path":"/library/{libraryId}/videos/{videoId}/audio-tracks/{trackId}","query":["language","title","purpose","isDefault"],"body":"application/octet-stream","answer":"json"},
  putLiveDefaultThumbnail: {"method":"PUT","path":"/videolibrary/{id}/live/thumbnail","query":[],"body":"application/octet-stream","answer":"none","key":"account"},
  putLiveWatermark: {"method":"PUT","path":"/videolibrary/{id}/live/watermark","query":[],"body":"application/octet-stream","answer":"none","key":"account"},
  putLogo: {"method":"PUT","path":"/videolibrary/{id}/logo","query":[],"body":"application/octet-stream","answer":"none","key":"account"},
  putWatermark: {"method":"PUT","path":"/videolibrary/{id}/watermark","query":[],"body":"application/octet-stream","answer":"none","key":"account"},
  readFeed: {"method":"GET","path":"/feeds/{libraryId}/{collectionId}","query":["format","token","page"],"body":null,"answer":"response"},
  reencodeVideo: {"method":"POST","path":"/library/{libraryId}/videos/{videoId}/reencode","query":[],"body":null,"answer":"json"},
  regenerateStreamKey: {"method":"PUT","path":"/library/{libraryId}/live/{streamId}/regenerate-key","query":[],"body":null,"answer":"json"},
  removeAllowedReferrer: {"method":"POST","path":"/videolibrary/{id}/removeAllowedReferrer","query":[],"body":"application/json","answer":"none","key":"account"},
  removeBlockedIp: {"method":"POST","path":"/pullzone/{id}/removeBlockedIp","query":[],"body":"application/json","answer":"none","key":"account"},
  removeBlockedReferrer: {"method":"POST","path":"/videolibrary/{id}/removeBlockedReferrer","query":[],"body":"application/json","answer":"none","key":"account"},
  removeCertificate: {"method":"DELETE","path":"/pullzone/{id}/removeCertificate","query":[],"body":"application/json","answer":"none","key":"account"},
  removeHostname: {"method":"DELETE","path":"/pullzone/{id}/removeHostname","query":[],"body":"application/json","answer":"none","key":"account"},
  removeZoneAllowedReferrer: {"method":"POST","path":"/pullzone/{id}/removeAllowedReferrer","query":[],"body":"application/json","answer":"none","key":"account"},
  removeZoneBlockedReferrer: {"method":"POST","path":"/pullzone/{id}/removeBlockedReferrer","query":[],"body":"application/json","answer":"none","key":"account"},
  repackageVideo: {"method":"POST","path":"/library/{libraryId}/videos/{videoId}/repackage","query":["keepOriginalFiles"],"body":null,"answer":"json"},
  replaceFile: {"method":"POST","path":"/library/{libraryId}/videos/{videoId}/replace","query":[],"body":null,"answer":"json"},
  resendWebhookEvent: {"method":"POST","path":"/library/{libraryId}/webhooks/{eventId}/resend","query":[],"body":null,"answer":"json"},
  resetApiKey: {"method":"POST","path":"/videolibrary/{id}/resetApiKey","query":["overlapSec"],"body":null,"answer":"none","key":"account"},
  resetApiKeyByQuery: {"method":"POST","path":"/videolibrary/resetApiKey","query":["id","overlapSec"],"body":null,"answer":"none","key":"account"},
  resetReadOnlyApiKey: {"method":"POST","path":"/videolibrary/{id}/resetReadOnlyApiKey","query":["overlapSec"],"body":null,"answer":"none","key":"account"},
  resetReadOnlyApiKeyByQuery: {"method":"POST","path":"/videolibrary/resetReadOnlyApiKey","query":["id","overlapSec"],"body":null,"answer":"none","key":"account"},
  resetSecurityKey: {"method":"POST","path":"/pullzone/{id}/resetSecurityKey","query":["overlapSec"],"body":"application/json","answer":"none","key":"account"},
  restoreLibrarySettings: {"method":"POST","path":"/library/{libraryId}/settings","query":["dryRun"],"body":"application/json","answer":"json","key":"account"},
  restoreVideo: {"method":"POST","path":"/library/{libraryId}/trash/{videoId}/restore","query":[],"body":null,"answer":"json"},
  resumeExport: {"method":"POST","path":"/library/{libraryId}/exports/{exportId}/resume","query":[],"body":null,"answer":"json","key":"account"},
  resumeImport: {"method":"POST","path":"/library/{libraryId}/imports/{importId}/resume","query":[],"body":null,"answer":"json","key":"account"},
  retryIncomplete: {"method":"POST","path":"/library/{libraryId}/videos/incomplete/retry","query":[],"body":null,"answer":"json"},
  retryResolutions: {"method":"POST","path":"/library/{libraryId}/videos/{videoId}/resolutions/retry","query":["resolution"],"body":null,"answer":"json"},
  searchEventLogs: {"method":"POST","path":"/shield/event-logs/{shieldZoneId}/search","query":[],"body":"application/json","answer":"json","key":"account"},
  searchSpoken: {"method":"GET","path":"/library/{libraryId}/search","query":["q","language","itemsPerPage"],"body":null,"answer":"json"},
  setForceSsl: {"method":"POST","path":"/pullzone/{id}/setForceSSL","query":[],"body":"application/json","answer":"none","key":"account"},
  setLiveThumbnail: {"method":"POST","path":"/library/{libraryId}/live/{streamId}/thumbnail","query":["thumbnailUrl"],"body":"application/octet-stream","answer":"json"},
  setThumbnail: {"method":"POST","path":"/library/{libraryId}/videos/{videoId}/thumbnail","query":["thumbnailUrl"],"body":"application/octet-stream","answer":"json"},
  smartGenerate: {"method":"POST","path":"/library/{libraryId}/videos/{videoId}/smart","query":[],"body":"application/json","answer":"json"},
  startLiveStream: {"method":"PUT","path":"/library/{libraryId}/live/{streamId}/start","query":[],"body":null,"answer":"json"},
  stopLiveStream: {"method":"PUT","path":"/library/{libraryId}/live/{streamId}/stop","query":[],"body":null,"answer":"json"},
  testChatWebhook: {"method":"POST","path":"/library/{libraryId}/chat-webhook/test","query":[],"body":null,"answer":"json"},
  testViewerAccess: {"method":"POST","path":"/library/{libraryId}/viewers/test","query":[],"body":"application/json","answer":"json"},
  testWebhook: {"method":"POST","path":"/library/{libraryId}/webhooks/test","query":["endpoint"],"body":null,"answer":"json"},
  transcribeVideo: {"method":"POST","path":"/library/{libraryId}/videos/{videoId}/transcribe","query":["force","language"],"body":"application/json","answer":"json"},
  updateAudioTrack: {"method":"POST","path":"/library/{libraryId}/videos/{videoId}/audio-tracks/{trackId}","query":[],"body":"application/json","answer":"json"},
  updateChatWebhook: {"method":"POST","path":"/library/{libraryId}/chat-webhook","query":[],"body":"application/json","answer":"json"},
  updateCollection: {"method":"POST","path":"/library/{libraryId}/collections/{collectionId}","query":[],"body":"application/json","answer":"json"},
  updateCollectionShare: {"method":"POST","path":"/library/{libraryId}/collections/{collectionId}/shares/{shareId}","query":[],"body":"application/json","answer":"json"},
  updateComment: {"method":"POST","path":"/library/{libraryId}/videos/{videoId}/comments/{commentId}","query":[],"body":"application/json","answer":"json"},
  updateFeed: {"method":"POST","path":"/library/{libraryId}/collections/{collectionId}/feed","query":[],"body":"application/json","answer":"json"},
  updateLibrary: {"method":"POST","path":"/videolibrary/{id}","query":[],"body":"application/json","answer":"json","key":"account"},
  updateLibrarySound: {"method":"POST","path":"/videolibrary/{id}/sound","query":[],"body":"application/json","answer":"json","key":"account"},
  updateLiveStream: {"method":"PUT","path":"/library/{libraryId}/live/{streamId}","query":[],"body":"application/json","answer":"json"},
  updatePerson: {"method":"POST","path":"/people/{personId}","query":[],"body":"application/json","answer":"json","key":"account"},
  updatePullZone: {"method":"POST","path":"/pullzone/{id}","query":[],"body":"application/json","answer":"json","key":"account"},
  updateQuotas: {"method":"PUT","path":"/library/{libraryId}/quotas","query":[],"body":"application/json","answer":"json","key":"account"},
  updateShare: {"method":"POST","path":"/library/{libraryId}/videos/{videoId}/shares/{shareId}","query":[],"body":"application/json","answer":"json"},
  updateShieldZone: {"method":"PATCH","path":"/shield/shield-zone","query":[],"body":"application/json","answer":"json","key":"account"},
  updateSignInProvider: {"method":"POST","path":"/sign-in-providers/{providerId}","query":[],"body":"application/json","answer":"json","key":"account"},
  updateStorageZone: {"method":"POST","path":"/storagezone/{id}","query":[],"body":"application/json","answer":"none","key":"account"},
  updateVideo: {"method":"POST","path":"/library/{libraryId}/videos/{videoId}","query":[],"body":"application/json","answer":"json"},
  updateVideoOrder: {"method":"POST","path":"/library/{libraryId}/collections/{collectionId}/order","query":[],"body":"application/json","answer":"json"},
  updateViewerAccess: {"method":"POST","path":"/library/{libraryId}/viewers","query":[],"body":"application/json","answer":"json"},
  updateWebhookEndpoint: {"method":"POST","path":"/library/{libraryId}/webhook-endpoints/{endpointId}","query":[],"body":"application/json","answer":"json"},
  uploadVideo: {"method":"PUT","path":"/library/{libraryId}/videos/{videoId}","query":["jitEnabled","enabledResolutions","enabledOutputCodecs","transcribeEnabled","transcribeLanguages","sourceLanguage","generateTitle","generateDescription","generateChapters","generateMoments"],"body":"application/octet-stream","answer":"json"},
} as const;
