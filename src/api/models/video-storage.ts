import { type Static, Type } from 'typebox';
import { dateTime, flag, int32, int64, model, nullable, text } from './fields.ts';
import { StatusModel } from './status.ts';

export const ResolutionReference = model('ResolutionReference', {
  resolution: nullable(text()),
  path: nullable(text()),
});
export type ResolutionReference = Static<typeof ResolutionReference>;

export const StorageObjectModel = model('StorageObjectModel', {
  guid: nullable(text()),
  storageZoneName: nullable(text()),
  path: nullable(text()),
  objectName: nullable(text()),
  length: int64(),
  lastChanged: dateTime(),
  serverId: int32(),
  isDirectory: flag(),
  userId: nullable(text()),
  contentType: nullable(text()),
  dateCreated: dateTime(),
  storageZoneId: int64(),
  checksum: nullable(text()),
  replicatedZones: nullable(text()),
});
export type StorageObjectModel = Static<typeof StorageObjectModel>;

export const VideoResolutionsInfoModel = model('VideoResolutionsInfoModel', {
  videoId: nullable(text()),
  videoLibraryId: int64(),
  availableResolutions: nullable(Type.Array(text())),
  configuredResolutions: nullable(Type.Array(text())),
  playlistResolutions: nullable(Type.Array(ResolutionReference)),
  storageResolutions: nullable(Type.Array(ResolutionReference)),
  mp4Resolutions: nullable(Type.Array(ResolutionReference)),
  storageObjects: nullable(Type.Array(StorageObjectModel)),
  oldResolutions: nullable(Type.Array(StorageObjectModel)),
  hasBothOldAndNewResolutionFormat: flag(),
  hasOriginal: flag(),
});
export type VideoResolutionsInfoModel = Static<typeof VideoResolutionsInfoModel>;

export const StatusModelOfVideoResolutionsInfoModel = model('StatusModelOfVideoResolutionsInfoModel', {
  ...StatusModel.properties,
  data: nullable(VideoResolutionsInfoModel),
});
export type StatusModelOfVideoResolutionsInfoModel = Static<typeof StatusModelOfVideoResolutionsInfoModel>;

export const CodecRenditionSizeModel = model('CodecRenditionSizeModel', {
  codec: nullable(text()),
  resolution: nullable(text()),
  size: int64(),
});
export type CodecRenditionSizeModel = Static<typeof CodecRenditionSizeModel>;

export const VideoStorageSizeModel = model('VideoStorageSizeModel', {
  encoded: nullable(Type.Record(Type.String(), CodecRenditionSizeModel)),
  thumbnails: int64(),
  previews: int64(),
  originals: int64(),
  mp4Fallback: int64(),
  miscellaneous: int64(),
  calculatedAt: dateTime(),
});
export type VideoStorageSizeModel = Static<typeof VideoStorageSizeModel>;

export const StatusModelOfVideoStorageSizeModel = model('StatusModelOfVideoStorageSizeModel', {
  ...StatusModel.properties,
  data: nullable(VideoStorageSizeModel),
});
export type StatusModelOfVideoStorageSizeModel = Static<typeof StatusModelOfVideoStorageSizeModel>;
