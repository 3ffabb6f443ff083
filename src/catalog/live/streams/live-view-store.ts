import { sql } from 'kysely';
import type { SecretBox } from '../../../lib/secret-box.ts';
import type { StorageKey } from '../../../ports/storage.ts';
import type { Db } from '../../db.ts';
import type { Visibility } from '../../visibility.ts';
import type { BitrateSample, LadderState, LiveSettings, LiveStream, RelayRequest, RelayState } from '../live-stream.ts';

/** A stream with its data for the API and the dashboard. Only the owner may see `streamKey` and `relays`. */
export type LiveView = {
  stream: LiveStream;
  createdAt: Date;
  streamKey: string;
  availableResolutions: string;
  ingestRegion: string;
  widthPx: number | null;
  heightPx: number | null;
  frameRate: number | null;
  durationMs: number | null;
  peakViewers: number;
  viewerSeconds: number;
  thumbnailFileName: string | null;
  thumbnailKey: StorageKey | null;
  thumbnailUpdatedAt: Date | null;
  /** True if its media is already a video. */
  isVideo: boolean;
  /** That of its recording, which can be changed. Before that, `private` for a stream that is not public. */
  visibility: Visibility;
  ingest: IngestView;
};

/** Publishing status, as the owning ingest process reported it at most a second ago. */
export type IngestView = {
  /** True if an ingest process owns the stream. */
  isOwned: boolean;
  /** True if the primary publisher sent media within the last 5 s. */
  primaryLive: boolean;
  backupLive: boolean;
  /** Time since the last media of the primary or backup publisher, by the database's clock. */
  msSinceMedia: number | null;
  firstMediaAt: Date | null;
  bitrate: BitrateSample | null;
  /** Null before the first media, and while the stream has no owner. */
  ladder: LadderState | null;
  /** Relays of the primary publisher. Empty while the stream has no owner. */
  relays: readonly RelayState[];
};

type LiveRow = NonNullable<Awaited<ReturnType<ReturnType<typeof viewsOf>['executeTakeFirst']>>>;

/** Selects streams with their leases. */
export function viewsOf(db: Db) {
  return db
    .selectFrom('live_stream')
    .leftJoin('live_lease', 'live_lease.stream_id', 'live_stream.id')
    .selectAll('live_stream')
    .select(['live_lease.first_media_at', 'live_lease.bitrate', 'live_lease.ladder', 'live_lease.relays'])
    .select([
      sql<boolean>`coalesce(live_lease.lease_until > now(), false)`.as('is_owned'),
      sql<boolean>`coalesce(primary_media_at > now() - interval '5 seconds', false)`.as('primary_live'),
      sql<boolean>`coalesce(backup_media_at > now() - interval '5 seconds', false)`.as('backup_live'),
      sql<number | null>`(extract(epoch from now() - greatest(primary_media_at, backup_media_at)) * 1000)::bigint`.as(
        'ms_since_media',
      ),
      sql<boolean>`exists (select from media where media.library_id = live_stream.library_id
        and media.id = live_stream.id and media.type = 'video')`.as('is_video'),
      sql<Visibility>`coalesce(
        (select m.visibility from media m
          where m.library_id = live_stream.library_id and m.id = live_stream.id and m.type <> 'live'),
        case when live_stream.is_public then 'public' else 'private' end)`.as('visibility'),
    ]);
}

export function toLiveView(row: LiveRow, secretBox: SecretBox): LiveView {
  return {
    stream: toStream(row, secretBox),
    createdAt: row.created_at,
    streamKey: secretBox.open(row.key_sealed),
    availableResolutions: row.available_resolutions,
    ingestRegion: row.ingest_region,
    widthPx: row.width_px,
    heightPx: row.height_px,
    frameRate: row.frame_rate,
    durationMs: row.duration_ms,
    peakViewers: row.peak_viewers,
    viewerSeconds: row.viewer_seconds,
    thumbnailFileName: row.thumbnail_file_name,
    thumbnailKey: row.thumbnail_key,
    thumbnailUpdatedAt: row.thumbnail_updated_at,
    isVideo: row.is_video,
    visibility: row.visibility,
    ingest: {
      isOwned: row.is_owned,
      primaryLive: row.is_owned && row.primary_live,
      backupLive: row.is_owned && row.backup_live,
      msSinceMedia: row.ms_since_media,
      firstMediaAt: row.first_media_at,
      bitrate: row.bitrate,
      ladder: row.is_owned || row.ladder?.kind === 'refused' ? row.ladder : null,
      relays: (row.is_owned ? row.relays : null) ?? [],
    },
  };
}

export function toStream(row: LiveRow, secretBox: SecretBox): LiveStream {
  const details = { libraryId: row.library_id, id: row.id, ...toSettings(row, secretBox) };
  switch (row.state) {
    case 'created':
    case 'scheduled':
    case 'preview':
      return { ...details, state: row.state };
    case 'running':
      return { ...details, state: row.state, startedAt: timeOf(row.started_at, row) };
    case 'vod-processing':
      return {
        ...details,
        state: row.state,
        startedAt: timeOf(row.started_at, row),
        endedAt: timeOf(row.ended_at, row),
      };
    case 'ended':
      return { ...details, state: row.state, startedAt: row.started_at, endedAt: timeOf(row.ended_at, row) };
    case 'error':
      return {
        ...details,
        state: row.state,
        startedAt: row.started_at,
        endedAt: timeOf(row.ended_at, row),
        reason: row.state_reason ?? '',
      };
  }
}

function toSettings(row: LiveRow, secretBox: SecretBox): LiveSettings {
  return {
    title: row.title,
    description: row.description,
    category: row.category,
    collectionId: row.collection_id,
    isPublic: row.is_public,
    scheduledStartAt: row.scheduled_start_at,
    scheduledEndAt: row.scheduled_end_at,
    dvrEnabled: row.dvr_enabled,
    dvrWindowSec: row.dvr_window_sec,
    recordVod: row.record_vod,
    countdownEnabled: row.countdown_enabled,
    relays: row.relays_sealed === null ? null : readRelays(secretBox.open(row.relays_sealed)),
    trailerVideoId: row.trailer_video_id,
  };
}

function readRelays(json: string): RelayRequest[] {
  const parsed: unknown = JSON.parse(json);
  // Only this store writes the column, from values of this type.
  return parsed as RelayRequest[];
}

function timeOf(time: Date | null, { id, state }: LiveRow): Date {
  if (time === null) throw new Error(`Expected stream ${id} in state ${state} to have its times.`);
  return time;
}
