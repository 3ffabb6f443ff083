import { type Static, Type } from 'typebox';
import { LiveStreamStatus } from './enums.ts';
import { dateTime, double, flag, guarded, int32, int64, line, model, nullable, text, words } from './fields.ts';

export const IngestEndpointsRtmp = model('IngestEndpointsRtmp', {
  primaryIngestUrl: nullable(text()),
  backupIngestUrl: nullable(text()),
});
export type IngestEndpointsRtmp = Static<typeof IngestEndpointsRtmp>;

export const IngestEndpoints = model('IngestEndpoints', {
  rtmp: nullable(IngestEndpointsRtmp),
  /** Not part of the hosted API: the other protocols, if they are enabled. */
  rtmps: Type.Optional(IngestEndpointsRtmp),
  srt: Type.Optional(IngestEndpointsRtmp),
  whip: Type.Optional(IngestEndpointsRtmp),
});
export type IngestEndpoints = Static<typeof IngestEndpoints>;

export const RtmpOutput = model('RtmpOutput', {
  endpoint: Type.Optional(nullable(text())),
  streamKey: Type.Optional(nullable(text())),
});
export type RtmpOutput = Static<typeof RtmpOutput>;

/**
 * A relay: a URL that contains the key (older format), or an object (newer format). It is returned in the format in
 * which it was sent.
 */
const relay = () => Type.Unsafe<string | RtmpOutput>({ type: ['string', 'object'], properties: RtmpOutput.properties });

const PublisherState = words('PublisherState', ['none', 'live', 'away']);

export const LiveStreamModel = model('LiveStreamModel', {
  videoLibraryId: int64(),
  guid: text({ minLength: 1 }),
  title: text({ minLength: 1 }),
  description: nullable(text()),
  category: nullable(text()),
  collectionId: nullable(text()),
  public: flag(),
  status: LiveStreamStatus,
  /** Not part of the hosted API: `none` before the first media, `live`, or `away` without media for 5 s. */
  publisherState: PublisherState,
  dateCreated: dateTime(),
  /** Sent without a time zone; parsed as UTC. */
  scheduledStartTime: nullable(dateTime()),
  scheduledEndTime: nullable(dateTime()),
  startedAt: nullable(dateTime()),
  endedAt: nullable(dateTime()),
  durationSeconds: nullable(int32()),
  /** Prefix bunnylive_. */
  streamKey: text({ minLength: 1 }),
  playbackUrlHls: text({ minLength: 1 }),
  dvrEnabled: flag(),
  dvrWindowSeconds: nullable(int32()),
  recordVod: flag(),
  availableResolutions: text({ minLength: 1 }),
  width: nullable(int32()),
  height: nullable(int32()),
  framerate: nullable(double()),
  ingestRegion: text({ minLength: 1 }),
  peakConcurrentViewers: nullable(int32()),
  totalViewerSeconds: nullable(int64()),
  thumbnailFileName: nullable(text()),
  thumbnailUpdatedAt: nullable(dateTime()),
  enableCountdown: nullable(flag()),
  /** Newer clients decode RtmpOutput[]. */
  rtmpOutputs: nullable(Type.Array(relay())),
  preStreamTrailerVideoId: nullable(text()),
  ingestEndpoints: nullable(IngestEndpoints),
});
export type LiveStreamModel = Static<typeof LiveStreamModel>;

/** Fields that the owner sets, at creation or later. */
const OWNED = {
  title: Type.Optional(nullable(line())),
  description: Type.Optional(nullable(text())),
  collectionId: Type.Optional(nullable(text())),
  dvrEnabled: guarded('protects', Type.Optional(flag())),
  /** 1 to 43200; required if `dvrEnabled`. */
  dvrWindowSeconds: Type.Optional(nullable(int32({ minimum: 1, maximum: 43200 }))),
  recordVod: guarded('protects', Type.Optional(flag())),
  scheduledStartTime: Type.Optional(nullable(dateTime())),
  scheduledEndTime: Type.Optional(nullable(dateTime())),
  /** Default: true. */
  public: guarded('protects', Type.Optional(flag()), ['isPublic']),
  enableCountdown: Type.Optional(nullable(flag())),
  /** At most 5 strings in the older specification, at most 4 RtmpOutput in the newer one. Both are accepted. */
  rtmpOutputs: Type.Optional(nullable(Type.Array(relay()))),
  preStreamTrailerVideoId: Type.Optional(nullable(text())),
};

export const CreateLiveStreamModel = model('CreateLiveStreamModel', OWNED);
export type CreateLiveStreamModel = Static<typeof CreateLiveStreamModel>;

export const UpdateLiveStreamModel = model('UpdateLiveStreamModel', OWNED);
export type UpdateLiveStreamModel = Static<typeof UpdateLiveStreamModel>;

export const PaginationListOfLiveStreamModel = model('PaginationListOfLiveStreamModel', {
  totalItems: int64(),
  currentPage: int64(),
  itemsPerPage: int32(),
  items: Type.Array(LiveStreamModel),
});
export type PaginationListOfLiveStreamModel = Static<typeof PaginationListOfLiveStreamModel>;

export const ThumbnailListResponseModel = model('ThumbnailListResponseModel', {
  url: nullable(text()),
  /** UTC with a final `Z`, as in the fixtures of the hosted API's SDK. */
  timestamp: dateTime(),
});
export type ThumbnailListResponseModel = Static<typeof ThumbnailListResponseModel>;

/** Not part of the hosted API: status of the live transcoding to lower resolutions. */
export const LiveTranscodingModel = model('LiveTranscodingModel', {
  /** `starting`, `running`, `copy-only`, `idle` without a publisher, `none` if no smaller resolution is enabled. */
  state: text(),
  /** Reason why nothing is encoded, which media viewers do not get, or why the publisher was disconnected. */
  reason: nullable(text()),
  /** Resolutions below that of the publisher, such as `480p,360p`. */
  resolutions: text(),
});

/** Not part of the hosted API: status of a relay to another server. */
export const LiveRelayModel = model('LiveRelayModel', {
  host: text(),
  /** `connecting`, `running` or `failed`. */
  state: text(),
  /** Reason why the relay fails, or null while it works. */
  reason: nullable(text()),
});

export const LiveStreamStatusModel = model('LiveStreamStatusModel', {
  readyToStart: nullable(flag()),
  primaryLive: nullable(flag()),
  backupLive: nullable(flag()),
  lastPingAgo: nullable(int64()),
  duration: nullable(int32()),
  statusTimeUtc: nullable(dateTime()),
  transcoding: nullable(LiveTranscodingModel),
  /** Relays of the primary publisher (`rtmpOutputs`), in their order. */
  relays: Type.Array(LiveRelayModel),
});
export type LiveStreamStatusModel = Static<typeof LiveStreamStatusModel>;

export const LiveEncodingStatisticsModel = model('LiveEncodingStatisticsModel', {
  hourly: flag(),
  totalEncodingSeconds: int64(),
  encodingSecondsChart: nullable(Type.Record(Type.String(), int64())),
  encodingSecondsByLiveStream: nullable(Type.Record(Type.String(), int64())),
  encodingSecondsByVideoCodec: nullable(Type.Record(Type.String(), int64())),
  encodingSecondsByResolution: nullable(Type.Record(Type.String(), int64())),
});
export type LiveEncodingStatisticsModel = Static<typeof LiveEncodingStatisticsModel>;
