import type { CaptionTrack, Chapter, MetaTag, Moment } from '../../src/catalog/schema.ts';

/** Reasons why a column is not exported: the first column of a table in docs/exporting.md. */
const MADE = 'Encoded media, images, sizes and lengths';
const SERVICE = 'State of the service';
const REGIONS = 'Regions';
const CHAT = 'Chat webhook';
const KEYS = 'Keys and host names';
const SHARES = 'Share pages';
const AUTHORS = 'Accounts of authors';
const TRACKS = 'Added audio tracks';
const GENERATED = 'Origin of generated titles and chapters';
const OPTIONS = 'Options of the upload';
const STATISTICS = 'Statistics and logs';
const LIVE = 'Live streams';
const TRASH = 'Videos in the trash';
const HISTORY = 'Cuts and replaced files';
const PEOPLE = 'People and sign-ins';
export const REASONS: readonly string[] = [
  ...[MADE, SERVICE, REGIONS, CHAT, KEYS, SHARES, AUTHORS, TRACKS, GENERATED, OPTIONS, STATISTICS, LIVE, TRASH],
  ...[HISTORY, PEOPLE],
];

/** Columns by table: words that are `carried`, and words with a reason. */
type Columns = { carried: string; not: Readonly<Record<string, string>> };

/** Every column of tables with properties that users set. A new column has to be added with a decision. */
export const COLUMNS: Readonly<Record<string, Columns>> = {
  media: {
    carried:
      'id title description category collection_id is_public visibility created_at source_key source_sha256 ' +
      'thumbnail_key meta_tags chapters moments captions views watch_sec_total thumbnail_time_ms',
    not: {
      [MADE]:
        'leaves_original is_incomplete source_bytes facts duration_ms width_px height_px frame_rate rotation_deg ' +
        'encode_progress encode_done encode_total storage_bytes thumbnail_bytes thumbnail_file_name thumbnail_count ' +
        'thumbnail_width_px thumbnail_height_px thumbnail_blurhash images waveform title_folded title_start',
      [SERVICE]:
        'library_id type state state_since state_reason lease_owner lease_until process_attempt process_tries ' +
        'revision messages caption_versions',
      [OPTIONS]: 'upload_options',
      [TRACKS]: 'audio_tracks',
      [GENERATED]: 'smart',
      [HISTORY]: 'replace_until replaced',
      [TRASH]: 'trashed_at trashed_from',
    },
  },
  collection: {
    carried: 'id name video_order manual_order',
    // The order of a list of collections is the only use of their dates.
    not: { [SERVICE]: 'library_id video_count created_at' },
  },
  review_comment: {
    carried: 'id media_id parent_id at_ms content author_kind author_name resolved_at resolved_by created_at edited_at',
    not: { [SERVICE]: 'library_id', [SHARES]: 'share_id', [AUTHORS]: 'author_id' },
  },
  share: {
    carried: '',
    not: {
      [SHARES]:
        'id library_id media_id collection_id token_hash token_sealed password_hash email_domains allows_download ' +
        'allows_comments expires_at created_by created_at',
    },
  },
  library: {
    carried: 'name settings',
    not: {
      [KEYS]: 'api_key_sealed api_key_hash read_only_key_sealed read_only_key_hash viewer_secret_sealed',
      [SERVICE]: 'id created_at modified_at deleted_at',
    },
  },
  pull_zone: {
    carried: 'settings',
    not: {
      [KEYS]: 'name security_key_sealed previous_key_sealed previous_key_until',
      [SERVICE]: 'id library_id revision purged_at',
    },
  },
  pull_zone_hostname: { carried: '', not: { [KEYS]: 'id pull_zone_id hostname' } },
  library_quota: {
    carried: 'resource max_amount mode',
    not: { [SERVICE]: 'library_id used level measured_at is_holding' },
  },
  webhook_endpoint: {
    carried: 'name url events is_enabled',
    not: { [SERVICE]: 'id library_id created_at', [KEYS]: 'secret_sealed' },
  },
  collection_feed: {
    carried: 'collection_id access title description author language category is_explicit',
    not: { [SERVICE]: 'library_id', [KEYS]: 'token_sealed' },
  },
  chat_webhook: {
    carried: '',
    not: {
      [CHAT]: 'library_id events language is_enabled url_sealed',
      [SERVICE]: 'last_sent_at last_error last_error_at',
    },
  },
};

