import { type Static, Type } from 'typebox';
import { flag, int32, int64, model, nullable, text } from './fields.ts';

const chart = () => Type.Record(Type.String(), int64());

export const AudienceShareModel = model('AudienceShareModel', {
  /** Empty if unknown. */
  name: text(),
  views: int64(),
  /** Seconds. */
  watchTime: int64(),
});

export const AudienceRenditionModel = model('AudienceRenditionModel', {
  height: int32(),
  views: int64(),
  /** Seconds. */
  watchTime: int64(),
});

/** Time from the page request to the first moving frame. Each value is accurate to 20 %. */
export const AudienceStartupModel = model('AudienceStartupModel', {
  measured: int64(),
  p50Ms: nullable(int32()),
  p75Ms: nullable(int32()),
  p95Ms: nullable(int32()),
});

export const AudienceRebufferingModel = model('AudienceRebufferingModel', {
  /** Views in which playback stalled. */
  views: int64(),
  seconds: int64(),
});

export const AudienceFailuresModel = model('AudienceFailuresModel', { views: int64(), count: int64() });

/** Estimates for other players, from their segment requests. The charts include them only if configured. */
export const AudienceEstimateModel = model('AudienceEstimateModel', {
  viewsChart: chart(),
  watchTimeChart: chart(),
});

/** Views and seconds that were claimed without evidence that media was delivered, or repeated within half an hour. */
export const AudienceDiscardedModel = model('AudienceDiscardedModel', { views: int64(), watchTime: int64() });

/** Average of other videos, by part of the length. */
export const AudienceLibraryRetentionModel = model('AudienceLibraryRetentionModel', {
  videos: int32(),
  percents: Type.Array(int32()),
});

export const AudienceModel = model('AudienceModel', {
  /** Sum of the distinct viewers of each day. The number of each day is accurate to about 2.3 %. */
  uniqueViewers: int64(),
  /** Keys are UTC days, zero-filled, even if the other charts are hourly. */
  uniqueViewersChart: chart(),
  viewersNow: int64(),
  devices: Type.Array(AudienceShareModel),
  /** Hosts of the pages that embed the player. */
  referrers: Type.Array(AudienceShareModel),
  renditions: Type.Array(AudienceRenditionModel),
  startup: AudienceStartupModel,
  rebuffering: AudienceRebufferingModel,
  failures: AudienceFailuresModel,
  /** Percentage of the views that played each part of a video, or null for a library and below five views. */
  retention: nullable(Type.Array(int32())),
  /** Null if no other video of the library has five views. */
  libraryRetention: nullable(AudienceLibraryRetentionModel),
  estimated: AudienceEstimateModel,
  discarded: AudienceDiscardedModel,
  bytesSent: int64(),
  bytesChart: chart(),
});
export type AudienceModel = Static<typeof AudienceModel>;

const quality = () => ({
  views: int64(),
  /** Seconds. */
  watchTime: int64(),
  startupP50Ms: nullable(int32()),
  startupP95Ms: nullable(int32()),
  rebufferingViews: int64(),
  rebufferingSeconds: int64(),
  failedViews: int64(),
});

export const NamedQualityModel = model('NamedQualityModel', { name: text(), ...quality() });
export const RenditionQualityModel = model('RenditionQualityModel', { height: int32(), ...quality() });
export const VideoQualityModel = model('VideoQualityModel', { guid: text(), title: nullable(text()), ...quality() });

/** Playback quality of the views in a period, by group. Not part of the hosted API. */
export const QualityModel = model('QualityModel', {
  /** Views that were examined. */
  views: int64(),
  isLimited: flag(),
  countries: Type.Array(NamedQualityModel),
  devices: Type.Array(NamedQualityModel),
  renditions: Type.Array(RenditionQualityModel),
  videos: Type.Array(VideoQualityModel),
});
export type QualityModel = Static<typeof QualityModel>;
