import { type Static, Type } from 'typebox';
import { MAX_LISTED_FEEDS } from '../../catalog/feeds/feed.ts';
import { MAX_ENDPOINTS } from '../../catalog/webhooks/endpoint-store.ts';
import { FeedAccess } from './feed.ts';
import { flag, int32, model, nullable, text } from './fields.ts';
import { LibrarySoundUpdateModel } from './library-sound.ts';
import { PullZoneUpdateModel } from './pull-zone.ts';
import { UpdateQuotasModel } from './quota.ts';
import { ShieldZoneChange } from './shield-zone.ts';
import { VideoLibraryUpdateModel } from './video-library.ts';
import { UpdateViewerAccessModel } from './viewer-access.ts';
import { CreateWebhookEndpointModel } from './webhook.ts';

/** Maximum characters of a data URL of an image of 5 MiB. */
const MAX_IMAGE_CHARS = 7_000_000;

/** The feed of a collection without its token. Not part of the hosted API, like all models of this file. */
export const PortableFeedModel = model('PortableFeedModel', {
  collectionId: text({ maxLength: 36 }),
  access: FeedAccess,
  title: nullable(text({ maxLength: 500 })),
  description: nullable(text({ maxLength: 4_000 })),
  author: nullable(text({ maxLength: 200 })),
  language: nullable(text({ maxLength: 35 })),
  category: nullable(text({ maxLength: 100 })),
  explicit: flag(),
});
export type PortableFeedModel = Static<typeof PortableFeedModel>;

const image = () => Type.Optional(nullable(text({ maxLength: MAX_IMAGE_CHARS })));

/** The images of a library as data URLs, or null for none. */
export const PortableImagesModel = model('PortableImagesModel', {
  watermark: image(),
  liveWatermark: image(),
  liveThumbnail: image(),
  logo: image(),
});
export type PortableImagesModel = Static<typeof PortableImagesModel>;

export const SettingOmissionModel = model('SettingOmissionModel', { field: text(), reason: text() });
export type SettingOmissionModel = Static<typeof SettingOmissionModel>;

/** The settings of a library that another service can use: `library.json` of an export. */
export const PortableSettingsModel = model('PortableSettingsModel', {
  version: int32({ minimum: 1, maximum: 1 }),
  library: Type.Optional(VideoLibraryUpdateModel),
  sound: Type.Optional(LibrarySoundUpdateModel),
  pullZone: Type.Optional(PullZoneUpdateModel),
  firewall: Type.Optional(ShieldZoneChange),
  viewers: Type.Optional(UpdateViewerAccessModel),
  quotas: Type.Optional(UpdateQuotasModel),
  webhooks: Type.Optional(Type.Array(CreateWebhookEndpointModel, { maxItems: MAX_ENDPOINTS })),
  feeds: Type.Optional(Type.Array(PortableFeedModel, { maxItems: MAX_LISTED_FEEDS })),
  images: Type.Optional(PortableImagesModel),
  notCarried: Type.Optional(Type.Array(SettingOmissionModel, { maxItems: 100 })),
});
export type PortableSettingsModel = Static<typeof PortableSettingsModel>;

export const SettingChangeModel = model('SettingChangeModel', {
  field: text(),
  from: nullable(text()),
  to: nullable(text()),
});
export type SettingChangeModel = Static<typeof SettingChangeModel>;

export const RestoredSettingsModel = model('RestoredSettingsModel', {
  isEmpty: flag(),
  changes: Type.Array(SettingChangeModel),
  postponed: Type.Array(SettingOmissionModel),
});
export type RestoredSettingsModel = Static<typeof RestoredSettingsModel>;
