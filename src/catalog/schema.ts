import type { ColumnType, Generated, GeneratedAlways } from 'kysely';
import type { Guid } from '../lib/guid.ts';
import type { ImageSet } from '../media/images/image-set.ts';
import type { Colours } from '../media/probe/colours.ts';
import type { AudioRole, SourceFacts } from '../media/probe/source-facts.ts';
import type { StorageKey } from '../ports/storage.ts';
import type {
  AccessKeyTable,
  AuditLineTable,
  CreatedAt,
  DashboardSessionTable,
  Json,
  JsonDefault,
  LibraryTable,
  PullZoneHostnameTable,
  PullZoneTable,
  ShieldEventTable,
  ShieldSettingsTable,
  SignInLinkTable,
} from './account-schema.ts';
import type { BulkItemTable, BulkOperationTable } from './bulk/bulk-schema.ts';
import type { CompositionTable } from './compose/recipe.ts';
import type { DrmPackageTable } from './drm/drm-schema.ts';
import type { ImageTable, StoredWatermark } from './images/image-schema.ts';
import type { InstallationSchema } from './installation/installation-schema.ts';
import type { Replaced } from './lifecycle/replaced.ts';
import type { LiveSchema } from './live/live-schema.ts';
import type { SegmentRequestTable } from './on-demand/on-demand-schema.ts';
import type { ScrubTable } from './scrub/scrub-schema.ts';
import type { SmartGeneration } from './smart/smart-schema.ts';
import type { SpeechSchema } from './speech/speech-schema.ts';
import type { StatisticsSchema } from './statistics/statistics-schema.ts';
import type { EncodeSpeedTable, EncodeTaskTable } from './tasks/task-schema.ts';
import type { UploadTable } from './uploads/upload-schema.ts';
import type { WebhookEventTable, WebhookLineTable } from './webhooks/webhook-schema.ts';

export type CollectionTable = {
  library_id: number;
  id: Guid;
  name: string;
  video_count: Generated<number>;
  created_at: CreatedAt;
};

export type MediaState =
  | 'created'
  | 'uploaded'
  | 'processing'
  | 'transcoding'
  | 'finished'
  | 'failed'
  | 'upload-failed'
  | 'jit-segmenting'
  | 'jit-ready';

/** A line of `transcodingMessages`: what happened to a video. `level` and `issueCode` as in the wire enums. */
export type MediaMessage = { at: string; level: 1 | 2 | 3; issueCode: number; message: string; value: string };
export type Chapter = { title: string; start: number; end: number };
export type Moment = { label: string; timestamp: number };
export type MetaTag = { property: string; value: string };
/** A stored caption file. `sizeBytes` is absent in rows older than the sum that needs it. */
export type CaptionTrack = {
  srclang: string;
  label: string;
  version: number;
  key: StorageKey;
  sizeBytes?: number;
  /** Made from the audio; absent for what a person, or the file, brought. */
  origin?: 'speech';
  /** The track that it was translated from. */
  translatedFrom?: string;
};

/** What an upload requested, kept from its query until the encode is planned. Null or absent: the library's setting. */
export type UploadOptions = {
  jitEnabled?: boolean;
  enabledRungs?: number[];
  enabledCodecs?: string[];
  transcribeEnabled?: boolean;
  transcribeLanguages?: string[];
  sourceLanguage?: string;
  generateTitle?: boolean;
  generateDescription?: boolean;
  generateChapters?: boolean;
  generateMoments?: boolean;
};