/** Keys of the settings of a library and its pull zone by section: words that are `carried`, and with a reason. */
export const SETTING_KEYS: Readonly<Record<string, Columns>> = {
  encoding: {
    carried:
      'tier codecs rungs videoKbps scaleByBothDimensions jitEnabled multiAudio normaliseLoudness loudnessTargetLufs ' +
      'surroundAudio separateAudio contentTagging perTitle',
    not: {},
  },
  originals: { carried: 'keep expose allowEarlyPlay', not: {} },
  mp4: { carried: 'enabled removeMetadata', not: {} },
  drm: { carried: 'enabled version', not: {} },
  'drm.fairPlay': { carried: 'enabled certificateId provider', not: {} },
  'drm.widevine': { carried: 'enabled certificateId provider sdOnlyForL3 minClientSecurityLevel', not: {} },
  access: {
    carried: 'playerTokenRequired allowedReferrers blockedReferrers blockNoneReferrer allowDirectPlay',
    not: {},
  },
  viewers: {
    carried: 'mode url failOpen cacheSec issuer audience jwksUrl videoClaim collectionClaim',
    not: { [SERVICE]: 'secretVersion' },
  },
  transcription: {
    carried: 'enabled languages generateTitle generateDescription generateChapters generateMoments',
    not: {},
  },
  player: {
    carried:
      'version keyColor fontFamily controls playbackSpeeds uiLanguage captionsFontSizePx captionsFontColor ' +
      'captionsBackground captionsInPlaylist showHeatmap rememberPosition compactControls exposeVideoMetadata ' +
      'vastTagUrl viAiPublisherId customHtml',
    not: {},
  },
  watermark: {
    carried: 'present leftPercent topPercent widthPercent heightPercent',
    not: { [SERVICE]: 'version' },
  },
  liveWatermark: { carried: 'present', not: { [SERVICE]: 'version' } },
  liveThumbnail: { carried: 'present', not: { [SERVICE]: 'version' } },
  logo: { carried: 'present', not: { [SERVICE]: 'version' } },
  library: { carried: 'webhookUrl', not: { [REGIONS]: 'replicationRegions' } },
  pullZone: {
    carried:
      'tokenRequired tokenHoldsAddress blockedAddresses blockedCountries requestsPerSec burstRequests ' +
      'answersPerAddress rateKBps rateAfterKB blocksRoot blocksPost ignoresQuery allowsOrigins originExtensions ' +
      'staleWhileUpdating staleWhileOffline cachesErrors originRetries anonymisesAddresses',
    not: {},
  },
  'pullZone.waf': { carried: 'enabled blocks disabledRules loggedRules ignoredHeaders', not: {} },
};

/** Tables without properties that users set for a video, or with those of a part that no export has. */
export const OTHER_TABLES: Readonly<Record<string, string>> = {
  [MADE]: 'rendition chunk image drm_package merge_due retired_object waveform_due',
  [SERVICE]:
    'encode_task encode_speed encode_clock encode_idle encode_share attempt_log upload bulk_operation bulk_item ' +
    'library_import import_item ' +
    'library_export library_video_count library_storage installation last_backup orphan orphan_sweep scrub ' +
    'storage_move segment_request secret_rotation schema_compatibility kysely_migration kysely_migration_lock ' +
    'millrace_node shield_settings webhook_event webhook_line notification notification_summary',
  [KEYS]: 'access_key',
  [SHARES]: 'share_code',
  [GENERATED]: 'speech_run speech_span spoken_block captions_unread',
  [HISTORY]: 'composition timeline',
  [LIVE]: 'live_bitrate live_lease live_node live_period live_stream live_thumbnail',
  [STATISTICS]:
    'audit_line delivered_hour encoded_month licence_count media_heat shield_event stat_day stat_hour ' +
    'stat_library_hour storage_month view_evidence view_session viewer_salt viewer_sketch work_hour',
  [PEOPLE]:
    'person person_identity person_role person_session passkey invitation sign_in_provider finished_sign_in ' +
    'dashboard_session sign_in_link notification_choice',
};

const CARRIED = 'carried';

/** Values within JSON columns of a video. The type check reports a new one. */
export const PARTS = {
  chapters: { title: CARRIED, start: CARRIED, end: CARRIED } satisfies Record<keyof Chapter, string>,
  moments: { label: CARRIED, timestamp: CARRIED } satisfies Record<keyof Moment, string>,
  metaTags: { property: CARRIED, value: CARRIED } satisfies Record<keyof MetaTag, string>,
  captions: {
    srclang: CARRIED,
    label: CARRIED,
    key: CARRIED,
    version: SERVICE,
    sizeBytes: MADE,
    origin: CARRIED,
    translatedFrom: CARRIED,
  } satisfies Record<keyof CaptionTrack, string>,
} as const;
