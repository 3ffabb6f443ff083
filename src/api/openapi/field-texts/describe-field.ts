import { ACCOUNT_FIELD_TEXTS } from './account-field-texts.ts';
import { CHAT_WEBHOOK_FIELD_TEXTS } from './chat-webhook-field-texts.ts';
import { COMMENT_FIELD_TEXTS } from './comment-field-texts.ts';
import { EXPORT_FIELD_TEXTS } from './export-field-texts.ts';
import { FEED_FIELD_TEXTS } from './feed-field-texts.ts';
import type { FieldTexts } from './field-texts.ts';
import { IMPORT_FIELD_TEXTS } from './import-field-texts.ts';
import { LIBRARY_FIELD_TEXTS } from './library-field-texts.ts';
import { LIVE_FIELD_TEXTS } from './live-field-texts.ts';
import { QUOTA_FIELD_TEXTS } from './quota-field-texts.ts';
import { REPORT_FIELD_TEXTS } from './report-field-texts.ts';
import { SHARE_FIELD_TEXTS } from './share-field-texts.ts';
import { SHIELD_FIELD_TEXTS } from './shield-field-texts.ts';
import { VIDEO_FIELD_TEXTS } from './video-field-texts.ts';
import { VIEWER_ACCESS_FIELD_TEXTS } from './viewer-access-field-texts.ts';

const TEXTS: FieldTexts = {
  ...LIBRARY_FIELD_TEXTS,
  ...VIDEO_FIELD_TEXTS,
  ...LIVE_FIELD_TEXTS,
  ...ACCOUNT_FIELD_TEXTS,
  ...REPORT_FIELD_TEXTS,
  ...SHIELD_FIELD_TEXTS,
  ...IMPORT_FIELD_TEXTS,
  ...EXPORT_FIELD_TEXTS,
  ...FEED_FIELD_TEXTS,
  ...VIEWER_ACCESS_FIELD_TEXTS,
  ...QUOTA_FIELD_TEXTS,
  ...CHAT_WEBHOOK_FIELD_TEXTS,
  ...SHARE_FIELD_TEXTS,
  ...COMMENT_FIELD_TEXTS,
};

/** Models that share the descriptions of another model. */
const LIKE: Readonly<Record<string, string>> = {
  VideoLibraryCreateModel: 'VideoLibraryModel',
  VideoLibraryUpdateModel: 'VideoLibraryModel',
  PullZoneUpdateModel: 'PullZoneModel',
  CreateVideoModel: 'VideoModel',
  CreateShareModel: 'ShareModel',
  CreateWebhookEndpointModel: 'WebhookEndpointModel',
  UpdateWebhookEndpointModel: 'WebhookEndpointModel',
  UpdateShareModel: 'ShareModel',
  CreateLiveStreamModel: 'LiveStreamModel',
  UpdateLiveStreamModel: 'LiveStreamModel',
  LiveStreamPlayDataModel: 'VideoPlayDataModel',
  UpdateAudioTrackModel: 'AudioTrackModel',
  LibrarySoundUpdateModel: 'LibrarySoundModel',
  NewAccessKeyModel: 'AccessKeyModel',
  CreateAccessKeyModel: 'AccessKeyModel',
  InvitedPersonModel: 'PersonModel',
  InvitePersonModel: 'PersonModel',
  UpdatePersonModel: 'PersonModel',
  LibraryRoleModel: 'PersonModel',
  CreateSignInProviderModel: 'SignInProviderModel',
  UpdateSignInProviderModel: 'SignInProviderModel',
  GroupRoleModel: 'SignInProviderModel',
  ShieldZoneChange: 'ShieldZoneModel',
  UpdateShieldZoneModel: 'ShieldZoneModel',
  EventLogsExportRequest: 'EventLogsSearchRequest',
  StatusModelOfListOfString: 'StatusModel',
  StatusModelOfCaptionValidationModel: 'StatusModel',
  StatusModelOfVideoResolutionsInfoModel: 'StatusModel',
  StatusModelOfVideoStorageSizeModel: 'StatusModel',
};

/** Fields that mean the same in every model. */
const ANYWHERE: Readonly<Record<string, string>> = {
  videoLibraryId: 'Id of the library.',
  guid: 'GUID of the video.',
  items: 'Items of this page.',
  totalItems: 'Number of items on all pages.',
  currentPage: 'Number of this page, counted from 1.',
  itemsPerPage: 'Maximum number of items per page, as applied.',
  Items: 'Items of this page.',
  CurrentPage: 'Number of this page, counted from 1.',
  TotalItems: 'Number of items on all pages.',
  HasMoreItems: 'Whether there is another page.',
};

/** Returns the description of a model's field; undefined if none is written. */
export function describeField(model: string, field: string): string | undefined {
  return TEXTS[model]?.[field] ?? TEXTS[LIKE[model] ?? '']?.[field] ?? ANYWHERE[field];
}