export type MediaTable = {
  library_id: number;
  id: Guid;
  /** A video in the trash is `trash` and shown by nothing but the trash. */
  type: 'video' | 'live' | 'trash';
  title: string;
  /** The first 600 characters of the title in small letters: the database keeps it, searches read it. */
  title_folded: GeneratedAlways<string>;
  /** Its first 200 characters, by which lists are ordered. */
  title_start: GeneratedAlways<string>;
  description: string | null;
  category: string | null;
  collection_id: Guid | null;
  is_public: Generated<boolean>;
  created_at: CreatedAt;
  state: MediaState;
  state_since: CreatedAt;
  state_reason: string | null;
  /** Who probes and plans the video now, until when, and the fence of that attempt. */
  lease_owner: string | null;
  lease_until: Date | null;
  process_attempt: Generated<number>;
  /** Attempts to plan it since it was last uploaded, planned or sent to be encoded again; they are limited. */
  process_tries: Generated<number>;
  revision: Generated<number>;
  upload_options: JsonDefault<UploadOptions>;
  thumbnail_time_ms: number | null;
  /** Its original goes a while after it was finished: its library kept none then. */
  leaves_original: Generated<boolean>;
  /** It is finished, but something that was planned could not be made. */
  is_incomplete: Generated<boolean>;
  source_key: StorageKey | null;
  source_bytes: number | null;
  source_sha256: Buffer | null;
  facts: ColumnType<SourceFacts | null, string | null | undefined, string | null>;
  duration_ms: Generated<number>;
  width_px: Generated<number>;
  height_px: Generated<number>;
  frame_rate: Generated<number>;
  rotation_deg: number | null;
  encode_progress: Generated<number>;
  /** Sums of the weights of its encode tasks: what is done, and all. */
  encode_done: Generated<number>;
  encode_total: Generated<number>;
  storage_bytes: Generated<number>;
  thumbnail_key: StorageKey | null;
  thumbnail_bytes: Generated<number>;
  thumbnail_file_name: Generated<string>;
  thumbnail_count: Generated<number>;
  /** Size of a thumbnail that the owner set; null for one made from the video. */
  thumbnail_width_px: ColumnType<number | null, number | null | undefined, number | null>;
  thumbnail_height_px: ColumnType<number | null, number | null | undefined, number | null>;
  thumbnail_blurhash: string | null;
  images: ColumnType<ImageSet | null, string | null | undefined, string | null>;
  messages: JsonDefault<MediaMessage[]>;
  meta_tags: JsonDefault<MetaTag[]>;
  chapters: JsonDefault<Chapter[]>;
  moments: JsonDefault<Moment[]>;
  captions: JsonDefault<CaptionTrack[]>;
  /** The highest version ever given to a language's captions, so that none comes twice. */
  caption_versions: JsonDefault<Record<string, number>>;
  /** Until when a finished video takes another file in the place of its own. */
  replace_until: Date | null;
  /** What stands while another file is made ready to take its place. */
  replaced: ColumnType<Replaced | null, string | null | undefined, string | null>;
  /** What was, or is being, generated of its texts. */
  smart: ColumnType<SmartGeneration | null, string | null | undefined, string | null>;
  views: Generated<number>;
  watch_sec_total: Generated<number>;
  trashed_at: Date | null;
  /** The collection that a video in the trash was in. */
  trashed_from: Guid | null;
};

/** A cut list (media/timeline/cut-list.ts) of a media; at most one per media is active, that is shown to viewers. */
export type TimelineTable = {
  library_id: number;
  media_id: Guid;
  id: Guid;
  grid: 'frames' | 'source';
  timescale: number;
  start_ticks: number[];
  end_ticks: number;
  rate_num: number | null;
  rate_den: number | null;
  segment_frames: number | null;
  total_frames: number | null;
  active: Generated<boolean>;
  created_at: CreatedAt;
};

/** What a rendition's encoder is given beside the source's facts; `streamIndex` names the source's audio track. */
export type RenditionPlan = {
  durationSec: number;
  /** The library's mark as it was when the rendition was planned. */
  watermark?: StoredWatermark;
  streamIndex?: number;
  role?: AudioRole;
  copiesAudio?: boolean;
  maxBitrateBps?: number;
  /** Of pictures in SDR; BT.709 in limited range when left out. */
  colours?: Colours;
  normaliseLoudness?: boolean;
  /** Of a composed video: the rendition of each part that it is copied from; null is a part without audio. */
  composedOf?: (Guid | null)[];
  /** Of a live recording, which has no original: the rendition of its timeline that it is encoded from. */
  recordedOf?: Guid;
};

