import { type Static, Type } from 'typebox';
import { VideoPlaybackSource } from './enums.ts';
import { flag, int32, int64, model, nullable, text } from './fields.ts';
import { LiveStreamModel } from './live-stream.ts';
import { VideoModel } from './video.ts';

/** Player data that videos and streams share. */
const SHOWN = {
  libraryName: nullable(text()),
  /** Absolute URL ending in `/`; clients append `{srclang}.vtt?ver=N`. */
  captionsPath: text(),
  /** Absolute URL without a trailing `/`; clients append `/_N.jpg`. */
  seekPath: text(),
  thumbnailUrl: text(),
  fallbackUrl: nullable(text()),
  videoPlaylistUrl: text(),
  originalUrl: nullable(text()),
  previewUrl: nullable(text()),
  /** Comma-separated. */
  controls: text(),
  enableDRM: flag(),
  /** 0: basic, 1: enterprise, 2: basicV2. */
  drmVersion: int32(),
  playerKeyColor: text(),
  vastTagUrl: nullable(text()),
  viAiPublisherId: nullable(text()),
  captionsFontSize: int32(),
  captionsFontColor: text(),
  captionsBackground: text(),
  uiLanguage: text(),
  allowEarlyPlay: flag(),
  tokenAuthEnabled: flag(),
  enableMP4Fallback: flag(),
  showHeatmap: flag(),
  fontFamily: text(),
  /** Comma-separated. */
  playbackSpeeds: nullable(text()),
  widevineMinClientSecurityLevel: nullable(int32()),
  zoneTier: nullable(int32()),
  rememberPlayerPosition: flag(),
};

export const VideoPlayDataModel = model('VideoPlayDataModel', {
  video: nullable(VideoModel),
  ...SHOWN,
  customCss: nullable(text()),
  pullZoneId: int64(),
  widevineEmeRobustness: nullable(text()),
  widevineSdOnlyForL3: flag(),
  maxSoftwareWidevineResolution: nullable(int32()),
  isPlayable: flag(),
  isPlaylistPlayable: flag(),
  preferredPlaybackSource: VideoPlaybackSource,
  exposeVideoMetadata: flag(),
  enableCompactControls: flag(),
  /** Optional, default 0. */
  resumePosition: Type.Optional(nullable(int64())),
  /** Only in play/heatmap: as in VideoHeatmapModel. */
  heatmap: Type.Optional(nullable(Type.Record(Type.String(), int32()))),
});
export type VideoPlayDataModel = Static<typeof VideoPlayDataModel>;

export const LiveStreamPlayDataModel = model('LiveStreamPlayDataModel', {
  liveStream: nullable(LiveStreamModel),
  ...SHOWN,
  enableCompactControls: flag(),
});
export type LiveStreamPlayDataModel = Static<typeof LiveStreamPlayDataModel>;

export const VideoHeatmapModel = model('VideoHeatmapModel', {
  /** Values from 0 to 100 by second of the video; a missing second means 0. */
  heatmap: nullable(Type.Record(Type.String(), int32())),
});
export type VideoHeatmapModel = Static<typeof VideoHeatmapModel>;

export const VideoStatisticsModel = model('VideoStatisticsModel', {
  /** Keys are the UTC starts of buckets, zero-filled. */
  viewsChart: nullable(Type.Record(Type.String(), int64())),
  /** Seconds. */
  watchTimeChart: nullable(Type.Record(Type.String(), int64())),
  /** Keys are ISO 3166-1 alpha-2 codes. */
  countryViewCounts: nullable(Type.Record(Type.String(), int64())),
  countryWatchTime: nullable(Type.Record(Type.String(), int64())),
  /** 0 to 100; only for a video. */
  engagementScore: int32(),
});
export type VideoStatisticsModel = Static<typeof VideoStatisticsModel>;

export const VideoOEmbedModel = model('VideoOEmbedModel', {
  version: nullable(text()),
  title: nullable(text()),
  type: nullable(text()),
  /** oEmbed spelling; the camel-case variants belong to the older specification. */
  thumbnail_url: nullable(text()),
  thumbnail_width: nullable(int32()),
  thumbnail_height: nullable(int32()),
  width: int32(),
  height: int32(),
  html: nullable(text()),
  provider_name: nullable(text()),
  provider_url: nullable(text()),
  thumbnailUrl: nullable(text()),
  thumbnailWidth: nullable(int32()),
  thumbnailHeight: nullable(int32()),
  providerName: nullable(text()),
  providerUrl: nullable(text()),
});
export type VideoOEmbedModel = Static<typeof VideoOEmbedModel>;
