import { type Static, Type } from 'typebox';
import { VISIBILITIES } from '../../catalog/visibility.ts';
import { SmartGenerateStatus, VideoModelStatus } from './enums.ts';
import { dateTime, double, flag, guarded, int32, int64, model, nullable, text, title, words } from './fields.ts';
import {
  CaptionModel,
  ChapterModel,
  MetaTagModel,
  MomentModel,
  SmartGenerateFeaturesStatusModel,
  TranscodingMessageModel,
} from './video-parts.ts';

/** Visibility of a video (not part of the hosted API). */
export const Visibility = words('Visibility', VISIBILITIES);

export const VideoModel = model('VideoModel', {
  videoLibraryId: int64(),
  guid: text({ minLength: 1 }),
  title: text({ minLength: 1 }),
  description: nullable(text()),
  dateUploaded: dateTime(),
  views: int64(),
  isPublic: flag(),
  /** Not part of the hosted API. */
  visibility: Visibility,
  /** Whole seconds. */
  length: int32(),
  status: VideoModelStatus,
  framerate: double(),
  rotation: nullable(int32()),
  width: int32(),
  height: int32(),
  /** Comma-separated, such as `240p,360p`. Empty and never null, because clients split it. */
  availableResolutions: text(),
  /** Comma-separated codec names. */
  outputCodecs: text({ minLength: 1 }),
  /** Number of seek frames; the number of sprites is ceil(n/36). */
  thumbnailCount: int32(),
  /** 0 to 100. */
  encodeProgress: int32(),
  /** Bytes. */
  storageSize: int64(),
  /** Never null: clients do not check. */
  captions: Type.Array(CaptionModel),
  hasMP4Fallback: flag(),
  /** A GUID, or empty. */
  collectionId: text(),
  /** Default thumbnail.jpg; custom uploads get another name. */
  thumbnailFileName: nullable(text()),
  thumbnailBlurhash: nullable(text()),
  averageWatchTime: int64(),
  totalWatchTime: int64(),
  category: nullable(text()),
  /** Never null: clients do not check. */
  chapters: Type.Array(ChapterModel),
  /** Never null: clients do not check. */
  moments: Type.Array(MomentModel),
  /** Never null: clients do not check. */
  metaTags: Type.Array(MetaTagModel),
  transcodingMessages: nullable(Type.Array(TranscodingMessageModel)),
  jitEncodingEnabled: nullable(flag()),
  smartGenerateStatus: nullable(SmartGenerateStatus),
  hasOriginal: nullable(flag()),
  /** SHA-256 in hexadecimal digits. */
  originalHash: nullable(text()),
  /** CDN URL. */
  thumbnailUrl: nullable(text()),
  smartGenerateFeaturesStatus: nullable(SmartGenerateFeaturesStatusModel),
  hasHighQualityPreview: nullable(flag()),
});
export type VideoModel = Static<typeof VideoModel>;

export const PaginationListOfVideoModel = model('PaginationListOfVideoModel', {
  totalItems: int64(),
  currentPage: int64(),
  itemsPerPage: int32(),
  items: Type.Array(VideoModel),
});
export type PaginationListOfVideoModel = Static<typeof PaginationListOfVideoModel>;

export const CreateVideoModel = model('CreateVideoModel', {
  title: title({ minLength: 1 }),
  collectionId: Type.Optional(nullable(text())),
  /** Time of the thumbnail, in ms. */
  thumbnailTime: Type.Optional(nullable(int32())),
  /** Not part of the hosted API. */
  visibility: guarded('protects', Type.Optional(nullable(Visibility))),
});
export type CreateVideoModel = Static<typeof CreateVideoModel>;

export const UpdateVideoModel = model('UpdateVideoModel', {
  title: Type.Optional(nullable(title())),
  /** Not part of the hosted API. */
  description: Type.Optional(nullable(text({ maxLength: 5_000 }))),
  /** Not part of the hosted API. */
  category: Type.Optional(nullable(text({ maxLength: 100 }))),
  /** Not part of the hosted API. */
  visibility: guarded('protects', Type.Optional(nullable(Visibility))),
  collectionId: Type.Optional(nullable(text())),
  chapters: Type.Optional(nullable(Type.Array(ChapterModel))),
  moments: Type.Optional(nullable(Type.Array(MomentModel))),
  /** Replaces the whole list. */
  metaTags: Type.Optional(nullable(Type.Array(MetaTagModel))),
});
export type UpdateVideoModel = Static<typeof UpdateVideoModel>;

export const FetchVideoRequest = model('FetchVideoRequest', {
  url: text({ minLength: 1 }),
  headers: Type.Optional(nullable(Type.Record(Type.String(), text()))),
  title: Type.Optional(nullable(title())),
  /** Not part of the hosted API. */
  visibility: guarded('protects', Type.Optional(nullable(Visibility))),
});
export type FetchVideoRequest = Static<typeof FetchVideoRequest>;

export const CaptionModelAdd = model('CaptionModelAdd', {
  srclang: Type.Optional(nullable(text())),
  label: Type.Optional(nullable(text())),
  /** Base64 of SRT or VTT. Long captions exceed a JSON body limit of 100 kB, so the limit must be higher. */
  captionsFile: Type.Optional(nullable(text())),
});
export type CaptionModelAdd = Static<typeof CaptionModelAdd>;

export const TranscribeSettings = model('TranscribeSettings', {
  targetLanguages: Type.Optional(nullable(Type.Array(text()))),
  generateTitle: Type.Optional(nullable(flag())),
  generateDescription: Type.Optional(nullable(flag())),
  generateChapters: Type.Optional(nullable(flag())),
  generateMoments: Type.Optional(nullable(flag())),
  sourceLanguage: Type.Optional(nullable(text())),
});
export type TranscribeSettings = Static<typeof TranscribeSettings>;

export const SmartGenerateModel = model('SmartGenerateModel', {
  generateTitle: Type.Optional(nullable(flag())),
  generateDescription: Type.Optional(nullable(flag())),
  generateChapters: Type.Optional(nullable(flag())),
  generateMoments: Type.Optional(nullable(flag())),
  sourceLanguage: Type.Optional(nullable(text())),
});
export type SmartGenerateModel = Static<typeof SmartGenerateModel>;
