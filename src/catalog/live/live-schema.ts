import type { ColumnType, Generated } from 'kysely';
import type { Guid } from '../../lib/guid.ts';
import type { WallAnchor } from '../../media/live/recording/wall-anchors.ts';
import type { StorageKey } from '../../ports/storage.ts';
import type { CreatedAt, JsonDefault } from '../account-schema.ts';
import type { BitrateSample, LadderState, LiveState, RelayState } from './live-stream.ts';

type Optional<T> = ColumnType<T | null, T | null | undefined, T | null>;

/** An ingest process, and the URLs at which publishers and edges reach it. */
export type LiveNodeTable = {
  id: Guid;
  region: string;
  /** Base URL of its feed for edges. */
  feed_url: string;
  /** URLs for publishers by protocol. */
  endpoints: JsonDefault<Record<string, string>>;
  /** Maximum number of simultaneous publishers. */
  capacity: number;
  publishers: Generated<number>;
  heartbeat_at: CreatedAt;
};

/** A live stream. Its media row has the same id, and the type `live` until the recording replaces it. */
export type LiveStreamTable = {
  library_id: number;
  id: Guid;
  title: string;
  description: string | null;
  category: Optional<string>;
  collection_id: Guid | null;
  is_public: boolean;
  state: LiveState;
  state_reason: Optional<string>;
  created_at: CreatedAt;
  scheduled_start_at: Date | null;
  scheduled_end_at: Date | null;
  started_at: Optional<Date>;
  ended_at: Optional<Date>;
  duration_ms: Optional<number>;
  key_sealed: Buffer;
  key_hash: Buffer;
  dvr_enabled: boolean;
  dvr_window_sec: number | null;
  record_vod: boolean;
  available_resolutions: string;
  width_px: Optional<number>;
  height_px: Optional<number>;
  frame_rate: Optional<number>;
  ingest_region: string;
  peak_viewers: Generated<number>;
  viewer_seconds: Generated<number>;
  thumbnail_file_name: Optional<string>;
  thumbnail_key: Optional<StorageKey>;
  thumbnail_updated_at: Optional<Date>;
  countdown_enabled: boolean | null;
  /** Relays exactly as the owner sent them, as sealed JSON, because they contain stream keys of other services. */
  relays_sealed: Buffer | null;
  trailer_video_id: string | null;
  /** Time at which the recording is checked for missing rungs. Infinity: once its library offers MP4 files. */
  rungs_due_at: Optional<Date>;
};

/** The ingest process that owns a stream, fenced by `epoch`, and its last report. */
export type LiveLeaseTable = {
  stream_id: Guid;
  owner: Optional<Guid>;
  feed_url: Optional<string>;
  epoch: Generated<number>;
  lease_until: Optional<Date>;
  /** Counts accepted publishers. Those up to `kicked_session` are disconnected. */
  session: Generated<number>;
  kicked_session: Generated<number>;
  /** Time at which the last publisher was accepted. */
  published_at: Optional<Date>;
  primary_media_at: Optional<Date>;
  backup_media_at: Optional<Date>;
  first_media_at: Optional<Date>;
  bitrate: ColumnType<BitrateSample | null, string | null | undefined, string | null>;
  ladder: ColumnType<LadderState | null, string | null | undefined, string | null>;
  relays: ColumnType<RelayState[] | null, string | null | undefined, string | null>;
};

/** A section of a stream with constant codec parameters: one timeline, one init segment per rendition. */
export type LivePeriodTable = {
  library_id: number;
  media_id: Guid;
  /** Starts at 0 and increases. */
  number: number;
  timeline_id: Guid;
  /** EXT-X-MEDIA-SEQUENCE of its first segment. */
  first_sequence: number;
  /** True for media that was published before the start of the stream. It is never part of the recording. */
  is_preview: boolean;
  /** Codec configuration of the tracks. Different parameters start a new period. */
  parameters: string;
  /** Capture times of the media. Null until the recording is sealed. */
  clock: ColumnType<WallAnchor[] | null, string | null | undefined, string | null>;
  /** Arrival time of the first frame, in ms since 1970. Null for periods that are older than this column. */
  start_ms: number | null;
  created_at: CreatedAt;
};

/** Up to ten samples of one second each, starting at `at`. */
export type LiveBitrateTable = {
  stream_id: Guid;
  at: Date;
  samples: ColumnType<BitrateSample[], string, string>;
};

/** A still of a running stream. */
export type LiveThumbnailTable = { stream_id: Guid; at: Date; storage_key: StorageKey; size_bytes: number };

export type LiveSchema = {
  live_node: LiveNodeTable;
  live_stream: LiveStreamTable;
  live_lease: LiveLeaseTable;
  live_period: LivePeriodTable;
  live_bitrate: LiveBitrateTable;
  live_thumbnail: LiveThumbnailTable;
};
