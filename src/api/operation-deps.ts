import type { AudioTrackStore } from '../catalog/audio-tracks/audio-track-store.ts';
import type { AccountAuditStore } from '../catalog/audit/account-audit-store.ts';
import type { AuditStore } from '../catalog/audit/audit-store.ts';
import type { BulkStore } from '../catalog/bulk/bulk-store.ts';
import type { CaptionStore } from '../catalog/captions/caption-store.ts';
import type { CollectionStore } from '../catalog/collections/collection-store.ts';
import type { VideoOrderStore } from '../catalog/collections/video-order-store.ts';
import type { CommentStore } from '../catalog/comments/comment-store.ts';
import type { Db } from '../catalog/db.ts';
import type { Packager } from '../catalog/drm/packager.ts';
import type { ExportStore } from '../catalog/exports/export-store.ts';
import type { FeedStore } from '../catalog/feeds/feed-store.ts';
import type { ImportStore } from '../catalog/imports/import-store.ts';
import type { KeyStore } from '../catalog/keys/key-store.ts';
import type { SessionStore } from '../catalog/keys/session-store.ts';
import type { LibraryStore } from '../catalog/libraries/library-store.ts';
import type { LibraryViewStore } from '../catalog/libraries/library-view-store.ts';
import type { CodecStore } from '../catalog/lifecycle/codec-store.ts';
import type { RetryStore } from '../catalog/lifecycle/retry-store.ts';
import type { LiveReportStore } from '../catalog/live/streams/live-report-store.ts';
import type { LiveStore } from '../catalog/live/streams/live-store.ts';
import type { LiveThumbnailStore } from '../catalog/live/streams/live-thumbnail-store.ts';
import type { CredentialStore } from '../catalog/people/credential-store.ts';
import type { IdentityStore } from '../catalog/people/identity-store.ts';
import type { PasskeyStore } from '../catalog/people/passkey-store.ts';
import type { PersonSessionStore } from '../catalog/people/person-session-store.ts';
import type { PersonStore } from '../catalog/people/person-store.ts';
import type { SignInProviderStore } from '../catalog/people/sign-in-provider-store.ts';
import type { PullZoneStore } from '../catalog/pull-zones/pull-zone-store.ts';
import type { ZonePolicy } from '../catalog/pull-zones/zone-policy.ts';
import type { ZoneRef } from '../catalog/pull-zones/zone-policy-store.ts';
import type { QuotaStore } from '../catalog/quotas/quota-store.ts';
import type { ShareStore } from '../catalog/shares/share-store.ts';
import type { EventSearchStore } from '../catalog/shield/events/event-search-store.ts';
import type { ShieldEventStore } from '../catalog/shield/events/shield-event-store.ts';
import type { FirewallSource } from '../catalog/shield/firewall/open-firewall.ts';
import type { ShieldSettingsStore } from '../catalog/shield/shield-settings-store.ts';
import type { AudienceStore } from '../catalog/statistics/reports/audience-store.ts';
import type { StatisticsStore } from '../catalog/statistics/reports/statistics-store.ts';
import type { SystemStore } from '../catalog/system/system-store.ts';
import type { UploadStore } from '../catalog/uploads/upload-store.ts';
import type { ThumbnailStore } from '../catalog/videos/thumbnail-store.ts';
import type { TrashStore } from '../catalog/videos/trash-store.ts';
import type { VideoStore } from '../catalog/videos/video-store.ts';
import type { VideoViewStore } from '../catalog/videos/video-view-store.ts';
import type { ViewerAuthorizer } from '../catalog/viewers/viewer-authorizer.ts';
import type { EndpointStore } from '../catalog/webhooks/endpoint-store.ts';
import type { Queue } from '../jobs/queue/define-job.ts';
import type { Outbound } from '../lib/outbound/outbound.ts';
import type { SecretBox } from '../lib/secret-box.ts';
import type { DerivedSecret } from '../lib/secret-ring.ts';
import type { TlsPaths } from '../lib/tls/read-tls-pair.ts';
import type { ImageMaker } from '../media/images/run-image-maker.ts';
import type { LicenceProxy } from '../ports/licence-proxy.ts';
import type { Storage } from '../ports/storage.ts';
import type { Place } from './keyless-guard.ts';
import type { SpeechEngine } from './models/speech-engine.ts';
import type { ProgressHub } from './progress/progress-hub.ts';

/** Everything that operations depend on. Each operation declares the part that it uses. */
export type OperationDeps = {
  audioTracks: AudioTrackStore;
  audit: AuditStore;
  bulks: BulkStore;
  captions: CaptionStore;
  codecs: CodecStore;
  db: Db;
  collections: CollectionStore;
  videoOrders: VideoOrderStore;
  imports: ImportStore;
  exports: ExportStore;
  keys: KeyStore;
  sessions: SessionStore;
  people: PersonStore;
  personSessions: PersonSessionStore;
  passkeys: PasskeyStore;
  accountAudit: AccountAuditStore;
  credentials: CredentialStore;
  providers: SignInProviderStore;
  identities: IdentityStore;
  libraries: LibraryStore;
  live: LiveStore;
  liveReports: LiveReportStore;
  liveThumbnails: LiveThumbnailStore;
  libraryViews: LibraryViewStore;
  images: ImageMaker;
  progressHub: ProgressHub;
  pullZones: PullZoneStore;
  retries: RetryStore;
  shares: ShareStore;
  comments: CommentStore;
  feeds: FeedStore;
  /** Asks the owners of libraries about viewers. */
  viewers: ViewerAuthorizer;
  quotas: QuotaStore;
  webhookEndpoints: EndpointStore;
  shieldEvents: ShieldEventStore;
  eventSearch: EventSearchStore;
  shieldSettings: ShieldSettingsStore;
  /** Rules by which requests are inspected. */
  firewall: FirewallSource;
  /** Returns the country and autonomous system of an IP address; empty strings if unknown. */
  place(address: string): Promise<Place>;
  loadPolicy(ref: ZoneRef): Promise<ZonePolicy | null>;
  /** Secret that signs the page tokens of the event log. */
  cursorSecret: DerivedSecret<Uint8Array>;
  statistics: StatisticsStore;
  audiences: AudienceStore;
  system: SystemStore;
  trash: TrashStore;
  thumbnails: ThumbnailStore;
  uploads: UploadStore;
  videos: VideoStore;
  videoViews: VideoViewStore;
  queue: Queue;
  storage: Storage;
  outbound: Outbound;
  findSpeech(): Promise<SpeechEngine | null>;
  /** True if a language model is configured, so that captions can be translated. */
  translates: boolean;
  /** True if a mail server is configured, so that codes can be sent to viewers of shares. */
  sendsMail: boolean;
  /** True if the operator has set a folder for exports. */
  exportsToFolders: boolean;
  packager: Packager;
  licences: LicenceProxy;
  secretBox: SecretBox;
  /** Version of Millrace. */
  version: string;
  /** Public URL of the API, if configured; without a final slash. */
  publicUrl: string | null;
  /** URL of the edge for viewers, without a final slash. */
  edgeUrl: string;
  /** Certificate that this service uses for all host names. Absent or null without TLS. */
  tls?: TlsPaths | null;
  /** Hosts of our player pages; `*.` stands for all subdomains. */
  ownHosts: readonly string[];
  diskFloorBytes(totalBytes: number): number;
};