/**
 * A rendition. `active` renditions are what playlists list. `planned_segments` (a fragment table of one
 * entry a segment) is there when the whole timeline is listed before all its chunks are stored
 * (pass-through, on demand). `init` is null until the first chunk fixed it; a chunk whose init differs is refused.
 */
export type RenditionTable = {
  library_id: number;
  media_id: Guid;
  id: Guid;
  timeline_id: Guid;
  kind: 'video' | 'audio';
  origin: 'encode' | 'pass-through';
  codec: string;
  rung: number | null;
  language: Generated<string>;
  name: Generated<string>;
  is_default: Generated<boolean>;
  key_group: 'audio' | 'sd' | 'hd';
  state: 'building' | 'finished' | 'failed';
  state_reason: string | null;
  active: Generated<boolean>;
  retired_at: Date | null;
  plan: Json<RenditionPlan>;
  timescale: number;
  width_px: number | null;
  height_px: number | null;
  codec_string: string | null;
  init: Buffer | null;
  init_sha256: Buffer | null;
  planned_segments: Buffer | null;
  /** Its segments are made when viewers request them, the rest by backfill later. */
  on_demand: Generated<boolean>;
  storage_bytes: Generated<number>;
  /** A number that no other rendition ever has: initialisation vectors are made of it. */
  iv_prefix: GeneratedAlways<number>;
};

/** A published chunk; `revision` is that of the publication that made it visible. */
export type ChunkTable = {
  library_id: number;
  media_id: Guid;
  rendition_id: Guid;
  first_segment: number;
  segment_count: number;
  attempt: number;
  revision: number;
  storage_key: StorageKey;
  size_bytes: number;
  idx_bytes: number;
  sha256: Buffer;
  start_tick: number;
  duration_ticks: number;
  fragment_table: Buffer;
  samples: number;
  cts_runs: number;
  sync_count: number;
  peak_segment_bps: number;
  /** Of a live stream: the wall time of its first sample, ms since 1970; null elsewhere. */
  wall_ms: ColumnType<number | null, number | null | undefined, number | null>;
  published_at: CreatedAt;
};

/** An object that no row names any more, kept until whoever still reads it is done. */
export type RetiredObjectTable = {
  storage_key: StorageKey;
  library_id: number;
  media_id: Guid;
  size_bytes: number;
  retired_at: CreatedAt;
};

/** A rendition that got chunks of one segment, which may be merged: when they are looked at next. */
export type MergeDueTable = { library_id: number; media_id: Guid; rendition_id: Guid; due_at: CreatedAt };

export type Schema = InstallationSchema &
  LiveSchema &
  SpeechSchema &
  StatisticsSchema & {
    scrub: ScrubTable;
    composition: CompositionTable;
    bulk_operation: BulkOperationTable;
    bulk_item: BulkItemTable;
    library: LibraryTable;
    pull_zone: PullZoneTable;
    pull_zone_hostname: PullZoneHostnameTable;
    shield_event: ShieldEventTable;
    shield_settings: ShieldSettingsTable;
    access_key: AccessKeyTable;
    dashboard_session: DashboardSessionTable;
    sign_in_link: SignInLinkTable;
    collection: CollectionTable;
    media: MediaTable;
    upload: UploadTable;
    timeline: TimelineTable;
    rendition: RenditionTable;
    chunk: ChunkTable;
    retired_object: RetiredObjectTable;
    merge_due: MergeDueTable;
    encode_task: EncodeTaskTable;
    encode_speed: EncodeSpeedTable;
    image: ImageTable;
    webhook_event: WebhookEventTable;
    webhook_line: WebhookLineTable;
    audit_line: AuditLineTable;
    segment_request: SegmentRequestTable;
    drm_package: DrmPackageTable;
  };
